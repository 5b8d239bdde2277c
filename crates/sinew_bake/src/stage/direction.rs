//! What directors say on a stage: they are asked once for every interval, seen at any tick, and may be exchanged as it runs.

use super::{DirectorSetup, Stage, StageBody};
use rayon::prelude::*;
use sinew_solve::{BodyId, CueError, CueWriter, Cues, Input, Look, Note, Now, Seen, Shown, StageState, StepError};

impl Stage {
    /// Gives every body new directors, in the stage's order of bodies. In every one of `states` a director keeps its note as
    /// long as it keeps its name.
    pub fn redirect<'a>(
        &mut self,
        states: impl IntoIterator<Item = &'a mut StageState>,
        directors: Vec<Vec<DirectorSetup>>,
    ) {
        let first_notes = |setups: &[DirectorSetup]| setups.iter().map(|setup| setup.director.first_note()).collect();
        self.first.notes = directors.iter().map(|setups| first_notes(setups)).collect();
        for state in states {
            for (number, (body, new)) in self.bodies.iter().zip(&directors).enumerate() {
                let old = |setup: &DirectorSetup| {
                    let place = body.directors.iter().position(|known| known.name == setup.name)?;
                    state.notes[number].get(place).cloned()
                };
                let first = &self.first.notes[number];
                let kept = new.iter().zip(first).map(|(setup, first)| old(setup).unwrap_or_else(|| first.clone()));
                state.notes[number] = kept.collect();
            }
        }
        self.bodies.iter_mut().zip(directors).for_each(|(body, new)| body.directors = new);
    }

    /// What the directors of a body look like at a tick, together. `notes` are the body's; without them directors are seen as they
    /// begin.
    pub fn look(&self, body: BodyId, look: Look, tick: u64, notes: Option<&[Note]>) -> Option<Shown> {
        self.look_of(body, None, look, tick, notes)
    }

    /// The same of one director by its name; of all of them where it has nothing of the kind.
    pub fn look_of(
        &self,
        body: BodyId,
        director: Option<&str>,
        look: Look,
        tick: u64,
        notes: Option<&[Note]>,
    ) -> Option<Shown> {
        let now = self.clock.instant(tick);
        let has_it = |setup: &DirectorSetup| setup.director.look(look, now, &setup.director.first_note()).is_some();
        let named = &self.bodies[body.0 as usize].directors;
        let only = director.filter(|name| named.iter().any(|setup| setup.name == *name && has_it(setup)));
        let body = &self.bodies[body.0 as usize];
        let mut together: Option<Shown> = None;
        for (n, setup) in body.directors.iter().enumerate() {
            if only.is_some_and(|only| only != setup.name) {
                continue;
            }
            let note = notes.and_then(|notes| notes.get(n).cloned()).unwrap_or_else(|| setup.director.first_note());
            let Some(mut own) = setup.director.look(look, now, &note) else { continue };
            if let Shown::Numbers(own) = &mut own {
                let weight = setup.weight.value(now.end_frame);
                own.iter_mut().for_each(|value| *value = look.faded(*value, weight));
            }
            match (&mut together, own) {
                (Some(Shown::Numbers(all)), Shown::Numbers(own)) => {
                    all.iter_mut().zip(own).for_each(|(all, own)| *all = look.joined(*all, own));
                }
                (Some(_), _) => {}
                (none, own) => *none = Some(own),
            }
        }
        together.or_else(|| {
            let even = look.of_material(&body.material)?;
            Some(Shown::Numbers(vec![even; body.flesh.point_count()]))
        })
    }

    /// What directors ask of every body at a state, without input of a user.
    pub fn asked(&mut self, state: &StageState) -> Result<&[Cues], StepError> {
        let now = self.clock.interval(state.tick, 0, 1);
        self.ask_directors(&mut state.clone(), &[], &now)?;
        Ok(&self.scratch.cues)
    }

    pub(super) fn ask_directors(
        &mut self,
        state: &mut StageState,
        input: &[Input],
        now: &Now,
    ) -> Result<(), StepError> {
        let (contacts, body_contacts) = (self.touch.with_obstacles(), self.touch.between_bodies());
        let each =
            self.scratch.cues.par_iter_mut().zip(&self.bodies).zip(&state.bodies).zip(&mut state.notes).enumerate();
        let answers: Vec<Result<(), CueError>> = each
            .map(|(i, (((cues, body), state), notes))| {
                let (body_id, contacts) = (BodyId(i as u32), &contacts[i][..]);
                let seen = Seen { body: body_id, flesh: &body.flesh, state, contacts, body_contacts, input };
                ask_body(body, &seen, notes, now, cues)
            })
            .collect();
        // The first body's complaint, not the first thread's.
        Ok(answers.into_iter().collect::<Result<(), _>>()?)
    }
}

/// Asks every director of a body that has weight now.
fn ask_body(body: &StageBody, seen: &Seen<'_>, notes: &mut [Note], now: &Now, cues: &mut Cues) -> Result<(), CueError> {
    cues.clear();
    for (director, note) in body.directors.iter().zip(&mut *notes) {
        let weight = director.weight.value(now.end_frame);
        if weight > 0.0 {
            director.director.cue(*now, seen, note, &mut CueWriter::new(&body.flesh, cues, weight))?;
        }
    }
    if cues.not_finite().is_none() { Ok(()) } else { Err(whose_fault(body, seen, notes, now, cues)) }
}

/// Which director it was that asked for a number that is not finite: they are asked again, one after the other. What their
/// notes say by then does not matter, since the step is taken back.
fn whose_fault(body: &StageBody, seen: &Seen<'_>, notes: &mut [Note], now: &Now, cues: &mut Cues) -> CueError {
    cues.clear();
    for (director, note) in body.directors.iter().zip(notes) {
        let weight = director.weight.value(now.end_frame);
        if weight > 0.0 {
            let asked = director.director.cue(*now, seen, note, &mut CueWriter::new(&body.flesh, cues, weight));
            let what = cues.not_finite();
            if let (Ok(()), Some(what)) = (asked, what) {
                return CueError::NotFinite { body: body.name.clone(), director: director.name.clone(), what };
            }
        }
    }
    CueError::NotFinite { body: body.name.clone(), director: "all together".to_owned(), what: "sum" }
}
