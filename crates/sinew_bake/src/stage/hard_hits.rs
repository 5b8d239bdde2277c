//! Flesh that runs into something too hard for its stiffness.
//!
//! Where two bodies meet at the speed v, waves run into both and press them with Z₁ Z₂ v / (Z₁ + Z₂), where Z = √(ρ E) is the impedance of each (Johnson, *Contact Mechanics*, §11.1);
//! an obstacle's is without bound. That is a strain of u / c, with u the share of v that the body takes up and c = √(E / ρ) the speed of its waves. Steps follow strains of about one, and
//! flesh springs back from them. From a strain of two on (ρ u² is four times E then) cells are pressed flat: as with flesh that cannot carry its own weight (`collapse.rs`), what is left has no inside that contact could keep others out of.

use super::bounce::Arrivals;
use super::{Method, StageBody};
use sinew_math::DVec3;
use sinew_solve::{BodyId, BodyState, Cells, Warning};

/// Strain of an impact from which on flesh is crushed.
const CRUSHED: f64 = 2.0;

const SAYS: &str = "it is crushed by what it runs into";

/// The hardest impact of a body in an interval.
#[derive(Debug, Clone, Copy, Default)]
struct Hit {
    speed_m_s: f64,
    strain: f64,
}

impl Arrivals<'_> {
    /// A warning for each body that is crushed by an impact of this interval.
    pub(super) fn hard_hits(&self, states: &[BodyState], tick: u64) -> Vec<Warning> {
        let waves: Vec<Option<f64>> = self.bodies.iter().map(waves_m_s).collect();
        let mut hits = vec![Hit::default(); states.len()];
        for (number, contacts) in self.with_obstacles.iter().enumerate() {
            let Some(waves) = waves[number] else { continue };
            let mut arriving = contacts.iter().filter(|contact| contact.gap_m < 0.0).peekable();
            if arriving.peek().is_none() {
                continue;
            }
            let velocity = mean_velocity(&states[number]);
            for contact in arriving {
                let speed_m_s = (contact.surface_velocity - velocity).dot(contact.normal);
                hits[number].harden(Hit { speed_m_s, strain: speed_m_s / waves });
            }
        }
        self.hits_between(states, &waves, &mut hits);
        let crushed = hits.iter().enumerate().filter(|(_, hit)| hit.strain > CRUSHED);
        crushed.map(|(number, hit)| Warning { body: BodyId(number as u32), tick, what: hit.what() }).collect()
    }

    fn hits_between(&self, states: &[BodyState], waves: &[Option<f64>], hits: &mut [Hit]) {
        let mut last = None;
        for contact in self.between_bodies.iter().filter(|contact| contact.gap_m < 0.0) {
            let pair = [contact.vertex, contact.face].map(|spot| spot.body.0 as usize);
            if pair[0] == pair[1] || pair.iter().all(|body| waves[*body].is_none()) {
                continue;
            }
            // Contacts of a pair come one after the other.
            let apart = match last {
                Some((known, apart)) if known == pair => apart,
                _ => mean_velocity(&states[pair[0]]) - mean_velocity(&states[pair[1]]),
            };
            last = Some((pair, apart));
            let speed_m_s = -apart.dot(contact.normal);
            let impedance = pair.map(|body| impedance(&self.bodies[body]));
            for (side, body) in pair.into_iter().enumerate() {
                if let Some(waves) = waves[body] {
                    let share = impedance[1 - side] / (impedance[0] + impedance[1]);
                    hits[body].harden(Hit { speed_m_s, strain: share * speed_m_s / waves });
                }
            }
        }
    }
}

/// Whether both tell of impacts of one body in one interval.
pub(super) fn is_same(a: &Warning, b: &Warning) -> bool {
    let says = |warning: &Warning| warning.what.starts_with(SAYS);
    a.body == b.body && a.tick == b.tick && says(a) && says(b)
}

impl Hit {
    fn harden(&mut self, other: Self) {
        if other.strain > self.strain {
            *self = other;
        }
    }

    fn what(&self) -> String {
        let Self { speed_m_s, strain } = self;
        format!(
            "{SAYS} at {speed_m_s:.1} m/s, a strain of {strain:.1}, and may overlap it or lose speed; \
             stiffer or lighter flesh, or a slower impact, holds"
        )
    }
}

/// The speed of waves in a solid; sheets have no inside, and matched shapes no modulus.
fn waves_m_s(body: &StageBody) -> Option<f64> {
    let is_solid = matches!(body.flesh.cells, Cells::Tets(_)) && !matches!(body.method, Method::ShapeMatching(_));
    is_solid.then(|| (body.material.young_pa / body.material.density_kg_m3).sqrt())
}

/// Of waves in its material, kg / m² s.
fn impedance(body: &StageBody) -> f64 {
    (body.material.young_pa * body.material.density_kg_m3).sqrt()
}

fn mean_velocity(state: &BodyState) -> DVec3 {
    state.v.iter().sum::<DVec3>() / state.v.len() as f64
}
