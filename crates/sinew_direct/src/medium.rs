//! Water or air: drag on the surface, different along and across it.
//!
//! A patch of area A and unit normal n that moves with u relative to the medium feels
//! `−A (k_n |u_n| u_n + k_t |u_t| u_t)`, u_n and u_t the parts of u along n and across. The speeds are those of the
//! interval's start, the rest is implicit, so that any drag is stable. Half of water's density, 500 kg/m³, is a
//! blunt body's k_n. Without a medium a contraction cannot move the body's centre: this is what a jellyfish swims by.

use crate::Track3;
use sinew_math::{Number, Sym3};
use sinew_solve::{CueError, CueWriter, Director, Drag, Flesh, Note, Now, Seen};

/// Drag coefficients in kg/m³ over one body's surface.
#[derive(Debug, Clone, PartialEq)]
pub struct Medium {
    normal_drag: Number,
    tangential_drag: Number,
    wind: Track3,
    /// Triangles around each surface vertex: one list after the other, and where each begins.
    around: Vec<u32>,
    around_start: Vec<u32>,
}

impl Medium {
    pub fn new(flesh: &Flesh, normal_drag: Number, tangential_drag: Number, wind: Track3) -> Self {
        let mut of_vertex = vec![Vec::new(); flesh.surface_rows.len()];
        for (number, triangle) in flesh.surface_triangles.iter().enumerate() {
            for &corner in triangle {
                of_vertex[corner as usize].push(number as u32);
            }
        }
        let mut around_start = vec![0];
        let mut around = Vec::with_capacity(3 * flesh.surface_triangles.len());
        for triangles in of_vertex {
            around.extend(triangles);
            around_start.push(around.len() as u32);
        }
        Self { normal_drag, tangential_drag, wind, around, around_start }
    }
}

impl Director for Medium {
    fn cue(&self, now: Now, seen: &Seen<'_>, _: &mut Note, out: &mut CueWriter<'_>) -> Result<(), CueError> {
        let (k_n, k_t) = (self.normal_drag.value(now.end_frame), self.tangential_drag.value(now.end_frame));
        let wind = self.wind.at(&now).0;
        let flesh = seen.flesh;
        let place = |corner: u32| flesh.anchors.at(flesh.surface_rows[corner as usize], &seen.state.x);
        for (vertex, &at) in flesh.surface_rows.iter().enumerate() {
            let u = flesh.anchors.at(at, &seen.state.v) - wind;
            let mut matrix = Sym3::ZERO;
            for &triangle in &self.around[self.around_start[vertex] as usize..self.around_start[vertex + 1] as usize] {
                let [a, b, c] = flesh.surface_triangles[triangle as usize].map(place);
                let area_normal = (b - a).cross(c - a) * 0.5;
                let area = area_normal.length();
                if area > 0.0 {
                    let n = area_normal / area;
                    let u_n = u.dot(n);
                    let u_t = (u - n * u_n).length();
                    let (along, across) = (area / 3.0 * k_n * u_n.abs(), area / 3.0 * k_t * u_t);
                    matrix += Sym3::IDENTITY * across + Sym3::along(n, along - across);
                }
            }
            out.drag(Drag { at, matrix, wind });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::track::tests::now_at;
    use sinew_geom::structured::cloth;
    use sinew_math::{DVec3, dvec3};
    use sinew_solve::{BodyId, BodyState, Cues, Memory};

    #[test]
    fn a_flat_sheet_feels_quadratic_drag_by_its_area() {
        let flesh = Flesh::from_shell(&cloth(2.0, 1.0, [4, 2]), 0.3);
        let v = vec![dvec3(1.0, 3.0, 0.0); flesh.point_count()];
        let memory = Memory::ShapeMatching { rotation: Vec::new() };
        let state = BodyState { origin: DVec3::ZERO, x: flesh.rest.clone(), v: v.clone(), memory };
        let medium = Medium::new(&flesh, 10.0.into(), 2.0.into(), Track3::constant(DVec3::ZERO));
        let mut cues = Cues::default();
        let seen = Seen { body: BodyId(0), flesh: &flesh, state: &state, contacts: &[], input: &[] };
        medium.cue(now_at(1.0), &seen, &mut Note::Nothing, &mut CueWriter::new(&flesh, &mut cues, 1.0)).unwrap();
        let force = cues.drag.iter().fold(DVec3::ZERO, |sum, d| sum - d.matrix * (v[0] - d.wind));
        assert!(force.distance(dvec3(-2.0 * 2.0, -2.0 * 10.0 * 9.0, 0.0)) < 1e-9, "{force}");
    }
}
