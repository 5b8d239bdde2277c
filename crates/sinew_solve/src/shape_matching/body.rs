//! One body over one interval: damped, matched, held and touched.

use super::damp_regions::{Motion, damp_regions};
use super::exchange::Share;
use super::hold::{Hold, Moving, RigidShare, is_hinge};
use super::matcher::{Matcher, Matching};
use super::model::Model;
use super::soften::Softening;
use super::{ShapeMatchingBody, ShapeMatchingParams};
use crate::simd::Path;
use crate::{BodyId, BodyState, Cells, Contact, Cues, Material, Memory, Reaction, Sag, StepError, StepReport};
use sinew_math::{DMat3, DVec3, Sym3, libm};
use std::sync::Arc;

/// A body with its scratch.
pub(super) struct Body {
    pub(super) material: Material,
    pub(super) params: ShapeMatchingParams,
    pub(super) size_m: f64,
    pub(super) model: Arc<Model>,
    /// Which of the shared matchers it takes, and its own one where it cannot wait for its turn or has a rest shape of its
    /// own.
    pub(super) shared: usize,
    pub(super) own: Option<Box<Matcher>>,
    /// Where it was matched last, and the inverse of its inertia there.
    pub(super) centre: DVec3,
    pub(super) inverse_inertia: DMat3,
    /// From the axes of the rest shape to the world's, there.
    pub(super) turn: DMat3,
    pub(super) hold: Hold,
    /// α/h per point, where stiffness is painted.
    pub(super) shares: Vec<f64>,
    pub(super) softening: Softening,
    /// Scratch of damping by regions.
    pub(super) motions: Vec<Motion>,
    /// What pins took up of damping, N s.
    pub(super) damped: DVec3,
    /// Whether contact is solved on its rigid motion too: another body (or itself) is near, so that it waits for what they do to each other, or it is stiffer than matching and something holds it.
    pub(super) touched: bool,
    /// The share of what contact does to its rigid motion that moves it as one: all among other bodies.
    pub(super) rigid_share: f64,
    /// Whether another body (or itself) is near, so that contact is answered on its rigid motion wholly; and what it has given then, Σ J ⊗ r, where that is known.
    pub(super) pressed: bool,
    pub(super) virial: Option<DMat3>,
    /// [`Model::static_modulus_kg_m`], once it was asked for.
    pub(super) static_modulus: Option<f64>,
    pub(super) not_finite: Option<usize>,
}

impl Body {
    /// `shared` is the matcher that it takes turns with.
    pub(super) fn new(body: &ShapeMatchingBody, model: Arc<Model>, shared: usize) -> Self {
        Self {
            material: body.material,
            params: body.params,
            size_m: body.flesh.size_m(),
            model,
            shared,
            own: None,
            centre: DVec3::ZERO,
            inverse_inertia: DMat3::ZERO,
            turn: DMat3::IDENTITY,
            hold: Hold::default(),
            shares: Vec::new(),
            softening: Softening::default(),
            motions: Vec::new(),
            damped: DVec3::ZERO,
            touched: false,
            rigid_share: 1.0,
            pressed: false,
            virial: None,
            static_modulus: None,
            not_finite: None,
        }
    }

    /// One body over one interval (PD eq. 8–9), up to where other bodies have a say; a body that none is near goes all
    /// the way. Same inputs, same bits out.
    pub(super) fn begin(
        &mut self,
        matcher: &mut Matcher,
        state: &mut BodyState,
        cues: &Cues,
        contacts: &[Contact],
        h_secs: f64,
    ) {
        let held = !(cues.drag.is_empty() && cues.goals.is_empty() && cues.pins.is_empty() && contacts.is_empty());
        self.damp_regions(state, h_secs);
        let keep = self.damp(state, cues, h_secs);
        self.match_shape(matcher, state, cues, h_secs, keep, !(held || self.touched));
        if held || self.touched {
            let as_one = self.as_one(cues, h_secs);
            let Self { model, hold, size_m, .. } = self;
            let mut moving = Moving::new(&model.flesh, *size_m, state, h_secs);
            // Among other bodies, obstacles answer together with them.
            hold.ease(&mut moving, cues, as_one.as_ref(), if self.touched { &[] } else { contacts });
            if !self.touched {
                hold.touch(&mut moving, contacts);
                hold.carry(&mut moving, &cues.pins, as_one.as_ref());
            }
        }
        if !self.touched {
            self.finish(state);
        }
    }

    /// The share of what obstacles do to it, were it alone, that moves it as one.
    pub(super) fn rigid_share_alone(&self, h_secs: f64) -> f64 {
        let Self { model, material, params, .. } = self;
        let is_solid = matches!(model.flesh.cells, Cells::Tets(_));
        if is_solid { params.rigid_share(model.region_spread_m2, material, h_secs) } else { 0.0 }
    }

    /// How drag and pins act on it as one, where its material is stiffer than matching.
    fn as_one(&self, cues: &Cues, h_secs: f64) -> Option<RigidShare> {
        let is_asked = !(cues.drag.is_empty() && cues.pins.is_empty());
        let can_turn = self.inverse_inertia.determinant() != 0.0;
        let share = if is_asked && can_turn { self.rigid_share_alone(h_secs) } else { 0.0 };
        (share > 0.0).then(|| RigidShare {
            share,
            centre: self.centre,
            mass_kg: self.model.total_mass_kg,
            inertia_kg_m2: self.inverse_inertia.inverse(),
        })
    }

    /// Where the world and other bodies let the body go.
    pub(super) fn carry_on(&mut self, state: &mut BodyState, cues: &Cues, h_secs: f64) {
        if self.touched {
            let as_one = self.as_one(cues, h_secs);
            let Self { model, hold, size_m, .. } = self;
            hold.carry(&mut Moving::new(&model.flesh, *size_m, state, h_secs), &cues.pins, as_one.as_ref());
            self.finish(state);
        }
    }

    /// A matcher of its own, the same as in the last step.
    pub(super) fn take_own(&mut self, path: Path) -> Box<Matcher> {
        self.own.take().unwrap_or_else(|| Box::new(Matcher::new(&self.model, path, self.params.blends())))
    }

    fn finish(&mut self, state: &mut BodyState) {
        state.recentre(&self.model.flesh.mass_kg);
        // A single point that is not finite shows in the centre; only then is it looked for.
        self.not_finite = if state.origin.is_finite() { None } else { state.first_not_finite() };
    }

    fn damp_regions(&mut self, state: &mut BodyState, h_secs: f64) {
        let rate = self.params.region_damping_per_sec * h_secs;
        if rate > 0.0 {
            damp_regions(&self.model, state, libm::exp(-rate), &mut self.motions);
        }
    }

    /// Wobble dies away; the body's fall and spin do not. Before anything else: what forces and pins do in this very step
    /// is no wobble, and a body at rest under load must feel none of it. Returns the share of wobble still to be kept,
    /// which matching sees to in its own sweep where it is the same everywhere.
    fn damp(&mut self, state: &mut BodyState, cues: &Cues, h_secs: f64) -> f64 {
        self.damped = DVec3::ZERO;
        let rate = self.material.damping.wobble_per_sec * h_secs;
        if rate <= 0.0 {
            return 1.0;
        }
        let even = libm::exp(-rate);
        if cues.damping.is_empty() && cues.pins.is_empty() {
            return even;
        }
        let keep = |i: usize| cues.damping.get(i).map_or(even, |factor| libm::exp(-rate * factor));
        self.damped = crate::wobble::damp(&self.model.flesh, &cues.pins, state, !cues.damping.is_empty(), keep);
        1.0
    }

    /// v + α (g − x)/h + h f/m; and x + h v, if nothing else acts on the body.
    fn match_shape(
        &mut self,
        matcher: &mut Matcher,
        state: &mut BodyState,
        cues: &Cues,
        h_secs: f64,
        keep: f64,
        glide: bool,
    ) {
        let params = self.params;
        self.soften(cues, h_secs);
        let (mut rotation, sag) = take_memory(&mut state.memory, state.x.len());
        let even = Share::Even(params.pull_over(h_secs, 1.0) / h_secs);
        let asked = Matching {
            cues,
            h_secs,
            ahead_secs: params.foresight * h_secs,
            keep,
            share: if self.shares.is_empty() { even } else { Share::Each(&self.shares) },
            soft: self.softening.soft(),
            sag: sag.map_or(Sym3::ZERO, |sag| sag.strain),
            free: cues.pins.is_empty() || is_hinge(&cues.pins, self.size_m),
            glide,
        };
        let frame = matcher.advance(state, &mut rotation, &asked);
        self.centre = frame.origin + frame.middle;
        self.inverse_inertia = frame.inverse_inertia;
        self.turn = frame.turn;
        state.memory = match sag {
            Some(sag) => Memory::PressedShapeMatching { rotation, sag },
            None => Memory::ShapeMatching { rotation },
        };
    }

    /// Where stiffness is painted: below 1 regions count less, above 1 is a larger α, up to 1.
    fn soften(&mut self, cues: &Cues, h_secs: f64) {
        let params = self.params;
        self.softening.follow(&self.model, &cues.stiffness, h_secs);
        self.shares.clear();
        if cues.stiffness.iter().any(|factor| *factor > 1.0) {
            self.shares.extend(cues.stiffness.iter().map(|factor| params.pull_over(h_secs, factor.max(1.0)) / h_secs));
        }
    }

    pub(super) fn report(
        &self,
        id: BodyId,
        cues: &Cues,
        h_secs: f64,
        report: &mut StepReport,
    ) -> Result<(), StepError> {
        if let Some(vertex) = self.not_finite {
            return Err(StepError::NotFinite { body: id, vertex });
        }
        let damped = self.damped / cues.pins.len().max(1) as f64;
        for (pin, impulse) in cues.pins.iter().zip(&self.hold.pin_impulses) {
            report.reactions.push(Reaction { body: id, row: pin.at, force_n: (*impulse + damped) / h_secs });
        }
        Ok(())
    }
}

/// The warm starts and the sag; a state that comes from elsewhere has none.
fn take_memory(memory: &mut Memory, points: usize) -> (Vec<[f32; 4]>, Option<Sag>) {
    const NONE: [f32; 4] = [0.0, 0.0, 0.0, 1.0];
    match std::mem::replace(memory, Memory::ShapeMatching { rotation: Vec::new() }) {
        Memory::ShapeMatching { rotation } if rotation.len() == points => (rotation, None),
        Memory::PressedShapeMatching { rotation, sag } if rotation.len() == points => (rotation, Some(sag)),
        _ => (vec![NONE; points], None),
    }
}
