//! Contacts between the bodies of an island, as springs: which of them press, and what they do to both sides.

use super::{Island, IslandScratch, Member};
use crate::BodyContact;
use crate::implicit::{ContactPenalty, Implicit, PenaltyForce, carrying_stiffness};
use sinew_math::{DVec3, Sym3};

/// A contact that presses: the energy ½ q·A q − b·q in the vertex's displacement against the face's.
pub(in crate::implicit) struct Spring {
    pub(in crate::implicit) contact: usize,
    pub(in crate::implicit) matrix: Sym3,
    pull: DVec3,
}

/// What a body may press on others with.
struct Load {
    force_n: f64,
    mass_kg: f64,
    size_m: f64,
}

impl Load {
    fn new<S: Implicit>(member: &Member<'_, S>) -> Self {
        let flesh = S::model(member.body).flesh;
        let force_n = member.cues.force_n.iter().sum::<DVec3>().length();
        Self { force_n, mass_kg: flesh.total_mass_kg(), size_m: flesh.size_m() }
    }

    /// The least stiffness of a contact of two bodies.
    fn carried_by(&self, other: &Self, h: f64, contacts: usize) -> f64 {
        let (load_n, size_m) = (self.force_n.max(other.force_n), self.size_m.min(other.size_m));
        let mass_kg = self.mass_kg * other.mass_kg / (self.mass_kg + other.mass_kg);
        carrying_stiffness(load_n, mass_kg, h, size_m, contacts)
    }
}

impl<S: Implicit> Island<'_, S> {
    /// Contacts as springs between vertex and face.
    pub(super) fn prepare_springs(&mut self) {
        let Self { members, scratch } = self;
        let IslandScratch { contacts, pressing, .. } = &mut **scratch;
        let loads: Vec<Load> = members.iter().map(Load::new).collect();
        pressing.clear();
        let of_two = contacts.chunk_by(|a, b| [a.vertex.body, a.face.body] == [b.vertex.body, b.face.body]);
        pressing.extend(of_two.flat_map(|mates| mates.iter().map(|contact| (contact, mates.len()))).map(
            |(contact, count)| {
                let [mine, theirs] = [&contact.vertex, &contact.face].map(|spot| &members[place(members, spot.body.0)]);
                let start = contact.vertex.at(&mine.state.x) - contact.face.at(&theirs.state.x);
                let [a, b] = [(mine, contact.vertex), (theirs, contact.face)]
                    .map(|(member, spot)| S::contact_stiffness(&member.at(), spot.terms()));
                let first_gap = contact.gap_at(start, DVec3::ZERO);
                let velocity = contact.vertex.at(&mine.state.v) - contact.face.at(&theirs.state.v);
                let mut stiffness = a.with(b);
                if contact.vertex.body != contact.face.body {
                    let [one, two] = [&contact.vertex, &contact.face].map(|spot| &loads[place(members, spot.body.0)]);
                    stiffness = stiffness.at_least(one.carried_by(two, mine.h, count));
                }
                ContactPenalty::between(contact.normal, start, stiffness, first_gap, velocity, mine.h)
            },
        ));
    }

    /// Those that press at the present displacement; friction goes by that from now on.
    pub(in crate::implicit) fn find_springs(&mut self) {
        let Self { members, scratch } = self;
        let IslandScratch { contacts, pressing, springs, .. } = &mut **scratch;
        springs.clear();
        for (number, (contact, spring)) in contacts.iter().zip(pressing).enumerate() {
            let (apart, member) = (apart(members, contact), &members[place(members, contact.vertex.body.0)]);
            spring.update_normal_force(contact.gap_at(apart, DVec3::ZERO));
            spring.follow_slide(apart, member.h, member.scratch.unknowns().is_near);
            if let Some(PenaltyForce { gradient, matrix, .. }) = penalty(members, contact, spring) {
                let pull = matrix * slip(members, contact) - gradient;
                springs.push(Spring { contact: number, matrix, pull });
            }
        }
    }
}

impl Spring {
    pub(super) fn gradient(&self, q: DVec3) -> DVec3 {
        self.matrix * q - self.pull
    }
}

/// The member that is this body of the solver.
pub(super) fn place<S: Implicit>(members: &[Member<'_, S>], body: u32) -> usize {
    members.partition_point(|member| member.number < body as usize)
}

/// How far the vertex has moved from the face's point, against their predictions.
pub(super) fn slip<S: Implicit>(members: &[Member<'_, S>], contact: &BodyContact) -> DVec3 {
    let moved = |body: u32| &members[place(members, body)].scratch.unknowns().moved;
    contact.vertex.at(moved(contact.vertex.body.0)) - contact.face.at(moved(contact.face.body.0))
}

/// Where the vertex is from the face's point.
fn apart<S: Implicit>(members: &[Member<'_, S>], contact: &BodyContact) -> DVec3 {
    let predicted = |body: u32| &members[place(members, body)].scratch.unknowns().predicted;
    let ahead = contact.vertex.at(predicted(contact.vertex.body.0)) - contact.face.at(predicted(contact.face.body.0));
    ahead + slip(members, contact)
}

/// What a contact does at the present displacement.
pub(super) fn penalty<S: Implicit>(
    members: &[Member<'_, S>],
    contact: &BodyContact,
    spring: &ContactPenalty,
) -> Option<PenaltyForce> {
    let (x, h) = (apart(members, contact), members[place(members, contact.vertex.body.0)].h);
    spring.evaluate(x, contact.gap_at(x, DVec3::ZERO), h, |slide, pressed, least| contact.rub(slide, pressed, least))
}

/// Member, degree of freedom and signed weight of everything a contact acts on.
pub(in crate::implicit) fn ends<S: Implicit>(
    members: &[Member<'_, S>],
    contact: &BodyContact,
) -> impl Iterator<Item = (usize, usize, f64)> + Clone + use<S> {
    let [mine, theirs] = [contact.vertex.body, contact.face.body].map(|body| place(members, body.0));
    let vertex = contact.vertex.terms().map(move |(dof, weight)| (mine, dof, weight));
    vertex.chain(contact.face.terms().map(move |(dof, weight)| (theirs, dof, -weight)))
}

/// Adds what contacts between members make of `direction`; their diagonal blocks are in the members' matrices already.
pub(in crate::implicit) fn multiply_springs<S: Implicit>(
    members: &[Member<'_, S>],
    contacts: &[BodyContact],
    springs: &[Spring],
    direction: &[DVec3],
    image: &mut [DVec3],
) {
    let at = |(member, dof, _): (usize, usize, f64)| members[member].first + dof;
    for spring in springs {
        let all = ends(members, &contacts[spring.contact]);
        let whole = all.clone().fold(DVec3::ZERO, |sum, end| sum + direction[at(end)] * end.2);
        for end in all {
            image[at(end)] += spring.matrix * (whole - direction[at(end)] * end.2) * end.2;
        }
    }
}
