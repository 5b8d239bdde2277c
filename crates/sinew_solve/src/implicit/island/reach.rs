//! Midpoint steps of bodies that are near something and do not reach it.
//!
//! Contacts are foreseen: many of those of a step stay open, and an open contact does nothing. In contact steps are Euler's, since the midpoint rule would throw bodies
//! back from what they touch. So a body whose contacts are all open is first stepped by the midpoint rule as if it were alone. Where it ends outside of all that was
//! foreseen, that is its step. Otherwise it is stepped anew, with the others that touch something.

use super::{Island, IslandScratch, Member};
use crate::implicit::Implicit;
use crate::solver::is_set;
use crate::{BodyContact, BodyState, Contact};
use std::borrow::Cow;

/// A body that has been stepped as if it were alone.
struct Alone<'a, S: Implicit> {
    member: Member<'a, S>,
    start: BodyState,
}

impl<'a, S: Implicit> Alone<'a, S> {
    fn step(mut member: Member<'a, S>) -> Self {
        let start = member.state.clone();
        let mut without_contacts = member.without_contacts();
        without_contacts.go_half_way();
        Island { members: vec![without_contacts], scratch: &mut IslandScratch::default() }.step_once();
        Self { member, start }
    }

    fn reaches_an_obstacle(&self) -> bool {
        let Self { member, .. } = self;
        let anchors = &S::model(member.body).flesh.anchors;
        member.contacts.iter().any(|contact| contact.gap_at(anchors.at(contact.at, &member.state.x)) < 0.0)
    }

    /// The body before its step.
    fn taken_back(self) -> Member<'a, S> {
        *self.member.state = self.start;
        self.member
    }
}

impl<S: Implicit> Member<'_, S> {
    fn without_contacts(&mut self) -> Member<'_, S> {
        Member {
            number: self.number,
            scratch: &mut *self.scratch,
            state: &mut *self.state,
            body: self.body,
            cues: Cow::Borrowed(self.at_end),
            at_end: self.at_end,
            contacts: &[],
            touching: &[],
            h: self.h,
            force_arm: self.force_arm,
            stop: self.stop,
            first: 0,
        }
    }
}

impl<'a, S: Implicit> Island<'a, S> {
    /// Steps bodies that reach nothing each for itself, and the others with the contacts between them.
    pub(super) fn step_by_reach(&mut self) {
        let is_open: Vec<bool> = self.members.iter().map(|member| self.is_open(member)).collect();
        if !is_open.contains(&true) {
            return self.step_once();
        }
        let foreseen = std::mem::take(&mut self.scratch.contacts);
        let mut alone = Vec::new();
        for (member, is_open) in std::mem::take(&mut self.members).into_iter().zip(is_open) {
            if is_open { alone.push(Alone::step(member)) } else { self.members.push(member) }
        }
        let reached = reached(&foreseen, &alone, &[]);
        self.take_back(&mut alone, |one| one.reaches_an_obstacle() || reached.contains(&one.member.number));
        while !self.members.is_empty() && !is_set(self.stop()) {
            let starts: Vec<BodyState> = self.members.iter().map(|member| member.state.clone()).collect();
            let between = |contact: &&BodyContact| ends_of(contact, &self.members).is_some();
            self.scratch.contacts = foreseen.iter().filter(between).copied().collect();
            self.step_once();
            let reached = self::reached(&foreseen, &alone, &self.members);
            if reached.is_empty() {
                break;
            }
            self.members.iter_mut().zip(starts).for_each(|(member, start)| *member.state = start);
            self.take_back(&mut alone, |one| reached.contains(&one.member.number));
        }
    }

    /// Whether the midpoint rule is worth a try: all that was foreseen for a body is open as the step begins.
    fn is_open(&self, member: &Member<'_, S>) -> bool {
        let anchors = &S::model(member.body).flesh.anchors;
        let to_obstacle =
            |contact: &Contact| contact.gap_before(anchors.at(contact.at, &member.state.x), member.h) > 0.0;
        let to_body = |contact: &BodyContact| {
            !is_of(contact, member.number)
                || ends_of(contact, &self.members).is_none_or(|ends| gap_m(contact, ends) > 0.0)
        };
        S::is_midpoint(member.body)
            && member.contacts.iter().all(to_obstacle)
            && self.scratch.contacts.iter().all(to_body)
    }

    /// Takes back the steps of bodies that were stepped alone and reach something.
    fn take_back(&mut self, alone: &mut Vec<Alone<'a, S>>, reaches: impl Fn(&Alone<'a, S>) -> bool) {
        self.members.extend(alone.extract_if(.., |one| reaches(one)).map(Alone::taken_back));
        self.members.sort_unstable_by_key(|member| member.number);
    }
}

/// The bodies that were stepped alone and have reached each other or one of `others`.
fn reached<S: Implicit>(foreseen: &[BodyContact], alone: &[Alone<'_, S>], others: &[Member<'_, S>]) -> Vec<usize> {
    let state = |body: u32| {
        let own = alone.iter().map(|one| &one.member).find(|member| member.number == body as usize);
        own.or_else(|| others.iter().find(|member| member.number == body as usize)).map(|member| &*member.state)
    };
    let mut numbers = Vec::new();
    for contact in foreseen {
        let [vertex, face] = [contact.vertex.body.0, contact.face.body.0];
        let (Some(a), Some(b)) = (state(vertex), state(face)) else { continue };
        if gap_m(contact, [a, b]) < 0.0 {
            let ends = [vertex, face].map(|body| body as usize);
            numbers.extend(alone.iter().map(|one| one.member.number).filter(|number| ends.contains(number)));
        }
    }
    numbers
}

fn is_of(contact: &BodyContact, number: usize) -> bool {
    [contact.vertex.body, contact.face.body].iter().any(|body| body.0 as usize == number)
}

/// The states of both bodies of a contact, where both are among these.
fn ends_of<'m, S: Implicit>(contact: &BodyContact, members: &'m [Member<'_, S>]) -> Option<[&'m BodyState; 2]> {
    let state = |body: u32| {
        let place = members.binary_search_by_key(&(body as usize), |member| member.number).ok()?;
        Some(&*members[place].state)
    };
    Some([state(contact.vertex.body.0)?, state(contact.face.body.0)?])
}

fn gap_m(contact: &BodyContact, [vertex, face]: [&BodyState; 2]) -> f64 {
    contact.gap_at(contact.vertex.at(&vertex.x), contact.face.at(&face.x))
}
