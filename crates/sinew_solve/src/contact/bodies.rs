//! Contacts between bodies, found once per substep where they are expected at its end.
//!
//! Place every body; sweep over their boxes; box the cells that another body comes near; look up every surface vertex in
//! the cells of its neighbours; ask the surface for the way out. Each stage writes one slot per body, so that the result
//! does not depend on threads; nothing is allocated once all buffers have grown.

use super::Friction;
use super::boxes::Bounds;
use super::cells::{Best, PlacedCells};
use super::edges::{Crossing, Edges, PlacedEdges, cross};
use super::exit::{Seeker, WayOut, side_of_sheet, way_out};
use super::pair::{BodyContact, Spot};
use super::placed::{Placed, Prediction};
use super::search::{Found, Searched, search};
use super::surface::{ContactSurface, small};
use super::sweep::Sweep;
use crate::shape_matching::passes::Path;
use crate::{BodyId, BodyState};
use rayon::prelude::*;
use sinew_math::{DVec3, Vec3A};
use std::sync::Arc;

/// What the finder must know about a body.
#[derive(Debug, Clone)]
pub struct TouchingBody {
    /// None: it touches obstacles only.
    pub surface: Option<Arc<ContactSurface>>,
    /// Whether it may touch itself.
    pub touches_itself: bool,
}

/// Finds contacts between bodies.
pub struct BodyContactFinder {
    bodies: Vec<Touching>,
    /// Beside the bodies, because each is made from what others look like.
    cells: Vec<Option<PlacedCells>>,
    edges: Vec<Option<PlacedEdges>>,
    path: Path,
    sweep: Sweep,
    boxes: Vec<Bounds>,
    neighbours: Vec<Vec<u32>>,
    found: Vec<Answers>,
}

/// What was found for the vertices and edges of one body.
#[derive(Default, Clone)]
struct Answers {
    found: Vec<Found>,
    crossings: Vec<Crossing>,
    contacts: Vec<BodyContact>,
}

/// A body with its scratch.
struct Touching {
    fixed: TouchingBody,
    placed: Option<Placed>,
}

/// Friction and the forward direction (unit, or zero) at a body's surface vertex, by body and vertex.
type Grip<'a> = dyn Fn(usize, usize) -> (Friction, DVec3) + Sync + 'a;

/// All bodies over one interval.
struct Interval<'a> {
    states: &'a [BodyState],
    prediction: Prediction,
    grip: &'a Grip<'a>,
}

/// Bodies below this many points together are not worth sharing among threads.
const PARALLEL_POINTS: usize = 2048;

impl BodyContactFinder {
    pub fn new(bodies: Vec<TouchingBody>) -> Self {
        let touching = |fixed: TouchingBody| Touching { placed: fixed.surface.as_deref().map(Placed::new), fixed };
        let count = bodies.len();
        let cells = bodies.iter().map(|body| body.surface.as_deref().map(PlacedCells::new)).collect();
        let edges = bodies.iter().map(|body| body.surface.as_deref().map(PlacedEdges::new)).collect();
        Self {
            cells,
            edges,
            bodies: bodies.into_iter().map(touching).collect(),
            path: Path::best(),
            sweep: Sweep::default(),
            boxes: Vec::new(),
            neighbours: vec![Vec::new(); count],
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
        self.sweep.neighbours(&self.boxes, &mut self.neighbours);
        self.prepare();
        self.search(&Interval { states, prediction, grip }, out);
    }

    fn place(&mut self, states: &[BodyState], at: &Prediction) {
        let place = |(body, state): (&mut Touching, &BodyState)| {
            if let (Some(placed), Some(surface)) = (&mut body.placed, &body.fixed.surface) {
                placed.place(surface, state, at);
            }
        };
        if is_parallel(states) {
            self.bodies.par_iter_mut().zip(states).for_each(place);
        } else {
            self.bodies.iter_mut().zip(states).for_each(place);
        }
        self.boxes.clear();
        self.boxes.extend(self.bodies.iter().map(Touching::reach));
    }

    fn prepare(&mut self) {
        let Self { bodies, cells, edges, neighbours, path, .. } = self;
        let (bodies, neighbours, path) = (&*bodies, &*neighbours, *path);
        let one = |(number, (cells, edges)): (usize, (&mut Option<PlacedCells>, &mut Option<PlacedEdges>))| {
            let body = &bodies[number];
            let itself = body.fixed.touches_itself.then_some(number as u32);
            let others = neighbours[number].iter().copied().chain(itself);
            let others = others.filter_map(|other| bodies[other as usize].placed.as_ref());
            if let (Some(cells), Some(edges), Some(placed), Some(surface)) =
                (cells, edges, &body.placed, &body.fixed.surface)
                && others.clone().next().is_some()
            {
                cells.prepare(path, surface, placed, &others);
                edges.prepare(surface, placed, &others);
            }
        };
        if bodies.len() > 1 && rayon::current_num_threads() > 1 {
            cells.par_iter_mut().zip(edges).enumerate().for_each(one);
        } else {
            cells.iter_mut().zip(edges).enumerate().for_each(one);
        }
    }

    fn search(&mut self, at: &Interval<'_>, out: &mut Vec<BodyContact>) {
        let Self { bodies, cells, edges, path, neighbours, found, .. } = self;
        let (bodies, cells, edges, neighbours, path) = (&*bodies, &*cells, &*edges, &*neighbours, *path);
        let one = |number: usize, answers: &mut Answers| {
            answers.contacts.clear();
            let itself = bodies[number].fixed.touches_itself.then_some(number as u32);
            for other in neighbours[number].iter().copied().chain(itself) {
                let pair = Pair { at, bodies, cells, edges, vertices: number, cells_of: other as usize };
                let pressed = pair.search(path, answers);
                if other as usize >= number && (!pressed || pair.is_fast()) {
                    pair.cross(path, answers);
                }
            }
        };
        if is_parallel(at.states) {
            found.par_iter_mut().enumerate().for_each(|(number, answers)| one(number, answers));
        } else {
            found.iter_mut().enumerate().for_each(|(number, answers)| one(number, answers));
        }
        found.iter().for_each(|answers| out.extend_from_slice(&answers.contacts));
    }
}

fn is_parallel(states: &[BodyState]) -> bool {
    rayon::current_num_threads() > 1 && states.iter().map(|state| state.x.len()).sum::<usize>() >= PARALLEL_POINTS
}

impl Touching {
    /// The box in which others are of interest.
    fn reach(&self) -> Bounds {
        self.placed.as_ref().map_or(Bounds::NOTHING, |placed| placed.bounds.grown(placed.margin_m))
    }
}

/// Vertices of one body in cells of another.
struct Pair<'a> {
    at: &'a Interval<'a>,
    bodies: &'a [Touching],
    cells: &'a [Option<PlacedCells>],
    edges: &'a [Option<PlacedEdges>],
    vertices: usize,
    cells_of: usize,
}

impl Pair<'_> {
    /// Vertices that meet cells; whether any of them is inside.
    fn search(&self, path: Path, answers: &mut Answers) -> bool {
        let (Some(points), Some(cells)) = (self.searched(self.vertices), self.searched(self.cells_of)) else {
            return false;
        };
        let Answers { found, contacts, .. } = answers;
        let first = contacts.len();
        search(path, points, cells, self.vertices == self.cells_of, found);
        contacts.extend(found.iter().filter_map(|(vertex, best)| self.contact(points, cells, *vertex as usize, *best)));
        contacts[first..].iter().any(|contact| contact.gap_m < 0.0)
    }

    /// Whether they move so fast among the others that edges may cross in a step. Where that is not so and vertices hold two bodies apart already,
    /// edges are left alone: looking at all of them cost a heap of slow worms a third more.
    fn is_fast(&self) -> bool {
        let placed = [self.vertices, self.cells_of].map(|body| self.bodies[body].placed.as_ref());
        let sum = |of: fn(&Placed) -> f32| placed.iter().flatten().map(|placed| of(placed)).sum::<f32>();
        sum(|placed| placed.way_m) > sum(|placed| placed.margin_m)
    }

    /// Edges of both that meet.
    fn cross(&self, path: Path, answers: &mut Answers) {
        let (Some(mine), Some(theirs)) = (self.edges_of(self.vertices), self.edges_of(self.cells_of)) else { return };
        let Answers { crossings, contacts, .. } = answers;
        cross(path, mine, theirs, self.vertices == self.cells_of, crossings);
        contacts.extend(crossings.iter().filter_map(|crossing| self.contact_of_edges(mine, theirs, crossing)));
    }

    fn edges_of(&self, body: usize) -> Option<Edges<'_>> {
        let Touching { fixed, placed } = &self.bodies[body];
        let (surface, placed) = (fixed.surface.as_deref()?, placed.as_ref()?);
        Some(Edges { surface, placed, edges: self.edges[body].as_ref()? })
    }

    fn searched(&self, body: usize) -> Option<Searched<'_>> {
        let Touching { fixed, placed } = &self.bodies[body];
        let (surface, placed) = (fixed.surface.as_deref()?, placed.as_ref()?);
        Some(Searched { surface, placed, cells: self.cells[body].as_ref()? })
    }

    fn contact(&self, points: Searched<'_>, cells: Searched<'_>, number: usize, best: Best) -> Option<BodyContact> {
        let vertex = points.surface.vertices[number];
        let at = points.placed.points[vertex as usize];
        let WayOut { face, weights, normal, distance_m } = if cells.surface.is_sheet {
            self.side_of_sheet(cells, vertex, at, best.cell)?
        } else {
            let was_at = |body: usize, v: u32| small(self.at.states[body].x[v as usize] - self.at.prediction.middle);
            let seeker = Seeker {
                at,
                normal: vertex_normal(points, vertex),
                inside: best.score >= 0.0,
                was_at: was_at(self.vertices, vertex),
            };
            way_out(cells.surface, cells.placed, &|v| was_at(self.cells_of, v), best.cell as usize, &seeker)?
        };
        let thickness_m = 0.5 * (points.surface.thickness_m + cells.surface.thickness_m);
        if f64::from(distance_m) > f64::from(cells.placed.margin_m) + thickness_m {
            return None;
        }
        let dofs = cells.surface.faces[face as usize];
        // In f64, so that what the face takes is exactly what the vertex gives.
        let [_, v, w] = weights.map(f64::from);
        let face = Spot { body: BodyId(self.cells_of as u32), dofs, weights: [1.0 - v - w, v, w] };
        let (grip, nearest) = (self.at.grip, cells.surface.surface_number(face.nearest_dof()));
        let (mine, theirs) = (grip(self.vertices, number), grip(self.cells_of, nearest));
        Some(BodyContact {
            vertex: Spot::of_point(BodyId(self.vertices as u32), vertex),
            face,
            normal: normal.as_dvec3().normalize(),
            thickness_m,
            gap_m: f64::from(distance_m) - thickness_m,
            point: at.as_dvec3() + self.at.prediction.middle,
            friction: [mine.0, theirs.0],
            along: [mine.1, theirs.1],
        })
    }

    fn contact_of_edges(&self, mine: Edges<'_>, theirs: Edges<'_>, crossing: &Crossing) -> Option<BodyContact> {
        let (states, middle) = (self.at.states, self.at.prediction.middle);
        let bodies = [self.vertices, self.cells_of];
        let before = crossing.gap_of(|side, v| small(states[bodies[side]].x[v as usize] - middle));
        if before < Crossing::least_gap_m(mine.surface, theirs.surface) {
            return None;
        }
        let [vertex, face] = [0, 1].map(|side| {
            let along = f64::from(crossing.along[side]);
            Spot::on_edge(BodyId(bodies[side] as u32), crossing.edges[side].ends, along)
        });
        let grip = |spot: &Spot, of: Edges<'_>| {
            (self.at.grip)(spot.body.0 as usize, of.surface.surface_number(spot.nearest_dof()))
        };
        let (mine_grip, theirs_grip) = (grip(&vertex, mine), grip(&face, theirs));
        let [a, b] = crossing.edges[0].ends.map(|v| mine.placed.points[v as usize]);
        Some(BodyContact {
            vertex,
            face,
            normal: crossing.normal.as_dvec3().normalize(),
            thickness_m: 0.0,
            gap_m: f64::from(crossing.gap_m),
            point: (a + (b - a) * crossing.along[0]).as_dvec3() + middle,
            friction: [mine_grip.0, theirs_grip.0],
            along: [mine_grip.1, theirs_grip.1],
        })
    }

    /// The side of a sheet on which a vertex belongs: the one it was on when the interval began.
    fn side_of_sheet(&self, cells: Searched<'_>, vertex: u32, at: Vec3A, cell: u32) -> Option<WayOut> {
        let (states, middle) = (self.at.states, self.at.prediction.middle);
        let corners = cells.surface.faces[cell as usize];
        let now = |body: usize, v: u32| small(states[body].x[v as usize] - middle);
        let before = corners.map(|v| now(self.cells_of, v));
        let after = corners.map(|v| cells.placed.points[v as usize]);
        side_of_sheet(&after, at, &before, now(self.vertices, vertex), cell)
    }
}

/// The outward normal of a surface at a vertex, weighted by the faces' areas; zero on a sheet, which has two sides.
fn vertex_normal(body: Searched<'_>, vertex: u32) -> Vec3A {
    let Searched { surface, placed, .. } = body;
    if surface.is_sheet {
        return Vec3A::ZERO;
    }
    let mut sum = Vec3A::ZERO;
    for &face in surface.faces_of(vertex as usize) {
        let corners = surface.faces[face as usize];
        let [a, b, c] = [0, 1, 2].map(|k: usize| placed.points[corners[k] as usize]);
        sum += (b - a).cross(c - a);
    }
    sum.normalize_or_zero()
}
