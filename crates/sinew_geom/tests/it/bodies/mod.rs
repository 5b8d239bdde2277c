//! Random bodies, and bodies that are no bodies at all.

use proptest::prelude::*;
use sinew_geom::distance::{Distance, Shape};
use sinew_math::{DQuat, DVec3, dvec3};

fn place() -> impl Strategy<Value = DVec3> {
    (-1.0..1.0, -1.0..1.0, -1.0..1.0).prop_map(|(x, y, z)| dvec3(x, y, z))
}

fn primitive() -> impl Strategy<Value = Shape> {
    let size = 0.05..0.8f64;
    prop_oneof![
        size.clone().prop_map(Shape::sphere),
        (size.clone(), size.clone(), size.clone()).prop_map(|(x, y, z)| Shape::cuboid(dvec3(x, y, z))),
        (size.clone(), size.clone()).prop_map(|(r, h)| Shape::cylinder(r, h)),
        (size.clone(), 0.02..0.3).prop_map(|(r, t)| Shape::torus(r, t)),
        (place(), place(), place(), 0.02..0.3, 0.02..0.3).prop_map(|(a, b, c, r, s)| Shape::sweep([
            (a, r),
            (b, s),
            (c, r)
        ])),
    ]
}

pub(crate) fn body() -> impl Strategy<Value = Shape> {
    let turned = (primitive(), place(), place())
        .prop_map(|(shape, by, axis)| shape.turned(DQuat::from_scaled_axis(axis * 3.0)).moved(by));
    turned.prop_recursive(3, 8, 2, |inner| {
        let blend = prop_oneof![Just(0.0), 0.0..0.3f64];
        prop_oneof![
            (inner.clone(), inner.clone(), blend.clone()).prop_map(|(a, b, k)| a.union(b, k)),
            (inner.clone(), inner.clone(), blend.clone()).prop_map(|(a, b, k)| a.subtract(b, k)),
            (inner.clone(), inner.clone(), blend).prop_map(|(a, b, k)| a.intersect(b, k)),
            (inner, 0.03..0.2).prop_map(|(a, t)| a.shell(t)),
        ]
    })
}

/// A body whose sign is noise: no surface at all that a lattice could follow.
pub(crate) struct Noise(pub u64);

impl Distance for Noise {
    fn at(&self, p: DVec3) -> f64 {
        let bits = p
            .to_array()
            .iter()
            .fold(self.0, |bits, x| (bits ^ x.to_bits()).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29));
        (bits >> 11) as f64 / (1u64 << 53) as f64 - 0.5
    }

    fn bounds(&self) -> (DVec3, DVec3) {
        (-DVec3::ONE, DVec3::ONE)
    }

    fn probe(&self, p: DVec3) -> (f64, f64) {
        (self.at(p), 0.0)
    }
}
