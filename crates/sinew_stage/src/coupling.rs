//! Coupling of solvers: what bodies of different solvers do to each other in a substep.
//!
//! No solver sees the other's bodies, so contact is found from outside, as forces λ, equal and opposite, that both solvers take like any
//! other force. How far apart things end, r(λ), is what the solvers say: a step is solved, λ is mended by projected gradients
//! λ ← proj(λ − s D r), each contact with the mass behind it (D) and all with one length s (Barzilai, Borwein: "Two-point step size gradient
//! methods", IMA J. Numer. Anal. 8, 1988, eqs. 4 and 5), onto Coulomb's cone; then the step is solved again from where it began, until nothing is
//! deeper than `CONTACT.coupling.converged_depth` or it was solved `CONTACT.coupling.max_iterations` times. Stiff flesh needs it: a vertex carries the weight of all that leans on it, of which
//! its own mass knows nothing. The first λ is what rigid bodies would carry (`warm_start.rs`). What λ does to a shape-matched body that is stiffer than matching
//! moves it as one (`rigid_load.rs`).

use crate::StageBody;
use crate::groups::inverse_mass;
use crate::rigid_load::RigidLoads;
use crate::warm_start::RigidWarmStart;
use sinew_math::DVec3;
use sinew_solve::contact::{CONTACT, Spot};
use sinew_solve::{BodyContact, BodyId, BodyState, Cues};

/// Contacts between bodies of different solvers in one interval, and the forces of them.
#[derive(Default)]
pub(crate) struct Coupling {
    contacts: Vec<Row>,
    /// Forces of directors, by body: what λ is added to.
    own: Vec<Vec<DVec3>>,
    rigid_loads: RigidLoads,
    iteration: usize,
    length: f64,
    h_secs: f64,
}

struct Row {
    contact: BodyContact,
    number: usize,
    /// What a force moves it by in an interval, were its vertices free, is h²/D of this.
    mass_kg: f64,
    /// How deep it may end.
    least_m: f64,
    deep_m: f64,
    /// How far the vertex was from the face when the interval began.
    first: DVec3,
    force_n: DVec3,
    /// Its residual at the end with that force: along the normal below 0 is too deep; across it, what it slid.
    residual_m: DVec3,
    before: Option<(DVec3, DVec3)>,
}

impl Coupling {
    pub(crate) fn clear(&mut self) {
        self.contacts.clear();
    }

    /// `number` is its place among all contacts between bodies.
    pub(crate) fn push(&mut self, contact: BodyContact, number: usize) {
        let zero = DVec3::ZERO;
        let (force_n, residual_m, before) = (zero, zero, None);
        self.contacts.push(Row {
            contact,
            number,
            mass_kg: 0.0,
            least_m: 0.0,
            deep_m: 0.0,
            first: zero,
            force_n,
            residual_m,
            before,
        });
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.contacts.is_empty()
    }

    /// Forces of directors on a body to which λ is added in this interval.
    pub(crate) fn own_forces(&self, body: usize) -> Option<&[DVec3]> {
        let own = self.own.get(body).filter(|own| !self.is_empty() && !own.is_empty());
        own.map(Vec::as_slice)
    }

    /// Whether a contact is about one of these bodies.
    pub(crate) fn touches(&self, bodies: &std::ops::Range<usize>) -> bool {
        self.contacts.iter().any(|row| row.spots().iter().any(|spot| bodies.contains(&(spot.body.0 as usize))))
    }

    /// First forces, found as if bodies were rigid. `cues` hold what directors ask for.
    pub(crate) fn begin(&mut self, warm_start: &RigidWarmStart<'_>) {
        (self.iteration, self.length, self.h_secs) = (0, 1.0, warm_start.h_secs);
        let size = |body: BodyId| warm_start.bodies[body.0 as usize].flesh.size_m();
        let forces = warm_start.forces();
        self.contacts.retain_mut(|row| {
            row.force_n = forces[row.number];
            row.begin(warm_start.states, |spot| inverse_mass(warm_start.groups, spot), size)
        });
        let touched = self.contacts.iter().flat_map(Row::spots).map(|spot| spot.body.0 as usize);
        self.rigid_loads.begin(warm_start, touched);
    }

    /// Measures where a step has led. True where that is good enough, or there is no more time; else forces are mended, and the step is to
    /// be solved again.
    pub(crate) fn has_converged(&mut self, states: &[BodyState], cues: &mut [Cues]) -> bool {
        self.iteration += 1;
        self.contacts.iter_mut().for_each(|row| row.measure(states));
        let h_secs = self.h_secs;
        if self.iteration == CONTACT.coupling.max_iterations
            || self.contacts.iter().all(|row| row.error_m(h_secs) < row.deep_m)
        {
            return true;
        }
        self.find_length();
        let length = self.length;
        self.contacts.iter_mut().for_each(|row| row.correct(length, h_secs));
        self.apply(cues);
        false
    }

    /// Barzilai and Borwein's lengths, from how what is lacking changed with the last change of forces; both in units in which free vertices
    /// would ask for 1 in as many contacts as there are at a vertex.
    fn find_length(&mut self) {
        let (mut force_force, mut force_residual, mut residual_residual) = (0.0, 0.0, 0.0);
        for row in &self.contacts {
            let Some((force, residual)) = row.before else { continue };
            let unit = self.h_secs.powi(2) / row.mass_kg;
            let (force, residual) = (row.force_n - force, row.residual_m - residual);
            force_force += force.length_squared() * unit;
            force_residual += force.dot(residual);
            residual_residual += residual.length_squared() / unit;
        }
        if force_residual > 0.0 {
            let (long, short) = (force_force / force_residual, force_residual / residual_residual);
            self.length = if short < 0.3 * long { short } else { long }.clamp(CONTACT.coupling.min_step_length, 1e6);
        }
    }

    /// Keeps what directors ask for and adds the first forces to it.
    pub(crate) fn apply_first(&mut self, bodies: &[StageBody], cues: &mut [Cues]) {
        self.keep_own_forces(bodies, cues);
        self.apply(cues);
    }

    fn keep_own_forces(&mut self, bodies: &[StageBody], cues: &mut [Cues]) {
        self.own.resize_with(bodies.len(), Vec::new);
        self.own.iter_mut().for_each(Vec::clear);
        for spot in self.contacts.iter().flat_map(Row::spots) {
            let body = spot.body.0 as usize;
            if self.own[body].is_empty() {
                cues[body].force_n.resize(bodies[body].flesh.point_count(), DVec3::ZERO);
                self.own[body].clone_from(&cues[body].force_n);
            }
        }
    }

    fn apply(&mut self, cues: &mut [Cues]) {
        for (own, cues) in self.own.iter().zip(&mut *cues).filter(|(own, _)| !own.is_empty()) {
            cues.force_n.clone_from(own);
        }
        for row in &self.contacts {
            for (spot, sign) in [(row.contact.vertex, 1.0), (row.contact.face, -1.0)] {
                self.rigid_loads.push(&mut cues[spot.body.0 as usize].force_n, &spot, row.force_n * sign);
            }
        }
        self.rigid_loads.spread(cues);
    }
}

impl Row {
    fn spots(&self) -> [Spot; 2] {
        [self.contact.vertex, self.contact.face]
    }

    fn apart(&self, states: &[BodyState]) -> DVec3 {
        let [vertex, face] = self.spots().map(|spot| spot.at(&states[spot.body.0 as usize].x));
        vertex - face
    }

    fn gap_m(&self, apart: DVec3) -> f64 {
        self.contact.gap_at(apart, DVec3::ZERO)
    }

    /// False where nothing can move.
    fn begin(
        &mut self,
        states: &[BodyState],
        inverse_mass: impl Fn(&Spot) -> f64,
        size_m: impl Fn(BodyId) -> f64,
    ) -> bool {
        let spots = self.spots();
        let gain: f64 = spots.iter().map(inverse_mass).sum();
        self.mass_kg = 1.0 / gain;
        self.deep_m = CONTACT.coupling.converged_depth * size_m(spots[0].body).min(size_m(spots[1].body));
        self.first = self.apart(states);
        self.least_m = self.gap_m(self.first).min(0.0) * (1.0 - CONTACT.coupling.repair);
        gain > 0.0
    }

    fn measure(&mut self, states: &[BodyState]) {
        let (apart, n) = (self.apart(states), self.contact.normal);
        let slid = apart - self.first;
        self.residual_m = n * (self.gap_m(apart) - self.least_m) + (slid - n * slid.dot(n));
    }

    fn correct(&mut self, length: f64, h_secs: f64) {
        self.before = Some((self.force_n, self.residual_m));
        self.force_n = self.corrected(length, h_secs);
    }

    /// How far its force is from one that fits where it ended: 0 where it neither pulls, lets through nor holds beyond Coulomb's law.
    fn error_m(&self, h_secs: f64) -> f64 {
        (self.corrected(1.0, h_secs) - self.force_n).length() * h_secs.powi(2) / self.mass_kg
    }

    fn corrected(&self, length: f64, h_secs: f64) -> DVec3 {
        let n = self.contact.normal;
        let wanted = self.force_n - self.residual_m * (length * self.mass_kg / h_secs.powi(2));
        let pressed = wanted.dot(n).max(0.0);
        let across = wanted - n * wanted.dot(n);
        let most = self.contact.friction_against(-across) * pressed;
        let share = if across.length_squared() > most * most { most / across.length() } else { 1.0 };
        n * pressed + across * share
    }
}
