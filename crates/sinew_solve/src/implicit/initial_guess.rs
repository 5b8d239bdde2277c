//! The initial guess of Newton's method.
//!
//! There are few iterations, and friction has kinks: from a good guess the method need not cross them. For what lies on something the
//! best guess is where it is (current), for what slides where its velocity leads (inertial), for what flies where forces lead as well
//! (ballistic). The one with the lowest objective is taken.

use super::Implicit;
use super::island::{Island, Member};

/// Where Newton's method may begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InitialGuess {
    /// Where velocity and outer forces lead.
    Ballistic,
    /// Where velocity alone leads: what slides.
    Inertial,
    /// Where it is: what lies on something, or is pushed hard.
    Current,
    /// Where another method has led.
    Given,
}

impl InitialGuess {
    pub(crate) const ALL: [Self; 3] = [Self::Ballistic, Self::Inertial, Self::Current];
}

impl<S: Implicit> Island<'_, S> {
    /// The first guess: for each body the one that is best for it alone, or for all of them the same one. What lies on others would fly into
    /// them; what slides coasts. Friction goes by what presses where bodies are.
    pub(super) fn choose_initial_guess(&mut self) {
        for member in &mut self.members {
            member.start_from(InitialGuess::Current);
            let (at, scratch) = member.split();
            scratch.unknowns_mut().find_pressing(S::model(at.body), &at);
        }
        self.find_springs();
        if self.is_given() {
            self.members.iter_mut().for_each(|member| member.start_from(InitialGuess::Given));
            let given = self.objective();
            self.members.iter_mut().for_each(|member| member.start_from(InitialGuess::Current));
            if given <= self.objective() {
                return self.members.iter_mut().for_each(|member| member.start_from(InitialGuess::Given));
            }
            // The other method went uphill: what it found is no measure of anything.
            self.members.iter_mut().for_each(|member| member.scratch.unknowns_mut().give(std::iter::empty()));
        }
        let own: Vec<InitialGuess> = self.members.iter_mut().map(Member::choose_own_guess).collect();
        let is_classic = self.members.iter().all(|member| S::params(member.body).iterations == 1);
        if self.scratch.contacts.is_empty() || is_classic {
            if !is_classic {
                self.members.iter_mut().for_each(Member::try_rigid_guess);
            }
            return;
        }
        let mut least = (self.objective(), None);
        for guess in [InitialGuess::Inertial, InitialGuess::Current] {
            self.members.iter_mut().for_each(|member| member.start_from(guess));
            let objective = self.objective();
            if objective < least.0 {
                least = (objective, Some(guess));
            }
        }
        for (member, own) in self.members.iter_mut().zip(own) {
            member.start_from(least.1.unwrap_or(own));
        }
    }
}

impl<S: Implicit> Member<'_, S> {
    pub(super) fn start_from(&mut self, guess: InitialGuess) {
        let (at, scratch) = self.split();
        scratch.unknowns_mut().start_from(S::model(at.body), &at, guess);
        scratch.has_moved();
    }

    /// Begins where the body would be if it were rigid, if the objective is less there.
    fn try_rigid_guess(&mut self) {
        let (at, scratch) = self.split();
        if !scratch.unknowns().constraints.is_empty() {
            return;
        }
        let before = scratch.objective(&at);
        let chosen = scratch.unknowns().moved.clone();
        let of = S::model(at.body);
        scratch.unknowns_mut().start_from(of, &at, InitialGuess::Current);
        scratch.unknowns_mut().solve_rigid(of, &at);
        scratch.has_moved();
        let is_better = scratch.objective(&at) < before;
        if !is_better {
            scratch.unknowns_mut().moved = chosen;
            scratch.has_moved();
        }
    }

    /// Begins where the body's own objective is least.
    fn choose_own_guess(&mut self) -> InitialGuess {
        let initial_guesses = S::initial_guesses(&self.at());
        let mut least = (f64::INFINITY, initial_guesses[0]);
        for &guess in initial_guesses {
            self.start_from(guess);
            let (at, scratch) = self.split();
            let objective = if initial_guesses.len() == 1 { 0.0 } else { scratch.objective(&at) };
            if objective < least.0 {
                least = (objective, guess);
            }
        }
        if initial_guesses.last() != Some(&least.1) {
            self.start_from(least.1);
        }
        least.1
    }
}
