//! Recovery from tangles: flesh that stays inside out is drawn back to its rest shape.
//!
//! An elastic energy has minima besides its rest shape: tangles of inverted tetrahedra that hold each other. The best fit of the whole
//! body's rest shape (Müller, Heidelberger, Teschner, Gross, "Meshless Deformations Based on Shape Matching", SIGGRAPH 2005, eqs. 3–8,
//! with all points as one region) has none. The director asks for a [`Reshape`], which the stage applies without changing the
//! motion of the centre of mass or the angular momentum: gravity and contact go on.
//!
//! A blow also turns tetrahedra inside out, and elasticity undoes that by itself. So recovery starts only where flesh begins
//! tangled, or has been so for as long as waves need to cross the body [`CROSSINGS`] times. It ends [`CLOSE`] to the shape.

use sinew_math::rotation::mass_centre;
use sinew_math::{DQuat, DVec3};
use sinew_solve::{
    Cells, CueError, CueWriter, Director, DirectorState, Flesh, Material, Now, Reshape, Seen, body_motion,
};

/// Share of all tetrahedra that are inside out in a tangle.
const TANGLED_SHARE: f64 = 0.1;
/// What has less than this share of its volume counts as inside out: flattened flesh does.
const FLAT: f64 = 1e-3;
/// Mean distance from its shape at which flesh is let go, as a share of its size.
const CLOSE: f64 = 0.01;
/// It gives up after this time, so that what is held in another shape is not pulled at for ever.
const MOST_SECS: f64 = 1.0;
/// Shear waves cross the body so often in the longest time that a blow may keep it inside out.
const CROSSINGS: f64 = 4.0;
/// The same for small and stiff bodies, which pins and obstacles may keep so for a while.
const LEAST_TANGLED_SECS: f64 = 0.25;
/// Tetrahedra that are looked at in a step in which nothing is wrong.
const SAMPLE: usize = 128;
/// It draws so many times faster than pressure crosses a cell, so that no tangle pulls back as fast. Chosen on `torture`.
const PULL_RATIO: f64 = 4.0;
/// No tangle takes longer, seconds; chosen by eye.
const SLOWEST_SECS: f64 = 0.01;

/// Draws tangled flesh back to its rest shape.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Recover {
    /// For how long flesh has to be inside out.
    tangled_secs: f64,
    /// The time in which the distance falls to 1/e.
    settle_secs: f64,
    /// One in so many tetrahedra is looked at.
    every: usize,
    /// No tetrahedron with more than this counts as inside out: six times the volume that the largest would have to keep.
    enough_volume: f64,
}

impl Recover {
    pub fn new(flesh: &Flesh, material: &Material) -> Self {
        let cells = match &flesh.cells {
            Cells::Tets(tets) => tets.len(),
            Cells::Shell(triangles) => triangles.len(),
        };
        let (lambda_pa, mu_pa) = material.lame();
        let speed_m_s = |modulus_pa: f64| (modulus_pa / material.density_kg_m3).sqrt();
        let cell_m = (flesh.total_mass_kg() / material.density_kg_m3 / cells.max(1) as f64).cbrt();
        let crossing_secs = cell_m / speed_m_s(lambda_pa + 2.0 * mu_pa);
        let shear_m_s = speed_m_s(mu_pa);
        let tangled_secs = (CROSSINGS * flesh.size_m() / shear_m_s).max(LEAST_TANGLED_SECS);
        let settle_secs = SLOWEST_SECS.min(crossing_secs / PULL_RATIO);
        let enough_volume = match &flesh.cells {
            Cells::Tets(tets) => tets.iter().map(|tet| FLAT * volume(tet, &flesh.rest)).fold(0.0, f64::max),
            Cells::Shell(_) => 0.0,
        };
        Self { tangled_secs, settle_secs, every: cells.div_ceil(SAMPLE), enough_volume }
    }
}

impl Director for Recover {
    fn cue(
        &self,
        now: Now,
        seen: &Seen<'_>,
        memory: &mut DirectorState,
        out: &mut CueWriter<'_>,
    ) -> Result<(), CueError> {
        let (tangled_secs, drawn_secs) = match memory {
            DirectorState::Recovering { tangled_secs, drawn_secs } => (*tangled_secs, *drawn_secs),
            _ => (0.0, 0.0),
        };
        if drawn_secs == 0.0 {
            if !self.is_tangled(seen) || touches_itself(seen) {
                *memory = DirectorState::Nothing;
                return Ok(());
            }
            if now.start_secs > 0.0 && tangled_secs < self.tangled_secs {
                *memory = DirectorState::Recovering { tangled_secs: tangled_secs + now.h_secs, drawn_secs };
                return Ok(());
            }
        }
        if drawn_secs > MOST_SECS || Fit::of(seen).off_m(seen) < CLOSE * seen.flesh.size_m() {
            *memory = DirectorState::Nothing;
            return Ok(());
        }
        *memory = DirectorState::Recovering { tangled_secs, drawn_secs: drawn_secs + now.h_secs };
        out.reshape(Reshape { settle_secs: self.settle_secs, begins: drawn_secs == 0.0 });
        Ok(())
    }
}

/// Whether parts of the body lie on each other. What is folded so would be drawn through itself.
fn touches_itself(seen: &Seen<'_>) -> bool {
    seen.body_contacts.iter().any(|contact| contact.vertex.body == seen.body && contact.face.body == seen.body)
}

/// The rest shape laid over the body.
struct Fit {
    rest_centre: DVec3,
    centre: DVec3,
    turn: DQuat,
}

impl Fit {
    fn of(seen: &Seen<'_>) -> Self {
        let motion = body_motion(seen.flesh, &seen.flesh.rest, seen.state);
        let rest_centre = mass_centre(&seen.flesh.rest, &seen.flesh.mass_kg);
        Self { rest_centre, centre: motion.centre, turn: motion.turn }
    }

    /// Mean distance of the flesh from it.
    fn off_m(&self, seen: &Seen<'_>) -> f64 {
        let place = |rest: DVec3| self.centre + self.turn * (rest - self.rest_centre);
        let points = seen.flesh.rest.iter().zip(&seen.state.x).zip(&seen.flesh.mass_kg);
        let squares: f64 = points.map(|((rest, x), mass)| place(*rest).distance_squared(*x) * mass).sum();
        (squares / seen.flesh.total_mass_kg()).sqrt()
    }
}

/// Six times the volume of a tetrahedron.
#[inline(always)]
fn volume(tet: &[u32; 4], x: &[DVec3]) -> f64 {
    let at = |corner: usize| x[tet[corner] as usize];
    let (a, b, c, d) = (at(0), at(1), at(2), at(3));
    (b - a).cross(c - a).dot(d - a)
}

impl Recover {
    /// Whether so much is inside out that it may not find back alone; of much flesh a sample is asked.
    fn is_tangled(&self, seen: &Seen<'_>) -> bool {
        let Cells::Tets(tets) = &seen.flesh.cells else { return false };
        // Its own rest volume is asked for only where it may matter.
        let is_inverted = |tet: &&[u32; 4]| {
            let now = volume(tet, &seen.state.x);
            now < self.enough_volume && now < FLAT * volume(tet, &seen.flesh.rest)
        };
        let asked = || tets.iter().step_by(self.every.max(1));
        asked().filter(is_inverted).count() as f64 > TANGLED_SHARE * asked().len() as f64
    }
}
