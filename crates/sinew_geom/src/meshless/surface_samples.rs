//! Points on a surface that each stand for the same area.
//!
//! Systematic sampling: the triangles' areas lie one after the other on a line, and a sample is taken at
//! every n-th part of it, from a seeded place on. So each part of the surface has its share of samples to
//! within one.

use super::sampling::mixed;
use crate::TriangleMesh;
use sinew_math::DVec3;

/// Points on a surface, with the area that each stands for.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SurfaceSamples {
    pub points: Vec<DVec3>,
    /// Outward, where triangles are counter-clockwise seen from outside.
    pub normals: Vec<DVec3>,
    pub area_m2: Vec<f64>,
    /// The triangle that each lies on.
    pub triangles: Vec<u32>,
}

impl SurfaceSamples {
    /// `count` samples; none of a surface without area.
    pub fn of(surface: &TriangleMesh, count: usize, seed: u64) -> Self {
        let area_vector2 = |triangle: usize| surface.area_vector2(triangle);
        let whole_m2 = surface.area();
        let mut samples = Self::default();
        if whole_m2.is_nan() || whole_m2 <= 0.0 {
            return samples;
        }
        let step_m2 = whole_m2 / count as f64;
        let mut state = mixed(seed);
        let mut next_m2 = step_m2 * share(state);
        let mut before_m2 = 0.0;
        for (number, triangle) in surface.triangles.iter().enumerate() {
            let normal2 = area_vector2(number);
            let after_m2 = before_m2 + 0.5 * normal2.length();
            let [a, b, c] = triangle.map(|vertex| surface.positions[vertex as usize]);
            while next_m2 < after_m2 && samples.points.len() < count {
                let (first, second) = (mixed(state), mixed(state ^ 0x5bf0_3635));
                state = mixed(first ^ second.rotate_left(17));
                let (mut u, mut v) = (share(first), share(second));
                if u + v > 1.0 {
                    (u, v) = (1.0 - u, 1.0 - v);
                }
                samples.points.push(a + (b - a) * u + (c - a) * v);
                samples.normals.push(normal2.normalize_or_zero());
                samples.area_m2.push(step_m2);
                samples.triangles.push(number as u32);
                next_m2 += step_m2;
            }
            before_m2 = after_m2;
        }
        samples
    }

    pub fn len(&self) -> usize {
        self.points.len()
    }

    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }
}

/// From 0 to below 1.
fn share(bits: u64) -> f64 {
    (bits >> 11) as f64 / (1u64 << 53) as f64
}
