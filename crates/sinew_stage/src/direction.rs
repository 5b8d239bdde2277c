//! What directors say on a stage: they are asked once for every interval, seen at any tick, and may be exchanged as it runs.

use crate::{DirectorSetup, Stage, StageBody};
use rayon::prelude::*;
use sinew_math::DVec3;
use sinew_solve::{
    BodyContact, BodyId, Cells, Contact, CueError, CueWriter, Cues, DirectorState, FieldQuery, FieldValues, Flesh,
    Input, Measures, Now, Seen, StageState, StepError, Warning,
};

impl Stage {
    /// Gives every body new directors, in the stage's order of bodies. In every one of `states` a director keeps its state as
    /// long as it keeps its name.
    pub fn redirect<'a>(
        &mut self,
        states: impl IntoIterator<Item = &'a mut StageState>,
        directors: Vec<Vec<DirectorSetup>>,
    ) {
        let first_states = |setups: &[DirectorSetup]| setups.iter().map(|setup| setup.director.first_state()).collect();
        self.first.director_states = directors.iter().map(|setups| first_states(setups)).collect();
        for state in states {
            for (number, (body, new)) in self.bodies.iter().zip(&directors).enumerate() {
                let old = |setup: &DirectorSetup| {
                    let place = body.directors.iter().position(|known| known.name == setup.name)?;
                    state.director_states[number].get(place).cloned()
                };
                let first = &self.first.director_states[number];
                let kept = new.iter().zip(first).map(|(setup, first)| old(setup).unwrap_or_else(|| first.clone()));
                state.director_states[number] = kept.collect();
            }
        }
        self.bodies.iter_mut().zip(directors).for_each(|(body, new)| body.directors = new);
    }

    /// Gives a body one more director, which is asked after the others and begins in `state` as it does at the start.
    pub fn direct_also(&mut self, state: &mut StageState, body: BodyId, director: DirectorSetup) {
        let number = body.0 as usize;
        let begun = director.director.first_state();
        state.director_states[number].push(begun.clone());
        self.first.director_states[number].push(begun);
        self.bodies[number].directors.push(director);
    }

    /// What the directors of a body look like at a tick, together. `director_states` are the body's; without them directors are seen as they
    /// begin.
    pub fn field(
        &self,
        body: BodyId,
        query: FieldQuery,
        tick: u64,
        director_states: Option<&[DirectorState]>,
    ) -> Option<FieldValues> {
        self.field_of(body, None, query, tick, director_states)
    }

    /// The same of one director by its name; of all of them where it has nothing of the kind.
    pub fn field_of(
        &self,
        body: BodyId,
        director: Option<&str>,
        query: FieldQuery,
        tick: u64,
        director_states: Option<&[DirectorState]>,
    ) -> Option<FieldValues> {
        let now = self.clock.instant(tick);
        let has_it = |setup: &DirectorSetup| setup.director.field(query, now, &setup.director.first_state()).is_some();
        let named = &self.bodies[body.0 as usize].directors;
        let only = director.filter(|name| named.iter().any(|setup| setup.name == *name && has_it(setup)));
        let body = &self.bodies[body.0 as usize];
        let mut together: Option<FieldValues> = None;
        for (n, setup) in body.directors.iter().enumerate() {
            if only.is_some_and(|only| only != setup.name) {
                continue;
            }
            let memory = director_states
                .and_then(|director_states| director_states.get(n).cloned())
                .unwrap_or_else(|| setup.director.first_state());
            let Some(mut own) = setup.director.field(query, now, &memory) else { continue };
            if let FieldValues::Numbers(own) = &mut own {
                let weight = setup.weight.value(now.end_frame);
                own.iter_mut().for_each(|value| *value = query.faded(*value, weight));
            }
            match (&mut together, own) {
                (Some(FieldValues::Numbers(all)), FieldValues::Numbers(own)) => {
                    all.iter_mut().zip(own).for_each(|(all, own)| *all = query.joined(*all, own));
                }
                (Some(_), _) => {}
                (none, own) => *none = Some(own),
            }
        }
        together.or_else(|| {
            let even = query.of_material(&body.material)?;
            Some(FieldValues::Numbers(vec![even; body.flesh.point_count()]))
        })
    }

    /// What directors ask of every body at a state, without input of a user.
    pub fn asked(&mut self, state: &StageState) -> Result<&[Cues], StepError> {
        let now = self.clock.interval(state.tick, 0, 1);
        self.ask_directors(&mut state.clone(), &[], &now)?;
        Ok(&self.scratch.cues)
    }

    pub(crate) fn ask_directors(
        &mut self,
        state: &mut StageState,
        input: &[Input],
        now: &Now,
    ) -> Result<(), StepError> {
        let (contacts, body_contacts) = (self.contacts.with_obstacles(), self.contacts.between_bodies());
        let each = self
            .scratch
            .cues
            .par_iter_mut()
            .zip(&self.bodies)
            .zip(&state.bodies)
            .zip(&mut state.director_states)
            .enumerate();
        let answers: Vec<(Result<(), CueError>, Vec<String>)> = each
            .map(|(i, (((cues, body), state), director_states))| {
                let (body_id, contacts) = (BodyId(i as u32), &contacts[i][..]);
                let force_arm = body.method.force_arm(|| is_free(body_id, contacts, body_contacts));
                let seen = Seen { body: body_id, flesh: &body.flesh, state, contacts, body_contacts, input, force_arm };
                let mut warnings = Vec::new();
                (ask_body(body, &seen, director_states, now, cues, &mut warnings), warnings)
            })
            .collect();
        for (number, (_, warnings)) in answers.iter().enumerate() {
            let body = BodyId(number as u32);
            for what in warnings {
                let is_told = |known: &Warning| known.body == body && known.what == *what;
                if !self.report.warnings.iter().any(is_told) {
                    self.report.warnings.push(Warning { body, tick: now.tick, what: what.clone() });
                }
            }
        }
        // The first body's complaint, not the first thread's.
        Ok(answers.into_iter().try_for_each(|(asked, _)| asked)?)
    }

    /// What directors that have weight measure at a state that a step has led to.
    pub(crate) fn measure(&mut self, state: &StageState) {
        let now = self.clock.instant(state.tick);
        let (with_obstacles, body_contacts) = (self.contacts.with_obstacles(), self.contacts.between_bodies());
        for (number, (body, director_states)) in self.bodies.iter().zip(&state.director_states).enumerate() {
            let (id, contacts) = (BodyId(number as u32), &with_obstacles[number][..]);
            let own = &state.bodies[number];
            let force_arm = body.method.force_arm(|| is_free(id, contacts, body_contacts));
            let seen =
                Seen { body: id, flesh: &body.flesh, state: own, contacts, body_contacts, input: &[], force_arm };
            for (setup, memory) in body.directors.iter().zip(director_states) {
                let weight = setup.weight.value(now.end_frame);
                if weight > 0.0 {
                    let mut out = Measures::new(id, &setup.name, weight, &mut self.report.measures);
                    setup.director.measure(now, &seen, memory, &mut out);
                }
            }
        }
    }
}

/// Whether a body touches neither an obstacle nor another body.
fn is_free(body: BodyId, contacts: &[Contact], body_contacts: &[BodyContact]) -> bool {
    let touches = |contact: &BodyContact| [contact.vertex.body, contact.face.body].contains(&body);
    contacts.is_empty() && !body_contacts.iter().any(touches)
}

/// Asks every director of a body that has weight now.
fn ask_body(
    body: &StageBody,
    seen: &Seen<'_>,
    director_states: &mut [DirectorState],
    now: &Now,
    cues: &mut Cues,
    warnings: &mut Vec<String>,
) -> Result<(), CueError> {
    cues.clear();
    for (director, memory) in body.directors.iter().zip(&mut *director_states) {
        let weight = director.weight.value(now.end_frame);
        if weight > 0.0 {
            let told = warnings.len();
            let mut writer = CueWriter::new(&body.flesh, cues, weight).warning_to(warnings);
            director.director.cue(*now, seen, memory, &mut writer)?;
            for what in &mut warnings[told..] {
                *what = format!("director {:?}: {what}", director.name);
            }
        }
    }
    warnings.extend(broken_rest_shape(&body.flesh, cues));
    if cues.not_finite().is_none() { Ok(()) } else { Err(whose_fault(body, seen, director_states, now, cues)) }
}

/// What has less than this share of its volume in another rest shape counts as flat.
const FLAT_REST: f64 = 1e-3;

/// Names the tetrahedra that the asked rest shape turns inside out or flattens: no solver can follow them there.
fn broken_rest_shape(flesh: &Flesh, cues: &Cues) -> Option<String> {
    let Cells::Tets(tets) = &flesh.cells else { return None };
    if cues.rest_offset.is_empty() {
        return None;
    }
    let volume = |tet: &[u32; 4], at: &dyn Fn(usize) -> DVec3| {
        let [a, b, c, d] = tet.map(|corner| at(corner as usize));
        (b - a).cross(c - a).dot(d - a)
    };
    let is_broken =
        |tet: &&[u32; 4]| volume(tet, &|i| cues.rest(flesh, i)) < FLAT_REST * volume(tet, &|i| flesh.rest[i]);
    let mut broken = tets.iter().filter(is_broken);
    let first = broken.next()?.map(|corner| flesh.file_order[corner as usize]);
    let [a, b, c, d] = first;
    Some(format!(
        "the rest shape it is asked for turns {} of {} tetrahedra inside out or flattens them, the first being {a} {b} {c} {d}; \
         ask for less, or mesh it finer there",
        1 + broken.count(),
        tets.len()
    ))
}

/// Which director it was that asked for a number that is not finite: they are asked again, one after the other. What their
/// states say by then does not matter, since the step is taken back.
fn whose_fault(
    body: &StageBody,
    seen: &Seen<'_>,
    director_states: &mut [DirectorState],
    now: &Now,
    cues: &mut Cues,
) -> CueError {
    cues.clear();
    for (director, memory) in body.directors.iter().zip(director_states) {
        let weight = director.weight.value(now.end_frame);
        if weight > 0.0 {
            let asked = director.director.cue(*now, seen, memory, &mut CueWriter::new(&body.flesh, cues, weight));
            let what = cues.not_finite();
            if let (Ok(()), Some(what)) = (asked, what) {
                return CueError::NotFinite { body: body.name.clone(), director: director.name.clone(), what };
            }
        }
    }
    CueError::NotFinite { body: body.name.clone(), director: "all together".to_owned(), what: "sum" }
}
