//! Paths of the centres of bodies, found before bodies are solved for: they choose the side on which a body
//! passes.
//!
//! Around obstacles: the shortest way over a grid (Dijkstra 1959) at the largest of a few radii for which
//! there is one, so that a path leads around a ball or through a hole. Among bodies: balls around whole
//! bodies, grown from 0.3 to 1, start on straight lines with a common swirl and seeded noise and are pushed
//! apart by L-BFGS (Nocedal 1980), preconditioned with the acceleration of paths. From the rigid bodies on
//! these paths, contacts of the solve only have to shorten the way.
//!
//! Limits: the ball of a path may be smaller than the body, so that a long body on a slanted way through a
//! hole starts in its rim; the grid sees moving obstacles as all places that they pass; where nothing is left
//! free, the straight path stays.

use super::points::{ContactTime, penalty};
use super::problem::PlanObstacle;
use crate::block_banded::{BlockBanded, BlockBandedFactor};
use rayon::prelude::*;
use sinew_math::{DVec3, dvec3};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// One body's path: centres at frames.
#[derive(Debug, Clone)]
pub(super) struct CentrePath {
    pub times_secs: Vec<f64>,
    pub fixed: Vec<bool>,
    pub centres: Vec<DVec3>,
    /// Radius of the ball that is kept clear of other bodies.
    pub radius_m: f64,
    /// Radius of the ball that is kept clear of obstacles: what there is room for.
    pub obstacle_radius_m: f64,
    pub contact_times: Vec<ContactTime>,
}

/// Grid cells along the longest side.
const CELLS: usize = 56;
/// Radii to look for a way with, as shares of the body's.
const RADII: [f64; 7] = [1.1, 0.8, 0.6, 0.45, 0.3, 0.2, 0.1];

/// Leads a path around obstacles between its fixed frames; true where it was moved. `avoid` are places of
/// other ways to stay away from.
pub(super) fn around_obstacles(path: &mut CentrePath, obstacles: &[PlanObstacle], avoid: &[DVec3]) -> bool {
    let mut is_moved = false;
    let anchors: Vec<usize> = (0..path.centres.len()).filter(|frame| path.fixed[*frame]).collect();
    for pair in anchors.windows(2).filter(|pair| pair[1] > pair[0] + 1) {
        let times: Vec<f64> = path.times_secs[pair[0]..=pair[1]].to_vec();
        let ends = [path.centres[pair[0]], path.centres[pair[1]]];
        let straight_is_clear =
            avoid.is_empty() && is_clear(&path.centres[pair[0]..=pair[1]], &times, obstacles, path.radius_m);
        if straight_is_clear {
            continue;
        }
        let Some(way) = way_over_grid(ends, [times[0], times[times.len() - 1]], obstacles, path.radius_m, avoid) else {
            continue;
        };
        let way = shortened(&way, obstacles, &times, path.radius_m);
        let interval = [times[0], times[times.len() - 1]];
        let inner = &way[usize::from(way.len() > 2)..way.len() - usize::from(way.len() > 2)];
        let least = inner.iter().map(|place| room(*place, interval, obstacles)).fold(f64::INFINITY, f64::min);
        path.obstacle_radius_m = path.obstacle_radius_m.min(0.9 * least.max(0.0));
        for (frame, secs) in (pair[0]..=pair[1]).zip(&times) {
            let share = (secs - times[0]) / (times[times.len() - 1] - times[0]);
            if !path.fixed[frame] {
                path.centres[frame] = along(&way, share);
            }
        }
        is_moved = true;
    }
    is_moved
}

fn is_clear(centres: &[DVec3], times: &[f64], obstacles: &[PlanObstacle], radius_m: f64) -> bool {
    let steps = 8;
    (0..times.len() - 1).all(|n| {
        (0..=steps).all(|k| {
            let share = f64::from(k) / f64::from(steps);
            let place = centres[n].lerp(centres[n + 1], share);
            let secs = times[n] + (times[n + 1] - times[n]) * share;
            obstacles.iter().all(|obstacle| obstacle.distance.distance(place, secs).0 > radius_m)
        })
    })
}

/// Least distance to obstacles at a place: of those that stand still, or over the whole interval.
fn room(place: DVec3, interval: [f64; 2], obstacles: &[PlanObstacle]) -> f64 {
    let times = |obstacle: &PlanObstacle| if obstacle.distance.bounds().is_some() { 1 } else { 9 };
    let at = |k: usize, count: usize| interval[0] + (interval[1] - interval[0]) * k as f64 / (count.max(2) - 1) as f64;
    let distances = obstacles.iter().flat_map(|obstacle| {
        let count = times(obstacle);
        (0..count).map(move |k| obstacle.distance.distance(place, at(k, count)).0)
    });
    distances.fold(f64::INFINITY, f64::min)
}

fn way_over_grid(
    ends: [DVec3; 2],
    interval: [f64; 2],
    obstacles: &[PlanObstacle],
    radius_m: f64,
    avoid: &[DVec3],
) -> Option<Vec<DVec3>> {
    let reach = ends[0].distance(ends[1]) * 0.75 + 3.0 * radius_m;
    let (mut low, mut high) = (ends[0].min(ends[1]) - 1.5 * radius_m, ends[0].max(ends[1]) + 1.5 * radius_m);
    for (a, b) in obstacles.iter().filter_map(|obstacle| obstacle.distance.bounds()) {
        low = low.min((a - 2.0 * radius_m).max(ends[0].min(ends[1]) - reach));
        high = high.max((b + 2.0 * radius_m).min(ends[0].max(ends[1]) + reach));
    }
    if obstacles.iter().any(|obstacle| obstacle.distance.bounds().is_none()) {
        (low, high) = (low.min(ends[0].min(ends[1]) - reach), high.max(ends[0].max(ends[1]) + reach));
    }
    let grid = Grid::new(low, high);
    let cells: Vec<DVec3> = (0..grid.len()).map(|n| grid.place(n)).collect();
    let rooms: Vec<f64> = cells.par_iter().map(|place| room(*place, interval, obstacles)).collect();
    let (from, to) = (grid.cell(ends[0]), grid.cell(ends[1]));
    // Below that a diagonal step could jump over a thin wall.
    let least = 0.87 * grid.cell_m;
    RADII.iter().map(|share| share * radius_m).filter(|radius| *radius > least).find_map(|radius| {
        let cost = |n: usize| -> Option<f64> {
            let near_end = n == from || n == to;
            let near = avoid.iter().map(|x| x.distance(cells[n])).fold(f64::INFINITY, f64::min);
            let dear = if near < 2.0 * radius_m { 8.0 } else { 0.0 };
            // Room beyond the radius is worth a detour.
            let tight = (2.0 - rooms[n] / radius.max(1e-9)).clamp(0.0, 1.0);
            (rooms[n] > radius || near_end).then_some(1.0 + dear + tight)
        };
        let way = grid.shortest(from, to, &cost)?;
        let mut places: Vec<DVec3> = way.into_iter().map(|n| cells[n]).collect();
        *places.first_mut()? = ends[0];
        *places.last_mut()? = ends[1];
        Some(places)
    })
}

/// Pulls a way taut where the straight line between two of its places has as much room.
fn shortened(way: &[DVec3], obstacles: &[PlanObstacle], times: &[f64], radius_m: f64) -> Vec<DVec3> {
    let interval = [times[0], times[times.len() - 1]];
    let least = way.iter().map(|place| room(*place, interval, obstacles)).fold(radius_m, f64::min);
    let is_free = |a: DVec3, b: DVec3| {
        // Balls of the least room at these places overlap.
        let count = (a.distance(b) / (0.5 * least).max(1e-9)).ceil().clamp(2.0, 1000.0) as usize;
        (1..count).all(|k| room(a.lerp(b, k as f64 / count as f64), interval, obstacles) >= 0.95 * least)
    };
    let mut taut = vec![way[0]];
    let mut at = 0;
    while at + 1 < way.len() {
        let next = (at + 1..way.len()).rev().find(|next| *next == at + 1 || is_free(way[at], way[*next]));
        at = next.unwrap_or(way.len() - 1);
        taut.push(way[at]);
    }
    taut
}

/// The place at a share of a way's length.
fn along(way: &[DVec3], share: f64) -> DVec3 {
    let lengths: Vec<f64> = way.windows(2).map(|pair| pair[0].distance(pair[1])).collect();
    let mut left = share * lengths.iter().sum::<f64>();
    for (pair, length) in way.windows(2).zip(&lengths) {
        if left <= *length && *length > 0.0 {
            return pair[0].lerp(pair[1], left / length);
        }
        left -= length;
    }
    way[way.len() - 1]
}

struct Grid {
    low: DVec3,
    cell_m: f64,
    counts: [usize; 3],
}

impl Grid {
    fn new(low: DVec3, high: DVec3) -> Self {
        let cell_m = ((high - low).max_element() / CELLS as f64).max(1e-9);
        let counts = (high - low).to_array().map(|side| (side / cell_m) as usize + 2);
        Self { low, cell_m, counts }
    }

    fn len(&self) -> usize {
        self.counts.iter().product()
    }

    fn place(&self, n: usize) -> DVec3 {
        let [x, y, _] = self.counts;
        self.low + dvec3((n % x) as f64, (n / x % y) as f64, (n / (x * y)) as f64) * self.cell_m
    }

    fn cell(&self, place: DVec3) -> usize {
        let at = ((place - self.low) / self.cell_m).to_array();
        let index = |axis: usize| (at[axis].round().max(0.0) as usize).min(self.counts[axis] - 1);
        index(0) + self.counts[0] * (index(1) + self.counts[1] * index(2))
    }

    /// Cells from one to another at the least sum of costs times lengths.
    fn shortest(&self, from: usize, to: usize, cost: &dyn Fn(usize) -> Option<f64>) -> Option<Vec<usize>> {
        let mut best = vec![f64::INFINITY; self.len()];
        let mut before = vec![usize::MAX; self.len()];
        // Positive floats sort as their bits do.
        let mut heap = BinaryHeap::from([(Reverse(0u64), from)]);
        best[from] = 0.0;
        while let Some((Reverse(bits), at)) = heap.pop() {
            if at == to {
                break;
            }
            if f64::from_bits(bits) > best[at] {
                continue;
            }
            for (next, length) in self.neighbours(at) {
                let Some(cost) = cost(next) else { continue };
                let sum = best[at] + cost * length;
                if sum < best[next] {
                    best[next] = sum;
                    before[next] = at;
                    heap.push((Reverse(sum.to_bits()), next));
                }
            }
        }
        if !best[to].is_finite() {
            return None;
        }
        let mut way = vec![to];
        while way[way.len() - 1] != from {
            way.push(before[way[way.len() - 1]]);
        }
        way.reverse();
        Some(way)
    }

    fn neighbours(&self, n: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let [nx, ny, nz] = self.counts.map(|count| count as isize);
        let (x, y, z) = (n as isize % nx, n as isize / nx % ny, n as isize / (nx * ny));
        (0..27isize).filter(|k| *k != 13).filter_map(move |k| {
            let (dx, dy, dz) = (k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1);
            let (x, y, z) = (x + dx, y + dy, z + dz);
            let inside = x >= 0 && y >= 0 && z >= 0 && x < nx && y < ny && z < nz;
            let length = ((dx * dx + dy * dy + dz * dz) as f64).sqrt();
            inside.then_some(((x + nx * (y + ny * z)) as usize, length))
        })
    }
}

/// Pushes the paths of several bodies apart.
pub(super) fn among_bodies(
    paths: &mut [CentrePath],
    obstacles: &[PlanObstacle],
    size_m: f64,
    seed: u64,
    is_cancelled: &dyn Fn() -> bool,
) {
    add_swirl(paths, size_m, seed);
    let factors: Vec<PathFactor> = paths.iter().map(acceleration_factor).collect();
    for grown in [0.3, 0.5, 0.7, 0.85, 1.0, 1.0] {
        let (tolerance, most) = if grown < 1.0 { (1e-3, 40) } else { (1e-5, 150) };
        minimise(paths, &factors, obstacles, (size_m, grown), (tolerance, most), is_cancelled);
    }
}

/// Rounds the corners of a way over the grid.
pub(super) fn smooth(
    paths: &mut [CentrePath],
    obstacles: &[PlanObstacle],
    size_m: f64,
    is_cancelled: &dyn Fn() -> bool,
) {
    let factors: Vec<PathFactor> = paths.iter().map(acceleration_factor).collect();
    minimise(paths, &factors, obstacles, (size_m, 1.0), (1e-4, 100), is_cancelled);
}

/// A common turn about the axis that bodies least move along, and noise, so that bodies that meet head-on
/// choose sides.
fn add_swirl(paths: &mut [CentrePath], size_m: f64, seed: u64) {
    let ways: Vec<DVec3> = paths.iter().map(|path| path.centres[path.centres.len() - 1] - path.centres[0]).collect();
    let axes = [DVec3::Y, DVec3::Z, DVec3::X];
    let travel = |axis: &DVec3| ways.iter().map(|way| way.dot(*axis).powi(2)).sum::<f64>();
    let axis = axes.iter().copied().min_by(|a, b| travel(a).total_cmp(&travel(b))).unwrap_or(DVec3::Y);
    for (number, (path, way)) in paths.iter_mut().zip(&ways).enumerate() {
        let (first, last) = (path.times_secs[0], path.times_secs[path.times_secs.len() - 1]);
        let noise =
            dvec3(random(seed, 3 * number), random(seed, 3 * number + 1), random(seed, 3 * number + 2)) * size_m;
        for (frame, secs) in path.times_secs.iter().enumerate().filter(|(frame, _)| !path.fixed[*frame]) {
            let share = (secs - first) / (last - first).max(1e-12);
            let bump = 4.0 * share * (1.0 - share);
            path.centres[frame] += (way.cross(axis) * 0.15 + noise * 0.3) * bump;
        }
    }
}

/// From −1 to 1, by seed and number alone (SplitMix64).
fn random(seed: u64, number: usize) -> f64 {
    let z = (seed ^ 0x5851_f42d_4c95_7f2d).wrapping_add((number as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

/// Quadratic form of the acceleration of a path, over all its frames, row by row.
fn acceleration_form(times: &[f64]) -> Vec<f64> {
    let n = times.len();
    let mut form = vec![0.0; n * n];
    for j in 1..n.saturating_sub(1) {
        let (a, b) = (times[j] - times[j - 1], times[j + 1] - times[j]);
        let factors = [2.0 / (a * (a + b)), -2.0 / (a * b), 2.0 / (b * (a + b))];
        for (p, fp) in factors.iter().enumerate() {
            for (q, fq) in factors.iter().enumerate() {
                form[(j + p - 1) * n + j + q - 1] += 0.5 * (a + b) * fp * fq;
            }
        }
    }
    form
}

type PathFactor = Option<(Vec<usize>, BlockBandedFactor, Vec<f64>)>;

/// Free frames, the factored form over them, and the whole form.
fn acceleration_factor(path: &CentrePath) -> PathFactor {
    let form = acceleration_form(&path.times_secs);
    let n = path.times_secs.len();
    let free: Vec<usize> = (0..n).filter(|frame| !path.fixed[*frame]).collect();
    let mut matrix = BlockBanded::new(free.len(), 1, 0);
    if free.is_empty() {
        return None;
    }
    for (c, column) in free.iter().enumerate() {
        for (r, row) in free.iter().enumerate() {
            matrix.panel_mut(0)[c * free.len() + r] = form[row * n + column];
        }
    }
    let shift = 1e-8 * matrix.largest_diagonal() + 1e-9;
    matrix.add_to_diagonal(shift);
    Some((free, matrix.factor().ok()?, form))
}

/// Weight of the acceleration beside contacts.
const PATH_ACCELERATION: f64 = 1e-3;
const PATH_CONTACT: f64 = 20.0;
const PATH_OBSTACLE: f64 = 5000.0;

fn energy_and_gradient(
    paths: &[CentrePath],
    factors: &[PathFactor],
    obstacles: &[PlanObstacle],
    size_m: f64,
    grown: f64,
) -> (f64, Vec<Vec<DVec3>>) {
    let square = 1.0 / (size_m * size_m);
    let mut energy = 0.0;
    let mut gradient: Vec<Vec<DVec3>> = Vec::with_capacity(paths.len());
    for (path, factor) in paths.iter().zip(factors) {
        let n = path.centres.len();
        let mut own = vec![DVec3::ZERO; n];
        if let Some((_, _, form)) = factor {
            for (r, own) in own.iter_mut().enumerate() {
                let (low, high) = (r.saturating_sub(2), (r + 3).min(n));
                let sum = (low..high).fold(DVec3::ZERO, |sum, c| sum + path.centres[c] * form[r * n + c]);
                energy += PATH_ACCELERATION * square * sum.dot(path.centres[r]);
                *own = sum * (2.0 * PATH_ACCELERATION * square);
            }
        }
        gradient.push(own);
    }
    let count = paths.first().map_or(0, |path| path.contact_times.len());
    let by_time: Vec<(f64, Vec<(usize, DVec3)>)> =
        (0..count).into_par_iter().map(|time| pushes_at(paths, obstacles, time, grown, square)).collect();
    for (time, (value, pushes)) in by_time.into_iter().enumerate() {
        energy += value;
        for (body, push) in pushes {
            for (frame, w) in paths[body].contact_times[time].terms() {
                gradient[body][frame] += push * w;
            }
        }
    }
    (energy, gradient)
}

fn pushes_at(
    paths: &[CentrePath],
    obstacles: &[PlanObstacle],
    time: usize,
    grown: f64,
    square: f64,
) -> (f64, Vec<(usize, DVec3)>) {
    let places: Vec<DVec3> = paths
        .iter()
        .map(|path| path.contact_times[time].terms().fold(DVec3::ZERO, |sum, (frame, w)| sum + path.centres[frame] * w))
        .collect();
    let (mut energy, mut pushes) = (0.0, Vec::new());
    for a in 0..paths.len() {
        let at = &paths[a].contact_times[time];
        for b in a + 1..paths.len() {
            let reach = grown * (paths[a].radius_m + paths[b].radius_m);
            let way = places[b] - places[a];
            if way.length_squared() < reach * reach {
                let [value, first, _] = penalty(reach - way.length(), 0.2 * reach);
                let weight = PATH_CONTACT * at.share_secs * square;
                energy += weight * value;
                let push = way.try_normalize().unwrap_or(DVec3::Y) * (weight * first);
                pushes.extend([(a, push), (b, -push)]);
            }
        }
        for obstacle in obstacles {
            let (distance, slope) = obstacle.distance.distance(places[a], at.secs);
            let reach = grown * paths[a].obstacle_radius_m;
            if distance < reach && slope.is_finite() {
                let [value, first, _] = penalty(reach - distance, 0.2 * reach);
                let weight = PATH_OBSTACLE * at.share_secs * square;
                energy += weight * value;
                pushes.push((a, slope * (-weight * first)));
            }
        }
    }
    (energy, pushes)
}

/// L-BFGS with eight pairs; the first matrix is the inverse of the acceleration.
fn minimise(
    paths: &mut [CentrePath],
    factors: &[PathFactor],
    obstacles: &[PlanObstacle],
    (size_m, grown): (f64, f64),
    (tolerance, most): (f64, usize),
    is_cancelled: &dyn Fn() -> bool,
) {
    let dot = |a: &[Vec<DVec3>], b: &[Vec<DVec3>]| -> f64 {
        a.iter().zip(b).map(|(a, b)| a.iter().zip(b).map(|(x, y)| x.dot(*y)).sum::<f64>()).sum()
    };
    let precondition = |g: &[Vec<DVec3>]| -> Vec<Vec<DVec3>> {
        let scale = 0.5 * size_m * size_m / PATH_ACCELERATION;
        g.iter().zip(factors).map(|(g, factor)| solve_free(g, factor, scale)).collect()
    };
    let combined = |a: &[Vec<DVec3>], s: f64, b: &[Vec<DVec3>]| -> Vec<Vec<DVec3>> {
        a.iter().zip(b).map(|(a, b)| a.iter().zip(b).map(|(x, y)| *x + *y * s).collect()).collect()
    };
    let free_only = |mut g: Vec<Vec<DVec3>>, paths: &[CentrePath]| {
        for (g, path) in g.iter_mut().zip(paths) {
            g.iter_mut().zip(&path.fixed).filter(|(_, fixed)| **fixed).for_each(|(g, _)| *g = DVec3::ZERO);
        }
        g
    };
    // A longer step could jump over a thin wall.
    let least = paths.iter().map(|path| path.obstacle_radius_m).fold(size_m, f64::min);
    let limit = 0.3 * if obstacles.is_empty() { size_m } else { least.max(1e-3 * size_m) };
    type Pair = (Vec<Vec<DVec3>>, Vec<Vec<DVec3>>, f64);
    let mut pairs: Vec<Pair> = Vec::new();
    let (mut energy, gradient) = energy_and_gradient(paths, factors, obstacles, size_m, grown);
    let mut gradient = free_only(gradient, paths);
    let mut small = 0;
    for _ in 0..most {
        if is_cancelled() {
            return;
        }
        let mut q = gradient.clone();
        let mut alphas = Vec::new();
        for (s, y, rho) in pairs.iter().rev() {
            let alpha = rho * dot(s, &q);
            q = combined(&q, -alpha, y);
            alphas.push(alpha);
        }
        let mut z = precondition(&q);
        for ((s, y, rho), alpha) in pairs.iter().zip(alphas.iter().rev()) {
            let beta = rho * dot(y, &z);
            z = combined(&z, alpha - beta, s);
        }
        let slope = -dot(&z, &gradient);
        if slope >= 0.0 {
            break;
        }
        let longest = z.iter().flatten().map(|z| z.length()).fold(0.0, f64::max);
        let mut share = f64::min(1.0, limit / longest.max(1e-12));
        let before: Vec<Vec<DVec3>> = paths.iter().map(|path| path.centres.clone()).collect();
        let found = (0..12).find_map(|_| {
            for ((path, from), z) in paths.iter_mut().zip(&before).zip(&z) {
                path.centres.iter_mut().zip(from).zip(z).for_each(|((x, from), z)| *x = *from - *z * share);
            }
            let (now, gradient) = energy_and_gradient(paths, factors, obstacles, size_m, grown);
            if now <= energy + 1e-4 * share * slope {
                return Some((now, free_only(gradient, paths)));
            }
            share *= 0.5;
            None
        });
        let Some((now, next)) = found else {
            paths.iter_mut().zip(before).for_each(|(path, from)| path.centres = from);
            break;
        };
        let s: Vec<Vec<DVec3>> = z.iter().map(|z| z.iter().map(|z| *z * -share).collect()).collect();
        let y = combined(&next, -1.0, &gradient);
        let sy = dot(&s, &y);
        if sy > 1e-14 * dot(&y, &y) {
            pairs.push((s, y, 1.0 / sy));
            if pairs.len() > 8 {
                pairs.remove(0);
            }
        }
        small = if energy - now < tolerance * now.max(1e-12) { small + 1 } else { 0 };
        (energy, gradient) = (now, next);
        if small > 2 {
            break;
        }
    }
}

fn solve_free(g: &[DVec3], factor: &PathFactor, scale: f64) -> Vec<DVec3> {
    let mut z = vec![DVec3::ZERO; g.len()];
    let Some((free, factor, _)) = factor else { return z };
    for axis in 0..3 {
        let mut x: Vec<f64> = free.iter().map(|frame| g[*frame][axis]).collect();
        factor.solve(&mut x);
        free.iter().zip(&x).for_each(|(frame, x)| z[*frame][axis] = x * scale);
    }
    z
}
