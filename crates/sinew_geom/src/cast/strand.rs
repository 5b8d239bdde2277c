//! Parts of a skin that are thin and long: tubes around a path, drawn ring by ring.
//!
//! A grid that resolves a whole body is too coarse for them; its cells would lose them or fuse them. A strand is a closed
//! surface of its own whose root lies within the body.

use super::{Colour, PaintedSkin, hex};
use sinew_math::libm::{cos, sin};
use sinew_math::{DQuat, DVec3};
use std::f64::consts::TAU;

/// A tube: its middle line with a radius at each point, from root to tip.
#[derive(Debug, Clone, PartialEq)]
pub struct Strand {
    pub path: Vec<(DVec3, f64)>,
    pub colour: Colour,
}

/// How many vertices go around the strands of a skin of `vertices` vertices, so that they take about a quarter of them.
pub(super) fn around_for(strands: &[Strand], vertices: usize) -> usize {
    const AROUND: std::ops::RangeInclusive<usize> = 3..=16;
    let count = |around: usize| strands.iter().map(|strand| strand.vertex_count(around)).sum::<usize>();
    AROUND.rev().find(|around| count(*around) * 4 <= vertices).unwrap_or(*AROUND.start())
}

impl Strand {
    pub(super) fn new(path: impl IntoIterator<Item = (DVec3, f64)>, colour: u32) -> Self {
        Self { path: path.into_iter().collect(), colour: hex(colour) }
    }

    /// Vertices of its rings, and one at each end.
    pub(super) fn vertex_count(&self, around: usize) -> usize {
        self.path.len() * around + 2
    }

    /// Adds its surface to a skin. Rings are carried along the path without twist.
    pub(super) fn draw(&self, around: usize, skin: &mut PaintedSkin) {
        let (Some(first), Some(last)) = (self.path.first(), self.path.last()) else { return };
        let base = skin.mesh.positions.len() as u32;
        let mut along = self.tangent(0);
        let mut right = along.any_orthonormal_vector();
        let mut push = |at: DVec3, normal: DVec3| {
            skin.mesh.positions.push(at);
            skin.normals.push(normal);
            skin.colours.push(self.colour);
            skin.main_shares.push(0.0);
        };
        push(first.0 - along * first.1, -along);
        for (n, (at, radius)) in self.path.iter().enumerate() {
            let tangent = self.tangent(n);
            right = DQuat::from_rotation_arc(along, tangent) * right;
            along = tangent;
            let up = along.cross(right);
            for i in 0..around {
                let angle = TAU * i as f64 / around as f64;
                let out = right * cos(angle) + up * sin(angle);
                push(*at + out * *radius, out);
            }
        }
        push(last.0 + along * last.1, along);
        let at = |ring: usize, i: usize| base + (1 + ring * around + i % around) as u32;
        let (rings, tip) = (self.path.len(), base + (self.vertex_count(around) - 1) as u32);
        for i in 0..around {
            skin.mesh.triangles.push([base, at(0, i + 1), at(0, i)]);
            for ring in 1..rings {
                let [a, b, c, d] = [at(ring - 1, i), at(ring - 1, i + 1), at(ring, i + 1), at(ring, i)];
                skin.mesh.triangles.extend([[a, b, c], [a, c, d]]);
            }
            skin.mesh.triangles.push([tip, at(rings - 1, i), at(rings - 1, i + 1)]);
        }
    }

    fn tangent(&self, n: usize) -> DVec3 {
        let before = self.path[n.saturating_sub(1)].0;
        let after = self.path[(n + 1).min(self.path.len() - 1)].0;
        (after - before).normalize_or(DVec3::NEG_Y)
    }
}
