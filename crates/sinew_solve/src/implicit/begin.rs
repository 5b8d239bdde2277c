//! Where the search for a step's answer begins.
//!
//! Newton's method has few iterations, and friction has kinks: from a good first guess it need not cross them. What lies on something is best looked for where it
//! lies, what slides where its velocity leads, what flies where forces lead as well; the objective tells which it is.

use super::Implicit;
use super::island::{Island, Member};

/// Where the search for a step's answer may begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Beginning {
    /// Where velocity and outer forces lead.
    Flying,
    /// Where velocity alone leads: what slides.
    Coasting,
    /// Where it is: what lies on something, or is pushed hard.
    Staying,
    /// Where another method has led.
    Given,
}

impl Beginning {
    pub(crate) const ALL: [Self; 3] = [Self::Flying, Self::Coasting, Self::Staying];
}

impl<S: Implicit> Island<'_, S> {
    /// The first guess: for each body the one that is best for it alone, or for all of them the same one. What lies on others would fly into
    /// them; what slides coasts. Friction goes by what presses where bodies are.
    pub(super) fn begin_well(&mut self) {
        for member in &mut self.members {
            member.begin_from(Beginning::Staying);
            let (at, scratch) = member.split();
            scratch.motion_mut().find_pressing(S::stuff(at.body), &at);
        }
        self.find_springs();
        if self.is_given() {
            return self.members.iter_mut().for_each(|member| member.begin_from(Beginning::Given));
        }
        let own: Vec<Beginning> = self.members.iter_mut().map(Member::begin_alone).collect();
        let is_classic = self.members.iter().all(|member| S::params(member.body).iterations == 1);
        if self.scratch.contacts.is_empty() || is_classic {
            return;
        }
        let mut least = (self.objective(), None);
        for beginning in [Beginning::Coasting, Beginning::Staying] {
            self.members.iter_mut().for_each(|member| member.begin_from(beginning));
            let objective = self.objective();
            if objective < least.0 {
                least = (objective, Some(beginning));
            }
        }
        for (member, own) in self.members.iter_mut().zip(own) {
            member.begin_from(least.1.unwrap_or(own));
        }
    }
}

impl<S: Implicit> Member<'_, S> {
    pub(super) fn begin_from(&mut self, beginning: Beginning) {
        let (at, scratch) = self.split();
        scratch.motion_mut().begin_from(S::stuff(at.body), &at, beginning);
        scratch.has_moved();
    }

    /// Begins where the body's own objective is least.
    fn begin_alone(&mut self) -> Beginning {
        let beginnings = S::beginnings(&self.at());
        let mut least = (f64::INFINITY, beginnings[0]);
        for &beginning in beginnings {
            self.begin_from(beginning);
            let (at, scratch) = self.split();
            let objective = if beginnings.len() == 1 { 0.0 } else { scratch.objective(&at) };
            if objective < least.0 {
                least = (objective, beginning);
            }
        }
        if beginnings.last() != Some(&least.1) {
            self.begin_from(least.1);
        }
        least.1
    }
}
