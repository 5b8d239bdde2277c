//! Contacts between bodies, found once per substep where they are expected at its end.
//!
//! Place every body; sweep over their boxes; box the cells that another body comes near; look up every surface vertex in
//! the cells of its neighbours; ask the surface for the way out. Each stage writes one slot per body, so that the result
//! does not depend on threads; nothing is allocated once all buffers have grown.

use super::Friction;
use super::boxes::Bounds;
use super::exit::{Seeker, WayOut, side_of_sheet, way_out};
use super::pair::{BodyContact, Spot};
use super::placed::Placed;
use super::search::{Best, Search, Searched};
use super::surface::ContactSurface;
use super::sweep::Sweep;
use crate::shape_matching::passes::Path;
use crate::{BodyId, BodyState};
use rayon::prelude::*;
use sinew_math::DVec3;
use std::sync::Arc;

/// What the finder must know about a body.
#[derive(Debug, Clone)]
pub struct TouchingBody {
    /// None: it touches obstacles only.
    pub surface: Option<Arc<ContactSurface>>,
    pub friction: Friction,
    /// Whether it may touch itself.
    pub touches_itself: bool,
}

/// Finds contacts between bodies.
pub struct BodyContactFinder {
    bodies: Vec<Touching>,
    path: Path,
    sweep: Sweep,
    boxes: Vec<Bounds>,
    neighbours: Vec<Vec<u32>>,
    searches: Vec<Option<Search>>,
    found: Vec<Vec<BodyContact>>,
}

/// A body with its scratch.
struct Touching {
    fixed: TouchingBody,
    placed: Option<Placed>,
}

/// All bodies over one interval.
struct Interval<'a> {
    states: &'a [BodyState],
    h_secs: f64,
    /// The forward direction of a body's surface vertex, by body and vertex.
    along: &'a (dyn Fn(usize, usize) -> DVec3 + Sync),
}

/// Bodies below this many points together are not worth sharing among threads.
const PARALLEL_POINTS: usize = 2048;

impl BodyContactFinder {
    pub fn new(bodies: Vec<TouchingBody>) -> Self {
        let touching = |fixed: TouchingBody| Touching { placed: fixed.surface.as_deref().map(Placed::new), fixed };
        let count = bodies.len();
        let searches = bodies.iter().map(|body| body.surface.as_deref().map(Search::new)).collect();
        Self {
            bodies: bodies.into_iter().map(touching).collect(),
            path: Path::best(),
            sweep: Sweep::default(),
            boxes: Vec::new(),
            neighbours: vec![Vec::new(); count],
            searches,
            found: vec![Vec::new(); count],
        }
    }

    /// Contacts in the order of the vertices' bodies, then of the other bodies, then of vertices. `along` gives the
    /// forward direction (unit, or zero) at a surface vertex of a body.
    pub fn find(
        &mut self,
        states: &[BodyState],
        h_secs: f64,
        along: &(dyn Fn(usize, usize) -> DVec3 + Sync),
        out: &mut Vec<BodyContact>,
    ) {
        out.clear();
        if self.bodies.len() < 2 && !self.bodies.iter().any(|body| body.fixed.touches_itself) {
            return;
        }
        self.place(states, h_secs);
        self.sweep.neighbours(&self.boxes, &mut self.neighbours);
        self.box_cells();
        self.search(&Interval { states, h_secs, along });
        self.found.iter().for_each(|found| out.extend_from_slice(found));
    }

    fn place(&mut self, states: &[BodyState], h_secs: f64) {
        let middle = states.iter().map(|state| state.origin).sum::<DVec3>() / states.len() as f64;
        let place = |(body, state): (&mut Touching, &BodyState)| {
            if let (Some(placed), Some(surface)) = (&mut body.placed, &body.fixed.surface) {
                placed.place(surface, state, h_secs, middle);
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

    fn box_cells(&mut self) {
        let (boxes, neighbours) = (&self.boxes, &self.neighbours);
        let one = |(number, body): (usize, &mut Touching)| {
            let itself = body.fixed.touches_itself.then_some(boxes[number]);
            let others = neighbours[number].iter().map(|&other| boxes[other as usize]).chain(itself);
            if let (Some(placed), Some(surface)) = (&mut body.placed, &body.fixed.surface)
                && others.clone().next().is_some()
            {
                placed.box_cells(surface, others);
            }
        };
        if self.boxes.len() > 1 && rayon::current_num_threads() > 1 {
            self.bodies.par_iter_mut().enumerate().for_each(one);
        } else {
            self.bodies.iter_mut().enumerate().for_each(one);
        }
    }

    fn search(&mut self, at: &Interval<'_>) {
        let Self { bodies, path, neighbours, searches, found, .. } = self;
        let (bodies, neighbours, path) = (&*bodies, &*neighbours, *path);
        let one = |(number, (found, search)): (usize, (&mut Vec<BodyContact>, &mut Option<Search>))| {
            found.clear();
            let Some(search) = search else { return };
            let itself = bodies[number].fixed.touches_itself.then_some(number as u32);
            for other in neighbours[number].iter().copied().chain(itself) {
                let pair = Pair { at, bodies, vertices: number, cells: other as usize };
                pair.search(path, search, found);
            }
        };
        if is_parallel(at.states) {
            found.par_iter_mut().zip(searches).enumerate().for_each(one);
        } else {
            found.iter_mut().zip(searches).enumerate().for_each(one);
        }
    }
}

fn is_parallel(states: &[BodyState]) -> bool {
    rayon::current_num_threads() > 1 && states.iter().map(|state| state.x.len()).sum::<usize>() >= PARALLEL_POINTS
}

impl Touching {
    /// The box in which others are of interest.
    fn reach(&self) -> Bounds {
        match (&self.placed, &self.fixed.surface) {
            (Some(placed), Some(surface)) => placed.bounds.grown(surface.margin_m as f32),
            _ => Bounds::NOTHING,
        }
    }

    fn searched(&self) -> Option<Searched<'_>> {
        Some(Searched { surface: self.fixed.surface.as_deref()?, placed: self.placed.as_ref()? })
    }
}

/// Vertices of one body in cells of another.
struct Pair<'a> {
    at: &'a Interval<'a>,
    bodies: &'a [Touching],
    vertices: usize,
    cells: usize,
}

impl Pair<'_> {
    fn search(&self, path: Path, search: &mut Search, found: &mut Vec<BodyContact>) {
        let (Some(points), Some(cells)) = (self.bodies[self.vertices].searched(), self.bodies[self.cells].searched())
        else {
            return;
        };
        search.run(path, points, cells, self.vertices == self.cells, |vertex, best| {
            found.extend(self.contact(points.surface, cells.surface, vertex, best));
        });
    }

    fn contact(
        &self,
        points: &ContactSurface,
        cells: &ContactSurface,
        number: usize,
        best: Best,
    ) -> Option<BodyContact> {
        let Interval { states, h_secs, along } = *self.at;
        let (mine, theirs) = (&states[self.vertices], &states[self.cells]);
        let later = |state: &BodyState, v: u32| state.x[v as usize] + state.v[v as usize] * h_secs;
        let vertex = points.vertices[number];
        let point = later(mine, vertex);
        let out = if cells.is_sheet {
            let face = cells.faces[best.cell as usize];
            let before = face.map(|v| theirs.x[v as usize]);
            side_of_sheet(&face.map(|v| later(theirs, v)), point, &before, mine.x[vertex as usize], best.cell)?
        } else {
            let normal = if points.is_sheet { DVec3::ZERO } else { vertex_normal(points, vertex, |v| later(mine, v)) };
            let seeker = Seeker { at: point, normal, inside: best.score >= 0.0 };
            way_out(cells, best.cell as usize, &seeker, |v| later(theirs, v))?
        };
        let WayOut { face, weights, normal, distance_m } = out;
        let thickness_m = 0.5 * (points.thickness_m + cells.thickness_m);
        let corners = cells.faces[face as usize];
        let nearest = (0..3).fold(0, |best, k| if weights[k] > weights[best] { k } else { best });
        (distance_m <= cells.margin_m + thickness_m).then(|| BodyContact {
            vertex: Spot::of_point(BodyId(self.vertices as u32), vertex),
            face: Spot { body: BodyId(self.cells as u32), dofs: corners, weights },
            normal,
            thickness_m,
            gap_m: distance_m - thickness_m,
            point,
            friction: [self.bodies[self.vertices].fixed.friction, self.bodies[self.cells].fixed.friction],
            along: [along(self.vertices, number), along(self.cells, cells.surface_number(corners[nearest]))],
        })
    }
}

/// The outward normal of a surface at a vertex, weighted by the faces' areas.
fn vertex_normal(surface: &ContactSurface, vertex: u32, place: impl Fn(u32) -> DVec3) -> DVec3 {
    let sum = surface.faces_of(vertex as usize).iter().fold(DVec3::ZERO, |sum, &face| {
        let [a, b, c] = surface.faces[face as usize].map(&place);
        sum + (b - a).cross(c - a)
    });
    sum.normalize_or_zero()
}
