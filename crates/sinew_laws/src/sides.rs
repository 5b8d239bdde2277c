//! Which side of an obstacle a surface point belongs on. Nothing of the contact finder is used: a signed distance says how deep a point is, and a
//! memory of the side it came from says whether it went through a plate thinner than it sank.

use sinew_bake::Stage;
use sinew_math::DVec3;
use sinew_solve::{BodyState, Flesh, Obstacle, Shape, StageState};

/// A box is a plate where one side is this many times shorter than both others: its signed distance forgets which face a point came through.
const PLATE: f64 = 4.0;

/// Least distance of the surface from any obstacle, and how deep it is in one.
pub(crate) fn deepest_in_obstacles(flesh: &Flesh, state: &BodyState, obstacles: &[Obstacle]) -> (f64, f64) {
    let mut gap_m = f64::INFINITY;
    for obstacle in obstacles {
        for &row in &flesh.surface_rows {
            gap_m = gap_m.min(obstacle.distance(flesh.anchors.at(row, &state.x)).0);
        }
    }
    (gap_m, (-gap_m).max(0.0))
}

/// For every body, obstacle and surface point: the face of a plate, +1 or −1, that it was last before.
pub(crate) struct Sides {
    of: Vec<Vec<Vec<Track>>>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Track {
    /// Place in the plate's own frame after the last substep.
    place: Option<DVec3>,
    /// 0 while it is beside the plate, or came in over its rim.
    side: f64,
}

impl Sides {
    pub(crate) fn of(stage: &Stage, state: &StageState) -> Self {
        let obstacles = stage.obstacles_at(state.tick).len();
        let tracks = |flesh: &Flesh| vec![vec![Track::default(); flesh.surface_rows.len()]; obstacles];
        Self { of: stage.bodies().iter().map(|body| tracks(&body.flesh)).collect() }
    }

    /// Takes note of where a body's points are now. How far the deepest is behind the face that it came from, metres.
    pub(crate) fn follow(&mut self, body: usize, flesh: &Flesh, state: &BodyState, obstacles: &[Obstacle]) -> f64 {
        let mut deepest = 0.0f64;
        for (obstacle, tracks) in obstacles.iter().zip(&mut self.of[body]) {
            let Some(plate) = Plate::of(obstacle) else { continue };
            for (track, &row) in tracks.iter_mut().zip(&flesh.surface_rows) {
                deepest = deepest.max(plate.follow(track, flesh.anchors.at(row, &state.x)));
            }
        }
        deepest
    }
}

/// A thin box: its thin axis, the others, and half its sides.
struct Plate<'a> {
    obstacle: &'a Obstacle,
    half_m: DVec3,
    thin: usize,
}

impl<'a> Plate<'a> {
    fn of(obstacle: &'a Obstacle) -> Option<Self> {
        let Shape::Box { half_m } = obstacle.shape else { return None };
        let thin = (0..3).min_by(|a, b| half_m[*a].total_cmp(&half_m[*b]))?;
        let is_thin = (0..3).all(|axis| axis == thin || half_m[axis] >= PLATE * half_m[thin]);
        is_thin.then_some(Self { obstacle, half_m, thin })
    }

    /// Whether a place in the plate's frame is above or below it. Near the rim a point may slip around.
    fn covers(&self, place: DVec3) -> bool {
        let rim = 2.0 * self.half_m[self.thin];
        (0..3).all(|axis| axis == self.thin || place[axis].abs() < self.half_m[axis] - rim)
    }

    fn follow(&self, track: &mut Track, x: DVec3) -> f64 {
        let place = self.obstacle.turn.inverse() * (x - self.obstacle.at);
        let before = track.place.replace(place);
        if !self.covers(place) {
            track.side = 0.0;
            return 0.0;
        }
        if track.side == 0.0 {
            // Where it came over the plate on its straight way decides, not where it ended.
            let entered = before.map_or(place, |before| self.entry(before, place));
            let height = entered[self.thin];
            track.side = if height.abs() >= 0.5 * self.half_m[self.thin] { height.signum() } else { 0.0 };
        }
        if track.side == 0.0 { 0.0 } else { (self.half_m[self.thin] - track.side * place[self.thin]).max(0.0) }
    }

    /// The first place on the way from `from`, which is not above or below the plate, to `to`, which is.
    fn entry(&self, from: DVec3, to: DVec3) -> DVec3 {
        let (mut out, mut within) = (0.0, 1.0);
        for _ in 0..40 {
            let middle = 0.5 * (out + within);
            if self.covers(from.lerp(to, middle)) { within = middle } else { out = middle }
        }
        from.lerp(to, within)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_math::{DQuat, dvec3};
    use sinew_solve::Friction;

    fn table() -> Obstacle {
        Obstacle {
            shape: Shape::Box { half_m: dvec3(2.0, 0.005, 2.0) },
            at: DVec3::ZERO,
            turn: DQuat::IDENTITY,
            velocity: DVec3::ZERO,
            spin: DVec3::ZERO,
            friction: Friction { forward: 1.0, backward: 1.0, sideways: 1.0 },
        }
    }

    #[test]
    fn a_point_that_jumps_through_a_table_is_deep_below_its_top() {
        let (table, mut track) = (table(), Track::default());
        let plate = Plate::of(&table).unwrap();
        assert_eq!(plate.follow(&mut track, dvec3(0.0, 0.3, 0.0)), 0.0);
        assert!((plate.follow(&mut track, dvec3(0.0, -0.3, 0.0)) - 0.305).abs() < 1e-12);
    }

    #[test]
    fn a_point_that_goes_around_the_rim_is_not() {
        let (table, mut track) = (table(), Track::default());
        let plate = Plate::of(&table).unwrap();
        for place in [dvec3(0.0, 0.3, 0.0), dvec3(2.5, 0.3, 0.0), dvec3(2.5, -0.3, 0.0), dvec3(0.0, -0.3, 0.0)] {
            assert_eq!(plate.follow(&mut track, place), 0.0);
        }
        // From beside and above to below in one substep: it came over the plate from above.
        plate.follow(&mut track, dvec3(2.5, 0.5, 0.0));
        assert!(plate.follow(&mut track, dvec3(0.0, -0.1, 0.0)) > 0.1);
    }
}
