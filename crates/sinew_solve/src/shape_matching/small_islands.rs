//! Islands of a few bodies, with their contacts.

use crate::BodyContact;
use crate::contact::{CONTACT, IslandMap};

/// Islands of up to `CONTACT.rigid_newton.max_bodies` bodies. Scratch.
#[derive(Default)]
pub(super) struct SmallIslands {
    counts: Vec<u32>,
    /// By the name of an island, which of the small ones it is.
    number_of: Vec<u32>,
    members: Lists,
    touching: Lists,
}

/// One of them: its bodies and the contacts between bodies that are its own, by number, both rising.
pub(super) struct SmallIsland<'a> {
    pub(super) members: &'a [u32],
    pub(super) touching: &'a [u32],
}

/// Not one of them.
const NONE: u32 = u32::MAX;

impl SmallIslands {
    /// A contact with a body that cannot move is the island's of the other one. A body alone is an island if it `stands_alone`.
    pub(super) fn find(
        &mut self,
        islands: &IslandMap,
        touching: &[BodyContact],
        can_move: impl Fn(usize) -> bool,
        stands_alone: impl Fn(usize) -> bool,
    ) {
        let Self { counts, number_of, members, touching: own, .. } = self;
        islands.count_into(counts);
        let mut small = 0;
        number_of.clear();
        number_of.extend(counts.iter().enumerate().map(|(island, count)| {
            let is_small = match count {
                // An island has the name of one of its bodies.
                1 => stands_alone(island),
                _ => (2..=CONTACT.rigid_newton.max_bodies).contains(count),
            };
            small += u32::from(is_small);
            if is_small { small - 1 } else { NONE }
        }));
        let number_of = |body: usize| number_of[islands.of(body)];
        members.fill(small, (0..counts.len()).map(number_of));
        own.fill(
            small,
            touching.iter().map(|contact| {
                let [mine, theirs] = [contact.vertex.body, contact.face.body].map(|body| body.0 as usize);
                match (mine == theirs, can_move(mine)) {
                    (true, _) => NONE,
                    (false, true) => number_of(mine),
                    (false, false) => number_of(theirs),
                }
            }),
        );
    }

    pub(super) fn all(&self) -> impl Iterator<Item = SmallIsland<'_>> {
        self.members.all().zip(self.touching.all()).map(|(members, touching)| SmallIsland { members, touching })
    }
}

/// Numbers in lists, one after another.
#[derive(Default)]
struct Lists {
    ends: Vec<u32>,
    items: Vec<u32>,
}

impl Lists {
    /// Makes `count` lists of the numbers of `places`, each in the list that it names.
    fn fill(&mut self, count: u32, places: impl Iterator<Item = u32> + Clone) {
        let Self { ends, items } = self;
        ends.clear();
        ends.resize(count as usize, 0);
        places.clone().filter(|&list| list != NONE).for_each(|list| ends[list as usize] += 1);
        let mut sum = 0;
        for end in &mut *ends {
            (*end, sum) = (sum, sum + *end);
        }
        items.clear();
        items.resize(sum as usize, 0);
        // Beginnings become ends as lists are filled.
        for (number, list) in places.enumerate().filter(|(_, list)| *list != NONE) {
            let end = &mut ends[list as usize];
            items[*end as usize] = number as u32;
            *end += 1;
        }
    }

    fn all(&self) -> impl Iterator<Item = &[u32]> {
        let first = |number: usize| if number == 0 { 0 } else { self.ends[number - 1] as usize };
        self.ends.iter().enumerate().map(move |(number, &end)| &self.items[first(number)..end as usize])
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
    fn each_has_its_own_contacts_and_what_cannot_move_joins_nothing() {
        // Body 0 is held; 2 and 5 lie on each other and on it, 1 and 3 on each other, 4 on the held one alone, and 6 stands by itself.
        let contacts = [between(5, 2), between(3, 1), between(0, 5), between(4, 0), between(2, 2), between(2, 0)];
        let can_move = |body: usize| body != 0;
        let (mut islands, mut small) = (IslandMap::default(), SmallIslands::default());
        for _ in 0..2 {
            islands.find(7, &contacts, can_move);
            small.find(&islands, &contacts, can_move, |body| body == 6);
            let found: Vec<_> = small.all().map(|island| (island.members.to_vec(), island.touching.to_vec())).collect();
            assert_eq!(found, [(vec![1, 3], vec![1]), (vec![2, 5], vec![0, 2, 5]), (vec![6], vec![])]);
        }
    }
}
