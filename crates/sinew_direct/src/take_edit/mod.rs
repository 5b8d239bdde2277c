//! A finished take edited: the body is grabbed at frames of it, and frames near them follow, fading over a chosen width.
//!
//! Space–time editing in the manner of Barbič, Sin, Grinspun, "Interactive editing of deformable simulations", SIGGRAPH 2012: the edited
//! motion is the take plus a deformation that has the edited shape at its frame, is nothing at rest `width` frames before and after it, and
//! takes the least force that the flesh's own equation of motion `M ü + C u̇ + K u = f` does not explain, `min ∫ f²` (`layer.rs`). Edits are
//! layers: each is of the motion that the ones before it made.
//!
//! Slow parts of that deformation swing as flesh does. What is too quick for that is strain that no motion explains: it is in the rest
//! shape, as if muscles held it, so that no force from outside is needed for it (decision 0238).
//!
//! The body is then led along the edited motion by goals at all its points, so that contact and everything else acts on it, and is
//! let go where no edit acts. Before the first edit nothing is asked of it: a run is the take, to the bit.
//!
//! Departures: the reduced space is that of the edit itself (`ritz.rs`) instead of precomputed modes; there are no contact constraints in the
//! deformation, contact is the simulation's.
//!
//! Limits: the take is known at frames; between them it goes along cubic curves, which round a hard impact off. What is measured: `residual`, how far the body
//! is from the edited motion, and `unbalanced`, the acceleration that no law of motion gives it.

mod layer;
mod motion;
mod ritz;

pub use motion::Motion;

use crate::key_shapes::{KeyTrouble, ShapeCells, check_shape};
use layer::{Layer, Of, Swinging, Window};
use motion::{catmull_rom, four_about};
use ritz::Elastic;
use sinew_math::rotation::{best_fit_rotation, mass_centre};
use sinew_math::{DQuat, DVec3};
use sinew_solve::{CueError, CueWriter, Director, DirectorState, Goal, Material, Measures, Now, Pin, Row, Seen};
use std::f64::consts::PI;
use std::sync::{Arc, OnceLock};

/// In this time a body that is off its edited motion comes back to it; in less where stiff flesh resists the edit.
const SETTLE_SECS: f64 = 1.0 / 240.0;
const LEAST_SETTLE_SECS: f64 = 1.0 / 4000.0;
/// How far the resistance of the flesh may keep the body from its edited shape, share of its size.
const HELD_OFF: f64 = 0.002;
/// Times in a frame at which shapes are deformed; between them points go along cubic curves. The quickest swing has five frames.
const PARTS: i32 = 4;
/// A run that is farther from the take than this where an edit begins has another past: share of the body's size.
const FAR: f64 = 0.02;
const GRAVITY: f64 = 9.81;

/// An edit: what the body looks like at a frame, and where it is.
#[derive(Debug, Clone, PartialEq)]
pub struct TakeKey {
    pub frame: i32,
    /// Frames before and after it that follow.
    pub width: f64,
    pub shape: KeyAt,
    /// Follows with the swings of the flesh; else as a cubic curve.
    pub swings: bool,
}

/// A shape and its place.
#[derive(Debug, Clone, PartialEq)]
pub enum KeyAt {
    World(Arc<Vec<DVec3>>),
    /// Where the take has the body, moved and turned about its centre of mass; without a shape, that of the take.
    Take {
        shape: Option<Arc<Vec<DVec3>>>,
        shift: DVec3,
        turn: DQuat,
    },
}

/// A take of a body with edits on it.
#[derive(Debug)]
pub struct EditedTake {
    cells: Arc<ShapeCells>,
    motion: Arc<Motion>,
    keys: Vec<TakeKey>,
    material: Material,
    frames_per_sec: f64,
    elastic: OnceLock<Option<Elastic>>,
    layers: Vec<OnceLock<Layer>>,
    /// The edited shape at every part of a frame, where that is not the take's.
    samples: Vec<OnceLock<Option<Vec<DVec3>>>>,
    /// How far rest positions are moved there.
    held: Vec<OnceLock<Option<Vec<DVec3>>>>,
}

/// Why a take cannot be edited so.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum TakeEditTrouble {
    #[error("frame {frame} is not in the take, which has {first} to {last}")]
    NoFrame { frame: i32, first: i32, last: i32 },
    #[error("frame {frame} is where the take begins, and that is where the body is put")]
    FirstFrame { frame: i32 },
    #[error("the shape at frame {frame} is none: {trouble}")]
    Shape { frame: i32, trouble: KeyTrouble },
    #[error("the take has {found} points, the body {expected}")]
    OtherBody { found: usize, expected: usize },
}

impl EditedTake {
    /// Edits in the order they were made.
    pub fn new(
        cells: Arc<ShapeCells>,
        motion: Arc<Motion>,
        keys: Vec<TakeKey>,
        material: Material,
        frames_per_sec: f64,
    ) -> Result<Self, TakeEditTrouble> {
        let (found, expected) = (motion.point_count(), cells.rest.len());
        if found != expected {
            return Err(TakeEditTrouble::OtherBody { found, expected });
        }
        let frames = motion.frames();
        let (first, last) = (*frames.start(), *frames.end());
        for TakeKey { frame, shape, .. } in &keys {
            if !frames.contains(frame) {
                return Err(TakeEditTrouble::NoFrame { frame: *frame, first, last });
            }
            if *frame == first {
                return Err(TakeEditTrouble::FirstFrame { frame: *frame });
            }
            if let KeyAt::World(shape) | KeyAt::Take { shape: Some(shape), .. } = shape {
                check_shape(&cells, shape).map_err(|trouble| TakeEditTrouble::Shape { frame: *frame, trouble })?;
            }
        }
        let layers = keys.iter().map(|_| OnceLock::new()).collect();
        let none = || (0..=(last - first) * PARTS).map(|_| OnceLock::new()).collect();
        let (samples, held, elastic) = (none(), none(), OnceLock::new());
        Ok(Self { cells, motion, keys, material, frames_per_sec, elastic, layers, samples, held })
    }

    /// An edit's shape in the world, and the one that it was made of: the take under the edits before it.
    pub fn key_shapes(&self, number: usize) -> (Vec<DVec3>, Vec<DVec3>) {
        let key = &self.keys[number];
        let take = self.layered(f64::from(key.frame), number);
        let (shape, shift, turn) = match &key.shape {
            KeyAt::World(shape) => return (shape.to_vec(), take),
            KeyAt::Take { shape, shift, turn } => (shape, *shift, *turn),
        };
        let (cells, mass_kg) = (&self.cells, &self.cells.mass_kg);
        let centre = mass_centre(&take, mass_kg);
        let placed = match shape {
            Some(shape) => {
                let turn = turn * best_fit_rotation(&cells.rest, &take, mass_kg);
                let from = mass_centre(shape, mass_kg);
                shape.iter().map(|x| centre + shift + turn * (*x - from)).collect()
            }
            None if shift == DVec3::ZERO && turn == DQuat::IDENTITY => take.clone(),
            None => take.iter().map(|x| centre + shift + turn * (*x - centre)).collect(),
        };
        (placed, take)
    }

    /// World positions of the body at a frame of the edited take.
    pub fn shape(&self, frame: i32) -> Vec<DVec3> {
        self.sample((frame - self.motion.frames().start()) * PARTS)
    }

    /// At a part of a frame, counted from the take's first frame on.
    fn sample(&self, number: i32) -> Vec<DVec3> {
        let number = number.clamp(0, self.samples.len() as i32 - 1);
        let at = self.frame_of(number);
        let edited = self.samples[number as usize].get_or_init(|| {
            let is_edited = (0..self.keys.len()).any(|key| self.window(key).holds(at));
            is_edited.then(|| self.layered(at, self.keys.len()))
        });
        edited.clone().unwrap_or_else(|| self.motion.shape_at(at))
    }

    /// How far rest positions are moved at a part of a frame: by what the flesh would not hold by itself. Where that is no shape, by nothing.
    fn held_sample(&self, number: i32) -> Vec<DVec3> {
        let number = number.clamp(0, self.held.len() as i32 - 1);
        let at = self.frame_of(number);
        let moved = self.held[number as usize].get_or_init(|| {
            let x0 = &self.cells.rest;
            let mut rest: Option<Vec<DVec3>> = None;
            for layer in (0..self.keys.len()).filter(|layer| self.window(*layer).holds(at)) {
                let from = rest.as_deref().unwrap_or(x0);
                rest = self.layer(layer).apply(&self.cells, from, at, Of::Left).or(rest);
            }
            let rest = self.cells.without_rigid_motion(&rest?);
            check_shape(&self.cells, &rest).ok()?;
            Some(rest.iter().zip(x0).map(|(rest, x0)| *rest - *x0).collect())
        });
        moved.clone().unwrap_or_else(|| vec![DVec3::ZERO; self.cells.rest.len()])
    }

    fn frame_of(&self, sample: i32) -> f64 {
        f64::from(*self.motion.frames().start()) + f64::from(sample) / f64::from(PARTS)
    }

    /// The take under the first layers.
    fn layered(&self, at: f64, layers: usize) -> Vec<DVec3> {
        let mut shape = self.motion.shape_at(at);
        for number in 0..layers {
            if self.window(number).holds(at)
                && let Some(edited) = self.layer(number).apply(&self.cells, &shape, at, Of::Whole)
            {
                shape = edited;
            }
        }
        shape
    }

    fn window(&self, number: usize) -> Window {
        let TakeKey { frame, width, .. } = self.keys[number];
        let from_start = f64::from(frame - self.motion.frames().start());
        Window { frame: f64::from(frame), before: width.min(from_start), after: width }
    }

    fn layer(&self, number: usize) -> &Layer {
        self.layers[number].get_or_init(|| {
            let key = &self.keys[number];
            let (edited, take) = self.key_shapes(number);
            let (material, frames_per_sec, is_on) = (&self.material, self.frames_per_sec, key.swings);
            let swinging = self.elastic().map(|elastic| Swinging { elastic, material, frames_per_sec, is_on });
            Layer::new(&self.cells, self.window(number), [&take, &edited], swinging)
        })
    }

    /// None where K cannot be factored: flesh with numbers that are none.
    fn elastic(&self) -> Option<&Elastic> {
        let elastic = self.elastic.get_or_init(|| {
            // That of the first edit: later ones change nothing in it.
            let width = self.keys.first().map_or(1.0, |key| key.width.max(1.0));
            Elastic::new(&self.cells, &self.material, PI * self.frames_per_sec / width).ok()
        });
        elastic.as_ref()
    }

    /// A goal of mass m pulls with m/τ² times the distance. A body that touches something is led softly, so that contact wins.
    fn settle_secs(&self, seen: &Seen<'_>) -> f64 {
        if seen.contact_points().any(|contact| contact.gap_m <= 0.0) {
            return SETTLE_SECS;
        }
        let resistance = (0..self.keys.len()).map(|number| self.layer(number).resistance).fold(0.0, f64::max);
        (HELD_OFF * self.cells.size_m / resistance.max(f64::MIN_POSITIVE)).sqrt().clamp(LEAST_SETTLE_SECS, SETTLE_SECS)
    }

    /// Where every point should be at a time, and how fast; none where no edit acts.
    fn target(&self, now: &Now) -> Option<(Vec<DVec3>, Vec<DVec3>)> {
        self.is_edited(now.end_frame).then(|| self.between(now.end_frame, |sample| self.sample(sample)))
    }

    fn is_edited(&self, at: f64) -> bool {
        at <= f64::from(*self.motion.frames().end()) && (0..self.keys.len()).any(|n| self.window(n).holds(at))
    }

    /// A curve through samples at a frame, and its slope per second.
    fn between(&self, at: f64, sample: impl Fn(i32) -> Vec<DVec3>) -> (Vec<DVec3>, Vec<DVec3>) {
        let place = (at - f64::from(*self.motion.frames().start())) * f64::from(PARTS);
        let before = sinew_math::libm::floor(place) as i32;
        let last = self.samples.len() as i32 - 1;
        let shapes = four_about(before, 0..=last, sample);
        let rate = self.frames_per_sec * f64::from(PARTS);
        let of = |point: usize| {
            let (x, v) = catmull_rom([0, 1, 2, 3].map(|n: usize| shapes[n][point]), place - f64::from(before));
            (x, v * rate)
        };
        (0..shapes[0].len()).map(of).unzip()
    }

    fn warn_of_another_past(&self, now: &Now, seen: &Seen<'_>, out: &mut CueWriter<'_>) {
        let begins = |number: &usize| {
            let Window { frame, before, .. } = self.window(*number);
            let start = frame - before;
            now.end_frame - now.h_secs * self.frames_per_sec <= start + 1e-9 && now.end_frame > start
        };
        let Some(number) = (0..self.keys.len()).find(begins) else { return };
        let take = self.motion.shape_at(now.end_frame - now.h_secs * self.frames_per_sec);
        let off = seen.state.x.iter().zip(take).map(|(x, take)| *x - take).collect::<Vec<_>>();
        let far = self.cells.mean_length(&off) / self.cells.size_m;
        if far > FAR {
            let key = &self.keys[number];
            out.warn(format!(
                "the body is {:.0} % of its size from the take where the edit of frame {} begins: what happens before has changed since the take \
                 was made; bake the scene without this director and edit that take",
                100.0 * far,
                key.frame
            ));
        }
    }
}

/// Leads a body along an edited take.
#[derive(Debug)]
pub struct TakeEdit {
    take: Arc<EditedTake>,
    yields_to_contact: bool,
}

impl TakeEdit {
    /// `yields_to_contact`: contact may keep the body off the edited motion.
    pub fn new(take: Arc<EditedTake>, yields_to_contact: bool) -> Self {
        Self { take, yields_to_contact }
    }
}

impl Director for TakeEdit {
    fn cue(&self, now: Now, seen: &Seen<'_>, _: &mut DirectorState, out: &mut CueWriter<'_>) -> Result<(), CueError> {
        let Some((places, velocities)) = self.take.target(&now) else { return Ok(()) };
        self.take.warn_of_another_past(&now, seen, out);
        let settle_secs = self.take.settle_secs(seen);
        let (held, _) = self.take.between(now.end_frame, |sample| self.take.held_sample(sample));
        held.into_iter().enumerate().for_each(|(point, by)| out.rest_offset(point, by));
        for (point, (to, velocity)) in places.into_iter().zip(velocities).enumerate() {
            let at = Row(point as u32);
            if self.yields_to_contact {
                out.goal(Goal { at, to, velocity, settle_secs });
            } else {
                out.pin(Pin { at, to, velocity });
            }
        }
        Ok(())
    }

    /// How far the body is from the edited motion in per cent of its size, and by what acceleration it is kept there, of gravity's.
    fn measure(&self, now: Now, seen: &Seen<'_>, _: &DirectorState, out: &mut Measures<'_>) {
        let Some((places, velocities)) = self.take.target(&now) else { return };
        let state = seen.state;
        let off: Vec<DVec3> = places.iter().zip(&state.x).map(|(to, x)| *to - *x).collect();
        let residual = 100.0 * self.take.cells.mean_length(&off) / self.take.cells.size_m;
        out.number("residual", "%", residual);
        if self.take.keys.iter().any(|key| (f64::from(key.frame) - now.end_frame).abs() < 1e-6) {
            out.number("key_residual", "%", residual);
        }
        if self.yields_to_contact {
            let settle_secs = self.take.settle_secs(seen);
            let pull = |((off, to), v): ((&DVec3, &DVec3), &DVec3)| {
                *off / (settle_secs * settle_secs) + (*to - *v) * (2.0 / settle_secs)
            };
            let pulls: Vec<DVec3> = off.iter().zip(&velocities).zip(&state.v).map(pull).collect();
            out.number("unbalanced", "g", self.take.cells.mean_length(&pulls) / GRAVITY);
        }
    }
}

#[cfg(test)]
mod tests;
