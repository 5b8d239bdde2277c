//! What pages want to see of bodies besides their shape.

use super::{FieldOf, PageId, Runner};
use crate::LOOKS;
use crate::show::Sight;
use crate::welcome::Welcome;
use crate::wire;
use axum::body::Bytes;
use sinew_solve::FieldValues;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Who wants to see what, and what was made of it.
#[derive(Default)]
pub(super) struct Fields {
    /// By page and body.
    wishes: BTreeMap<(PageId, u32), Vec<FieldOf>>,
    /// What does not change from frame to frame is made once.
    made: BTreeMap<FieldOf, Bytes>,
    /// The largest value so far, so that colours do not flicker with each frame's own.
    largest: BTreeMap<FieldOf, f64>,
}

impl Fields {
    pub(super) fn wish<'a>(
        &mut self,
        page: PageId,
        body: u32,
        director: Option<String>,
        looks: impl Iterator<Item = &'a String>,
    ) {
        let director: Option<Arc<str>> = director.map(Into::into);
        let wish = |look: &String| {
            let look = LOOKS.iter().position(|known| known == look)? as u32;
            Some(FieldOf { body, look, director: director.clone() })
        };
        self.wishes.insert((page, body), looks.filter_map(wish).collect());
        self.made.clear();
    }

    pub(super) fn forget(&mut self, page: PageId) {
        self.wishes.retain(|(wisher, _), _| *wisher != page);
    }

    /// Everything is made anew.
    pub(super) fn refresh(&mut self) {
        self.made.clear();
        self.largest.clear();
    }

    /// Wishes go on for bodies that are still there.
    pub(super) fn restage(&mut self, before: &Welcome, now: &Welcome) {
        let path = |welcome: &Welcome, body: u32| welcome.bodies.get(body as usize).map(|body| body.path.clone());
        self.wishes.retain(|(_, body), _| path(now, *body).is_some() && path(before, *body) == path(now, *body));
        self.refresh();
    }
}

/// Whether it is another one with each frame.
fn changes(look: &str) -> bool {
    matches!(look, "contraction" | "excitation" | "stiffness" | "damping" | "speed" | "stretch" | "contact")
}

impl Runner {
    /// The fields that belong to the shown frame.
    pub(super) fn look_at(&mut self, frame: &Bytes) -> Vec<(FieldOf, Bytes)> {
        let wanted: BTreeSet<FieldOf> = self.fields.wishes.values().flatten().cloned().collect();
        wanted.into_iter().filter_map(|of| Some((of.clone(), self.field(frame, &of)?))).collect()
    }

    fn field(&mut self, frame: &Bytes, of: &FieldOf) -> Option<Bytes> {
        let FieldOf { body, look, director } = of;
        let (body, look, word) = (*body, *look, LOOKS[*look as usize]);
        if let Some(known) = self.fields.made.get(of).filter(|_| !changes(word)) {
            return Some(known.clone());
        }
        let flesh = wire::flesh_of(frame, body as usize)?;
        let run = &self.recording.run;
        let is_live = run.at() == self.shown;
        let kept = if is_live { None } else { run.state_at(self.shown, &*self.show) };
        let state = if is_live { Some(run.state()) } else { kept.as_deref() };
        let tick = self.clock.tick_of(self.shown);
        let sight = Sight { body, director: director.as_deref(), tick, flesh: &flesh, state, is_live };
        let shown = self.show.look(word, &sight)?;
        let range = self.range_of(of, &shown);
        let message = wire::field_message([body, look], self.shown, &shown, range);
        self.fields.made.insert(of.clone(), message.clone());
        Some(message)
    }

    /// What colours should span.
    fn range_of(&mut self, of: &FieldOf, shown: &FieldValues) -> [f64; 2] {
        let word = LOOKS[of.look as usize];
        let FieldValues::Numbers(numbers) = shown else { return [-1.0, 1.0] };
        let size = |value: &f64| match word {
            "stretch" => (value - 1.0).abs(),
            // Factors: as far below 1 as above it.
            "stiffness" | "density" => value.max(1.0 / value),
            _ => value.abs(),
        };
        let largest = numbers.iter().map(size).fold(0.0, f64::max);
        let so_far = self.fields.largest.entry(of.clone()).or_insert(1e-6);
        *so_far = so_far.max(largest);
        match word {
            "contraction" => [-*so_far, *so_far],
            "amplitude" => [-1.0, 1.0],
            "speed" => [0.0, *so_far],
            "stiffness" | "density" => [1.0 / so_far.max(10.0), so_far.max(10.0)],
            "damping" => [0.0, so_far.max(1.0)],
            "poisson" => [0.0, 0.5],
            "stretch" => [1.0 - *so_far, 1.0 + *so_far],
            _ => [0.0, 1.0],
        }
    }
}
