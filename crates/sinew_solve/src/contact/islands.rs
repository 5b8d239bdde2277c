//! Islands: bodies joined by contacts, which are solved together.

use super::BodyContact;

/// The island of each body, named by its lowest member.
#[derive(Debug, Clone, Default)]
pub struct IslandMap {
    of: Vec<usize>,
}

impl IslandMap {
    /// Joins bodies by their contacts, those between two bodies that `joins` says can be joined.
    pub fn find(&mut self, bodies: usize, contacts: &[BodyContact], joins: impl Fn(usize) -> bool) {
        self.of.clear();
        self.of.extend(0..bodies);
        for contact in contacts {
            let [a, b] = [contact.vertex.body, contact.face.body].map(|body| body.0 as usize);
            if a != b && joins(a) && joins(b) {
                let [a, b] = [self.root(a), self.root(b)];
                self.of[a.max(b)] = a.min(b);
            }
        }
        // A body comes after the one it was joined to, so that one pass names them all.
        for body in 0..bodies {
            self.of[body] = self.of[self.of[body]];
        }
    }

    fn root(&self, mut body: usize) -> usize {
        while self.of[body] != body {
            body = self.of[body];
        }
        body
    }

    pub fn of(&self, body: usize) -> usize {
        self.of[body]
    }

    /// Notes which bodies each island has.
    pub fn members_into(&self, members: &mut IslandMembers) {
        let IslandMembers { bodies, ends } = members;
        // How many there are, then where they begin; in the end where they end.
        ends.clear();
        ends.resize(self.of.len(), 0);
        self.of.iter().for_each(|&island| ends[island] += 1);
        let mut begin = 0;
        for end in ends.iter_mut() {
            (*end, begin) = (begin, begin + *end);
        }
        bodies.clear();
        bodies.resize(self.of.len(), 0);
        for (body, &island) in self.of.iter().enumerate() {
            bodies[ends[island]] = body;
            ends[island] += 1;
        }
    }

    /// How many bodies each island has, by its name.
    pub fn count_into(&self, counts: &mut Vec<u32>) {
        counts.clear();
        counts.resize(self.of.len(), 0);
        self.of.iter().for_each(|&island| counts[island] += 1);
    }
}

/// The bodies of each island.
#[derive(Debug, Clone, Default)]
pub struct IslandMembers {
    bodies: Vec<usize>,
    /// Where those of each island end, by its name; numbers that name none have none.
    ends: Vec<usize>,
}

impl IslandMembers {
    /// Islands in the order of their names, each with its bodies in rising order.
    pub fn iter(&self) -> impl Iterator<Item = &[usize]> + '_ {
        let mut begin = 0;
        let island = move |&end: &usize| &self.bodies[std::mem::replace(&mut begin, end)..end];
        self.ends.iter().map(island).filter(|bodies| !bodies.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::Spot;
    use crate::{BodyId, Friction};
    use sinew_math::DVec3;

    fn between(a: u32, b: u32) -> BodyContact {
        let [vertex, face] = [a, b].map(|body| Spot::of_point(BodyId(body), 0));
        let friction = [Friction::even(0.5); 2];
        let (normal, point, along) = (DVec3::Y, DVec3::ZERO, [DVec3::ZERO; 2]);
        BodyContact { vertex, face, normal, thickness_m: 0.0, gap_m: 0.0, point, friction, along }
    }

    #[test]
    fn chains_in_any_order_get_the_name_of_their_lowest_body() {
        let mut islands = IslandMap::default();
        let contacts = [between(6, 5), between(4, 6), between(1, 3), between(5, 2), between(0, 0)];
        islands.find(8, &contacts, |_| true);
        assert_eq!((0..8).map(|body| islands.of(body)).collect::<Vec<_>>(), [0, 1, 2, 1, 2, 2, 2, 7]);
        let mut counts = Vec::new();
        islands.count_into(&mut counts);
        assert_eq!(counts, [1, 2, 4, 0, 0, 0, 0, 1]);
        let mut members = IslandMembers::default();
        islands.members_into(&mut members);
        assert_eq!(members.iter().collect::<Vec<_>>(), [&[0][..], &[1, 3], &[2, 4, 5, 6], &[7]]);
        islands.find(8, &contacts, |body| body != 6);
        assert_eq!((islands.of(4), islands.of(5), islands.of(6)), (4, 2, 6));
    }
}
