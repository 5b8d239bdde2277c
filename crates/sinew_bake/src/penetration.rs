//! How deep bodies are in each other, found the long way: tet by tet and triangle by triangle, with nothing of the contact finder.

use crate::stage::Stage;
use sinew_geom::distance::TriangleTree;
use sinew_math::DVec3;
use sinew_solve::{BodyId, Cells, Flesh, Row, StageState};

/// A surface vertex of one body inside another.
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
    let mut deepest: Option<Penetration> = None;
    for (b, other) in stage.bodies().iter().enumerate() {
        let Cells::Tets(tets) = &other.flesh.cells else { continue };
        let x = &state.bodies[b].x;
        let mut surface = None;
        for (a, body) in stage.bodies().iter().enumerate().filter(|(a, _)| *a != b) {
            if !(boxes[a].0.cmple(boxes[b].1).all() && boxes[b].0.cmple(boxes[a].1).all()) {
                continue;
            }
            for &vertex in &body.flesh.surface_rows {
                let p = body.flesh.anchors.at(vertex, &state.bodies[a].x);
                if p.cmplt(boxes[b].0).any() || p.cmpgt(boxes[b].1).any() {
                    continue;
                }
                if !tets.iter().any(|tet| holds(tet.map(|v| x[v as usize]), p)) {
                    continue;
                }
                let surface = surface.get_or_insert_with(|| surface_of(&other.flesh, x));
                let Some(nearest) = surface.nearest(p) else { continue };
                let depth_m = nearest.distance_squared.sqrt();
                if deepest.is_none_or(|most| depth_m > most.depth_m) {
                    deepest = Some(Penetration { depth_m, body: BodyId(a as u32), vertex, other: BodyId(b as u32) });
                }
            }
        }
    }
    deepest
}

fn holds([o, a, b, c]: [DVec3; 4], p: DVec3) -> bool {
    let volume = |a: DVec3, b: DVec3, c: DVec3| a.cross(b).dot(c);
    let (a, b, c, p) = (a - o, b - o, c - o, p - o);
    let all = volume(a, b, c);
    let w = [volume(p, b, c) / all, volume(a, p, c) / all, volume(a, b, p) / all];
    w.iter().all(|w| *w >= 0.0) && w.iter().sum::<f64>() <= 1.0
}

fn surface_of(flesh: &Flesh, x: &[DVec3]) -> TriangleTree {
    let triangles: Vec<[u32; 3]> =
        flesh.surface_triangles.iter().map(|t| t.map(|i| flesh.surface_rows[i as usize].0)).collect();
    TriangleTree::new(x, &triangles)
}
