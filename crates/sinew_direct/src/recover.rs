//! Finding back from a wreck: flesh much of which is inside out is drawn to its shape as a whole until the rest can do it alone.
//!
//! An elastic energy has minima besides its rest shape: tangles of inverted tetrahedra that hold each other. The whole body's best fit
//! (Müller, Heidelberger, Teschner, Gross, "Meshless Deformations Based on Shape Matching", SIGGRAPH 2005, eqs. 3–8, with all points as one region) has none,
//! and its goals do not push the body, since the centre is its own, nor turn one that does not spin; what spin a wreck has they stop. It begins with [`WRECKED`] of the tetrahedra inside out, which flesh
//! that is squeezed hard does not reach, and ends [`CLOSE`] to the shape.

use sinew_math::rotation::mass_centre;
use sinew_math::{DQuat, DVec3};
use sinew_solve::{Cells, CueError, CueWriter, Director, Flesh, Goal, Material, Note, Now, Row, Seen, body_motion};

/// Share of all tetrahedra that are inside out where it begins to draw.
const WRECKED: f64 = 0.1;
/// Mean distance from its shape at which flesh is let go, as a share of its size.
const CLOSE: f64 = 0.01;
/// It gives up after this time, so that what is held in another shape is not pulled at for ever.
const MOST_SECS: f64 = 1.0;
/// Tetrahedra that are looked at in a step in which nothing is wrong.
const SAMPLE: usize = 128;
/// Stronger than the tangle by the square of this.
const HASTE: f64 = 4.0;
/// No wreck takes longer, seconds; chosen by eye.
const SLOWEST_SECS: f64 = 0.02;

/// Draws a wreck to its rest shape.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Recover {
    /// How long pressure takes to cross a cell.
    crossing_secs: f64,
    /// Of the material.
    rayleigh_stiffness_secs: f64,
    /// One in so many tetrahedra is looked at.
    every: usize,
}

impl Recover {
    /// Strong enough for a material not to hold against it.
    pub fn new(flesh: &Flesh, material: &Material) -> Self {
        let cells = match &flesh.cells {
            Cells::Tets(tets) => tets.len(),
            Cells::Shell(triangles) => triangles.len(),
        };
        let volume_m3 = flesh.total_mass_kg() / material.density_kg_m3;
        let cell_m = (volume_m3 / cells.max(1) as f64).cbrt();
        let (lambda_pa, mu_pa) = material.lame();
        let pressure_m_s = ((lambda_pa + 2.0 * mu_pa) / material.density_kg_m3).sqrt();
        let rayleigh_stiffness_secs = material.damping.rayleigh_stiffness_secs;
        Self { crossing_secs: cell_m / pressure_m_s, rayleigh_stiffness_secs, every: cells.div_ceil(SAMPLE) }
    }

    /// Damping holds like stiffness of 1 + β/h times as much.
    fn settle_secs(&self, h_secs: f64) -> f64 {
        let held = (1.0 + self.rayleigh_stiffness_secs / h_secs).sqrt();
        SLOWEST_SECS.min(self.crossing_secs / (HASTE * held))
    }
}

impl Director for Recover {
    fn cue(&self, now: Now, seen: &Seen<'_>, note: &mut Note, out: &mut CueWriter<'_>) -> Result<(), CueError> {
        let Some(since_secs) = drawn_secs(note).or_else(|| self.is_wreck(seen).then_some(0.0)) else { return Ok(()) };
        let fit = Fit::of(seen, now.h_secs);
        let is_whole = fit.off_m(seen) < CLOSE * seen.flesh.size_m();
        if is_whole || since_secs > MOST_SECS {
            *note = Note::Nothing;
            return Ok(());
        }
        *note = Note::Magnitude { value: since_secs + now.h_secs, slope: 0.0 };
        for point in 0..seen.flesh.point_count() {
            out.goal(Goal {
                at: Row(point as u32),
                to: fit.place(seen.flesh.rest[point]),
                velocity: fit.velocity,
                settle_secs: self.settle_secs(now.h_secs),
            });
        }
        Ok(())
    }
}

/// For how long it has drawn, if it does.
fn drawn_secs(note: &Note) -> Option<f64> {
    if let Note::Magnitude { value, .. } = note { Some(*value) } else { None }
}

/// The rest shape laid over the body, where it will be at the interval's end.
struct Fit {
    rest_centre: DVec3,
    centre: DVec3,
    velocity: DVec3,
    turn: DQuat,
}

impl Fit {
    fn of(seen: &Seen<'_>, h_secs: f64) -> Self {
        let motion = body_motion(seen.flesh, &seen.flesh.rest, seen.state);
        let rest_centre = mass_centre(&seen.flesh.rest, &seen.flesh.mass_kg);
        let centre = motion.centre + motion.velocity * h_secs;
        Self { rest_centre, centre, velocity: motion.velocity, turn: motion.turn }
    }

    fn place(&self, rest: DVec3) -> DVec3 {
        self.centre + self.turn * (rest - self.rest_centre)
    }

    /// Mean distance of the flesh from it.
    fn off_m(&self, seen: &Seen<'_>) -> f64 {
        let points = seen.flesh.rest.iter().zip(&seen.state.x).zip(&seen.flesh.mass_kg);
        let squares: f64 = points.map(|((rest, x), mass)| self.place(*rest).distance_squared(*x) * mass).sum();
        (squares / seen.flesh.total_mass_kg()).sqrt()
    }
}

impl Recover {
    /// Whether so much is inside out that it will not find back alone; of much flesh a sample is asked.
    fn is_wreck(&self, seen: &Seen<'_>) -> bool {
        let Cells::Tets(tets) = &seen.flesh.cells else { return false };
        let is_inverted = |tet: &&[u32; 4]| {
            let [a, b, c, d] = tet.map(|corner| seen.state.x[corner as usize]);
            (b - a).cross(c - a).dot(d - a) < 0.0
        };
        let asked = || tets.iter().step_by(self.every.max(1));
        asked().filter(is_inverted).count() as f64 > WRECKED * asked().len() as f64
    }
}
