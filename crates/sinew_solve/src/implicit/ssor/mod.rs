//! Conjugate gradients preconditioned by a symmetric sweep of Gauss–Seidel over 3×3 blocks, in single precision.
//!
//! With A = L + D + Lᵀ + C, C what couples rows beyond the matrix (contacts between bodies, rows of several weights), the
//! preconditioner is `(D + L) D⁻¹ (D + Lᵀ)`. Eisenstat ("Efficient implementation of a class of preconditioned conjugate gradient
//! methods", SIAM J. Sci. Stat. Comput. 1981) noticed that iterating on `(D + L)⁻¹ A (D + Lᵀ)⁻¹` needs no product with A:
//!
//! `w = (D + Lᵀ)⁻¹ p`, `s = (D + L)⁻¹ (p − D w + C w)`, `q = w + s`,
//!
//! where `p − D w = Lᵀ w` falls out of the first sweep and `D q = p + C w − L s` out of the second. An iteration costs about
//! what a product costs and there are two to three times fewer of them than with D alone. Rows are swept in colours, so that
//! sixteen rows go at once and every machine gets the same bits.
//!
//! Numbers are f32, with a right side scaled to about one. What f32 lost is found by the caller, who has the residual in f64, and
//! asked for again.

mod kernel;
mod layout;

pub(crate) use layout::Layout;

use crate::StopFlag;
use crate::simd::gather::Point;
use crate::simd::{Path, compiled};
use crate::solver::is_set;
use sinew_math::{DVec3, Sym3};

/// What couples places beyond the matrix: the matrix of Σ weight · x, without what it adds to diagonal blocks.
#[derive(Debug, Clone, Default)]
pub(crate) struct Couplings {
    matrix: Vec<Sym3>,
    start: Vec<usize>,
    /// Places and weights.
    ends: Vec<(usize, f64)>,
}

impl Couplings {
    pub(crate) fn clear(&mut self) {
        self.matrix.clear();
        self.start.clear();
        self.ends.clear();
    }

    pub(crate) fn push(&mut self, matrix: Sym3, ends: impl Iterator<Item = (usize, f64)>) {
        self.start.push(self.ends.len());
        self.ends.extend(ends);
        self.matrix.push(matrix);
    }

    /// Calls `add(place, C w there)`.
    fn times(&self, w: &[Point], mut add: impl FnMut(usize, DVec3)) {
        for (number, matrix) in self.matrix.iter().enumerate() {
            let ends = &self.ends[self.start[number]..self.start.get(number + 1).copied().unwrap_or(self.ends.len())];
            let of = |place: usize| {
                let [x, y, z, _] = w[place].0;
                DVec3::new(f64::from(x), f64::from(y), f64::from(z))
            };
            let whole = ends.iter().fold(DVec3::ZERO, |sum, &(place, weight)| sum + of(place) * weight);
            for &(place, weight) in ends {
                add(place, *matrix * (whole - of(place) * weight) * weight);
            }
        }
    }
}

/// Buffers of [`solve`], kept between calls; one number of points each.
#[derive(Debug, Clone, Default)]
pub(crate) struct Buffers {
    x: Vec<Point>,
    r: Vec<Point>,
    z: Vec<Point>,
    p: Vec<Point>,
    w: Vec<Point>,
    u: Vec<Point>,
    s: Vec<Point>,
    taken: Vec<Point>,
    coupled: Vec<(usize, DVec3)>,
}

/// Bodies of an island, one after the other.
pub(crate) struct Swept<'a> {
    pub(crate) layouts: &'a [&'a Layout],
    pub(crate) couplings: &'a Couplings,
    /// Abandons the solve.
    pub(crate) stop: Option<&'a StopFlag>,
}

/// Adds to `x`, in the order of rows, what solves A x = b to `tolerance` of b in the norm of the preconditioner, within `most` iterations.
/// Returns how many there were, or none where it did not come so far.
pub(crate) fn solve(
    system: &Swept<'_>,
    b: &[DVec3],
    x: &mut [DVec3],
    tolerance: f64,
    most: usize,
    buffers: &mut Buffers,
) -> Option<usize> {
    solve_on(Path::best(), system, b, x, tolerance, most, buffers)
}

fn solve_on(
    path: Path,
    system: &Swept<'_>,
    b: &[DVec3],
    x: &mut [DVec3],
    tolerance: f64,
    most: usize,
    buffers: &mut Buffers,
) -> Option<usize> {
    let largest = b.iter().map(|b| b.abs().max_element()).fold(0.0, f64::max);
    if largest == 0.0 {
        return Some(0);
    }
    if !largest.is_finite() || largest < 1e-280 {
        return None;
    }
    buffers.begin(system, b, 1.0 / largest);
    let iterations = iterate(path, system, tolerance, most, buffers);
    for_each_row(system, |row, place| {
        let [dx, dy, dz, _] = buffers.x[place].0;
        x[row] += DVec3::new(f64::from(dx), f64::from(dy), f64::from(dz)) * largest;
    });
    iterations
}

fn iterate(path: Path, system: &Swept<'_>, tolerance: f64, most: usize, buffers: &mut Buffers) -> Option<usize> {
    let Buffers { x, r, z, p, w, u, s, taken, coupled } = buffers;
    // r̂ = (D + L)⁻¹ b; z = D r̂ = b − L r̂.
    system.each(|layout, range| {
        kernel::forward(path, layout, &u[range.clone()], &mut r[range.clone()], &mut taken[range]);
    });
    begin(path, z, p, u, taken);
    let mut rz = dot(path, r, z);
    let goal = rz * tolerance * tolerance;
    for iteration in 0..most {
        if is_set(system.stop) {
            return None;
        }
        if rz.is_nan() || rz <= goal {
            return (!rz.is_nan()).then_some(iteration);
        }
        system.each(|layout, range| {
            kernel::backward(path, layout, &p[range.clone()], &mut w[range.clone()], &mut u[range]);
        });
        coupled.clear();
        system.couplings.times(w, |place, force| coupled.push((place, force)));
        for &(place, force) in &*coupled {
            add_to(&mut u[place], force);
        }
        system.each(|layout, range| {
            kernel::forward(path, layout, &u[range.clone()], &mut s[range.clone()], &mut taken[range]);
        });
        let curvature = dot_of_sum(path, p, w, s);
        if curvature.is_nan() || curvature <= 0.0 {
            return None;
        }
        let step = (rz / curvature) as f32;
        advance(path, step, x, r, z, p, w, s, taken);
        for &(place, force) in &*coupled {
            add_to(&mut z[place], force * -f64::from(step));
        }
        let rz_next = dot(path, r, z);
        let keep = (rz_next / rz) as f32;
        rz = rz_next;
        turn_to(path, keep, p, z);
    }
    (rz <= goal).then_some(most)
}

impl Swept<'_> {
    /// Calls `f` with each body and its places.
    fn each(&self, mut f: impl FnMut(&Layout, std::ops::Range<usize>)) {
        let mut first = 0;
        for layout in self.layouts {
            f(layout, first..first + layout.places());
            first += layout.places();
        }
    }
}

impl Buffers {
    fn begin(&mut self, system: &Swept<'_>, b: &[DVec3], scale: f64) {
        let places = system.layouts.iter().map(|layout| layout.places()).sum();
        let Self { x, r, z, p, w, u, s, taken, coupled: _ } = self;
        for buffer in [&mut *x, r, z, p, w, &mut *u, s, taken] {
            buffer.resize(places, Point::ZERO);
        }
        x.fill(Point::ZERO);
        u.fill(Point::ZERO);
        for_each_row(system, |row, place| {
            let [bx, by, bz] = (b[row] * scale).to_array();
            u[place] = Point([bx as f32, by as f32, bz as f32, 0.0]);
        });
    }
}

fn for_each_row(system: &Swept<'_>, mut f: impl FnMut(usize, usize)) {
    let (mut first_row, mut first_place) = (0, 0);
    for layout in system.layouts {
        for (row, &place) in layout.place_of.iter().enumerate() {
            f(first_row + row, first_place + place as usize);
        }
        first_row += layout.place_of.len();
        first_place += layout.places();
    }
}

fn add_to(point: &mut Point, force: DVec3) {
    let Point([x, y, z, _]) = point;
    (*x, *y, *z) = (*x + force.x as f32, *y + force.y as f32, *z + force.z as f32);
}

compiled! {
    /// z = u − taken, p = z.
    begin = begin_plain(z: &mut [Point], p: &mut [Point], u: &[Point], taken: &[Point])
}
compiled! {
    /// p = z + keep p.
    turn_to = turn_to_plain(keep: f32, p: &mut [Point], z: &[Point])
}
compiled! {
    /// x += α w, r̂ −= α (w + s), z −= α (p − taken).
    advance = advance_plain(
        step: f32, x: &mut [Point], r: &mut [Point], z: &mut [Point], p: &[Point], w: &[Point], s: &[Point], taken: &[Point])
}
compiled! {
    sum_products = sum_products_plain(a: &[Point], b: &[Point], sum: &mut f64)
}
compiled! {
    sum_products_of_sum = sum_products_of_sum_plain(a: &[Point], b: &[Point], c: &[Point], sum: &mut f64)
}

#[inline(always)]
fn begin_plain(z: &mut [Point], p: &mut [Point], u: &[Point], taken: &[Point]) {
    for (((z, p), u), taken) in z.iter_mut().zip(p).zip(u).zip(taken) {
        for k in 0..4 {
            z.0[k] = u.0[k] - taken.0[k];
        }
        *p = *z;
    }
}

#[inline(always)]
fn turn_to_plain(keep: f32, p: &mut [Point], z: &[Point]) {
    for (p, z) in p.iter_mut().zip(z) {
        for k in 0..4 {
            p.0[k] = z.0[k] + p.0[k] * keep;
        }
    }
}

#[inline(always)]
#[allow(clippy::too_many_arguments, reason = "a kernel: slices that belong together")]
fn advance_plain(
    step: f32,
    x: &mut [Point],
    r: &mut [Point],
    z: &mut [Point],
    p: &[Point],
    w: &[Point],
    s: &[Point],
    taken: &[Point],
) {
    for (((x, r), w), s) in x.iter_mut().zip(r).zip(w).zip(s) {
        for k in 0..4 {
            x.0[k] += step * w.0[k];
            r.0[k] -= step * (w.0[k] + s.0[k]);
        }
    }
    for ((z, p), taken) in z.iter_mut().zip(p).zip(taken) {
        for k in 0..4 {
            z.0[k] -= step * (p.0[k] - taken.0[k]);
        }
    }
}

/// Points whose products are summed in f32 before they are added in f64.
const PIECE: usize = 64;

/// Σ a·b.
fn dot(path: Path, a: &[Point], b: &[Point]) -> f64 {
    let mut sum = 0.0;
    sum_products(path, a, b, &mut sum);
    sum
}

/// Σ a·(b + c).
fn dot_of_sum(path: Path, a: &[Point], b: &[Point], c: &[Point]) -> f64 {
    let mut sum = 0.0;
    sum_products_of_sum(path, a, b, c, &mut sum);
    sum
}

/// In f32 within pieces, lane by lane, so that the order is the same everywhere.
#[inline(always)]
fn sum_products_plain(a: &[Point], b: &[Point], sum: &mut f64) {
    for (a, b) in a.chunks(PIECE).zip(b.chunks(PIECE)) {
        let mut lanes = [0.0f32; 16];
        for (a, b) in a.chunks_exact(4).zip(b.chunks_exact(4)) {
            for (k, lane) in lanes.iter_mut().enumerate() {
                *lane += a[k / 4].0[k % 4] * b[k / 4].0[k % 4];
            }
        }
        *sum += lanes.iter().map(|&lane| f64::from(lane)).sum::<f64>();
    }
}

#[inline(always)]
fn sum_products_of_sum_plain(a: &[Point], b: &[Point], c: &[Point], sum: &mut f64) {
    for ((a, b), c) in a.chunks(PIECE).zip(b.chunks(PIECE)).zip(c.chunks(PIECE)) {
        let mut lanes = [0.0f32; 16];
        for ((a, b), c) in a.chunks_exact(4).zip(b.chunks_exact(4)).zip(c.chunks_exact(4)) {
            for (k, lane) in lanes.iter_mut().enumerate() {
                *lane += a[k / 4].0[k % 4] * (b[k / 4].0[k % 4] + c[k / 4].0[k % 4]);
            }
        }
        *sum += lanes.iter().map(|&lane| f64::from(lane)).sum::<f64>();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::implicit::BlockMatrix;
    use sinew_math::{DMat3, dvec3};

    const N: usize = 150;

    /// Rows with neighbours one, two and eleven further on; positive because diagonals outweigh the rest.
    fn matrix() -> BlockMatrix {
        let rings: Vec<Vec<u32>> = (0..N as i64)
            .map(|i| [i - 11, i - 2, i - 1, i + 1, i + 2, i + 11].into_iter().filter(|j| (0..N as i64).contains(j)))
            .map(|ring| ring.map(|j| j as u32).collect())
            .collect();
        let mut matrix = BlockMatrix::new(&rings);
        matrix.fill_rows(|i, row| {
            let last = row.len() - 1;
            for (k, block) in row.iter_mut().enumerate() {
                let off = |m: usize| ((i * 31 + k * 17 + m * 7) % 13) as f64 / 13.0 - 0.9;
                *block = DMat3::from_cols_array(&std::array::from_fn(off));
            }
            row[last] = DMat3::from_cols(dvec3(9.0, 0.5, 0.0), dvec3(0.5, 8.0, 0.1), dvec3(0.0, 0.1, 7.0));
        });
        matrix
    }

    fn planted(pinned: usize) -> Vec<DVec3> {
        let of = |i: usize| if i == pinned { DVec3::ZERO } else { dvec3(i as f64, 1.0 - i as f64, 0.5) };
        (0..N).map(of).collect()
    }

    #[test]
    fn sweeps_find_a_planted_solution_beside_a_pin_and_a_coupling() {
        let matrix = matrix();
        let mut layout = Layout::new(&matrix);
        layout.fill(&matrix, |i| i == 7);
        let ends = [(3usize, 1.0), (70, -0.5), (141, -0.5)];
        let pull = Sym3::along(dvec3(0.6, 0.0, 0.8), 2.0);
        let mut couplings = Couplings::default();
        couplings.push(pull, ends.iter().map(|&(row, weight)| (layout.place_of(row), weight)));
        let planted = planted(7);
        let mut b = vec![DVec3::ZERO; N];
        matrix.multiply(&planted, &mut b);
        let whole = ends.iter().fold(DVec3::ZERO, |sum, &(row, weight)| sum + planted[row] * weight);
        for (row, weight) in ends {
            b[row] += pull * (whole - planted[row] * weight) * weight;
        }
        b[7] = DVec3::ZERO;
        let system = Swept { layouts: &[&layout], couplings: &couplings, stop: None };
        let results: Vec<Vec<DVec3>> = Path::all()
            .map(|path| {
                let mut x = vec![DVec3::ZERO; N];
                let found = solve_on(path, &system, &b, &mut x, 1e-7, 200, &mut Buffers::default());
                assert!(found.is_some_and(|iterations| iterations > 3), "{path:?}: {found:?}");
                x
            })
            .collect();
        let size = planted.iter().map(|x| x.length()).fold(0.0, f64::max);
        assert!(results[0].iter().zip(&planted).all(|(x, planted)| x.distance(*planted) < 2e-6 * size));
        assert!(results.iter().all(|x| *x == results[0]), "every path gives the same bits");
        assert!(solve(&system, &b, &mut vec![DVec3::ZERO; N], 1e-7, 2, &mut Buffers::default()).is_none());
    }
}
