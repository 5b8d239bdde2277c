//! Why a key is not met: what is in its way, or what the flesh cannot do.

use super::super::Rehearsed;
use super::search::Tried;
use sinew_direct::key_shapes::ShapeCells;
use sinew_math::DVec3;
use sinew_math::rotation::{best_fit_rotation, mass_centre};
use sinew_solve::{BodyId, Flesh, Obstacle};

/// What is nearer than this share of a body's size touches it.
const NEAR: f64 = 2e-3;
/// A key that reaches farther than this into an obstacle where the body is lies inside of it: share of the body's size.
const INSIDE: f64 = 5e-3;

/// A body at its key.
#[derive(Debug, Clone)]
pub(super) struct Seen {
    x: Vec<DVec3>,
    obstacles: Vec<Obstacle>,
    touches_obstacle: bool,
    touches_body: bool,
}

/// Where and when that is.
pub(super) struct Surroundings<'a> {
    pub(super) flesh: &'a Flesh,
    pub(super) cells: &'a ShapeCells,
    pub(super) frame: i32,
    /// Frames since the key before.
    pub(super) gap: f64,
    /// Whether a path says where the body is.
    pub(super) is_led: bool,
}

impl Seen {
    pub(super) fn of(ended: &Rehearsed, body: usize, cells: &ShapeCells) -> Self {
        let (stage, state) = (&ended.built.stage, ended.run.state());
        let near_m = NEAR * cells.size_m();
        let id = BodyId(body as u32);
        let mut on_bodies = stage.body_contacts().iter().flat_map(|contact| contact.contact_points_on(id));
        Self {
            x: state.bodies[body].x.clone(),
            obstacles: stage.obstacles_at(state.tick),
            touches_obstacle: stage.contacts()[body].iter().any(|contact| contact.gap_m <= near_m),
            touches_body: on_bodies.any(|point| point.gap_m <= near_m),
        }
    }

    /// How far a shape reaches into obstacles where it fits the body best, metres.
    fn depth_m(&self, around: &Surroundings<'_>, wished: &[DVec3]) -> f64 {
        let mass_kg = around.cells.mass_kg();
        let turn = best_fit_rotation(wished, &self.x, mass_kg);
        let (from, to) = (mass_centre(wished, mass_kg), mass_centre(&self.x, mass_kg));
        let placed: Vec<DVec3> = wished.iter().map(|x| to + turn * (*x - from)).collect();
        let rows = around.flesh.surface_rows.iter().map(|row| around.flesh.anchors.at(*row, &placed));
        let depth = |x: DVec3| self.obstacles.iter().map(|obstacle| -obstacle.distance(x).0).fold(0.0, f64::max);
        rows.map(depth).fold(0.0, f64::max)
    }
}

/// Which key is off, by how much, and why.
pub(super) fn why(around: &Surroundings<'_>, wished: &[DVec3], tried: &Tried) -> String {
    let Surroundings { cells, frame, gap, is_led, .. } = around;
    let Seen { touches_obstacle, touches_body, .. } = tried.seen;
    let depth_m = tried.seen.depth_m(around, wished);
    let cause = if *is_led && depth_m > INSIDE * cells.size_m() {
        format!("where its path leads the body, the key reaches {:.1} mm into an obstacle", 1e3 * depth_m)
    } else if touches_body || touches_obstacle {
        let other = if touches_body { "another body" } else { "an obstacle" };
        format!("the body is pressed against {other}, and its flesh gives way more than a rest shape takes back")
    } else if tried.is_held_back {
        "its rest shape would have to turn elements inside out".to_owned()
    } else {
        format!("nothing touches the body, and {gap} frames since the key before are too few for its flesh")
    };
    format!("the key at frame {frame} is {:.2} % off: {cause}", tried.residual)
}
