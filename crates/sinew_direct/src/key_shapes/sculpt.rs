//! Shapes edited by hand: places moved, parts scaled, turned and bent, smoothed and brought back to rest.
//!
//! Every edit is of the shape at the start of a gesture, so that a drag can be shown again and again. What is moved is given; a ring
//! around it follows elastically (`zone.rs`) and everything else stays. Distances run along the edges of the flesh at rest: a finger
//! that touches a palm is far from it.

use super::{ElasticZone, ShapeCells};
use crate::ShapeFormula;
use sinew_math::rotation::best_fit_rotation;
use sinew_math::sparse::FactorError;
use sinew_math::{DQuat, DVec3};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

/// Share of a moved place's radius that is gripped and moves as one.
const GRIP: f64 = 0.25;
/// Share of the way to its neighbours' mean that a point goes in a round of smoothing.
const SMOOTHING: f64 = 0.5;
/// Rounds of the elastic solve in a step of a drag, on flesh up to so many points; larger flesh has one.
const ROUNDS: usize = 2;
const ROUNDS_UP_TO: usize = 8_000;
/// Rounds at the end of a gesture.
const LAST_ROUNDS: usize = 20;

/// A part of a body: points, and how far around them flesh follows.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    pub points: Vec<usize>,
    pub falloff_m: f64,
}

/// A shape that is being edited.
pub struct Sculptor {
    cells: Arc<ShapeCells>,
    start: Vec<DVec3>,
    edges: Vec<Vec<(u32, f64)>>,
    /// The ring of the last edit: the next one of the gesture has the same.
    ring: Option<(RingOf, Ring)>,
}

/// What a ring is around.
#[derive(Debug, Clone, PartialEq)]
enum RingOf {
    Place { at: DVec3, radius_m: f64 },
    Part(Part),
}

/// Points that are given, and flesh around them that follows.
struct Ring {
    given: Vec<usize>,
    zone: ElasticZone,
}

impl Sculptor {
    pub fn new(cells: Arc<ShapeCells>, start: Vec<DVec3>) -> Self {
        let edges = edges(&cells);
        Self { cells, start, edges, ring: None }
    }

    /// The shape at the start of the gesture.
    pub fn start(&self) -> &[DVec3] {
        &self.start
    }

    /// Moves the place `at` of the body at rest by `by`; flesh within `radius_m` follows elastically.
    pub fn pull(&mut self, at: DVec3, by: DVec3, radius_m: f64) -> Result<Vec<DVec3>, FactorError> {
        let of = RingOf::Place { at, radius_m };
        if self.ring.as_ref().is_none_or(|(known, _)| *known != of) {
            let away = self.distances_from_place(at, radius_m);
            let given = (0..away.len()).filter(|point| away[*point] <= GRIP * radius_m).collect();
            self.prepare(of, given, &away, radius_m)?;
        }
        Ok(self.carry(|_, x| x + by))
    }

    /// The same with flesh that follows by its distance alone.
    pub fn nudge(&self, at: DVec3, by: DVec3, radius_m: f64) -> Vec<DVec3> {
        let away = self.distances_from_place(at, radius_m);
        self.start.iter().zip(away).map(|(x, away)| *x + by * falloff(away / radius_m)).collect()
    }

    /// Scales a part along the body's axes; where it is joined to the rest it stays.
    pub fn scale(&mut self, part: &Part, by: DVec3) -> Result<Vec<DVec3>, FactorError> {
        self.form(part, &ShapeFormula { scale: by, ..ShapeFormula::REST })
    }

    /// Bends a part along an axis, about another one across it.
    pub fn bend(&mut self, part: &Part, along: DVec3, about: DVec3, deg: f64) -> Result<Vec<DVec3>, FactorError> {
        let (axis, about) = (along.normalize_or(DVec3::X), about.normalize_or(DVec3::Z));
        let bend_to = about.cross(axis).normalize_or(DVec3::Y);
        self.form(part, &ShapeFormula { bend_deg: deg, axis, bend_to, ..ShapeFormula::REST })
    }

    /// Turns a part about where it is joined to the rest, or about its middle.
    pub fn turn(&mut self, part: &Part, about: DVec3, deg: f64) -> Result<Vec<DVec3>, FactorError> {
        let joint = self.joint(part);
        let pivot = middle(&self.start, if joint.is_empty() { &part.points } else { &joint });
        let turn = DQuat::from_axis_angle(about.normalize_or(DVec3::Y), deg.to_radians());
        self.around(part)?;
        Ok(self.carry(|_, x| pivot + turn * (x - pivot)))
    }

    /// Evens out how far points of a part are moved from rest.
    pub fn smooth(&self, part: &Part, rounds: usize) -> Vec<DVec3> {
        let weight = self.weights(part);
        let rest = self.cells.rest();
        let mut moved: Vec<DVec3> = self.start.iter().zip(rest).map(|(x, x0)| *x - *x0).collect();
        for _ in 0..rounds {
            let even = |(point, own): (usize, &DVec3)| {
                let edges = &self.edges[point];
                if weight[point] == 0.0 || edges.is_empty() {
                    return *own;
                }
                let mean = edges.iter().map(|(other, _)| moved[*other as usize]).sum::<DVec3>() / edges.len() as f64;
                *own + (mean - *own) * (SMOOTHING * weight[point])
            };
            moved = moved.iter().enumerate().map(even).collect();
        }
        rest.iter().zip(moved).map(|(x0, by)| *x0 + by).collect()
    }

    /// Brings a part a share of the way back to rest.
    pub fn reset(&self, part: &Part, share: f64) -> Vec<DVec3> {
        let weight = self.weights(part);
        let of = |((x, x0), weight): ((&DVec3, &DVec3), &f64)| *x + (*x0 - *x) * (weight * share);
        self.start.iter().zip(self.cells.rest()).zip(&weight).map(of).collect()
    }

    /// Lets flesh around what was moved last find its place: what a gesture ends with.
    pub fn settle(&mut self) -> Option<Vec<DVec3>> {
        let (_, ring) = self.ring.as_mut()?;
        Some(ring.zone.pull([], LAST_ROUNDS).to_vec())
    }

    /// A formula on the points of a part, put back where the part is joined to the rest.
    fn form(&mut self, part: &Part, formula: &ShapeFormula) -> Result<Vec<DVec3>, FactorError> {
        let points: Vec<DVec3> = part.points.iter().map(|point| self.start[*point]).collect();
        let mut formed = formula.shape(&points);
        let joint = self.joint(part);
        if joint.len() > 2 {
            let place: Vec<usize> = (0..part.points.len()).filter(|at| joint.contains(&part.points[*at])).collect();
            let (was, is): (Vec<DVec3>, Vec<DVec3>) = place.iter().map(|at| (points[*at], formed[*at])).unzip();
            let mass = vec![1.0; was.len()];
            let turn = if formula.bend_deg == 0.0 { DQuat::IDENTITY } else { best_fit_rotation(&is, &was, &mass) };
            let all: Vec<usize> = (0..was.len()).collect();
            let (from, to) = (middle(&is, &all), middle(&was, &all));
            formed.iter_mut().for_each(|x| *x = to + turn * (*x - from));
        }
        self.around(part)?;
        let mut formed = formed.into_iter();
        // Given points are in the part's order.
        Ok(self.carry(|_, x| formed.next().unwrap_or(x)))
    }

    fn around(&mut self, part: &Part) -> Result<(), FactorError> {
        let of = RingOf::Part(part.clone());
        if self.ring.as_ref().is_none_or(|(known, _)| *known != of) {
            let away = self.distances(part.points.iter().copied(), part.falloff_m);
            self.prepare(of, part.points.clone(), &away, part.falloff_m)?;
        }
        Ok(())
    }

    fn prepare(&mut self, of: RingOf, given: Vec<usize>, away: &[f64], reach_m: f64) -> Result<(), FactorError> {
        let mut is_free: Vec<bool> = away.iter().map(|away| *away < reach_m).collect();
        given.iter().for_each(|point| is_free[*point] = false);
        let zone = ElasticZone::new(&self.cells, &self.start, &is_free)?;
        self.ring = Some((of, Ring { given, zone }));
        Ok(())
    }

    /// Puts given points somewhere, by their places at the start.
    fn carry(&mut self, mut to: impl FnMut(usize, DVec3) -> DVec3) -> Vec<DVec3> {
        let Some((_, Ring { given, zone })) = &mut self.ring else { return self.start.clone() };
        let rounds = if self.start.len() <= ROUNDS_UP_TO { ROUNDS } else { 1 };
        zone.pull(given.iter().map(|point| (*point, to(*point, self.start[*point]))), rounds).to_vec()
    }

    /// Points of a part with a neighbour outside of it.
    fn joint(&self, part: &Part) -> Vec<usize> {
        let mut is_inside = vec![false; self.start.len()];
        part.points.iter().for_each(|point| is_inside[*point] = true);
        let is_joined = |point: &&usize| self.edges[**point].iter().any(|(other, _)| !is_inside[*other as usize]);
        part.points.iter().filter(is_joined).copied().collect()
    }

    /// 1 on a part, falling to 0 around it.
    fn weights(&self, part: &Part) -> Vec<f64> {
        let away = self.distances(part.points.iter().copied(), part.falloff_m);
        let reach = part.falloff_m.max(f64::MIN_POSITIVE);
        away.into_iter().map(|away| falloff(away / reach)).collect()
    }

    /// From the point nearest to a place.
    fn distances_from_place(&self, at: DVec3, reach_m: f64) -> Vec<f64> {
        let rest = self.cells.rest();
        let nearest = (0..rest.len()).min_by(|a, b| rest[*a].distance(at).total_cmp(&rest[*b].distance(at)));
        self.distances(nearest, reach_m)
    }

    /// Lengths of the shortest ways along edges from points; infinite beyond the reach.
    fn distances(&self, from: impl IntoIterator<Item = usize>, reach_m: f64) -> Vec<f64> {
        let mut away = vec![f64::INFINITY; self.start.len()];
        let mut queue = BinaryHeap::new();
        for point in from {
            away[point] = 0.0;
            queue.push(Reverse((0f64.to_bits(), point)));
        }
        while let Some(Reverse((bits, point))) = queue.pop() {
            let here = f64::from_bits(bits);
            if here > away[point] {
                continue;
            }
            for (other, length) in &self.edges[point] {
                let (other, there) = (*other as usize, here + length);
                if there < away[other] && there <= reach_m {
                    away[other] = there;
                    queue.push(Reverse((there.to_bits(), other)));
                }
            }
        }
        away
    }
}

/// 1 at 0, 0 from 1 on, without corners.
fn falloff(share: f64) -> f64 {
    let left = 1.0 - share.clamp(0.0, 1.0);
    left * left * (3.0 - 2.0 * left)
}

fn middle(of: &[DVec3], points: &[usize]) -> DVec3 {
    points.iter().map(|point| of[*point]).sum::<DVec3>() / points.len().max(1) as f64
}

/// Neighbours of each point and how far they are at rest.
fn edges(cells: &ShapeCells) -> Vec<Vec<(u32, f64)>> {
    let rest = cells.rest();
    let mut edges: Vec<Vec<(u32, f64)>> = vec![Vec::new(); rest.len()];
    for element in &cells.elements {
        for a in element.corners() {
            for b in element.corners().filter(|b| *b != a) {
                edges[a].push((b as u32, rest[a].distance(rest[b])));
            }
        }
    }
    for own in &mut edges {
        own.sort_by_key(|edge| edge.0);
        own.dedup_by_key(|edge| edge.0);
    }
    edges
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key_shapes::check_shape;
    use sinew_geom::structured::bar;
    use sinew_math::dvec3;
    use sinew_solve::Flesh;

    fn sculptor() -> (Sculptor, Vec<DVec3>) {
        let flesh = Flesh::from_tets(bar(dvec3(1.0, 0.2, 0.2), [20, 4, 4]), 1000.0).unwrap();
        let rest = flesh.rest.clone();
        (Sculptor::new(Arc::new(ShapeCells::new(&flesh).unwrap()), rest.clone()), rest)
    }

    fn right(rest: &[DVec3], from: f64) -> Part {
        Part { points: (0..rest.len()).filter(|i| rest[*i].x > from).collect(), falloff_m: 0.2 }
    }

    fn at(rest: &[DVec3], x: DVec3) -> usize {
        (0..rest.len()).find(|i| rest[*i].distance(x) < 1e-9).unwrap()
    }

    #[test]
    fn a_pulled_place_goes_where_it_is_put_and_far_points_stay() {
        let (mut sculptor, rest) = sculptor();
        let (end, by) = (dvec3(0.5, 0.1, 0.1), dvec3(0.05, 0.12, 0.0));
        for share in [0.3, 0.6, 1.0] {
            sculptor.pull(end, by * share, 0.4).unwrap();
        }
        let shape = sculptor.settle().unwrap();
        check_shape(&sculptor.cells, &shape).unwrap();
        let moved = |x: DVec3| shape[at(&rest, x)] - x;
        assert!(moved(end).distance(by) < 1e-12);
        assert_eq!(moved(dvec3(-0.5, 0.1, 0.1)), DVec3::ZERO);
        let near = moved(dvec3(0.35, 0.1, 0.1)).length();
        assert!(near > 0.005 && near < by.length(), "flesh between follows: {near}");
    }

    #[test]
    fn a_nudge_falls_off_with_the_distance_along_the_flesh() {
        let (sculptor, rest) = sculptor();
        let by = dvec3(0.0, 0.03, 0.0);
        let shape = sculptor.nudge(dvec3(0.5, 0.0, 0.0), by, 0.5);
        let moved = |x: f64| (shape[at(&rest, dvec3(x, 0.0, 0.0))] - dvec3(x, 0.0, 0.0)).length();
        assert!((moved(0.5) - 0.03).abs() < 1e-12 && (moved(0.25) - 0.015).abs() < 1e-9 && moved(0.0) < 1e-12);
    }

    #[test]
    fn parts_are_scaled_turned_and_bent_where_they_are_joined() {
        let (mut sculptor, rest) = sculptor();
        let part = right(&rest, 0.24);
        let shapes = [
            sculptor.scale(&part, dvec3(1.0, 1.5, 1.5)).unwrap(),
            sculptor.turn(&part, DVec3::Z, 25.0).unwrap(),
            sculptor.bend(&part, DVec3::X, DVec3::Z, 40.0).unwrap(),
        ];
        for shape in &shapes {
            check_shape(&sculptor.cells, shape).unwrap();
            assert_eq!(shape[at(&rest, dvec3(-0.5, 0.1, 0.1))], dvec3(-0.5, 0.1, 0.1));
        }
        let end = at(&rest, dvec3(0.5, 0.0, 0.0));
        assert!(shapes[0][end].distance(rest[end]) < 0.02, "scaled about its axis");
        // Turned by 25° about its joint at x = 0.25: the end goes up by a quarter of a metre times the sine.
        assert!((shapes[1][end].y - 0.25 * 25f64.to_radians().sin()).abs() < 0.01, "{}", shapes[1][end]);
        // Bent by 40° along a quarter of a metre: it leaves its joint straight on, and ends on the arc.
        let (angle, length) = (40f64.to_radians(), 0.25);
        let high = length / angle * (1.0 - angle.cos());
        assert!((shapes[2][end].y - high).abs() < 0.02, "{} against {high}", shapes[2][end]);
    }

    #[test]
    fn smoothing_evens_a_dent_out_and_a_reset_part_is_at_rest() {
        let (sculptor, rest) = sculptor();
        let dented = at(&rest, dvec3(0.3, 0.1, 0.0));
        let mut start = rest.clone();
        start[dented].y -= 0.03;
        let sculptor = Sculptor::new(sculptor.cells.clone(), start);
        let part = right(&rest, 0.1);
        let dent = |shape: &[DVec3]| (shape[dented] - rest[dented]).length();
        let smooth = sculptor.smooth(&part, 10);
        assert!(dent(&smooth) < 0.3 * 0.03, "{}", dent(&smooth));
        assert_eq!(dent(&sculptor.reset(&part, 1.0)), 0.0);
        assert!((dent(&sculptor.reset(&part, 0.5)) - 0.015).abs() < 1e-12);
        assert_eq!(
            sculptor.reset(&Part { falloff_m: 0.05, ..right(&rest, 0.4) }, 1.0)[dented].y,
            0.07,
            "beyond its reach nothing changes"
        );
    }
}
