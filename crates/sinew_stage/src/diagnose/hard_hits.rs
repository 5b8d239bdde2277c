//! Flesh that runs into something too hard for its stiffness.
//!
//! Where two bodies meet at the speed v, waves run into both and press them with Z₁ Z₂ v / (Z₁ + Z₂), where Z = √(ρ E) is the impedance of each (Johnson, *Contact Mechanics*, §11.1);
//! an obstacle's is without bound. That is a strain of u / c, with u the share of v that the body takes up and c = √(E / ρ) the speed of its waves. What
//! a law of stretch can take up is bounded, but for neo-Hookean flesh: a bar without length holds E/2 per volume by a law that is linear in stretch (corotated elements), E/8 by St. Venant's, and with ½ ρ u² beyond that, a strain of
//! one or a half, cells are pressed flat. Springs, whose cells push back when they are nearly flat, take a strain of one and a half on obstacles, and fold at a third of a strain where they meet bodies. Neo-Hookean flesh springs back from strains of about one, and from two on it is pressed flat as well: as with flesh that cannot carry its own weight (`collapse.rs`), what is left has no inside that contact could keep others out of.
//!
//! Waves run for as long as what arrives has mass behind them. Something light is stopped at once: the energy that two bodies bring to each other is ½ μ v², with μ = m₁ m₂ / (m₁ + m₂), and a layer of cells
//! that takes up all of it, as wide as the narrower one, has a strain of v √(μ / E A l), with A its area and l the length of a cell. The lesser of both strains counts: a cloth does not crush a ball.
//!
//! A body that lies on an obstacle does not give way to what lands on it: waves run to and fro in it. It is a layer, a spring of d / E per area on a wall, and what lands is another one with a mass: the pressure between
//! them is v √(σ / (L / E + d / E′)), with L and d how long both are along the impact and σ the mass of what lands by area (ρ L, or that of a sheet), and its weight σ a on top of that. A weight of half a modulus presses flat what carries it, as it does in `collapse.rs`.

use crate::bounce::Arrivals;
use crate::{Method, StageBody};
use sinew_math::DVec3;
use sinew_solve::contact::CONTACT;
use sinew_solve::springs::{SpringsMethod, SpringsParams};
use sinew_solve::{BodyId, BodyState, Cells, Flesh, StretchLaw, Warning};

const SAYS: &str = "it is crushed by what it runs into";
const PRESSES: &str = "it is pressed flat by the weight of what lies on it,";

/// Cosine from which on an obstacle is behind a body.
const BEHIND: f64 = 0.5;

/// Weight of what lies on a body over its modulus, per area, from which on it is pressed flat.
const PRESSED_FLAT: f64 = 0.5;

/// The hardest impact of a body in an interval.
#[derive(Debug, Clone, Copy, Default)]
struct Hit {
    speed_m_s: f64,
    strain: f64,
    /// That strain over the one from which on flesh is crushed.
    crushed: f64,
    /// What the weight of what arrives on it makes of that.
    loaded: f64,
}

/// Two bodies of which the second lies on an obstacle that holds it up against the first.
#[derive(Clone, Copy)]
struct OnALayer {
    arriving: usize,
    layer: usize,
    /// From the layer to what arrives.
    up: DVec3,
    speed_m_s: f64,
}

impl Arrivals<'_> {
    /// A warning for each body that is crushed by an impact of this interval.
    pub(crate) fn hard_hits(&self, states: &[BodyState], tick: u64) -> Vec<Warning> {
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
                let from = crushed_from(&self.bodies[number]);
                hits[number].harden(Hit::new(speed_m_s, speed_m_s / waves, from));
            }
        }
        self.hits_between(states, &waves, &mut hits, tick == 0);
        let what =
            |(number, hit): (usize, &Hit)| Some(Warning { body: BodyId(number as u32), tick, what: hit.what()? });
        hits.iter().enumerate().filter_map(what).collect()
    }

    fn hits_between(&self, states: &[BodyState], waves: &[Option<f64>], hits: &mut [Hit], is_first: bool) {
        let mut last = None;
        let mut layers: Vec<OnALayer> = Vec::new();
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
                    let (mut strain, from) = (share * speed_m_s / waves, crushed_by_a_body_from(&self.bodies[body]));
                    // Most of the time waves alone say that nothing is crushed.
                    if strain > from {
                        strain = strain.min(speed_m_s * self.strain_by_energy(body, pair, states, contact.normal));
                    }
                    hits[body].harden(Hit::new(speed_m_s, strain, from));
                }
                let up = if side == 0 { contact.normal } else { -contact.normal };
                let found = OnALayer { arriving: body, layer: pair[1 - side], up, speed_m_s };
                self.gather(&mut layers, found);
            }
        }
        for on in layers {
            self.hit_on_a_layer(on, states, waves, hits, is_first);
        }
    }

    /// The strain of a layer of a body's cells that takes up all energy with which two bodies meet, per speed.
    fn strain_by_energy(&self, body: usize, pair: [usize; 2], states: &[BodyState], normal: DVec3) -> f64 {
        let [a, b] = pair.map(|body| self.bodies[body].flesh.total_mass_kg());
        let area_m2 = pair.map(|body| area_across(&states[body], normal)).into_iter().fold(f64::INFINITY, f64::min);
        let StageBody { flesh, material, .. } = &self.bodies[body];
        (a * b / (a + b) / (material.young_pa * area_m2 * cell_m(flesh, material.density_kg_m3))).sqrt()
    }

    /// Adds what arrives on a layer, or hardens what is known of the two.
    fn gather(&self, layers: &mut Vec<OnALayer>, found: OnALayer) {
        let is_same = |known: &&mut OnALayer| known.arriving == found.arriving && known.layer == found.layer;
        if let Some(known) = layers.iter_mut().find(is_same) {
            if found.speed_m_s > known.speed_m_s {
                *known = found;
            }
        } else if self.with_obstacles[found.layer].iter().any(|contact| contact.normal.dot(found.up) > BEHIND) {
            layers.push(found);
        }
    }

    fn hit_on_a_layer(
        &self,
        on: OnALayer,
        states: &[BodyState],
        waves: &[Option<f64>],
        hits: &mut [Hit],
        is_first: bool,
    ) {
        let [long_m, thick_m] = [on.arriving, on.layer].map(|body| length_along(&states[body], on.up));
        let StageBody { flesh, material, .. } = &self.bodies[on.arriving];
        let force: DVec3 = self.cues[on.arriving].force_n.iter().sum();
        let pull = (-force.dot(on.up) / flesh.total_mass_kg()).max(0.0);
        let is_arriving = is_first || on.speed_m_s > CONTACT.impact.arrival * pull * self.h_secs;
        let compliance =
            |body: usize, long_m: f64| waves[body].map_or(0.0, |_| long_m / self.bodies[body].material.young_pa);
        let both = compliance(on.arriving, long_m) + compliance(on.layer, thick_m);
        if both <= 0.0 || !is_arriving {
            return;
        }
        let kg_m2 = match &flesh.cells {
            Cells::Tets(_) => material.density_kg_m3 * long_m,
            // However it is draped.
            Cells::Shell(triangles) => flesh.total_mass_kg() / area_m2(triangles, &flesh.rest),
        };
        let (weight_pa, speed_m_s) = (kg_m2 * pull, on.speed_m_s.max(0.0));
        let pressure_pa = speed_m_s * (kg_m2 / both).sqrt() + weight_pa;
        for body in [on.arriving, on.layer] {
            if waves[body].is_some() {
                let young_pa = self.bodies[body].material.young_pa;
                let loaded = if body == on.layer { weight_pa / young_pa } else { 0.0 };
                let hit = Hit::new(speed_m_s, pressure_pa / young_pa, crushed_from(&self.bodies[body]));
                hits[body].harden(Hit { loaded, ..hit });
            }
        }
    }
}

/// Whether both tell of impacts of one body in one interval.
pub(crate) fn is_same(a: &Warning, b: &Warning) -> bool {
    let says = |warning: &Warning| [SAYS, PRESSES].iter().any(|says| warning.what.starts_with(says));
    a.body == b.body && a.tick == b.tick && says(a) && says(b)
}

impl Hit {
    fn new(speed_m_s: f64, strain: f64, crushed_from: f64) -> Self {
        Self { speed_m_s, strain, crushed: strain / crushed_from, loaded: 0.0 }
    }

    fn harden(&mut self, other: Self) {
        let loaded = self.loaded.max(other.loaded);
        if other.crushed > self.crushed {
            *self = other;
        }
        self.loaded = loaded;
    }

    /// In words, where flesh is crushed, or pressed flat by weight.
    fn what(&self) -> Option<String> {
        let Self { speed_m_s, strain, crushed, loaded } = self;
        if *crushed > 1.0 {
            return Some(format!(
                "{SAYS} at {speed_m_s:.1} m/s, a strain of {strain:.1}, and may overlap it or lose speed; \
                 stiffer or lighter flesh, more substeps, or a slower impact, holds"
            ));
        }
        (*loaded > PRESSED_FLAT).then(|| {
            format!(
                "{PRESSES} {loaded:.1} times its Young's modulus, and may overlap it; stiffer flesh, or less weight on it, holds"
            )
        })
    }
}

/// Strain of an impact from which on flesh of a body is crushed.
fn crushed_from(body: &StageBody) -> f64 {
    match (body.method, body.material.law) {
        (Method::Fem(_), StretchLaw::NeoHookean) => 2.0,
        (Method::Fem(_), StretchLaw::StVenantKirchhoff) => 0.5,
        (Method::Fem(_), StretchLaw::Corotated) => 1.0,
        // Cells that are nearly flat push back.
        _ => 1.5,
    }
}

/// The same where it meets another body in the air. Surfaces of springs fold where they are pressed, and what is in a fold is in both bodies; obstacles do not fold. Cubes that meet are 3 to 9 % of
/// their size in each other from this strain on, 5 to 16 % with adaptive steps, whose contacts are those of the whole step.
fn crushed_by_a_body_from(body: &StageBody) -> f64 {
    match body.method {
        Method::Springs(SpringsParams { method: SpringsMethod::Adaptive, .. }) => 0.2,
        Method::Springs(_) => 0.3,
        _ => crushed_from(body),
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

/// Along a direction, from one end to the other.
fn length_along(state: &BodyState, direction: DVec3) -> f64 {
    let along = state.x.iter().map(|x| x.dot(direction));
    let [low, high] = along.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| [low.min(x), high.max(x)]);
    (high - low).max(0.0)
}

/// Of the box about a body, as it is seen along a direction.
fn area_across(state: &BodyState, direction: DVec3) -> f64 {
    let (one, other) = direction.any_orthonormal_pair();
    length_along(state, one) * length_along(state, other)
}

/// The edge of a cube of six tetrahedra.
fn cell_m(flesh: &Flesh, density_kg_m3: f64) -> f64 {
    let Cells::Tets(tets) = &flesh.cells else { return 0.0 };
    (6.0 * flesh.total_mass_kg() / density_kg_m3 / tets.len().max(1) as f64).cbrt()
}

fn area_m2(triangles: &[[u32; 3]], x: &[DVec3]) -> f64 {
    let area = |corners: &[u32; 3]| {
        let [a, b, c] = corners.map(|corner| x[corner as usize]);
        0.5 * (b - a).cross(c - a).length()
    };
    triangles.iter().map(area).sum()
}

fn mean_velocity(state: &BodyState) -> DVec3 {
    state.v.iter().sum::<DVec3>() / state.v.len() as f64
}
