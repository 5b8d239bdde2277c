//! Keeps parts that are thinner than a cell: limbs, tails, ears.
//!
//! A lattice misses what lies between its points. So a thin part is thickened before it is stuffed and thinned again after.
//! Thickening adds balls of one radius along the medial axis of the part. That radius is more than the covering radius of the
//! lattice (√5/4 of a cell): the balls hold a lattice point near every place of the axis, and the lattice cells that a curve
//! passes through are neighbours, so that what comes of a limb is at least one chain of tets. Thinning moves each vertex towards the axis,
//! in the proportion of the part's own radius to that of the balls.
//!
//! Medial balls are found from samples of the surface as the largest ball inside that touches the sample (Ma, Bae, Choi.
//! "3D medial axis point approximation using nearest neighbors and the normal field". The Visual Computer 2012). Balls in
//! convex edges and corners are not thin parts: only those count whose sample has surface on the opposite side, too.
//!
//! Limits: thinned tets are flatter than the angles that stuffing keeps to. What is thinner than [`FLATTEST`] of the balls
//! stays that thick. Gaps narrower than the balls may close.

use crate::TetMesh;
use crate::distance::{Distance, SurfaceSample};
use rayon::prelude::*;
use sinew_math::DVec3;
use std::collections::HashMap;

/// Radii of the balls along the axis of a thin part, in cells, from the first to the one that leaves no part hanging on nothing. The least is
/// more than the covering radius of the lattice, 0.559. With the last a lattice point lies so deep in the balls wherever the axis is that none of
/// its edges makes it move onto the surface.
pub(super) const BALL_CELLS: [f64; 3] = [0.62, 0.78, 0.93];
/// Samples of the surface are at most this far apart, in cells.
const APART_CELLS: f64 = 0.4;
/// Share of the balls' radius to which a part is thinned at most: thinner ones would have tets like needles.
const FLATTEST: f64 = 0.3;
/// Share of the balls' radius below which a part has no inside to speak of.
const NOTHING: f64 = 0.004;

/// The largest ball inside a thin part about a place of its medial axis.
#[derive(Debug, Clone, Copy, PartialEq)]
struct MedialBall {
    centre: DVec3,
    radius_m: f64,
}

/// The parts of a body that are too thin for cells of one size.
pub(super) struct ThinParts {
    balls: Vec<MedialBall>,
    /// Radius to which they are thickened.
    thick_m: f64,
    grid: HashMap<[i64; 3], Vec<u32>>,
}

impl ThinParts {
    pub(super) fn of<D: Distance + ?Sized>(shape: &D, cell_m: f64, ball_cells: f64) -> Self {
        let thick_m = ball_cells * cell_m;
        let samples = shape.surface_samples(APART_CELLS * cell_m);
        let found: Vec<MedialBall> =
            samples.into_par_iter().filter_map(|sample| thin_ball(shape, sample, thick_m)).collect();
        let balls = thinned_out(&found, 0.25 * cell_m);
        let mut grid: HashMap<[i64; 3], Vec<u32>> = HashMap::new();
        for (n, ball) in balls.iter().enumerate() {
            grid.entry(grid_cell(ball.centre, 2.0 * thick_m)).or_default().push(n as u32);
        }
        Self { balls, thick_m, grid }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.balls.is_empty()
    }

    /// Balls whose centres are within twice the thickened radius, and perhaps a few more, in rising order.
    fn near(&self, point: DVec3) -> impl Iterator<Item = &MedialBall> {
        self.near_numbers(point).map(|n| &self.balls[n])
    }

    fn near_numbers(&self, point: DVec3) -> impl Iterator<Item = usize> {
        let [x, y, z] = grid_cell(point, 2.0 * self.thick_m);
        let cells =
            (-1..=1).flat_map(move |k| (-1..=1).flat_map(move |j| (-1..=1).map(move |i| [x + i, y + j, z + k])));
        cells.filter_map(|cell| self.grid.get(&cell)).flatten().map(|n| *n as usize)
    }

    /// The signed distance to the thickened balls; none where they are farther than their own radius.
    fn distance(&self, point: DVec3) -> Option<f64> {
        let nearest = self.near(point).map(|ball| ball.centre.distance_squared(point)).min_by(f64::total_cmp)?;
        let distance_m = nearest.sqrt() - self.thick_m;
        (distance_m <= self.thick_m).then_some(distance_m)
    }

    /// How many balls have no flesh: no vertex of the mesh of the thickened body lies in them. What the lattice misses altogether
    /// leaves neither tets nor crumbs, so that crumbs alone do not tell.
    pub(super) fn missed(&self, mesh: &TetMesh) -> usize {
        /// Of the radius: vertices on the surface of a ball lie there to rounding.
        const SLACK: f64 = 1.05;
        let mut is_met = vec![false; self.balls.len()];
        for x in &mesh.positions {
            for n in self.near_numbers(*x) {
                is_met[n] |= self.balls[n].centre.distance(*x) < SLACK * self.thick_m;
            }
        }
        is_met.iter().filter(|met| !**met).count()
    }

    /// Thins a mesh of the thickened body: vertices go towards the axis, as far as no tet is turned over.
    pub(super) fn fit<D: Distance + ?Sized>(&self, shape: &D, mesh: &mut TetMesh) {
        let moves: Vec<DVec3> = mesh.positions.par_iter().map(|x| self.thinning(shape, *x)).collect();
        move_without_flips(mesh, moves);
    }

    /// How a vertex moves.
    fn thinning<D: Distance + ?Sized>(&self, shape: &D, x: DVec3) -> DVec3 {
        /// A vertex farther than this many radii of the thickened ball belongs to no thin part.
        const REACH: f64 = 1.2;
        let reach_m = REACH * self.thick_m;
        let nearest = self.near(x).min_by(|a, b| a.centre.distance_squared(x).total_cmp(&b.centre.distance_squared(x)));
        let Some(nearest) = nearest.filter(|ball| ball.centre.distance(x) < reach_m) else { return DVec3::ZERO };
        // The radius of the part is that of all balls about here, so that samples near a bump do not dent it.
        let (mut weights, mut sum_m) = (0.0, 0.0);
        for ball in self.near(nearest.centre) {
            let share = 1.0 - ball.centre.distance(nearest.centre) / self.thick_m;
            if share > 0.0 {
                weights += share;
                sum_m += share * ball.radius_m;
            }
        }
        let radius_m = sum_m / weights.max(f64::MIN_POSITIVE);
        // What lies deeper than the part is thick belongs to the body that it grows out of.
        if shape.at(x) < -1.2 * radius_m {
            return DVec3::ZERO;
        }
        let share = (radius_m / self.thick_m).clamp(FLATTEST, 1.0);
        (nearest.centre - x) * (1.0 - share)
    }
}

/// A body with its thin parts thickened.
pub(super) struct Thickened<'a, D: Distance + ?Sized> {
    pub(super) shape: &'a D,
    pub(super) thin: &'a ThinParts,
}

impl<D: Distance + ?Sized> Thickened<'_, D> {
    fn with_balls(&self, point: DVec3, value: f64) -> f64 {
        // Centres lie inside, so that far outside the balls are farther than the body less their radius.
        if value.abs() > 2.0 * self.thin.thick_m {
            return if value > 0.0 { value - self.thin.thick_m } else { value };
        }
        self.thin.distance(point).map_or(value, |balls| value.min(balls))
    }
}

impl<D: Distance + ?Sized> Distance for Thickened<'_, D> {
    fn at(&self, point: DVec3) -> f64 {
        self.with_balls(point, self.shape.at(point))
    }

    fn bounds(&self) -> (DVec3, DVec3) {
        let (low, high) = self.shape.bounds();
        (low - self.thin.thick_m, high + self.thin.thick_m)
    }

    fn probe(&self, point: DVec3) -> (f64, f64) {
        let (value, clear_m) = self.shape.probe(point);
        let thick = self.with_balls(point, value);
        if value <= 0.0 {
            return (thick, clear_m);
        }
        // Outside, balls begin where they are known to, or at most their radius nearer than the body.
        let to_balls_m = (clear_m - self.thin.thick_m).max(thick.abs().min(self.thin.thick_m));
        (thick, clear_m.min(to_balls_m))
    }

    fn at_each(&self, points: &[DVec3], values: &mut [f64]) {
        self.shape.at_each(points, values);
        for (point, value) in points.iter().zip(values) {
            *value = self.with_balls(*point, *value);
        }
    }

    fn landmarks(&self) -> Vec<(DVec3, u32)> {
        self.shape.landmarks()
    }
}

/// The ball of a sample, where the body is thinner there than `thick_m` and has surface on the other side of the ball.
fn thin_ball<D: Distance + ?Sized>(shape: &D, sample: SurfaceSample, thick_m: f64) -> Option<MedialBall> {
    /// Of the radius, for the distance is that of a faceted surface.
    const SLACK: f64 = 0.05;
    /// Across the ball and as far again: cones of up to 35° count, edges of boxes do not.
    const ACROSS: f64 = 4.0;
    let SurfaceSample { place, outward } = sample;
    let fits = |radius: f64| -shape.at(place - outward * radius) >= radius * (1.0 - SLACK);
    if fits(thick_m) {
        return None;
    }
    let (mut fitting, mut too_large) = (0.0, thick_m);
    for _ in 0..10 {
        let radius = 0.5 * (fitting + too_large);
        if fits(radius) { fitting = radius } else { too_large = radius }
    }
    let is_thin = fitting > NOTHING * thick_m && shape.at(place - outward * (ACROSS * fitting)) > -0.05 * fitting;
    is_thin.then(|| MedialBall { centre: place - outward * fitting, radius_m: fitting })
}

/// The largest ball of each cube of this size: samples on all sides of a limb find the same ones.
fn thinned_out(balls: &[MedialBall], apart_m: f64) -> Vec<MedialBall> {
    let mut largest: HashMap<[i64; 3], usize> = HashMap::new();
    for (n, ball) in balls.iter().enumerate() {
        let kept = largest.entry(grid_cell(ball.centre, apart_m)).or_insert(n);
        if balls[*kept].radius_m < ball.radius_m {
            *kept = n;
        }
    }
    // In the order of the samples, whatever the order of the map.
    let mut kept: Vec<usize> = largest.into_values().collect();
    kept.sort_unstable();
    kept.into_iter().map(|n| balls[n]).collect()
}

fn grid_cell(point: DVec3, side_m: f64) -> [i64; 3] {
    (point / side_m).to_array().map(|x| x.floor() as i64)
}

/// Moves vertices, each as far as its tets keep a share of their volume: a fifth less far, and so on, then not at all.
fn move_without_flips(mesh: &mut TetMesh, mut moves: Vec<DVec3>) {
    /// A tet that is squeezed from all sides but one keeps the square of [`FLATTEST`]; less than this is turned over or nearly flat.
    const LEAST_VOLUME: f64 = 0.04;
    const SHORTER: f64 = 0.8;
    const ROUNDS: usize = 18;
    let before = mesh.positions.clone();
    let volume = |positions: &[DVec3], tet: &[u32; 4]| {
        let [a, b, c, d] = tet.map(|v| positions[v as usize]);
        (b - a).cross(c - a).dot(d - a)
    };
    let mut round = 0;
    loop {
        mesh.positions = before.iter().zip(&moves).map(|(x, by)| *x + *by).collect();
        let is_bad = |tet: &&[u32; 4]| {
            let (old, new) = (volume(&before, tet), volume(&mesh.positions, tet));
            new < LEAST_VOLUME * old
        };
        let mut bad: Vec<u32> = mesh.tets.iter().filter(is_bad).flatten().copied().collect();
        bad.sort_unstable();
        bad.dedup();
        bad.retain(|v| moves[*v as usize] != DVec3::ZERO);
        if bad.is_empty() {
            return;
        }
        round += 1;
        for v in bad {
            moves[v as usize] = if round > ROUNDS { DVec3::ZERO } else { SHORTER * moves[v as usize] };
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::distance::SurfaceDistance;
    use crate::primitive::{capsule, cuboid};
    use crate::stuffing::{Fineness, Inside, StuffingError, stuff, stuff_keeping_thin_parts};
    use crate::{TetMesh, TriangleMesh};
    use sinew_math::{DVec3, dvec3};

    fn add(mesh: &mut TriangleMesh, part: &TriangleMesh, at: DVec3) {
        let base = mesh.positions.len() as u32;
        mesh.positions.extend(part.positions.iter().map(|x| *x + at));
        mesh.triangles.extend(part.triangles.iter().map(|t| t.map(|v| v + base)));
    }

    /// A slab on four legs of this thickness, which end at y = −0.5.
    fn table(thickness_m: f64) -> SurfaceDistance {
        let mut table = TriangleMesh::default();
        add(&mut table, &cuboid(dvec3(0.5, 0.2, 0.3)), dvec3(0.0, 0.2, 0.0));
        for (x, z) in [(-0.4, -0.2), (0.4, -0.2), (-0.4, 0.2), (0.4, 0.2)] {
            let leg = cuboid(dvec3(0.5 * thickness_m, 0.3, 0.5 * thickness_m));
            add(&mut table, &leg, dvec3(x, -0.2, z));
        }
        SurfaceDistance::new(&table)
    }

    fn kept(shape: &SurfaceDistance, cell_m: f64) -> Result<TetMesh, StuffingError> {
        let watch = |_| std::ops::ControlFlow::Continue(());
        Ok(stuff_keeping_thin_parts(shape, Fineness::CellM(cell_m), Inside::Even, &watch)?.mesh)
    }

    #[test]
    fn legs_of_a_third_of_a_cell_reach_the_ground() {
        let cell_m = 0.15;
        for thickness_m in [0.02, 0.05, 0.1] {
            let shape = table(thickness_m);
            // Legs of two thirds of a cell may meet points of the plain lattice; thinner ones do not.
            let plain = stuff(&shape, Fineness::CellM(cell_m)).unwrap().mesh;
            let is_lost = plain.positions.iter().all(|x| x.y > -0.45);
            assert!(is_lost || thickness_m > 0.6 * cell_m, "the plain lattice loses legs of {thickness_m} m");
            let mesh = kept(&shape, cell_m).unwrap();
            let part = crate::adjacency::components(mesh.positions.len(), &mesh.tets);
            for (x, z) in [(-0.4, -0.2), (0.4, -0.2), (-0.4, 0.2), (0.4, 0.2)] {
                let foot = dvec3(x, -0.5, z);
                let nearest = (0..mesh.positions.len())
                    .min_by(|a, b| mesh.positions[*a].distance(foot).total_cmp(&mesh.positions[*b].distance(foot)));
                let nearest = nearest.unwrap();
                assert!(mesh.positions[nearest].distance(foot) < 0.06, "{thickness_m}: {}", mesh.positions[nearest]);
                assert_eq!(part[nearest], part[0], "the foot hangs on the body");
            }
            assert!(mesh.positions.iter().all(|x| x.y > -0.5 - 0.04), "no foot is far below the sole");
            assert!(mesh.tets.iter().all(|t| volume(&mesh, t) > 0.0));
        }
    }

    #[test]
    fn a_thin_rod_is_a_chain_as_thin_as_itself() {
        let rod = SurfaceDistance::new(&capsule(0.05, 0.8, 24));
        let mesh = kept(&rod, 0.15).unwrap();
        let out = mesh.positions.iter().map(|x| dvec3(x.x, 0.0, x.z).length()).fold(0.0, f64::max);
        assert!((0.04..0.065).contains(&out), "{out}");
        let volume: f64 = mesh.tets.iter().map(|t| volume(&mesh, t)).sum();
        let wanted = std::f64::consts::PI * 0.05 * 0.05 * (1.6 + 4.0 / 3.0 * 0.05);
        assert!((0.5..1.3).contains(&(volume / wanted)), "{volume} of {wanted}");
    }

    #[test]
    fn thick_bodies_are_left_alone() {
        let block = SurfaceDistance::new(&cuboid(dvec3(0.5, 0.4, 0.3)));
        assert_eq!(kept(&block, 0.1).unwrap(), stuff(&block, Fineness::CellM(0.1)).unwrap().mesh);
    }

    fn volume(mesh: &TetMesh, tet: &[u32; 4]) -> f64 {
        let [a, b, c, d] = tet.map(|v| mesh.positions[v as usize]);
        (b - a).cross(c - a).dot(d - a) / 6.0
    }
}
