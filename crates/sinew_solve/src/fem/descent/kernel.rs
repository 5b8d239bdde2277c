//! One colour of vertices, each moved to the minimum of the objective as it alone can change it.
//!
//! Everything is a difference from the body's own rigid motion: u = Rᵀ(x − c) − o, G = F − I = Σ u bᵀ. In f32 the error is then
//! relative to how far the body is from rigid, and a body that moves rigidly feels nothing at all.

use super::dampers::{Damped, Dampers};
use super::laws::{Corotated, Law, Local, NeoHookean, StVenantKirchhoff, Warm};
use super::layout::Group;
use crate::simd::dispatched;
use crate::simd::gather::{Gather, Numbers, Point};
use crate::simd::matrix::Mat;
use crate::simd::{BLOCK, Slot, four, three};

/// A tetrahedron of each of sixteen vertices, seen from that vertex.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Incidences {
    /// Rest gradients b of the other three corners.
    pub(super) gradient: [Slot; 9],
    /// V μ.
    pub(super) stiffness: Slot,
    pub(super) corners: [Numbers; 3],
}

impl Incidences {
    /// Nothing: it pulls at no one.
    pub(super) const EMPTY: Self =
        Self { gradient: [Slot::ZERO; 9], stiffness: Slot::ZERO, corners: [Numbers::COUNTING; 3] };
}

/// What F − I is of sixteen tetrahedra in the rest positions that are asked for, row by row: T'⁻¹ − I.
pub(super) type Contractions = [Slot; 9];

/// Rotations of sixteen tetrahedra against the body's frame.
pub(super) type Turns = [Slot; 4];

/// Sixteen vertices of one colour, without their tetrahedra. Matrices are xx, yy, zz, xy, yz, zx.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Vertices {
    /// Where inertia would have it.
    pub(super) target: [Slot; 3],
    /// Matrix about there, and pull, of all that is quadratic in this vertex alone: inertia, drag, goals.
    pub(super) matrix: [Slot; 6],
    pub(super) pull: [Slot; 3],
    /// Gradient and matrix of what reaches several vertices at once, as they were when the sweep began: contact.
    pub(super) push: [Slot; 3],
    pub(super) grip: [Slot; 6],
    /// What of the elastic matrix is always the same: Σ V μ |b|², as the law counts it.
    pub(super) spread: Slot,
    /// λ/μ, as the law counts it.
    pub(super) ratio: Slot,
    /// 1 for what may move, 0 for what is pinned.
    pub(super) free: Slot,
}

impl Vertices {
    /// Nobody: a matrix that can be inverted, and no way to go.
    pub(super) const EMPTY: Self = Self {
        target: [Slot::ZERO; 3],
        matrix: [ONE, ONE, ONE, Slot::ZERO, Slot::ZERO, Slot::ZERO],
        pull: [Slot::ZERO; 3],
        push: [Slot::ZERO; 3],
        grip: [Slot::ZERO; 6],
        spread: Slot::ZERO,
        ratio: Slot::ZERO,
        free: Slot::ZERO,
    };

    /// Takes out what acts on single vertices, but for inertia.
    pub(super) fn clear(&mut self) {
        let Self { matrix, pull, push, grip, .. } = self;
        matrix[3..].iter_mut().chain(pull).chain(push).chain(grip).for_each(|slot| *slot = Slot::ZERO);
    }
}

const ONE: Slot = Slot([1.0; BLOCK]);

/// What a sweep is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answer {
    /// Where vertices go.
    Places,
    /// The gradient of the objective in each.
    Gradients,
}

/// Groups of one colour, and all that they look at.
pub(super) struct Sweep<'a> {
    pub(super) groups: &'a [Group],
    /// Number of the first group.
    pub(super) first: usize,
    /// Of these groups.
    pub(super) vertices: &'a [Vertices],
    /// Empty where nothing is damped.
    pub(super) damped: &'a [Damped],
    pub(super) turns: &'a mut [Turns],
    pub(super) out: &'a mut [Point],
    pub(super) answer: Answer,
    /// Whether rotations were found before in this step.
    pub(super) is_near: bool,
    /// Of all.
    pub(super) incidences: &'a [Incidences],
    /// Empty where no one asks for any.
    pub(super) contractions: &'a [Contractions],
    pub(super) dampers: &'a [Dampers],
    pub(super) points: &'a [Point],
}

dispatched! { neo_hookean = neo_hookean_in(sweep: Sweep<'_>) }
dispatched! { corotated = corotated_in(sweep: Sweep<'_>) }
dispatched! { st_venant_kirchhoff = st_venant_kirchhoff_in(sweep: Sweep<'_>) }

#[inline(always)]
fn neo_hookean_in<L: Gather>(sweep: Sweep<'_>) {
    answer::<L, NeoHookean>(sweep);
}

#[inline(always)]
fn corotated_in<L: Gather>(sweep: Sweep<'_>) {
    answer::<L, Corotated>(sweep);
}

#[inline(always)]
fn st_venant_kirchhoff_in<L: Gather>(sweep: Sweep<'_>) {
    answer::<L, StVenantKirchhoff>(sweep);
}

/// Compiled by itself for each answer, with and without dampers, and for rotations that are near: what is not needed would take registers
/// from the rest.
#[inline(always)]
fn answer<L: Gather, W: Law>(mut sweep: Sweep<'_>) {
    match (sweep.answer, sweep.damped.is_empty()) {
        (Answer::Places, true) if W::TURNS && sweep.is_near => sweep_in::<L, W, true, false, true>(&mut sweep),
        (Answer::Places, false) if W::TURNS && sweep.is_near => sweep_in::<L, W, true, true, true>(&mut sweep),
        (Answer::Places, true) => sweep_in::<L, W, true, false, false>(&mut sweep),
        (Answer::Places, false) => sweep_in::<L, W, true, true, false>(&mut sweep),
        (Answer::Gradients, true) => sweep_in::<L, W, false, false, false>(&mut sweep),
        (Answer::Gradients, false) => sweep_in::<L, W, false, true, false>(&mut sweep),
    }
}

#[inline(always)]
fn sweep_in<L: Gather, W: Law, const MOVES: bool, const DAMPED: bool, const NEAR: bool>(sweep: &mut Sweep<'_>) {
    sweep.check::<W>();
    let first_block = sweep.groups.first().map_or(0, |group| group.first as usize);
    for number in 0..sweep.groups.len() {
        let blocks = sweep.groups[number].blocks();
        for at in (0..BLOCK).step_by(L::WIDTH) {
            let vertices = &sweep.vertices[number];
            // SAFETY: the layout names only slots that exist, and `check` has seen that there are as many points.
            let own = unsafe {
                L::gather(sweep.points.get_unchecked((sweep.first + number) * BLOCK..), &Numbers::COUNTING, at)
            };
            let mut local = Local::<L>::outside(vertices, own, at);
            let ratio = L::load(&vertices.ratio, at);
            for block in blocks.clone() {
                let incidences = &sweep.incidences[block];
                // SAFETY: as above.
                let (mut g, n) =
                    unsafe { deformation::<L>(&incidences.gradient, &incidences.corners, sweep.points, own, at) };
                let weight = L::load(&incidences.stiffness, at);
                if DAMPED {
                    let ratio = L::load(&sweep.damped[number].ratio, at);
                    let force = sweep.dampers[block].force(&g, n, ratio, at);
                    local.gradient = three!(I => local.gradient[I] - force[I]);
                }
                if let Some(asked) = sweep.contractions.get(block) {
                    g = three!(I => three!(J => g[I][J] + L::load(&asked[3 * I + J], at)));
                }
                if W::TURNS {
                    let turns = &mut sweep.turns[block - first_block];
                    let warm = Warm { turn: four!(K => L::load(&turns[K], at)), is_near: NEAR };
                    let turn = W::add(&mut local, &g, n, weight, ratio, warm);
                    four!(K => turn[K].store(&mut turns[K], at));
                } else {
                    W::add(&mut local, &g, n, weight, ratio, Warm { turn: [weight; 4], is_near: NEAR });
                }
            }
            if DAMPED {
                sweep.damped[number].add_to(&mut local, at);
            }
            let answer = if MOVES {
                let step = local.step(L::load(&vertices.free, at));
                three!(I => own[I] - step[I])
            } else {
                local.gradient
            };
            L::put(answer, &mut sweep.out[number * BLOCK + at..]);
        }
    }
}

/// F − I without what is asked for, and the sum of the other corners' gradients.
///
/// # Safety
/// `points` has all `corners`.
#[inline(always)]
pub(super) unsafe fn deformation<L: Gather>(
    gradient: &[Slot; 9],
    corners: &[Numbers; 3],
    points: &[Point],
    own: [L; 3],
    at: usize,
) -> (Mat<L>, [L; 3]) {
    let b = three!(A => three!(J => L::load(&gradient[3 * A + J], at)));
    let d = three!(A => {
        // SAFETY: the caller's promise.
        let other = unsafe { L::gather(points, &corners[A], at) };
        three!(I => other[I] - own[I])
    });
    let g = three!(I => three!(J => d[0][I] * b[0][J] + d[1][I] * b[1][J] + d[2][I] * b[2][J]));
    (g, three!(J => b[0][J] + b[1][J] + b[2][J]))
}

impl<'a> Sweep<'a> {
    /// Both halves of the groups.
    pub(super) fn halves(self) -> (Self, Self) {
        let (middle, number) = (self.groups.len() / 2, self.first);
        let (groups, more_groups) = self.groups.split_at(middle);
        let (vertices, more_vertices) = self.vertices.split_at(middle);
        let (damped, more_damped) = self.damped.split_at(middle.min(self.damped.len()));
        let (out, more_out) = self.out.split_at_mut(middle * BLOCK);
        let blocks: usize = groups.iter().map(|group| group.count as usize).sum();
        let (turns, more_turns) = self.turns.split_at_mut(blocks.min(self.turns.len()));
        let second = Sweep {
            groups: more_groups,
            first: number + middle,
            vertices: more_vertices,
            damped: more_damped,
            turns: more_turns,
            out: more_out,
            ..self
        };
        let first = Sweep { groups, first: number, vertices, damped, turns, out, ..second };
        (first, second)
    }

    /// What the kernels rely on.
    fn check<W: Law>(&self) {
        let (groups, slots) = (self.groups.len(), (self.first + self.groups.len()) * BLOCK);
        assert!(self.vertices.len() >= groups && self.out.len() >= groups * BLOCK && self.points.len() >= slots);
        assert!(self.damped.is_empty() || self.damped.len() == groups && self.dampers.len() == self.incidences.len());
        assert!(!W::TURNS || self.turns.len() >= self.groups.iter().map(|group| group.count as usize).sum());
    }
}
