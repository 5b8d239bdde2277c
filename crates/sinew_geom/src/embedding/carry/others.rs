//! Points of a skin that hang on a single vertex, or on anything else that is neither a tet nor a place over one.

use super::TASK;
use crate::{Row, Rows, TriangleMesh};
use rayon::prelude::*;
use sinew_math::{DQuat, DVec3};

/// Points that neither a frame nor a patch carries.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Others {
    pub(super) rows: Rows,
    /// Triangles of the skin around each of them, one list after the other.
    fan_starts: Vec<u32>,
    fans: Vec<[u32; 3]>,
    /// The smooth normal and the given one, at rest.
    pub(super) normals: Vec<[DVec3; 2]>,
}

impl Others {
    pub(super) fn gather_fans(&mut self, skin: &TriangleMesh, carried_from_file: &[u32], first: usize) {
        let mut fans: Vec<Vec<[u32; 3]>> = vec![Vec::new(); self.normals.len()];
        for triangle in &skin.triangles {
            let carried = triangle.map(|vertex| carried_from_file[vertex as usize]);
            for corner in carried {
                if let Some(other) = (corner as usize).checked_sub(first) {
                    fans[other].push(carried);
                }
            }
        }
        self.fan_starts.push(0);
        for fan in fans {
            self.fans.extend(fan);
            self.fan_starts.push(self.fans.len() as u32);
        }
    }

    pub(super) fn carry(
        &self,
        flesh: &[DVec3],
        about: DVec3,
        first: usize,
        positions: &mut [[f32; 3]],
        normals: &mut [[f32; 3]],
    ) {
        positions[first..].par_iter_mut().with_min_len(TASK).enumerate().for_each(|(other, position)| {
            *position = (self.rows.at(Row(other as u32), flesh) - about).to_array().map(|c| c as f32);
        });
        let place = |vertex: u32| DVec3::from_array(positions[vertex as usize].map(f64::from));
        normals[first..].par_iter_mut().with_min_len(TASK).enumerate().for_each(|(other, normal)| {
            let fan = &self.fans[self.fan_starts[other] as usize..self.fan_starts[other + 1] as usize];
            let area = |triangle: &[u32; 3]| {
                let [a, b, c] = triangle.map(place);
                (b - a).cross(c - a)
            };
            let [smooth_then, given_then] = self.normals[other];
            let smooth = fan.iter().map(area).sum::<DVec3>().normalize_or(smooth_then);
            let turn = DQuat::from_rotation_arc(smooth_then, smooth);
            *normal = (turn * given_then).to_array().map(|c| c as f32);
        });
    }
}
