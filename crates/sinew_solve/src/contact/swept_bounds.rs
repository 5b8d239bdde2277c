//! Swept bounds: boxes around the paths of vertices, edges and faces in an interval, in chunks of sixteen, and which of them come
//! near each other.
//!
//! Sheets need CCD along their paths, not only a test where things end: between two sheets there is no inside in which a vertex
//! that went through could be found. Paths are seen from the mean velocity of the stage, so that what falls together stands still.

use super::boxes::{Bounds, BoxLanes, LANES, set_bits};
use super::edges::Edge;
use super::placed::{Placed, Prediction};
use super::surface::ContactSurface;
use crate::BodyState;
use crate::simd::Lanes;
use crate::simd::dispatched;
use sinew_math::Vec3A;

/// Boxes of many things, of chunks of sixteen, and of sixteen chunks.
#[derive(Debug, Default)]
struct Boxes {
    chunks: Vec<Bounds>,
    items: Vec<BoxLanes>,
    /// The same as `chunks`.
    groups: Vec<BoxLanes>,
}

impl Boxes {
    fn fill<T>(&mut self, things: &[T], around: impl Fn(&T) -> Bounds) {
        self.chunks.clear();
        self.items.clear();
        self.groups.clear();
        for (number, chunk) in things.chunks(LANES).enumerate() {
            let (mut whole, mut lanes) = (Bounds::NOTHING, BoxLanes::NOTHING);
            for (lane, thing) in chunk.iter().enumerate() {
                let bounds = around(thing);
                whole.join(&bounds);
                lanes.set(lane, &bounds);
            }
            if number % LANES == 0 {
                self.groups.push(BoxLanes::NOTHING);
            }
            self.groups[number / LANES].set(number % LANES, &whole);
            self.chunks.push(whole);
            self.items.push(lanes);
        }
    }
}

/// The ways of one body in one interval: scratch that is written anew in every step.
#[derive(Debug, Default)]
pub(super) struct SweptBounds {
    /// Where points were when the interval began, as if they had moved with the stage since then; in f32 about its middle.
    pub(super) was: Vec<Vec3A>,
    vertices: Boxes,
    edges: Boxes,
    faces: Boxes,
}

impl SweptBounds {
    /// Boxes reach half as far as two such bodies are of interest to each other.
    pub(super) fn prepare(
        &mut self,
        surface: &ContactSurface,
        placed: &Placed,
        state: &BodyState,
        &Prediction { h_secs, middle, drift }: &Prediction,
    ) {
        self.was.clear();
        let shift = drift * h_secs - middle;
        self.was.extend(state.x.iter().map(|x| super::surface::small(*x + shift)));
        let reach_m = placed.half_reach_m(surface);
        let (was, now) = (&self.was, &placed.points);
        let around = |points: &[u32]| {
            let mut bounds = Bounds::NOTHING;
            for &point in points {
                bounds.add(was[point as usize]);
                bounds.add(now[point as usize]);
            }
            bounds.grown(reach_m)
        };
        self.vertices.fill(&surface.vertices, |vertex| around(std::slice::from_ref(vertex)));
        self.edges.fill(&surface.edges, |edge| around(&edge.ends));
        if surface.is_sheet {
            self.faces.fill(&surface.faces, |face| around(face));
        }
    }
}

/// A body on its way.
#[derive(Clone, Copy)]
pub(super) struct Moving<'a> {
    pub(super) surface: &'a ContactSurface,
    pub(super) placed: &'a Placed,
    pub(super) swept: &'a SweptBounds,
}

impl Moving<'_> {
    /// Points when the interval begins and where they are expected at its end.
    #[inline]
    pub(super) fn ends<const N: usize>(&self, points: [u32; N]) -> [[Vec3A; N]; 2] {
        [points.map(|v| self.swept.was[v as usize]), points.map(|v| self.placed.points[v as usize])]
    }
}

/// Numbers of two things, of one body and of the other.
pub(super) type Near = [u32; 2];

dispatched! {
    /// Edges of `mine` and of `theirs` whose ways come near each other. `is_self` takes each pair once and leaves out those with a common end.
    edges_near = edges_near_in(mine: Moving<'_>, theirs: Moving<'_>, is_self: bool, found: &mut Vec<Near>)
}
dispatched! {
    /// Vertices of `mine` and faces of `theirs`. `is_self` leaves out a face's own corners.
    vertices_near_faces = vertices_near_faces_in(mine: Moving<'_>, theirs: Moving<'_>, is_self: bool, found: &mut Vec<Near>)
}

#[inline(always)]
fn edges_near_in<L: Lanes>(mine: Moving<'_>, theirs: Moving<'_>, is_self: bool, found: &mut Vec<Near>) {
    found.clear();
    let (edges, others) = (&mine.surface.edges[..], &theirs.surface.edges[..]);
    near::<L>(&mine.swept.edges, &theirs.swept.edges, is_self, |[one, two]| {
        let joined = |a: &Edge, b: &Edge| a.ends.iter().any(|v| b.ends.contains(v));
        if !is_self || !joined(&edges[one as usize], &others[two as usize]) {
            found.push([one, two]);
        }
    });
}

#[inline(always)]
fn vertices_near_faces_in<L: Lanes>(mine: Moving<'_>, theirs: Moving<'_>, is_self: bool, found: &mut Vec<Near>) {
    found.clear();
    let (vertices, faces) = (&mine.surface.vertices[..], &theirs.surface.faces[..]);
    near::<L>(&mine.swept.vertices, &theirs.swept.faces, false, |[one, two]| {
        if !is_self || !faces[two as usize].contains(&vertices[one as usize]) {
            found.push([one, two]);
        }
    });
}

/// Boxes that meet, in the order of chunks; with `once`, of a set with itself, each pair once.
#[inline(always)]
fn near<L: Lanes>(mine: &Boxes, theirs: &Boxes, once: bool, mut visit: impl FnMut(Near)) {
    for (first, (whole, items)) in mine.chunks.iter().zip(&mine.items).enumerate() {
        for (group, boxes) in theirs.groups.iter().enumerate() {
            for second in set_bits(boxes.meeting::<L>(whole)).map(|lane| group * LANES + lane) {
                if once && second < first {
                    continue;
                }
                let around = &theirs.chunks[second];
                for lane in 0..LANES {
                    let bounds = items.get(lane);
                    if !bounds.meets(around) {
                        continue;
                    }
                    let hits = theirs.items[second].meeting::<L>(&bounds);
                    let later = if once && first == second { u32::MAX << lane << 1 } else { u32::MAX };
                    for other in set_bits(hits & later) {
                        visit([(first * LANES + lane) as u32, (second * LANES + other) as u32]);
                    }
                }
            }
        }
    }
}
