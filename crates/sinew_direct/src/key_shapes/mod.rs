//! Key shapes: the rest shape of a body is that of a key at its frame, and goes from key to key in between.
//!
//! Kondo, Kanai, Anjyo, "Directable animation of elastic objects", SCA 2005: at a key the rest shape is replaced by the key's shape,
//! and `R_pq(t)` leads from key p to key q; K(t) and o(t) of `M ẍ + C ẋ + K(t)(x − o(t)) = f` follow from it in every solver. Two
//! ways of R_pq: as rigid as possible (`as_rigid.rs`) and the paper's (`physical.rs`).
//!
//! A key has no rigid part: where a body is and how it is turned is the path's business. Several directors of a body add up, each
//! by its weight: `o = x0 + Σ w (o_i − x0)`.
//!
//! Departure: a key may have a lead. Its rest shape is reached that many frames before the key and held until then, so that flesh that lags
//! is there in time.
//!
//! Limits: the body follows its rest shape with the lag of its flesh; how far it is from it is measured as `residual`.

mod as_rigid;
pub(crate) mod cells;
mod check;
mod handles;
mod physical;
mod sculpt;
mod segment;
mod turning;
mod unfold;
mod zone;

pub use cells::ShapeCells;
pub use check::{KeyTrouble, check_shape};
pub use handles::{Handles, Place};
pub use sculpt::{Part, Sculptor};
pub use unfold::{Unfolded, unfold};
pub use zone::ElasticZone;

use segment::Segment;
use sinew_math::DVec3;
use sinew_solve::{CueError, CueWriter, Director, DirectorState, Measures, Now, Seen};
use std::sync::Arc;

/// A shape that the body is to have at a frame.
#[derive(Debug, Clone, PartialEq)]
pub struct KeyShape {
    pub frame: f64,
    /// What the body should look like, without its rigid part; none is the rest shape x0.
    pub shape: Option<Arc<Vec<DVec3>>>,
    /// The rest shape that makes it look so, where that is another one.
    pub rest: Option<Arc<Vec<DVec3>>>,
    /// How many frames before its own the rest shape is reached, and held until then: time for flesh that lags.
    pub lead: f64,
}

impl KeyShape {
    fn rest<'a>(&'a self, x0: &'a [DVec3]) -> &'a [DVec3] {
        self.rest.as_ref().or(self.shape.as_ref()).map_or(x0, |shape| shape)
    }

    /// The share of the way from the key before that lies behind at a frame. It is 1 from `lead` frames before the key on.
    fn time_since(&self, before: &Self, frame: f64) -> f64 {
        let gap = self.frame - before.frame;
        let way = gap - self.lead.clamp(0.0, gap);
        if frame <= before.frame {
            0.0
        } else if way > 0.0 {
            ((frame - before.frame) / way).min(1.0)
        } else {
            1.0
        }
    }

    fn is_x0(&self) -> bool {
        self.shape.is_none() && self.rest.is_none()
    }
}

/// How the rest shape goes from key to key.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Between {
    /// Every element turns and stretches evenly, slowly out of one key and into the next.
    Rigid,
    /// The same at an even pace.
    RigidLinear,
    /// As heavily damped flesh creeps to its rest shape. `damping` is the share of the way that it would leave open at the next
    /// key: small is quick at first and slow then, near 1 is even.
    Physical { damping: f64 },
}

/// Drives the rest shape of a body through keys.
#[derive(Debug)]
pub struct KeyShapes {
    cells: Arc<ShapeCells>,
    keys: Vec<KeyShape>,
    segments: Vec<Segment>,
    is_physical: bool,
}

/// A physical interpolation that leaves more than this open is worth a warning.
const FAR: f64 = 0.05;

impl KeyShapes {
    /// Keys in any order of frames; of two at one frame the later one counts. Rigid parts are taken off.
    pub fn new(cells: Arc<ShapeCells>, mut keys: Vec<KeyShape>, between: Between) -> Self {
        for key in &mut keys {
            for shape in [&mut key.shape, &mut key.rest].into_iter().flatten() {
                cells.take_rigid_motion_off(shape);
            }
        }
        keys.sort_by(|a, b| a.frame.total_cmp(&b.frame));
        let mut own: Vec<KeyShape> = Vec::with_capacity(keys.len());
        for key in keys {
            if own.last().is_some_and(|last| last.frame == key.frame) {
                own.pop();
            }
            own.push(key);
        }
        let segments = own.windows(2).map(|_| Segment::new(between)).collect();
        Self { cells, keys: own, segments, is_physical: matches!(between, Between::Physical { .. }) }
    }

    /// The flesh that it directs.
    pub fn cells(&self) -> Arc<ShapeCells> {
        self.cells.clone()
    }

    /// The rest shape at a frame.
    pub fn rest_shape(&self, frame: f64) -> Vec<DVec3> {
        self.shape(frame).unwrap_or_else(|| self.cells.rest.clone())
    }

    /// What the body should look like at a key; between keys, its rest shape.
    pub fn key_shape(&self, frame: f64) -> Vec<DVec3> {
        self.wished(frame).map_or_else(|| self.rest_shape(frame), <[DVec3]>::to_vec)
    }

    /// The rest shape at a frame; none where it is x0.
    pub fn shape(&self, frame: f64) -> Option<Vec<DVec3>> {
        let x0 = &self.cells.rest;
        let after = self.keys.partition_point(|key| key.frame <= frame);
        let (before, after) = (after.checked_sub(1), (after < self.keys.len()).then_some(after));
        match (before, after) {
            (Some(p), Some(q)) => {
                let (from, to) = (&self.keys[p], &self.keys[q]);
                if from.is_x0() && to.is_x0() {
                    return None;
                }
                Some(self.segments[p].shape(&self.cells, from.rest(x0), to.rest(x0), to.time_since(from, frame)))
            }
            (Some(key), None) | (None, Some(key)) => {
                let key = &self.keys[key];
                (!key.is_x0()).then(|| key.rest(x0).to_vec())
            }
            (None, None) => None,
        }
    }

    /// What the body should look like at a key's frame; none between keys.
    fn wished(&self, frame: f64) -> Option<&[DVec3]> {
        let key = self.keys.iter().find(|key| (key.frame - frame).abs() < 1e-6)?;
        Some(key.shape.as_ref().map_or(&self.cells.rest[..], |shape| shape))
    }
}

impl Director for KeyShapes {
    fn cue(&self, now: Now, _: &Seen<'_>, _: &mut DirectorState, out: &mut CueWriter<'_>) -> Result<(), CueError> {
        let Some(shape) = self.shape(now.end_frame) else { return Ok(()) };
        for (point, (o, x0)) in shape.iter().zip(&self.cells.rest).enumerate() {
            out.rest_offset(point, *o - *x0);
        }
        if self.is_physical {
            self.warn_of_gap(&now, out);
        }
        Ok(())
    }

    /// How far the body is from its rest shape now, and at a key from what it should look like, in per cent of its size.
    fn measure(&self, now: Now, seen: &Seen<'_>, _: &DirectorState, out: &mut Measures<'_>) {
        let per_cent = 100.0 / self.cells.size_m;
        let shape = self.shape(now.end_frame);
        let rest = shape.as_deref().unwrap_or(&self.cells.rest);
        out.number("residual", "%", per_cent * self.cells.distance(&seen.state.x, rest));
        if let Some(wished) = self.wished(now.end_frame) {
            out.number("key_residual", "%", per_cent * self.cells.distance(&seen.state.x, wished));
        }
    }
}

impl KeyShapes {
    /// Once for each pair of keys: in its first interval.
    fn warn_of_gap(&self, now: &Now, out: &mut CueWriter<'_>) {
        let frame = now.end_frame;
        let after = self.keys.partition_point(|key| key.frame <= frame);
        let Some(before) = after.checked_sub(1).filter(|before| *before < self.segments.len()) else { return };
        let start = frame - now.h_secs * now.frames_per_sec;
        if now.tick > 0 && start > self.keys[before].frame + 1e-9 {
            return;
        }
        let [p, q] = [before, after].map(|key| self.keys[key].rest(&self.cells.rest));
        let left = self.segments[before].left(&self.cells, p, q);
        if left > FAR {
            let [p, q] = [before, after].map(|key| self.keys[key].frame);
            out.warn(format!(
                "flesh let go in the key at frame {p} does not creep to the one at frame {q}: {:.0} % of the way is closed in a straight \
                 line; put a key between them, or use between = \"rigid\"",
                100.0 * left
            ));
        }
    }
}

#[cfg(test)]
mod tests;
