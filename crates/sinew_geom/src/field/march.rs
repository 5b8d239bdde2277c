//! Distance from points inside a signed distance, by fast marching on a grid.
//!
//! Sethian. "A Fast Marching Level Set Method for Monotonically Advancing Fronts". PNAS 1996: |∇d| = 1 with the upwind differences of the three
//! axes, nodes taken in the order of their distance. Around a point the front is curved more than any grid resolves, so nodes within a ball
//! about each source that it sees get their exact distance first; the ball is a fixed share of the body, which
//! makes the method first order (with a ball of a few cells it would be h log h).
//!
//! Limits: what is thinner than a cell may be lost or bridged. Distances are good to about a cell.

use super::nearest_first::NearestFirst;
use crate::distance::Distance;
use sinew_math::DVec3;

/// Radius of the exact ball as a share of the body's diagonal.
const BALL: f64 = 0.05;
/// Nodes of a grid at most: 8 bytes each for every distance asked for.
const NODES_MAX: f64 = 1.0e8;

/// Why a body has no grid.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum MarchError {
    #[error("a grid of cells of {cell_m} m over this body has {nodes:e} nodes; 1e8 are allowed, so make cells larger")]
    TooFine { cell_m: f64, nodes: f64 },
    #[error("a cell of {cell_m} m is no size; it must be greater than 0")]
    NoSize { cell_m: f64 },
}

/// A body's inside as nodes of a grid, ready to be measured many times.
#[derive(Debug, Clone)]
pub struct GridMarcher {
    low: DVec3,
    cell_m: f64,
    size: [usize; 3],
    is_inside: Vec<bool>,
    ball_m: f64,
}

/// Distances at the nodes of a grid.
#[derive(Debug, Clone)]
pub struct GridDistance<'a> {
    grid: &'a GridMarcher,
    values: Vec<f64>,
}

impl GridMarcher {
    pub fn new(body: &impl Distance, cell_m: f64) -> Result<Self, MarchError> {
        if !(cell_m > 0.0 && cell_m.is_finite()) {
            return Err(MarchError::NoSize { cell_m });
        }
        let (low, high) = body.bounds();
        // One node beyond the bounds on every side, so that a node's neighbours exist wherever the body is.
        let cells = ((high - low).max(DVec3::ZERO) / cell_m).ceil() + DVec3::splat(3.0);
        let nodes = cells.element_product();
        if nodes.is_nan() || nodes > NODES_MAX {
            return Err(MarchError::TooFine { cell_m, nodes });
        }
        let size = cells.to_array().map(|n| n as usize);
        let mut grid = Self {
            low: low - DVec3::splat(cell_m),
            cell_m,
            size,
            is_inside: Vec::with_capacity(nodes as usize),
            ball_m: (BALL * (high - low).length()).max(2.0 * cell_m),
        };
        let mut values = vec![0.0; size[0]];
        for k in 0..size[2] {
            for j in 0..size[1] {
                let row: Vec<DVec3> = (0..size[0]).map(|i| grid.place([i, j, k])).collect();
                body.at_each(&row, &mut values);
                grid.is_inside.extend(values.iter().map(|value| *value <= 0.0));
            }
        }
        Ok(grid)
    }

    /// Distance from the nearest of `sources` to every node of the inside.
    pub fn from_points(&self, sources: &[DVec3]) -> GridDistance<'_> {
        let mut front = NearestFirst::new(self.is_inside.len());
        for source in sources {
            self.fill_ball(*source, &mut front);
        }
        while let Some(node) = front.next() {
            let at = self.coordinates(node);
            for (axis, step) in [(0, 1), (0, -1), (1, 1), (1, -1), (2, 1), (2, -1)] {
                if let Some(next) = self.neighbour(at, axis, step)
                    && front.distance[next as usize] > front.distance[node as usize]
                {
                    let way = self.arrival(next, &front.distance);
                    front.lower(next, way);
                }
            }
        }
        GridDistance { grid: self, values: front.distance }
    }

    /// Exact distances around a source, as far as it sees. A source in no cell of the body starts at the nearest node of it.
    fn fill_ball(&self, source: DVec3, front: &mut NearestFirst) {
        let reach = (self.ball_m / self.cell_m).ceil() as i64;
        let centre = ((source - self.low) / self.cell_m).round().to_array().map(|c| c as i64);
        let around = |axis: usize| {
            let last = self.size[axis] as i64 - 1;
            (centre[axis] - reach).clamp(0, last) as usize..=(centre[axis] + reach).clamp(0, last) as usize
        };
        let mut seen = 0;
        for k in around(2) {
            for j in around(1) {
                for i in around(0) {
                    let (node, place) = (self.number([i, j, k]), self.place([i, j, k]));
                    let distance = place.distance(source);
                    if distance <= self.ball_m && self.is_inside[node as usize] && self.sees(source, place) {
                        front.lower(node, distance);
                        seen += 1;
                    }
                }
            }
        }
        if seen == 0
            && let Some(node) = self.nearest_inside(source)
        {
            front.lower(node, self.place(self.coordinates(node)).distance(source));
        }
    }

    /// Whether the straight line between two places stays inside, looked at every half cell.
    fn sees(&self, from: DVec3, to: DVec3) -> bool {
        let steps = (2.0 * from.distance(to) / self.cell_m).ceil().max(1.0);
        (1..steps as usize).all(|n| self.is_in(from.lerp(to, n as f64 / steps)))
    }

    fn is_in(&self, point: DVec3) -> bool {
        let nearest = ((point - self.low) / self.cell_m).round().to_array();
        let within = |axis: usize| (0.0..self.size[axis] as f64).contains(&nearest[axis]);
        (0..3).all(within) && self.is_inside[self.number(nearest.map(|c| c as usize)) as usize]
    }

    fn nearest_inside(&self, point: DVec3) -> Option<u32> {
        let inside = (0..self.is_inside.len() as u32).filter(|node| self.is_inside[*node as usize]);
        let away = |node: &u32| self.place(self.coordinates(*node)).distance_squared(point);
        inside.min_by(|a, b| away(a).total_cmp(&away(b)))
    }

    /// When the front arrives at a node: Σ max(d − dₐ, 0)² = h² over the axes' nearer neighbours.
    fn arrival(&self, node: u32, distance: &[f64]) -> f64 {
        let at = self.coordinates(node);
        let mut from = [0, 1, 2].map(|axis| {
            let sides =
                [1, -1].map(|step| self.neighbour(at, axis, step).map_or(f64::INFINITY, |n| distance[n as usize]));
            sides[0].min(sides[1])
        });
        from.sort_by(f64::total_cmp);
        let h = self.cell_m;
        let mut arrival = from[0] + h;
        if arrival > from[1] {
            let gap = from[1] - from[0];
            arrival = 0.5 * (from[0] + from[1] + (2.0 * h * h - gap * gap).max(0.0).sqrt());
            if arrival > from[2] {
                let (sum, squares) = (from.iter().sum::<f64>(), from.iter().map(|d| d * d).sum::<f64>());
                arrival = (sum + (sum * sum - 3.0 * (squares - h * h)).max(0.0).sqrt()) / 3.0;
            }
        }
        arrival
    }

    fn neighbour(&self, mut at: [usize; 3], axis: usize, step: isize) -> Option<u32> {
        at[axis] = at[axis].checked_add_signed(step).filter(|c| *c < self.size[axis])?;
        let node = self.number(at);
        self.is_inside[node as usize].then_some(node)
    }

    fn place(&self, [i, j, k]: [usize; 3]) -> DVec3 {
        self.low + DVec3::new(i as f64, j as f64, k as f64) * self.cell_m
    }

    fn number(&self, [i, j, k]: [usize; 3]) -> u32 {
        ((k * self.size[1] + j) * self.size[0] + i) as u32
    }

    fn coordinates(&self, node: u32) -> [usize; 3] {
        let node = node as usize;
        [node % self.size[0], node / self.size[0] % self.size[1], node / self.size[0] / self.size[1]]
    }
}

impl GridDistance<'_> {
    /// The distance at a point, between the nodes of its cell that were reached; infinite where none was.
    pub fn at(&self, point: DVec3) -> f64 {
        let grid = self.grid;
        let scaled = ((point - grid.low) / grid.cell_m).to_array();
        let first: [usize; 3] = std::array::from_fn(|axis| (scaled[axis].max(0.0) as usize).min(grid.size[axis] - 2));
        let share: [f64; 3] = std::array::from_fn(|axis| (scaled[axis] - first[axis] as f64).clamp(0.0, 1.0));
        let (mut sum, mut whole) = (0.0, 0.0);
        for corner in 0..8 {
            let upper: [usize; 3] = std::array::from_fn(|axis| corner >> axis & 1);
            let node = grid.number(std::array::from_fn(|axis| first[axis] + upper[axis]));
            let value = self.values[node as usize];
            if value < f64::INFINITY {
                let weights = (0..3).map(|axis| if upper[axis] == 1 { share[axis] } else { 1.0 - share[axis] });
                // A little for all, so that a point on a face whose nodes were not reached has a value.
                let weight = weights.product::<f64>() + 1e-9;
                sum += weight * value;
                whole += weight;
            }
        }
        if whole > 0.0 { sum / whole } else { f64::INFINITY }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distance::Shape;
    use sinew_math::dvec3;

    fn worst_error(body: &Shape, source: DVec3, cell_m: f64, exact: impl Fn(DVec3) -> Option<f64>) -> f64 {
        let grid = GridMarcher::new(body, cell_m).unwrap();
        let distance = grid.from_points(&[source]);
        let mut worst = 0.0f64;
        for n in 0..2000u32 {
            let at = |k: u32| {
                f64::from((n + 1).wrapping_mul([7919, 6311, 4817, 3571, 2221, 1301][k as usize]) % 2003) / 2003.0 * 2.0
                    - 1.0
            };
            let point = dvec3(at(0), at(1), at(2));
            if body.at(point) < -cell_m
                && let Some(exact) = exact(point)
            {
                worst = worst.max((distance.at(point) - exact).abs());
            }
        }
        worst
    }

    /// Known answer 16: order 1 with an exactly initialised ball.
    #[test]
    fn in_free_space_distances_converge_at_first_order() {
        let (box_, source) = (Shape::cuboid(DVec3::splat(0.9)), dvec3(-0.5, -0.43, -0.61));
        let errors = [0.08, 0.04, 0.02].map(|cell| worst_error(&box_, source, cell, |x| Some(x.distance(source))));
        println!("{errors:?}");
        assert!(errors[0] < 0.13 && errors[0] / errors[1] > 1.7 && errors[1] / errors[2] > 1.7, "{errors:?}");
    }

    /// Around a corner, the length of the bent path: a wall at x = 0 that reaches down to y = 0.
    #[test]
    fn distances_go_round_obstacles() {
        let wall = Shape::cuboid(dvec3(0.1, 0.5, 2.0)).moved(dvec3(0.0, 0.5, 0.0));
        let body = Shape::cuboid(dvec3(0.9, 0.9, 0.3)).subtract(wall, 0.0);
        let source = dvec3(-0.5, 0.5, 0.0);
        let bent = |x: DVec3| {
            // Places behind the wall that see its far lower corner but not its near one, in the source's plane.
            let (near, far) = (dvec3(-0.1, 0.0, 0.0), dvec3(0.1, 0.0, 0.0));
            (x.x > 0.15 && x.y > 0.1).then(|| {
                // Unfolded: all bends lie at y = 0, so that the way is straight in (way in plane, z).
                let flat = |p: DVec3| dvec3(p.x, p.y, 0.0);
                let way = flat(source).distance(near) + 0.2 + far.distance(flat(x));
                (way * way + x.z * x.z).sqrt()
            })
        };
        let errors = [0.06, 0.03, 0.015].map(|cell| worst_error(&body, source, cell, bent));
        println!("{errors:?}");
        assert!(errors[2] < 0.06 && errors[0] / errors[2] > 2.0, "{errors:?}");
    }

    #[test]
    fn what_is_not_connected_is_infinitely_far_and_outside_sources_start_at_the_body() {
        let two = Shape::sphere(0.3).union(Shape::sphere(0.3).moved(dvec3(1.0, 0.0, 0.0)), 0.0);
        let grid = GridMarcher::new(&two, 0.05).unwrap();
        let distance = grid.from_points(&[dvec3(-0.5, 0.0, 0.0)]);
        assert!((distance.at(DVec3::ZERO) - 0.5).abs() < 0.06);
        assert_eq!(distance.at(dvec3(1.0, 0.0, 0.0)), f64::INFINITY);
    }

    #[test]
    fn impossible_grids_are_refused() {
        assert!(matches!(GridMarcher::new(&Shape::sphere(1.0), 1e-5), Err(MarchError::TooFine { .. })));
        assert!(matches!(GridMarcher::new(&Shape::sphere(1.0), 0.0), Err(MarchError::NoSize { .. })));
    }
}
