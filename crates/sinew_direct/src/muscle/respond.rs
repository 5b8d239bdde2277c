//! Stimulus and response: a touch or a contact starts one sweep of the charts, which spreads over the body from there.
//!
//! ProcDef, §4.4. With d the distance from the touched point through the body, 0 there and 1 at the farthest point:
//! `P_s = d`, `A_s = D_m^{−d}`, and the charts are swept once, from 0 to 1 of the period (PD-37 … PD-42).
//!
//! Departures: where a chart does not start and end at 1 it is eased in and out, so that nothing jumps. Several sweeps
//! multiply their rates, which then stay within 1/A and A. A place that has begun to respond does not begin again
//! before its refractory time is over. What lies against the body from the start, and stays there, is no stimulus.

use super::rates::LogRate;
use sinew_geom::field::MeshDistance;
use sinew_geom::{TetMesh, TriangleMesh};
use sinew_math::DVec3;
use sinew_math::libm::{exp, log};
use sinew_solve::{Cells, ContactPartner, ContactPoint, DirectorState, Flesh, Input, Now, Other, Seen, TouchStimulus};
use std::sync::{Arc, Mutex};

/// What a muscle responds to, and how.
#[derive(Debug, Clone, PartialEq)]
pub struct Response {
    pub to_touch: bool,
    pub to_contact: bool,
    /// D_m, at least 1: how many times weaker the response is at the farthest point.
    pub damping: f64,
    /// A place that has begun to respond does not begin again before this time is over.
    pub refractory_secs: f64,
    /// Touches that are part of the scene: frame, and place in rest coordinates.
    pub touches: Vec<(f64, DVec3)>,
}

/// More sweeps at once are not told apart any more; further stimuli wait until one is over.
const MOST_SWEEPS: usize = 64;
/// A response on one body.
#[derive(Debug)]
pub(super) struct Responder {
    response: Response,
    measure: MeshDistance,
    /// What was measured for the sweeps under way. Found again from the touch alone, so that it is no state.
    spreads: Mutex<Vec<(DVec3, Arc<Spread>)>>,
}

/// How a stimulus spreads over a body.
#[derive(Debug)]
pub(super) struct Spread {
    /// d and D_m^{−d} of every point; what nothing connects to it is infinitely far and does not respond.
    points: Vec<(f64, f64)>,
}

/// A sweep under way.
pub(super) struct Sweep {
    pub(super) spread: Arc<Spread>,
    /// Cycles of the charts until it began.
    pub(super) begun_cycles: f64,
}

impl Responder {
    pub(super) fn new(response: Response, flesh: &Flesh) -> Self {
        let positions = flesh.rest.clone();
        let measure = match &flesh.cells {
            Cells::Tets(tets) => MeshDistance::in_tets(&TetMesh { positions, tets: tets.clone() }),
            Cells::Shell(triangles) => {
                MeshDistance::on_sheet(&TriangleMesh { positions, triangles: triangles.clone() })
            }
        };
        Self { response, measure, spreads: Mutex::new(Vec::new()) }
    }

    /// The sweeps of this interval. Remembers new stimuli in `memory`, and forgets what is over. `cycles_at` is how far the
    /// charts have come at a time, `delay_secs` how long a signal takes to the farthest point.
    pub(super) fn sweeps(
        &self,
        now: &Now,
        seen: &Seen<'_>,
        memory: &mut DirectorState,
        delay_secs: f64,
        cycles_at: impl Fn(f64) -> f64,
    ) -> Vec<Sweep> {
        let (mut touches, touching) = match std::mem::take(memory) {
            DirectorState::Responding { touches, touching } => (touches, Some(touching)),
            _ => (Vec::new(), None),
        };
        touches.retain(|touch| {
            let begun_secs = touch.started_tick as f64 * now.tick_secs;
            let reached_end_secs = now.start_secs - delay_secs;
            cycles_at(reached_end_secs) - cycles_at(begun_secs) < 1.0
                || reached_end_secs - begun_secs < self.response.refractory_secs
        });
        let touching = self.listen(now, seen, touching.as_deref(), |place| {
            if touches.len() < MOST_SWEEPS && self.is_ready(&touches, seen.flesh, place, now, delay_secs) {
                touches.push(TouchStimulus { at_rest: place, started_tick: now.tick });
            }
        });
        let sweep = |touch: &TouchStimulus| Sweep {
            spread: self.spread(touch.at_rest),
            begun_cycles: cycles_at(touch.started_tick as f64 * now.tick_secs),
        };
        let sweeps = touches.iter().map(sweep).collect();
        self.forget_spreads(&touches);
        *memory = DirectorState::Responding { touches, touching };
        sweeps
    }

    /// The sweeps that `memory` knows of at the end of an interval; before anything was noted, those of the scene's own
    /// touches. To look at: nothing is remembered.
    pub(super) fn under_way(&self, now: &Now, memory: &DirectorState, cycles_at: impl Fn(f64) -> f64) -> Vec<Sweep> {
        let sweep = |at_rest: DVec3, begun_secs: f64| Sweep {
            spread: self.spread(at_rest),
            begun_cycles: cycles_at(begun_secs),
        };
        match memory {
            DirectorState::Responding { touches, .. } => {
                touches.iter().map(|touch| sweep(touch.at_rest, touch.started_tick as f64 * now.tick_secs)).collect()
            }
            _ => {
                let first_frame = now.end_frame - now.end_secs() * now.frames_per_sec;
                let begun = self.response.touches.iter().filter(|(frame, _)| *frame <= now.end_frame);
                begun.map(|(frame, place)| sweep(*place, (frame - first_frame) / now.frames_per_sec)).collect()
            }
        }
    }

    /// Tells of every stimulus of the interval, in rest coordinates. Returns what touches the body from now on.
    fn listen(
        &self,
        now: &Now,
        seen: &Seen<'_>,
        touching: Option<&[ContactPartner]>,
        mut tell: impl FnMut(DVec3),
    ) -> Vec<ContactPartner> {
        if self.response.to_touch {
            let start_frame = now.end_frame - now.h_secs * now.frames_per_sec;
            // Frames are counted from ticks: a little room for rounding, so that a touch on a frame is met exactly once.
            let begins = |frame: f64| frame >= start_frame - 1e-9 && frame < now.end_frame - 1e-9;
            self.response.touches.iter().filter(|(frame, _)| begins(*frame)).for_each(|(_, place)| tell(*place));
            for input in seen.input {
                match *input {
                    Input::Touch { body, at_rest } if body == seen.body => tell(at_rest),
                    _ => {}
                }
            }
        }
        if !self.response.to_contact {
            return Vec::new();
        }
        let nearest = nearest_contacts(seen.contact_points());
        let known = |other: &ContactPartner| touching.is_some_and(|known| known.contains(other));
        for (_, contact) in nearest.iter().filter(|(other, contact)| contact.gap_m <= 0.0 && !known(other)) {
            // What lies against the body before anything has happened is no stimulus.
            if touching.is_some() {
                tell(seen.flesh.anchors.at(contact.at, &seen.flesh.rest));
            }
        }
        // What is near but not there yet is new when it arrives; what was there stays known while it is near.
        let stays = |(other, contact): &&(ContactPartner, ContactPoint)| contact.gap_m <= 0.0 || known(other);
        nearest.iter().filter(stays).map(|(other, _)| *other).collect()
    }

    /// Whether a place may begin to respond: no earlier sweep came by within its refractory time.
    fn is_ready(&self, touches: &[TouchStimulus], flesh: &Flesh, place: DVec3, now: &Now, delay_secs: f64) -> bool {
        let point = flesh.nearest_point(place).0 as usize;
        touches.iter().all(|touch| {
            let begun_secs = touch.started_tick as f64 * now.tick_secs;
            let (d, _) = self.spread(touch.at_rest).points[point];
            let since_secs = now.tick as f64 * now.tick_secs - begun_secs - d * delay_secs;
            !(0.0..self.response.refractory_secs).contains(&since_secs)
        })
    }

    fn spread(&self, from: DVec3) -> Arc<Spread> {
        let mut spreads = self.spreads.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some((_, spread)) = spreads.iter().find(|(at, _)| *at == from) {
            return spread.clone();
        }
        let distances = self.measure.from_points(&[from]);
        let farthest = distances.iter().copied().filter(|d| d.is_finite()).fold(0.0, f64::max);
        let per_body = if farthest > 0.0 { 1.0 / farthest } else { 0.0 };
        let fade = -log(self.response.damping.max(1.0));
        let point = |distance: f64| if distance.is_finite() { distance * per_body } else { f64::INFINITY };
        let points = distances.into_iter().map(point).map(|d| (d, if d.is_finite() { exp(fade * d) } else { 0.0 }));
        let spread = Arc::new(Spread { points: points.collect() });
        spreads.push((from, spread.clone()));
        spread
    }

    fn forget_spreads(&self, touches: &[TouchStimulus]) {
        let mut spreads = self.spreads.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        spreads.retain(|(at, _)| touches.iter().any(|touch| touch.at_rest == *at));
    }
}

/// The nearest contact with each thing, in the order in which they are met.
fn nearest_contacts(touches: impl Iterator<Item = ContactPoint>) -> Vec<(ContactPartner, ContactPoint)> {
    let mut nearest: Vec<(ContactPartner, ContactPoint)> = Vec::new();
    for contact in touches {
        let other = match contact.other {
            Other::Obstacle(number) => ContactPartner::Obstacle(number),
            Other::Body(body, _) => ContactPartner::Body(body.0),
        };
        match nearest.iter_mut().find(|(known, _)| *known == other) {
            Some((_, known)) if contact.gap_m < known.gap_m => *known = contact,
            Some(_) => {}
            None => nearest.push((other, contact)),
        }
    }
    nearest
}

impl Sweep {
    /// What the sweep does to ln c at a point. `cycles_before` is how far the charts had come when a signal set out that
    /// reaches the distance d now.
    #[inline]
    pub(super) fn log_rate(&self, rate: &LogRate, point: usize, cycles_before: impl Fn(f64) -> f64) -> f64 {
        let (d, share) = self.spread.points[point];
        if share > 0.0 { share * rate.once(cycles_before(d) - self.begun_cycles) } else { 0.0 }
    }
}
