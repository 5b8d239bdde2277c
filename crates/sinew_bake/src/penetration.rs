//! How deep bodies are in each other and in themselves, found the long way: tet by tet and triangle by triangle, with nothing of the contact finder.

use sinew_geom::distance::TriangleTree;
use sinew_math::DVec3;
use sinew_solve::{BodyId, Cells, Flesh, Row, StageState};
use sinew_stage::Stage;
use std::cell::OnceCell;

/// A surface vertex of one body inside another, or inside another part of its own.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Penetration {
    /// To the other's surface.
    pub depth_m: f64,
    pub body: BodyId,
    pub vertex: Row,
    pub other: BodyId,
}

/// The deepest surface vertex of any body in another.
pub fn deepest_penetration(stage: &Stage, state: &StageState) -> Option<Penetration> {
    let bounds = |x: &[DVec3]| {
        x.iter().fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), x| (low.min(*x), high.max(*x)))
    };
    let boxes: Vec<_> = state.bodies.iter().map(|body| bounds(&body.x)).collect();
    let mut deepest = None;
    for (b, other) in stage.bodies().iter().enumerate() {
        let Some(inside) = Inside::of(&other.flesh, &state.bodies[b].x) else { continue };
        for (a, body) in stage.bodies().iter().enumerate().filter(|(a, _)| *a != b) {
            if !(boxes[a].0.cmple(boxes[b].1).all() && boxes[b].0.cmple(boxes[a].1).all()) {
                continue;
            }
            for &vertex in &body.flesh.surface_rows {
                let p = body.flesh.anchors.at(vertex, &state.bodies[a].x);
                if p.cmplt(boxes[b].0).any() || p.cmpgt(boxes[b].1).any() {
                    continue;
                }
                let Some(depth_m) = inside.depth_m(p, |_| true) else { continue };
                keep_deeper(&mut deepest, depth_m, [a, b], vertex);
            }
        }
    }
    deepest
}

/// The deepest surface vertex of any body in its own flesh, where that is more than `apart_m` from it at rest: what is nearer may be squeezed,
/// but is not another part.
pub fn deepest_self_penetration(stage: &Stage, state: &StageState, apart_m: f64) -> Option<Penetration> {
    let mut deepest = None;
    for (number, (body, now)) in stage.bodies().iter().zip(&state.bodies).enumerate() {
        let flesh = &body.flesh;
        let Some(inside) = Inside::of(flesh, &now.x) else { continue };
        for &vertex in &flesh.surface_rows {
            let at_rest = flesh.anchors.at(vertex, &flesh.rest);
            let is_other_part =
                |corners: &[u32]| corners.iter().all(|&corner| flesh.rest[corner as usize].distance(at_rest) > apart_m);
            let Some(depth_m) = inside.depth_m(flesh.anchors.at(vertex, &now.x), is_other_part) else { continue };
            keep_deeper(&mut deepest, depth_m, [number, number], vertex);
        }
    }
    deepest
}

fn keep_deeper(deepest: &mut Option<Penetration>, depth_m: f64, [body, other]: [usize; 2], vertex: Row) {
    if deepest.is_none_or(|most| depth_m > most.depth_m) {
        let [body, other] = [body, other].map(|number| BodyId(number as u32));
        *deepest = Some(Penetration { depth_m, body, vertex, other });
    }
}

/// What has an inside: a body of tetrahedra as it lies.
struct Inside<'a> {
    tets: &'a [[u32; 4]],
    x: &'a [DVec3],
    faces: Vec<[u32; 3]>,
    /// Made of the faces when first asked for.
    surface: OnceCell<TriangleTree>,
}

impl<'a> Inside<'a> {
    fn of(flesh: &'a Flesh, x: &'a [DVec3]) -> Option<Self> {
        let Cells::Tets(tets) = &flesh.cells else { return None };
        let faces = flesh.surface_triangles.iter().map(|t| t.map(|i| flesh.surface_rows[i as usize].0)).collect();
        Some(Self { tets, x, faces, surface: OnceCell::new() })
    }

    /// How far a point is from the surface, if it is inside; of cells and faces whose corners are `wanted`.
    fn depth_m(&self, p: DVec3, wanted: impl Fn(&[u32]) -> bool) -> Option<f64> {
        if !self.tets.iter().any(|tet| holds(tet.map(|v| self.x[v as usize]), p) && wanted(tet)) {
            return None;
        }
        let surface = self.surface.get_or_init(|| TriangleTree::new(self.x, &self.faces));
        let nearest = surface.nearest_within(p, f64::INFINITY, |face| wanted(&self.faces[face as usize]))?;
        Some(nearest.distance_squared.sqrt())
    }
}

fn holds([o, a, b, c]: [DVec3; 4], p: DVec3) -> bool {
    let volume = |a: DVec3, b: DVec3, c: DVec3| a.cross(b).dot(c);
    let (a, b, c, p) = (a - o, b - o, c - o, p - o);
    let all = volume(a, b, c);
    let w = [volume(p, b, c) / all, volume(a, p, c) / all, volume(a, b, p) / all];
    w.iter().all(|w| *w >= 0.0) && w.iter().sum::<f64>() <= 1.0
}
