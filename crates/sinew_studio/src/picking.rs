//! Which body a ray hits, on the skin as it is shown.
//!
//! Möller, Trumbore. "Fast, Minimum Storage Ray/Triangle Intersection". Journal of Graphics Tools 2(1), 1997.

use crate::protocol::{Hit, Plane};
use crate::show::ShownBody;
use crate::wire;
use sinew_math::DVec3;

/// What is asked for.
pub(crate) struct Ray {
    pub(crate) origin: DVec3,
    pub(crate) direction: DVec3,
    /// What lies in front of this plane is not hit.
    pub(crate) clip: Option<Plane>,
}

impl Ray {
    fn is_clipped(&self, at: DVec3) -> bool {
        let in_front = |plane: Plane| (at - DVec3::from(plane.through)).dot(plane.normal.into()) > 0.0;
        self.clip.is_some_and(in_front)
    }
}

/// The nearest hit of the ray on any body's skin in a frame message. Both sides of a triangle count.
pub(crate) fn pick(bodies: &[ShownBody], frame: &[u8], ray: &Ray) -> Option<Hit> {
    let Ray { origin, direction, .. } = *ray;
    let mut nearest: Option<(f64, Hit)> = None;
    let (mut skin, mut at_rest) = (Vec::new(), Vec::new());
    for (number, body) in bodies.iter().enumerate() {
        let flesh = wire::flesh_of(frame, number)?;
        body.skin.embedding.apply(&flesh, &mut skin);
        body.skin.embedding.apply(&body.flesh.rest, &mut at_rest);
        for triangle in &body.skin.mesh.triangles {
            let corners = triangle.map(|v| skin[v as usize]);
            let Some((along, share)) = cross(origin, direction, corners) else { continue };
            let at = origin + direction * along;
            if nearest.as_ref().is_none_or(|(before, _)| along < *before) && !ray.is_clipped(at) {
                let at_rest =
                    triangle.iter().zip(share).fold(DVec3::ZERO, |sum, (&v, share)| sum + at_rest[v as usize] * share);
                let hit = Hit { body: number as u32, at_rest: at_rest.to_array(), at: at.to_array() };
                nearest = Some((along, hit));
            }
        }
    }
    nearest.map(|(_, hit)| hit)
}

/// How far along the ray it meets the triangle, and the corners' shares of the point there.
fn cross(origin: DVec3, direction: DVec3, [a, b, c]: [DVec3; 3]) -> Option<(f64, [f64; 3])> {
    let (ab, ac) = (b - a, c - a);
    let p = direction.cross(ac);
    let determinant = ab.dot(p);
    if determinant == 0.0 {
        return None;
    }
    let s = origin - a;
    let u = s.dot(p) / determinant;
    let q = s.cross(ab);
    let v = direction.dot(q) / determinant;
    let along = ac.dot(q) / determinant;
    let inside = u >= 0.0 && v >= 0.0 && u + v <= 1.0 && along > 0.0;
    inside.then_some((along, [1.0 - u - v, u, v]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_bake::Skin;
    use sinew_geom::structured::bar;
    use sinew_math::dvec3;
    use sinew_solve::{BodyState, Flesh, Memory, StageState};
    use std::sync::Arc;

    fn bar_body() -> ShownBody {
        let flesh = Flesh::from_tets(bar(dvec3(1.0, 0.2, 0.2), [5, 1, 1]), 1000.0).unwrap();
        let skin = Arc::new(Skin::of_flesh(&flesh, None));
        ShownBody {
            name: "bar".into(),
            path: "body.bar".into(),
            flesh: flesh.into(),
            skin,
            colour: None,
            solver: String::new(),
        }
    }

    #[test]
    fn a_ray_finds_the_nearest_body_and_the_point_at_rest() {
        let bodies = [bar_body(), bar_body()];
        // The first lies one metre up and to the right of where it rests, the second straight below it.
        let shifts = [dvec3(0.3, 1.0, 0.0), dvec3(0.3, -1.0, 0.0)];
        let states = bodies.iter().zip(shifts).map(|(body, shift)| {
            let x: Vec<DVec3> = body.flesh.rest.iter().map(|x| *x + shift).collect();
            let v = vec![DVec3::ZERO; x.len()];
            BodyState { origin: shift, x, v, memory: Memory::ShapeMatching { rotation: Vec::new() } }
        });
        let state = StageState { tick: 0, bodies: states.collect(), director_states: Vec::new() };
        let head = wire::FrameHead { frame: 1, tick: 0, step_ms: 0.0 };
        let frame = wire::frame_message(head, &state, &[]);
        let down = dvec3(0.0, -2.0, 0.0); // need not be a unit vector
        let hit_by = |origin: DVec3, direction: DVec3, clip: Option<Plane>| {
            pick(&bodies, &frame, &Ray { origin, direction, clip })
        };
        let hit = hit_by(dvec3(0.4, 5.0, 0.03), down, None).unwrap();
        assert_eq!(hit.body, 0);
        assert!(DVec3::from(hit.at).distance(dvec3(0.4, 1.1, 0.03)) < 1e-6, "{hit:?}");
        assert!(DVec3::from(hit.at_rest).distance(dvec3(0.1, 0.1, 0.03)) < 1e-6, "{hit:?}");
        assert_eq!(hit_by(dvec3(0.4, 5.0, 0.13), down, None), None);
        assert_eq!(hit_by(dvec3(0.4, 5.0, 0.03), -down, None), None);
        let halfway = Plane { through: [0.0, 1.0, 0.0], normal: [0.0, 1.0, 0.0] };
        let behind = hit_by(dvec3(0.4, 5.0, 0.03), down, Some(halfway)).unwrap();
        assert!((behind.at[1] - 0.9).abs() < 1e-6, "the far side of the first, seen from inside: {behind:?}");
    }
}
