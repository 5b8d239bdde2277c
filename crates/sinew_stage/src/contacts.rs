//! Contacts of all bodies in a substep, and who is told of which.
//!
//! Contacts depend on the state alone, so that directors may look at them and a resumed run sees the same. Those between
//! bodies of one solver are that solver's to solve; what bodies of different solvers do to each other is settled by forces on both
//! (`coupling.rs`).

use crate::approach::Approach;
use crate::coupling::Coupling;
use crate::groups::Group;
use crate::warm_start::RigidWarmStart;
use crate::{BodySetup, Method, StageBody};
use rayon::prelude::*;
use sinew_math::DVec3;
use sinew_solve::contact::{
    BodyContactFinder, CONTACT, CollisionBody, ContactSurface, IslandMap, IslandMembers, NearObstacles,
    obstacle_distance_m,
};
use sinew_solve::{BodyContact, BodyId, BodyState, Contact, Cues, Flesh, Friction, Now, Obstacle, Row, StageState};
use std::ops::Range;
use std::sync::Arc;

pub(crate) struct StageContacts {
    finder: BodyContactFinder,
    groups: Vec<Range<usize>>,
    obstacles: Vec<Vec<Contact>>,
    bodies: Vec<BodyContact>,
    island_map: IslandMap,
    islands: IslandMembers,
    /// Of each group, in its own numbers; empty where there is only one group, whose numbers are the stage's.
    within: Vec<Vec<BodyContact>>,
    coupling: Coupling,
    /// Friction of each body now.
    rough: Vec<Friction>,
    /// Size of each body, and the distance it keeps from obstacles.
    sizes_m: Vec<(f64, f64)>,
    /// Points within each body that obstacles hold. Elements resist being turned inside out by themselves.
    inner: Vec<Vec<Row>>,
    approach: Approach,
}

fn inner_points(body: &BodySetup) -> Vec<Row> {
    match body.method {
        Method::ShapeMatching(_) | Method::Springs(_) => body.flesh.inner_points(),
        Method::Fem(_) => Vec::new(),
    }
}

impl StageContacts {
    pub(crate) fn new(
        bodies: &[BodySetup],
        groups: impl Iterator<Item = Range<usize>>,
        tick_secs: f64,
        gravity_m_s2: f64,
    ) -> Self {
        let groups: Vec<Range<usize>> = groups.collect();
        let mut surfaces: Vec<(Arc<Flesh>, Option<Arc<ContactSurface>>)> = Vec::new();
        let alone = bodies.len() < 2 && !bodies.iter().any(|body| body.touches_itself);
        let mut touching = |body: &BodySetup| {
            let known = surfaces.iter().find(|(flesh, _)| Arc::ptr_eq(flesh, &body.flesh)).map(|(_, s)| s.clone());
            let surface = known.unwrap_or_else(|| {
                let made = if alone { None } else { ContactSurface::new(&body.flesh).map(Arc::new) };
                surfaces.push((body.flesh.clone(), made.clone()));
                made
            });
            CollisionBody { surface, touches_itself: body.touches_itself }
        };
        Self {
            finder: BodyContactFinder::new(bodies.iter().map(&mut touching).collect()),
            within: vec![Vec::new(); groups.len()],
            groups,
            obstacles: vec![Vec::new(); bodies.len()],
            bodies: Vec::new(),
            island_map: IslandMap::default(),
            islands: IslandMembers::default(),
            coupling: Coupling::default(),
            rough: vec![Friction::default(); bodies.len()],
            sizes_m: bodies.iter().map(|body| (body.flesh.size_m(), obstacle_distance_m(&body.flesh))).collect(),
            inner: bodies.iter().map(inner_points).collect(),
            approach: Approach::new(bodies, tick_secs, gravity_m_s2),
        }
    }

    /// How often an interval of `h_secs`, whose contacts were found, is to be halved.
    pub(crate) fn halvings(&self, bodies: &[StageBody], states: &[BodyState], h_secs: f64) -> u32 {
        let closing = self.finder.most_closing(states, h_secs, self.approach.thicknesses_m());
        let at_obstacles = self.approach.halvings_at_obstacles(bodies, states, &self.obstacles, h_secs);
        at_obstacles.max(self.approach.halvings_between(closing)).max(self.halvings_to_rest(h_secs))
    }

    /// The same for what is so small that it falls far in an interval.
    fn halvings_to_rest(&self, h_secs: f64) -> u32 {
        // Most stages have nothing so small.
        if (0..self.obstacles.len()).all(|body| self.approach.halvings_to_rest(body, h_secs) == 0) {
            return 0;
        }
        let on_obstacles = (0..self.obstacles.len()).filter(|&body| !self.obstacles[body].is_empty());
        let on_bodies = self.bodies.iter().flat_map(|contact| [contact.vertex, contact.face]);
        let touching = on_obstacles.chain(on_bodies.map(|spot| spot.body.0 as usize));
        touching.map(|body| self.approach.halvings_to_rest(body, h_secs)).max().unwrap_or(0)
    }

    /// How strong gravity is.
    pub(crate) fn gravity_m_s2(&self) -> f64 {
        self.approach.gravity_m_s2()
    }

    /// The speed at which each body runs into something at most.
    pub(crate) fn most_speeds(&self) -> &[f64] {
        self.approach.most_speeds()
    }

    pub(crate) fn with_obstacles(&self) -> &[Vec<Contact>] {
        &self.obstacles
    }

    pub(crate) fn between_bodies(&self) -> &[BodyContact] {
        &self.bodies
    }

    /// Bodies that touch each other, whatever moves them.
    pub(crate) fn islands(&self) -> &IslandMembers {
        &self.islands
    }

    /// First forces between bodies of different groups, added to what directors ask for.
    pub(crate) fn begin_coupling(
        &mut self,
        bodies: &[StageBody],
        groups: &[Group],
        states: &[BodyState],
        cues: &mut [Cues],
        h_secs: f64,
    ) {
        let (obstacles, contacts) = (&self.obstacles[..], &self.bodies[..]);
        self.coupling.begin(&RigidWarmStart {
            bodies,
            groups,
            states,
            cues,
            obstacles,
            contacts,
            repair: CONTACT.coupling.repair,
            h_secs,
        });
        self.coupling.apply_first(bodies, cues);
    }

    /// What directors push a body with; `cues` also hold the forces of the coupling.
    pub(crate) fn director_forces<'a>(&'a self, body: usize, cues: &'a Cues) -> &'a [DVec3] {
        self.coupling.own_forces(body).unwrap_or(&cues.force_n)
    }

    /// Contacts between bodies of different groups.
    pub(crate) fn coupling(&mut self) -> &mut Coupling {
        &mut self.coupling
    }

    /// Contacts between bodies of one group, in its own numbers.
    pub(crate) fn within(&self, group: usize) -> &[BodyContact] {
        if self.groups.len() == 1 { &self.bodies } else { &self.within[group] }
    }

    pub(crate) fn find(&mut self, bodies: &[StageBody], state: &StageState, obstacles: &[Obstacle], now: &Now) {
        let gravity_m_s2 = self.approach.gravity_m_s2();
        let fixed = self.sizes_m.par_iter().zip(&self.inner);
        let each = self.obstacles.par_iter_mut().zip(&mut self.rough).zip(fixed).zip(bodies).zip(&state.bodies);
        each.for_each(|((((contacts, rough), (size_m, inner)), body), state)| {
            contacts.clear();
            *rough = body.friction.at(now);
            let along = |surface: usize| body.friction_along.at(surface, &state.x);
            let (size_m, keep_m) = *size_m;
            let (flesh, friction, h_secs) = (&*body.flesh, *rough, now.h_secs);
            let near = NearObstacles { flesh, size_m, keep_m, inner, friction, state, h_secs, gravity_m_s2 };
            near.find(obstacles, along, contacts);
        });
        let rough = &self.rough;
        let grip =
            |body: usize, vertex: usize| (rough[body], bodies[body].friction_along.at(vertex, &state.bodies[body].x));
        self.finder.find(&state.bodies, now.h_secs, &grip, &mut self.bodies);
        self.island_map.find(bodies.len(), &self.bodies, |_| true);
        self.island_map.members_into(&mut self.islands);
        self.hand_out();
    }

    fn hand_out(&mut self) {
        self.coupling.clear();
        self.within.iter_mut().for_each(Vec::clear);
        if self.groups.len() == 1 {
            return;
        }
        for (number, contact) in self.bodies.iter().enumerate() {
            let [vertex, face] = [contact.vertex.body, contact.face.body].map(|body| body.0 as usize);
            let group = self.groups.iter().position(|group| group.contains(&vertex) && group.contains(&face));
            let Some(group) = group else {
                self.coupling.push(*contact, number);
                continue;
            };
            let first = self.groups[group].start as u32;
            let mut own = *contact;
            own.vertex.body = BodyId(own.vertex.body.0 - first);
            own.face.body = BodyId(own.face.body.0 - first);
            self.within[group].push(own);
        }
    }
}
