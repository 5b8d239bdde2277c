//! Water or air: drag on the surface, different along and across it.
//!
//! A patch of area A and unit normal n that moves with u relative to the medium feels
//! `−A (k_n |u_n| u_n + k_t |u_t| u_t)`, u_n and u_t the parts of u along n and across. The speeds are those of the
//! patch's middle at the interval's start, the rest is implicit, so that any drag is stable. Half of water's density, 500 kg/m³, is a
//! blunt body's k_n. Without a medium a contraction cannot move the body's centre: this is what a jellyfish swims by.

use crate::Track3;
use sinew_math::{DVec3, Number, Sym3};
use sinew_solve::{CueError, CueWriter, Director, DirectorState, Drag, Now, Seen};

/// Drag coefficients in kg/m³.
#[derive(Debug, Clone, PartialEq)]
pub struct Medium {
    pub normal_drag: Number,
    pub tangential_drag: Number,
    pub wind: Track3,
}

impl Director for Medium {
    fn cue(&self, now: Now, seen: &Seen<'_>, _: &mut DirectorState, out: &mut CueWriter<'_>) -> Result<(), CueError> {
        let (k_n, k_t) = (self.normal_drag.value(now.end_frame), self.tangential_drag.value(now.end_frame));
        let wind = self.wind.at(&now).0;
        let flesh = seen.flesh;
        let of_surface =
            |of: &[DVec3]| -> Vec<DVec3> { flesh.surface_rows.iter().map(|&row| flesh.anchors.at(row, of)).collect() };
        let (x, v) = (of_surface(&seen.state.x), of_surface(&seen.state.v));
        let mut matrices = vec![Sym3::ZERO; x.len()];
        for triangle in &flesh.surface_triangles {
            let [a, b, c] = triangle.map(|corner| x[corner as usize]);
            let area_normal = (b - a).cross(c - a) * 0.5;
            let area_squared = area_normal.length_squared();
            if area_squared > 0.0 {
                let per_area = 1.0 / area_squared.sqrt();
                let [a, b, c] = triangle.map(|corner| v[corner as usize]);
                let u = (a + b + c) * (1.0 / 3.0) - wind;
                let u_n = u.dot(area_normal) * per_area;
                let u_t = (u.length_squared() - u_n * u_n).max(0.0).sqrt();
                let share = area_squared * per_area * (1.0 / 3.0);
                let (along, across) = (share * k_n * u_n.abs(), share * k_t * u_t);
                let matrix =
                    Sym3::IDENTITY * across + Sym3::along(area_normal, (along - across) * (per_area * per_area));
                triangle.iter().for_each(|&corner| matrices[corner as usize] += matrix);
            }
        }
        for (&at, matrix) in flesh.surface_rows.iter().zip(matrices) {
            out.drag(Drag { at, matrix, wind });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::track::tests::{now_at, seen_alone};
    use sinew_geom::structured::cloth;
    use sinew_math::dvec3;
    use sinew_solve::{BodyState, Cues, Flesh, Memory};

    #[test]
    fn a_flat_sheet_feels_quadratic_drag_by_its_area() {
        let flesh = Flesh::from_shell(&cloth(2.0, 1.0, [4, 2]), 0.3);
        let v = vec![dvec3(1.0, 3.0, 0.0); flesh.point_count()];
        let memory = Memory::ShapeMatching { rotation: Vec::new() };
        let state = BodyState { origin: DVec3::ZERO, x: flesh.rest.clone(), v: v.clone(), memory };
        let medium =
            Medium { normal_drag: 10.0.into(), tangential_drag: 2.0.into(), wind: Track3::constant(DVec3::ZERO) };
        let mut cues = Cues::default();
        let seen = seen_alone(&flesh, &state);
        medium
            .cue(now_at(1.0), &seen, &mut DirectorState::Nothing, &mut CueWriter::new(&flesh, &mut cues, 1.0))
            .unwrap();
        let force = cues.drag.iter().fold(DVec3::ZERO, |sum, d| sum - d.matrix * (v[0] - d.wind));
        assert!(force.distance(dvec3(-2.0 * 2.0, -2.0 * 10.0 * 9.0, 0.0)) < 1e-9, "{force}");
    }
}
