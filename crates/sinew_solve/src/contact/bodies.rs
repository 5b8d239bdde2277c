//! Contacts between bodies, found once per substep where they are expected at its end.
//!
//! Place every body; broad phase over their boxes; narrow phase: look up the surface vertices of its neighbours in the cells of every
//! body; find their penetration exits. Sheets go by CCD. Each stage writes one slot per body, so that
//! the result does not depend on threads; nothing is allocated once all buffers have grown.

use super::Friction;
use super::between::{Answers, Between, Interval};
use super::boxes::Bounds;
use super::broad_phase::BroadPhase;
use super::edges::PlacedEdges;
use super::narrow_phase::{NarrowPhase, NarrowPhaseBody};
use super::narrow_phase_cells::CellChunks;
use super::pair::BodyContact;
use super::placed::{Placed, Prediction};
use super::surface::{ContactSurface, small};
use super::swept_bounds::SweptBounds;
use crate::BodyState;
use crate::simd::Path;
use rayon::prelude::*;
use sinew_math::DVec3;
use std::sync::Arc;

/// What the finder must know about a body.
#[derive(Debug, Clone)]
pub struct CollisionBody {
    /// None: it touches obstacles only.
    pub surface: Option<Arc<ContactSurface>>,
    /// Whether it may touch itself.
    pub touches_itself: bool,
}

/// Finds contacts between bodies.
pub struct BodyContactFinder {
    bodies: Vec<PlacedBody>,
    /// Beside the bodies, because each is made from what others look like.
    near: Vec<Option<Near>>,
    path: Path,
    broad_phase: BroadPhase,
    boxes: Vec<Bounds>,
    neighbours: Vec<Vec<u32>>,
    chunks: CellChunks,
    found: Vec<Answers>,
}

/// What of a body is near others.
pub(super) struct Near {
    pub(super) cells: NarrowPhase,
    pub(super) edges: PlacedEdges,
    /// Where a sheet is about.
    pub(super) swept: SweptBounds,
}

/// A body with its scratch.
pub(super) struct PlacedBody {
    pub(super) fixed: CollisionBody,
    pub(super) placed: Option<Placed>,
}

/// Friction and the forward direction (unit, or zero) at a body's surface vertex, by body and vertex.
pub(super) type Grip<'a> = dyn Fn(usize, usize) -> (Friction, DVec3) + Sync + 'a;

/// Bodies below this many points together are not worth sharing among threads.
const PARALLEL_POINTS: usize = 2048;

impl BodyContactFinder {
    pub fn new(bodies: Vec<CollisionBody>) -> Self {
        let touching = |fixed: CollisionBody| PlacedBody { placed: fixed.surface.as_deref().map(Placed::new), fixed };
        let count = bodies.len();
        let near = |surface: &ContactSurface| Near {
            cells: NarrowPhase::new(surface),
            edges: PlacedEdges::new(surface),
            swept: SweptBounds::default(),
        };
        Self {
            near: bodies.iter().map(|body| body.surface.as_deref().map(near)).collect(),
            bodies: bodies.into_iter().map(touching).collect(),
            path: Path::best(),
            broad_phase: BroadPhase::default(),
            boxes: Vec::new(),
            neighbours: vec![Vec::new(); count],
            chunks: CellChunks::default(),
            found: vec![Answers::default(); count],
        }
    }

    /// Contacts in the order of the vertices' bodies, then of the other bodies, then of vertices. `grip` gives friction and
    /// the forward direction (unit, or zero) at a surface vertex of a body.
    pub fn find(&mut self, states: &[BodyState], h_secs: f64, grip: &Grip<'_>, out: &mut Vec<BodyContact>) {
        out.clear();
        if self.bodies.len() < 2 && !self.bodies.iter().any(|body| body.fixed.touches_itself) {
            return;
        }
        let prediction = Prediction::new(states, h_secs);
        self.place(states, &prediction);
        self.broad_phase.neighbours(&self.boxes, &mut self.neighbours);
        let interval = Interval { states, prediction, grip };
        self.prepare(&interval);
        self.search(&interval, out);
    }

    /// How far two bodies that may meet in the interval close in on each other, at most, in units of the thinner one's thickness; 0 where that is less
    /// than 1. Boxes around both, swept along their mean velocities, tell whether they may meet. To be asked after [`Self::find`].
    pub fn most_closing(&self, states: &[BodyState], h_secs: f64, thickness_m: &[f64]) -> f64 {
        let way_m = |body: usize| self.bodies[body].placed.as_ref().map_or(0.0, |placed| f64::from(placed.way_m));
        let thinnest = thickness_m.iter().copied().fold(f64::INFINITY, f64::min);
        if self.bodies.len() < 2 || (0..self.bodies.len()).all(|body| 2.0 * way_m(body) <= thinnest) {
            return 0.0;
        }
        let courses: Vec<Option<Course>> =
            self.bodies.iter().zip(states).map(|(body, state)| Course::new(body.placed.as_ref()?, state)).collect();
        let mut most = 0.0f64;
        for (number, one) in courses.iter().enumerate() {
            for (other, two) in courses.iter().enumerate().skip(number + 1) {
                let (Some(one), Some(two)) = (one, two) else { continue };
                let closing = one.closing_m(two, h_secs) / thickness_m[number].min(thickness_m[other]);
                if closing > most.max(1.0) && one.may_meet(two, h_secs) {
                    most = closing;
                }
            }
        }
        most
    }

    fn place(&mut self, states: &[BodyState], at: &Prediction) {
        let path = self.path;
        let place = |(body, state): (&mut PlacedBody, &BodyState)| {
            if let (Some(placed), Some(surface)) = (&mut body.placed, &body.fixed.surface) {
                placed.place(path, surface, state, at);
            }
        };
        if is_parallel(states) {
            self.bodies.par_iter_mut().zip(states).for_each(place);
        } else {
            self.bodies.iter_mut().zip(states).for_each(place);
        }
        self.boxes.clear();
        self.boxes.extend(self.bodies.iter().map(PlacedBody::reach));
    }

    fn prepare(&mut self, at: &Interval<'_>) {
        let Self { bodies, near, neighbours, path, chunks, .. } = self;
        let (bodies, neighbours, path) = (&*bodies, &*neighbours, *path);
        let one = |chunks: &mut CellChunks, (number, near): (usize, &mut Option<Near>)| {
            let body = &bodies[number];
            let itself = body.fixed.touches_itself.then_some(number as u32);
            let others = neighbours[number].iter().copied().chain(itself);
            let placed_others = others.clone().filter_map(|other| bodies[other as usize].placed.as_ref());
            let (Some(Near { cells, edges, swept }), Some(placed), Some(surface)) =
                (near, &body.placed, &body.fixed.surface)
            else {
                return;
            };
            if others.clone().next().is_none() {
                return;
            }
            if !surface.is_sheet {
                let asked = others.clone().map(|other| bodies[other as usize].searched());
                cells.search(path, NarrowPhaseBody { surface, placed }, asked, chunks);
                edges.prepare(path, surface, placed, &placed_others);
            }
            if surface.is_sheet || others.clone().any(|other| bodies[other as usize].is_sheet()) {
                swept.prepare(surface, placed, &at.states[number], &at.prediction);
            }
        };
        if bodies.len() > 1 && rayon::current_num_threads() > 1 {
            near.par_iter_mut().enumerate().for_each_init(CellChunks::default, one);
        } else {
            near.iter_mut().enumerate().for_each(|near| one(chunks, near));
        }
    }

    fn search(&mut self, at: &Interval<'_>, out: &mut Vec<BodyContact>) {
        let Self { bodies, near, path, neighbours, found, .. } = self;
        let (bodies, near, neighbours, path) = (&*bodies, &*near, &*neighbours, *path);
        let one = |number: usize, answers: &mut Answers| {
            let itself = bodies[number].fixed.touches_itself.then_some(number as u32);
            for other in neighbours[number].iter().copied().chain(itself) {
                Between { at, bodies, near, neighbours, vertices: number, cells_of: other as usize }
                    .find(path, answers);
            }
        };
        if is_parallel(at.states) {
            found.par_iter_mut().enumerate().for_each(|(number, answers)| {
                answers.contacts.clear();
                one(number, answers);
            });
            found.iter().for_each(|answers| out.extend_from_slice(&answers.contacts));
        } else if let Some(answers) = found.first_mut() {
            std::mem::swap(&mut answers.contacts, out);
            (0..bodies.len()).for_each(|number| one(number, answers));
            std::mem::swap(&mut answers.contacts, out);
        }
    }
}

fn is_parallel(states: &[BodyState]) -> bool {
    rayon::current_num_threads() > 1 && states.iter().map(|state| state.x.len()).sum::<usize>() >= PARALLEL_POINTS
}

/// Where a body goes as a whole.
struct Course<'a> {
    placed: &'a Placed,
    velocity: DVec3,
    /// The fastest of its points against that.
    spread: f64,
}

impl<'a> Course<'a> {
    fn new(placed: &'a Placed, state: &BodyState) -> Option<Self> {
        let velocity = state.v.iter().sum::<DVec3>() / state.v.len().max(1) as f64;
        let spread = state.v.iter().map(|v| v.distance_squared(velocity)).fold(0.0, f64::max).sqrt();
        Some(Self { placed, velocity, spread })
    }

    /// As wholes: what writhes among its like is not fast.
    fn closing_m(&self, other: &Self, h_secs: f64) -> f64 {
        self.velocity.distance(other.velocity) * h_secs
    }

    /// Whether the boxes meet anywhere on the way.
    fn may_meet(&self, other: &Self, h_secs: f64) -> bool {
        let back = small((other.velocity - self.velocity) * h_secs);
        let grown = ((self.spread + other.spread) * h_secs) as f32 + self.placed.margin_m + other.placed.margin_m;
        self.placed.bounds.swept(back).grown(grown).meets(&other.placed.bounds)
    }
}

impl PlacedBody {
    /// The box in which others are of interest; a sheet may have come through them.
    fn reach(&self) -> Bounds {
        let way_m = |placed: &Placed| if self.is_sheet() { placed.way_m } else { 0.0 };
        let grown = |placed: &Placed| placed.bounds.grown(placed.margin_m + way_m(placed));
        self.placed.as_ref().map_or(Bounds::NOTHING, grown)
    }

    pub(super) fn searched(&self) -> Option<NarrowPhaseBody<'_>> {
        Some(NarrowPhaseBody { surface: self.fixed.surface.as_deref()?, placed: self.placed.as_ref()? })
    }

    pub(super) fn is_sheet(&self) -> bool {
        self.fixed.surface.as_ref().is_some_and(|surface| surface.is_sheet)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Flesh, Memory};
    use sinew_geom::structured::bar;
    use sinew_math::dvec3;

    /// A heap of bars that move into each other: the same contacts in the same order on every path, on one thread and on several, and with a finder that has
    /// been used before, however little is left of what it found then.
    #[test]
    fn contacts_depend_on_the_state_alone() {
        let flesh = Flesh::from_tets(bar(dvec3(0.6, 0.1, 0.1), [24, 4, 4]), 1000.0).unwrap();
        let surface = Arc::new(ContactSurface::new(&flesh).unwrap());
        let body = CollisionBody { surface: Some(surface), touches_itself: false };
        let states = |step: f64| -> Vec<BodyState> {
            let placed = |i: usize| {
                let mut state = BodyState::at_rest(&flesh, Memory::Fem { rotation: Vec::new() });
                let (sine, cosine) = (0.7 * i as f64 + 0.3 * step).sin_cos();
                for (x, v) in state.x.iter_mut().zip(&mut state.v) {
                    let turned = dvec3(cosine * x.x - sine * x.z, x.y, sine * x.x + cosine * x.z);
                    *x = turned + dvec3(0.02 * i as f64, (0.09 + 0.3 * (step - 1.0).max(0.0)) * i as f64, 0.0);
                    *v = dvec3(0.0, -1.0 - 3.0 * step, 0.5 * i as f64);
                }
                state.recentre(&flesh.mass_kg);
                state
            };
            (0..6).map(placed).collect()
        };
        let found = |finder: &mut BodyContactFinder, step: f64| {
            let mut contacts = Vec::new();
            finder.find(&states(step), 0.01, &|_, _| (Friction::default(), DVec3::ZERO), &mut contacts);
            contacts
        };
        let new = |path: Path| BodyContactFinder { path, ..BodyContactFinder::new(vec![body.clone(); 6]) };
        assert!(6 * flesh.point_count() >= PARALLEL_POINTS);
        let steps = [0.0, 0.5, 1.0, 2.0, 0.5, 0.0];
        let counts = steps.map(|step| found(&mut new(Path::PORTABLE), step).len());
        assert!(counts[0] > 50 && counts[3] == 0, "{counts:?}");
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                for path in Path::all() {
                    let mut used = new(path);
                    for step in steps {
                        let fresh = found(&mut new(Path::PORTABLE), step);
                        assert_eq!(found(&mut used, step), fresh, "{path:?}, {threads} threads, {step}");
                    }
                }
            });
        }
    }
}
