//! How deep bodies lay in each other and in obstacles when an interval began: found once, for all that ask, and only where somebody does.

use crate::StageBody;
use sinew_solve::{BodyContact, BodyState, Contact};
use std::sync::OnceLock;

/// What is known of the present interval.
#[derive(Debug, Default)]
pub(crate) struct LazyPressed(OnceLock<Pressed>);

/// The least gap of each body over its contacts, infinite without any; gaps that are no numbers are passed over.
#[derive(Debug)]
pub(crate) struct Pressed {
    with_obstacles_m: Vec<f64>,
    with_bodies_m: Vec<f64>,
}

impl LazyPressed {
    /// Another interval begins.
    pub(crate) fn forget(&mut self) {
        self.0.take();
    }

    /// Of bodies that began at `before`, with the contacts that were found there.
    pub(crate) fn of(
        &self,
        bodies: &[StageBody],
        before: &[BodyState],
        contacts: &[Vec<Contact>],
        touching: &[BodyContact],
    ) -> &Pressed {
        self.0.get_or_init(|| Pressed::new(bodies, before, contacts, touching))
    }
}

impl Pressed {
    fn new(bodies: &[StageBody], before: &[BodyState], contacts: &[Vec<Contact>], touching: &[BodyContact]) -> Self {
        let least = |least: f64, gap_m: f64| if gap_m < least { gap_m } else { least };
        let with_obstacle = |((body, before), contacts): ((&StageBody, &BodyState), &Vec<Contact>)| {
            let gap_m = |contact: &Contact| contact.gap_at(body.flesh.anchors.at(contact.at, &before.x));
            contacts.iter().map(gap_m).fold(f64::INFINITY, least)
        };
        let with_obstacles_m = bodies.iter().zip(before).zip(contacts).map(with_obstacle).collect();
        let mut with_bodies_m = vec![f64::INFINITY; bodies.len()];
        for contact in touching {
            let [vertex, face] = [&contact.vertex, &contact.face].map(|spot| spot.body.0 as usize);
            let gap_m = contact.gap_at(contact.vertex.at(&before[vertex].x), contact.face.at(&before[face].x));
            for body in [vertex, face] {
                with_bodies_m[body] = least(with_bodies_m[body], gap_m);
            }
        }
        Self { with_obstacles_m, with_bodies_m }
    }

    pub(crate) fn gap_with_obstacles_m(&self, body: usize) -> f64 {
        self.with_obstacles_m[body]
    }

    pub(crate) fn gap_with_bodies_m(&self, body: usize) -> f64 {
        self.with_bodies_m[body]
    }
}
