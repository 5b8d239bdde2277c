//! Rayleigh's damping by stiffness: linear elasticity in the frame that each tetrahedron had when the interval began.
//!
//! With R that frame, G = F − I now and G₀ then, n minus the vertex's rest gradient, a vertex feels `P n' , P = μ (D + Dᵀ) + λ tr D`, D = (G − G₀) Rᵀ, n' = R n (times V β/h).
//! It is linear in G: what G₀ does is one force per vertex and interval, the matrix `μ |n|² I + (λ + μ) n' n'ᵀ` is another constant, and a sweep finds only
//! `μ (G n + R Gᵀ n') + λ (R : G) n'` from the G that elasticity needs anyway. R is found in lanes, once for each corner: nothing is handed from tetrahedra to vertices.

use super::kernel::{Incidences, Turns, deformation};
use super::laws::{Local, turned_times};
use super::layout::Group;
use crate::shape_matching::rotation::{minus_identity, nearest};
use crate::simd::dispatched;
use crate::simd::gather::{Gather, Numbers, Point};
use crate::simd::matrix::{Mat, dot, times};
use crate::simd::{BLOCK, Lanes, Slot, four, six, three};

/// Sixteen tetrahedra.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Dampers {
    turn: Turns,
    /// V μ β/h.
    shear: Slot,
}

impl Dampers {
    pub(super) const EMPTY: Self =
        Self { turn: [Slot::ZERO, Slot::ZERO, Slot::ZERO, Slot([1.0; BLOCK])], shear: Slot::ZERO };

    /// What damping pulls at the vertex with, as if it had begun undeformed. `ratio` is λ/μ.
    #[inline(always)]
    pub(super) fn force<L: Lanes>(&self, g: &Mat<L>, n: [L; 3], ratio: L, at: usize) -> [L; 3] {
        let e = minus_identity(four!(K => L::load(&self.turn[K], at)));
        force(&e, g, n, L::load(&self.shear, at), ratio)
    }
}

#[inline(always)]
fn force<L: Lanes>(e: &Mat<L>, g: &Mat<L>, n: [L; 3], shear: L, ratio: L) -> [L; 3] {
    let (en, gn) = (times(e, n), times(g, n));
    let along = three!(I => n[I] + en[I]);
    let across = turned_times(g, along);
    let back = times(e, across);
    let mixed = three!(I => e[I][0] * g[I][0] + e[I][1] * g[I][1] + e[I][2] * g[I][2]);
    let grown = ratio * (g[0][0] + g[1][1] + g[2][2] + (mixed[0] + mixed[1] + mixed[2]));
    three!(I => shear * (gn[I] + (across[I] + back[I]) + grown * along[I]))
}

/// What stays the same about sixteen vertices in an interval.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Damped {
    /// The pull of where they began.
    pull: [Slot; 3],
    /// xx, yy, zz, xy, yz, zx.
    matrix: [Slot; 6],
    /// λ/μ.
    pub(super) ratio: Slot,
}

impl Damped {
    pub(super) const EMPTY: Self = Self { pull: [Slot::ZERO; 3], matrix: [Slot::ZERO; 6], ratio: Slot::ZERO };

    #[inline(always)]
    pub(super) fn add_to<L: Lanes>(&self, local: &mut Local<L>, at: usize) {
        local.gradient = three!(I => local.gradient[I] + L::load(&self.pull[I], at));
        local.matrix = six!(K => local.matrix[K] + L::load(&self.matrix[K], at));
    }
}

/// Groups that follow each other, with all that their dampers are made of.
pub(super) struct Start<'a> {
    pub(super) groups: &'a [Group],
    /// Number of the first group.
    pub(super) first: usize,
    /// Of these groups.
    pub(super) damped: &'a mut [Damped],
    pub(super) dampers: &'a mut [Dampers],
    /// Of all. Rotations to begin from; empty: none.
    pub(super) turns: &'a [Turns],
    pub(super) incidences: &'a [Incidences],
    /// Where vertices were when the interval began, and β/h there.
    pub(super) starts: &'a [Point],
    pub(super) rates: &'a [Point],
}

dispatched! { start = start_in(of: Start<'_>) }

#[inline(always)]
fn start_in<L: Gather>(of: Start<'_>) {
    let Start { groups, first, damped, dampers, turns, incidences, starts, rates } = of;
    assert!(
        damped.len() >= groups.len() && starts.len() >= (first + groups.len()) * BLOCK && rates.len() == starts.len()
    );
    let first_block = groups.first().map_or(0, |group| group.first as usize);
    let identity = [L::splat(0.0), L::splat(0.0), L::splat(0.0), L::splat(1.0)];
    for (number, group) in groups.iter().enumerate() {
        for at in (0..BLOCK).step_by(L::WIDTH) {
            let slots = (first + number) * BLOCK..;
            // SAFETY: the layout names only slots that exist, and there are as many starts and rates.
            let (own, own_rate) = unsafe {
                (
                    L::gather(starts.get_unchecked(slots.clone()), &Numbers::COUNTING, at),
                    L::gather(rates.get_unchecked(slots), &Numbers::COUNTING, at)[0],
                )
            };
            let ratio = L::load(&damped[number].ratio, at);
            let mut local = Local::<L>::nothing();
            for block in group.blocks() {
                let seen = &incidences[block];
                // SAFETY: as above.
                let ((g, n), others) = unsafe {
                    (
                        deformation::<L>(&seen.gradient, &seen.corners, starts, own, at),
                        three!(A => L::gather(rates, &seen.corners[A], at)[0]),
                    )
                };
                let rate = (own_rate + others[0] + (others[1] + others[2])) * L::splat(0.25);
                let shear = L::load(&seen.stiffness, at) * rate;
                let one = L::splat(1.0);
                let mut f = g;
                (f[0][0], f[1][1], f[2][2]) = (f[0][0] + one, f[1][1] + one, f[2][2] + one);
                let twist = [g[2][1] - g[1][2], g[0][2] - g[2][0], g[1][0] - g[0][1]];
                let warm = turns.get(block).map_or(identity, |turn| four!(K => L::load(&turn[K], at)));
                let turn = nearest(&f, twist, warm);
                let dampers = &mut dampers[block - first_block];
                four!(K => turn[K].store(&mut dampers.turn[K], at));
                shear.store(&mut dampers.shear, at);
                let e = minus_identity(turn);
                let force = force(&e, &g, n, shear, ratio);
                local.gradient = three!(I => local.gradient[I] + force[I]);
                let en = times(&e, n);
                local.stiffen(dot(n, n) * shear);
                local.stiffen_along(three!(I => n[I] + en[I]), shear + shear * ratio);
            }
            let damped = &mut damped[number];
            three!(I => local.gradient[I].store(&mut damped.pull[I], at));
            six!(K => local.matrix[K].store(&mut damped.matrix[K], at));
        }
    }
}

impl Start<'_> {
    /// Both halves of the groups.
    pub(super) fn halves(self) -> (Self, Self) {
        let middle = self.groups.len() / 2;
        let (groups, more_groups) = self.groups.split_at(middle);
        let (damped, more_damped) = self.damped.split_at_mut(middle);
        let blocks: usize = groups.iter().map(|group| group.count as usize).sum();
        let (dampers, more_dampers) = self.dampers.split_at_mut(blocks);
        let first = self.first;
        let second =
            Start { groups: more_groups, first: first + middle, damped: more_damped, dampers: more_dampers, ..self };
        (Start { groups, first, damped, dampers, ..second }, second)
    }
}
