//! Eight tetrahedra at once: energy, forces and blocks of the Hessian.
//!
//! Formulas are those of `element.rs`. Corners are in order of their points, so that the block of a later against an earlier corner
//! is in the lower triangle of the matrix.

use super::blocks::{PAIRS, add_to_blocks, linear_blocks, principal_blocks, store_blocks, turned_blocks};
use super::laws::{Corotated, Law, NeoHookean, StVenantKirchhoff, corotated_twist};
use super::principal::{Turn, matrix_of, nearest, product, product_turned, turned_product};
use crate::simd::dispatched;
use crate::simd::double::{Doubles, OCTET, Octet, Place};
use crate::simd::gather::Gather;
use crate::simd::matrix::{Mat, dot, times, trace};
use crate::simd::{four, three};

#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Octets {
    pub(super) corners: [[u32; OCTET]; 4],
    /// Rest gradients of corners 1 to 3; that of corner 0 is minus their sum.
    pub(super) gradient: [Octet; 9],
    /// V μ, and λ/μ.
    pub(super) stiffness: Octet,
    pub(super) ratio: Octet,
    /// 1 where the energy counts here, 0 where another piece counts it.
    pub(super) own: Octet,
}

impl Octets {
    pub(super) const EMPTY: Self = Self {
        corners: [[0; OCTET]; 4],
        gradient: [Octet::ZERO; 9],
        stiffness: Octet::ZERO,
        ratio: Octet::ZERO,
        own: Octet::ZERO,
    };
}

/// Rotations of eight tetrahedra, those found last. They stand by themselves: each step brings them along from the state and takes them back, which
/// would otherwise run through all that is known about the tetrahedra.
pub(super) type Turns = [Octet; 4];

pub(super) const NO_TURNS: Turns = [Octet::ZERO, Octet::ZERO, Octet::ZERO, Octet([1.0; OCTET])];

/// Where contributions go within a piece: rows of the corners, and blocks of the pairs 00, 10, 11, 20, 21, 22, 30, 31, 32, 33.
#[derive(Debug, Clone, Copy)]
pub(super) struct Targets {
    pub(super) rows: [[u32; OCTET]; 4],
    pub(super) blocks: [[u32; OCTET]; PAIRS],
}

/// Rayleigh's damping by stiffness: linear elasticity in the frame that a tetrahedron had.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Damper {
    pub(super) turn: Turns,
    /// β/h.
    pub(super) rate: Octet,
}

/// Eight tetrahedra's worth of places now and, where there are dampers, when the interval began.
pub(super) struct Where<'a> {
    pub(super) now: &'a [Place],
    pub(super) start: &'a [Place],
    pub(super) dampers: &'a [Damper],
}

impl Where<'_> {
    fn check(&self, octets: &[Octets]) {
        assert!(self.dampers.is_empty() || self.dampers.len() == octets.len() && self.start.len() == self.now.len());
    }
}

macro_rules! of_each_law {
    ($kernel:ident($($arg:ident: $type:ty),*): $corotated:ident, $st_venant:ident, $neo:ident) => {
        #[inline(always)]
        fn $corotated<L: Gather>($($arg: $type),*) {
            $kernel::<L::Doubles, Corotated>($($arg),*);
        }
        #[inline(always)]
        fn $st_venant<L: Gather>($($arg: $type),*) {
            $kernel::<L::Doubles, StVenantKirchhoff>($($arg),*);
        }
        #[inline(always)]
        fn $neo<L: Gather>($($arg: $type),*) {
            $kernel::<L::Doubles, NeoHookean>($($arg),*);
        }
    };
}
of_each_law!(energy_in(octets: &[Octets], turns: &[Turns], at: &Where<'_>, sum: &mut f64): energy_c, energy_s, energy_n);
of_each_law!(gradient_in(
    octets: &[Octets], turns: &mut [Turns], targets: &[Targets], at: &Where<'_>, out: &mut [Place], sum: &mut f64):
    gradient_c, gradient_s, gradient_n);
of_each_law!(hessian_in(
    octets: &[Octets], turns: &mut [Turns], targets: &[Targets], at: &Where<'_>, out: &mut [[f64; 9]]):
    hessian_c, hessian_s, hessian_n);

dispatched! { corotated_energy = energy_c(octets: &[Octets], turns: &[Turns], at: &Where<'_>, sum: &mut f64) }
dispatched! { st_venant_energy = energy_s(octets: &[Octets], turns: &[Turns], at: &Where<'_>, sum: &mut f64) }
dispatched! { neo_hookean_energy = energy_n(octets: &[Octets], turns: &[Turns], at: &Where<'_>, sum: &mut f64) }
dispatched! {
    corotated_gradient = gradient_c(
        octets: &[Octets], turns: &mut [Turns], targets: &[Targets], at: &Where<'_>, out: &mut [Place], sum: &mut f64)
}
dispatched! {
    st_venant_gradient = gradient_s(
        octets: &[Octets], turns: &mut [Turns], targets: &[Targets], at: &Where<'_>, out: &mut [Place], sum: &mut f64)
}
dispatched! {
    neo_hookean_gradient = gradient_n(
        octets: &[Octets], turns: &mut [Turns], targets: &[Targets], at: &Where<'_>, out: &mut [Place], sum: &mut f64)
}
dispatched! {
    corotated_hessian = hessian_c(
        octets: &[Octets], turns: &mut [Turns], targets: &[Targets], at: &Where<'_>, out: &mut [[f64; 9]])
}
dispatched! {
    st_venant_hessian = hessian_s(
        octets: &[Octets], turns: &mut [Turns], targets: &[Targets], at: &Where<'_>, out: &mut [[f64; 9]])
}
dispatched! {
    neo_hookean_hessian = hessian_n(
        octets: &[Octets], turns: &mut [Turns], targets: &[Targets], at: &Where<'_>, out: &mut [[f64; 9]])
}
dispatched! {
    /// Forces and energy of corotated tetrahedra, and linear elasticity turned by their rotations (Müller, Gross: "Interactive Virtual Materials",
    /// GI 2004): what stays of the Hessian without the change of rotations.
    linearise = linearise_in(
        octets: &[Octets], turns: &mut [Turns], targets: &[Targets], at: &Where<'_>, out: &mut [Place], blocks: &mut [[f64; 9]], sum: &mut f64)
}
dispatched! {
    /// Rotations of all, from those found last.
    find_turns = turns_in(octets: &[Octets], turns: &mut [Turns], places: &[Place])
}

#[inline(always)]
fn turns_in<L: Gather>(octets: &[Octets], turns: &mut [Turns], places: &[Place]) {
    for (of, turn) in octets.iter().zip(turns) {
        for at in (0..OCTET).step_by(L::Doubles::WIDTH) {
            let f = deformation::<L::Doubles>(of, places, at);
            turn_to(turn, &f, at);
        }
    }
}

#[inline(always)]
fn energy_in<D: Doubles, W: Law>(octets: &[Octets], turns: &[Turns], at: &Where<'_>, sum: &mut f64) {
    at.check(octets);
    let mut lanes = Octet::ZERO;
    for (number, (of, turn)) in octets.iter().zip(turns).enumerate() {
        for lane in (0..OCTET).step_by(D::WIDTH) {
            let f = deformation::<D>(of, at.now, lane);
            let ratio = D::load(&of.ratio, lane);
            let warm = four!(K => D::load(&turn[K], lane));
            let r = if W::TURNS { matrix_of(nearest(&f, warm)) } else { f };
            let mut energy = W::energy(&f, &r, ratio);
            if let Some(damper) = at.dampers.get(number) {
                energy = energy + damped::<D>(of, damper, at, lane).energy(ratio);
            }
            let energy = energy * D::load(&of.stiffness, lane) * D::load(&of.own, lane);
            (D::load(&lanes, lane) + energy).store(&mut lanes, lane);
        }
    }
    *sum = lanes.0.iter().sum();
}

#[inline(always)]
fn gradient_in<D: Doubles, W: Law>(
    octets: &[Octets],
    turns: &mut [Turns],
    targets: &[Targets],
    at: &Where<'_>,
    out: &mut [Place],
    sum: &mut f64,
) {
    at.check(octets);
    let (mut lanes, mut pulls) = (Octet::ZERO, NO_PULLS);
    for (number, ((of, turn), targets)) in octets.iter().zip(turns).zip(targets).enumerate() {
        for lane in (0..OCTET).step_by(D::WIDTH) {
            find_pulls::<D, W>(of, turn, at, number, &mut pulls, &mut lanes, lane);
        }
        add_pulls(&pulls, targets, out);
    }
    *sum = lanes.0.iter().sum();
}

#[inline(always)]
#[allow(clippy::too_many_arguments, reason = "a kernel: slices that belong together")]
fn linearise_in<L: Gather>(
    octets: &[Octets],
    turns: &mut [Turns],
    targets: &[Targets],
    at: &Where<'_>,
    out: &mut [Place],
    matrix: &mut [[f64; 9]],
    sum: &mut f64,
) {
    at.check(octets);
    let (mut lanes, mut pulls, mut blocks) = (Octet::ZERO, NO_PULLS, [[Octet::ZERO; 9]; PAIRS]);
    for (number, ((of, turn), targets)) in octets.iter().zip(turns).zip(targets).enumerate() {
        for lane in (0..OCTET).step_by(L::Doubles::WIDTH) {
            find_pulls::<L::Doubles, Corotated>(of, turn, at, number, &mut pulls, &mut lanes, lane);
            find_warped::<L::Doubles>(of, turn, at, number, &mut blocks, lane);
        }
        add_pulls(&pulls, targets, out);
        add_blocks::<L::Doubles>(&blocks, targets, matrix);
    }
    *sum = lanes.0.iter().sum();
}

/// What the corners of eight tetrahedra feel.
type Pulls = [[Place; OCTET]; 4];

const NO_PULLS: Pulls = [[Place::ZERO; OCTET]; 4];

#[inline(always)]
fn find_pulls<D: Doubles, W: Law>(
    of: &Octets,
    turn: &mut Turns,
    at: &Where<'_>,
    number: usize,
    pulls: &mut Pulls,
    energies: &mut Octet,
    lane: usize,
) {
    let f = deformation::<D>(of, at.now, lane);
    let ratio = D::load(&of.ratio, lane);
    let r = if W::TURNS { turn_to(turn, &f, lane) } else { f };
    let mut energy = W::energy(&f, &r, ratio);
    let stress = W::stress(&f, &r, ratio);
    let weight = D::load(&of.stiffness, lane);
    let b = gradients::<D>(of, lane);
    let mut pull = three!(A => times(&stress, b[A]));
    if let Some(damper) = at.dampers.get(number) {
        let damped = damped::<D>(of, damper, at, lane);
        energy = energy + damped.energy(ratio);
        let stress = damped.stress(ratio);
        let more = three!(A => times(&stress, damped.gradient[A]));
        pull = three!(A => three!(I => pull[A][I] + more[A][I]));
    }
    let pull = three!(A => three!(I => pull[A][I] * weight));
    D::put(three!(I => -(pull[0][I] + pull[1][I] + pull[2][I])), &mut pulls[0], lane);
    D::put(pull[0], &mut pulls[1], lane);
    D::put(pull[1], &mut pulls[2], lane);
    D::put(pull[2], &mut pulls[3], lane);
    let energy = energy * weight * D::load(&of.own, lane);
    (D::load(energies, lane) + energy).store(energies, lane);
}

/// Adds pulls where they belong; what another piece owns is not here.
#[inline(always)]
fn add_pulls(pulls: &Pulls, targets: &Targets, out: &mut [Place]) {
    for (pulls, rows) in pulls.iter().zip(&targets.rows) {
        for (pull, &row) in pulls.iter().zip(rows) {
            let Some(Place(out)) = out.get_mut(row as usize) else { continue };
            *out = [out[0] + pull.0[0], out[1] + pull.0[1], out[2] + pull.0[2], out[3] + pull.0[3]];
        }
    }
}

#[inline(always)]
fn hessian_in<D: Doubles, W: Law>(
    octets: &[Octets],
    turns: &mut [Turns],
    targets: &[Targets],
    at: &Where<'_>,
    out: &mut [[f64; 9]],
) {
    at.check(octets);
    let mut blocks = [[Octet::ZERO; 9]; PAIRS];
    for (number, ((of, turn), targets)) in octets.iter().zip(turns).zip(targets).enumerate() {
        for lane in (0..OCTET).step_by(D::WIDTH) {
            let f = deformation::<D>(of, at.now, lane);
            let (ratio, b) = (D::load(&of.ratio, lane), gradients::<D>(of, lane));
            // Forces were asked for at the same places, and left the rotation where they need it.
            let r = if W::TURNS { matrix_of(four!(K => D::load(&turn[K], lane))) } else { turn_to(turn, &f, lane) };
            let stretch = turned_product(&r, &f);
            let mut k = if W::TURNS {
                let twist = corotated_twist(&symmetric(&stretch), ratio);
                let twist = product_turned(&product(&r, &twist), &r);
                turned_blocks(three!(A => times(&r, b[A])), ratio, &twist)
            } else {
                principal_blocks::<D, W>(&r, &symmetric(&stretch), b, ratio)
            };
            if let Some(damper) = at.dampers.get(number) {
                let rate = D::load(&damper.rate, lane);
                add_to_blocks(&mut k, &linear_blocks(&turned_gradients(of, &damper.turn, lane), ratio, rate));
            }
            store_blocks(&k, D::load(&of.stiffness, lane), &mut blocks, lane);
        }
        add_blocks::<D>(&blocks, targets, out);
    }
}

/// Blocks of linear elasticity in the frames that forces have found.
#[inline(always)]
fn find_warped<D: Doubles>(
    of: &Octets,
    turn: &Turns,
    at: &Where<'_>,
    number: usize,
    blocks: &mut [[Octet; 9]; PAIRS],
    lane: usize,
) {
    let ratio = D::load(&of.ratio, lane);
    let mut k = linear_blocks(&turned_gradients(of, turn, lane), ratio, D::splat(1.0));
    if let Some(damper) = at.dampers.get(number) {
        let rate = D::load(&damper.rate, lane);
        add_to_blocks(&mut k, &linear_blocks(&turned_gradients(of, &damper.turn, lane), ratio, rate));
    }
    store_blocks(&k, D::load(&of.stiffness, lane), blocks, lane);
}

#[inline(always)]
fn turned_gradients<D: Doubles>(of: &Octets, turn: &Turns, at: usize) -> Mat<D> {
    let r = matrix_of(four!(K => D::load(&turn[K], at)));
    let b = gradients::<D>(of, at);
    three!(A => times(&r, b[A]))
}

/// Adds blocks where they belong; what another piece owns is not here.
#[inline(always)]
fn add_blocks<D: Doubles>(blocks: &[[Octet; 9]; PAIRS], targets: &Targets, out: &mut [[f64; 9]]) {
    let mut pair = 0;
    while pair < PAIRS {
        D::add_nine(&blocks[pair], &targets.blocks[pair], out);
        pair += 1;
    }
}

/// Σ (x_a − x_0) b_aᵀ: from edges, so that far from the origin the difference has all its digits.
#[inline(always)]
fn deformation<D: Doubles>(of: &Octets, places: &[Place], at: usize) -> Mat<D> {
    change(&of.corners, places, &gradients(of, at), at)
}

#[inline(always)]
fn change<D: Doubles>(corners: &[[u32; OCTET]; 4], places: &[Place], b: &Mat<D>, at: usize) -> Mat<D> {
    // SAFETY: corners are points of the body, and places are as many (`Tets::check`).
    let x = four!(A => unsafe { D::gather(places, &corners[A], at) });
    let d = three!(A => three!(I => x[A + 1][I] - x[0][I]));
    three!(I => three!(J => d[0][I] * b[0][J] + d[1][I] * b[1][J] + d[2][I] * b[2][J]))
}

#[inline(always)]
fn gradients<D: Doubles>(of: &Octets, at: usize) -> Mat<D> {
    three!(A => three!(J => D::load(&of.gradient[3 * A + J], at)))
}

/// Finds and keeps the rotation of `f`.
#[inline(always)]
fn turn_to<D: Doubles>(kept: &mut Turns, f: &Mat<D>, at: usize) -> Mat<D> {
    let turn: Turn<D> = nearest(f, four!(K => D::load(&kept[K], at)));
    four!(K => turn[K].store(&mut kept[K], at));
    matrix_of(turn)
}

#[inline(always)]
fn symmetric<D: Doubles>(m: &Mat<D>) -> Mat<D> {
    let half = D::splat(0.5);
    three!(I => three!(J => (m[I][J] + m[J][I]) * half))
}

/// A damper in action; all divided by V μ.
struct Damped<D> {
    rate: D,
    /// Turned.
    gradient: Mat<D>,
    /// How the deformation has changed since the interval began.
    change: Mat<D>,
}

#[inline(always)]
fn damped<D: Doubles>(of: &Octets, damper: &Damper, places: &Where<'_>, at: usize) -> Damped<D> {
    let r = matrix_of(four!(K => D::load(&damper.turn[K], at)));
    let b = gradients::<D>(of, at);
    let gradient = three!(A => times(&r, b[A]));
    let now = change(&of.corners, places.now, &gradient, at);
    let then = change(&of.corners, places.start, &gradient, at);
    let change = three!(I => three!(J => now[I][J] - then[I][J]));
    Damped { rate: D::load(&damper.rate, at), gradient, change }
}

impl<D: Doubles> Damped<D> {
    /// (G + Gᵀ + ρ tr G I) β/h.
    #[inline(always)]
    fn stress(&self, ratio: D) -> Mat<D> {
        let g = &self.change;
        let grown = ratio * trace(g);
        let mut p = three!(I => three!(J => g[I][J] + g[J][I]));
        p[0][0] = p[0][0] + grown;
        p[1][1] = p[1][1] + grown;
        p[2][2] = p[2][2] + grown;
        three!(I => three!(J => p[I][J] * self.rate))
    }

    #[inline(always)]
    fn energy(&self, ratio: D) -> D {
        let p = self.stress(ratio);
        (dot(p[0], self.change[0]) + dot(p[1], self.change[1]) + dot(p[2], self.change[2])) * D::splat(0.5)
    }
}
