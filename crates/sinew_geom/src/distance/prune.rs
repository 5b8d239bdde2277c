//! What of a composed shape matters within a ball.
//!
//! Parts are 1-Lipschitz: where two of them differ at the ball's centre by more than its diameter, the farther one
//! decides nothing anywhere in it. What is left has the same bits as the whole there, at a fraction of the cost.

use super::primitives::{Place, sweep};
use super::shape::{flattened, in_first_sector, rippled, ruffle_pull};
use super::{Distance, Shape};
use sinew_math::{DVec3, dvec2, dvec3};

impl Shape {
    /// A shape with the same values within a ball.
    pub(super) fn within(&self, centre: DVec3, radius: f64) -> Self {
        self.pruned(centre, radius).1
    }

    /// The value at the centre, and the shape without what does not matter.
    fn pruned(&self, c: DVec3, r: f64) -> (f64, Self) {
        let boxed = |of: &Self, c: DVec3, r: f64| {
            let (value, of) = of.pruned(c, r);
            (value, Box::new(of))
        };
        match self {
            Self::Union { .. } | Self::Subtract { .. } | Self::Intersect { .. } => self.pruned_pair(c, r),
            Self::Sweep { path } => (0.0, Self::Sweep { path: near_part(path, c, r) }).with_value_of(c),
            Self::Revolve { path } => {
                let flat = dvec2(dvec2(c.x, c.z).length(), c.y);
                (0.0, Self::Revolve { path: near_part(path, flat, r) }).with_value_of(c)
            }
            Self::Shell { of, thickness } => {
                let (value, of) = boxed(of, c, r);
                (value.abs() - 0.5 * thickness, Self::Shell { of, thickness: *thickness })
            }
            Self::Grow { of, by } => {
                let (value, of) = boxed(of, c, r);
                (value - by, Self::Grow { of, by: *by })
            }
            Self::Move { of, by } => {
                let (value, of) = boxed(of, c - *by, r);
                (value, Self::Move { of, by: *by })
            }
            Self::Turn { of, by } => {
                let (value, of) = boxed(of, by.conjugate() * c, r);
                (value, Self::Turn { of, by: *by })
            }
            Self::Scale { of, by } => {
                let (value, of) = boxed(of, c / *by, r / by);
                (value * by, Self::Scale { of, by: *by })
            }
            Self::Stretch { of, by } => {
                let (value, of) = boxed(of, c / *by, r / by.min_element());
                (value * by.min_element(), Self::Stretch { of, by: *by })
            }
            Self::Mirror { of } => {
                let (value, of) = boxed(of, dvec3(c.x.abs(), c.y, c.z), r);
                (value, Self::Mirror { of })
            }
            // Folding brings no two points farther apart, and waves no farther than they pull.
            Self::Around { of, count } => {
                let (value, of) = boxed(of, in_first_sector(*count, c), r);
                (value, Self::Around { of, count: *count })
            }
            Self::Ruffle { of, count, depth, radii } => {
                let pull = ruffle_pull(*count, *depth, *radii);
                let (value, of) = boxed(of, flattened(*count, *depth, *radii, c), r * pull);
                (value / pull, Self::Ruffle { of, count: *count, depth: *depth, radii: *radii })
            }
            Self::Ripple { of, direction, wave, depth } => {
                let (value, of) = boxed(of, c, r);
                let value = rippled(value, *direction, *wave, *depth, c);
                (value, Self::Ripple { of, direction: *direction, wave: *wave, depth: *depth })
            }
            Self::Sphere { .. }
            | Self::Cuboid { .. }
            | Self::Cylinder { .. }
            | Self::Torus { .. }
            | Self::Ellipsoid { .. }
            | Self::Plate { .. } => (self.at(c), self.clone()),
        }
    }

    /// The same of two shapes made one: where one of them decides alone, it is left.
    fn pruned_pair(&self, c: DVec3, r: f64) -> (f64, Self) {
        match self {
            Self::Union { a, b, blend } => {
                let ((va, a), (vb, b)) = (a.pruned(c, r), b.pruned(c, r));
                let apart = blend.max(0.0) + 2.0 * r;
                if va - vb > apart {
                    (vb, b)
                } else if vb - va > apart {
                    (va, a)
                } else {
                    (va.min(vb), Self::Union { a: a.into(), b: b.into(), blend: *blend })
                }
                .with_value_of(c)
            }
            Self::Subtract { from, cut, blend } => {
                let ((v_from, from), (v_cut, cut)) = (from.pruned(c, r), cut.pruned(c, r));
                if v_cut + v_from > blend.max(0.0) + 2.0 * r {
                    return (v_from, from);
                }
                (0.0, Self::Subtract { from: from.into(), cut: cut.into(), blend: *blend }).with_value_of(c)
            }
            Self::Intersect { a, b, blend } => {
                let ((va, a), (vb, b)) = (a.pruned(c, r), b.pruned(c, r));
                let apart = blend.max(0.0) + 2.0 * r;
                if va - vb > apart {
                    return (va, a);
                }
                if vb - va > apart {
                    return (vb, b);
                }
                (0.0, Self::Intersect { a: a.into(), b: b.into(), blend: *blend }).with_value_of(c)
            }
            _ => (self.at(c), self.clone()),
        }
    }
}

trait WithValue {
    fn with_value_of(self, centre: DVec3) -> (f64, Shape);
}

impl WithValue for (f64, Shape) {
    fn with_value_of(self, centre: DVec3) -> (f64, Shape) {
        (self.1.at(centre), self.1)
    }
}

/// The part of a path, in one piece, that holds every cone that is nearest somewhere in the ball.
fn near_part<P: Place>(path: &[(P, f64)], centre: P, radius: f64) -> Vec<(P, f64)> {
    let values: Vec<f64> = path.windows(2).map(|pair| sweep(pair, centre)).collect();
    let nearest = values.iter().copied().fold(f64::INFINITY, f64::min);
    let matters = |value: &f64| *value <= nearest + 2.0 * radius;
    match (values.iter().position(matters), values.iter().rposition(matters)) {
        (Some(first), Some(last)) => path[first..=last + 1].to_vec(),
        _ => path.to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_math::DQuat;

    #[test]
    fn what_is_left_has_the_same_bits_within_the_ball() {
        let arm = Shape::sweep([(DVec3::ZERO, 0.3), (dvec3(0.8, 0.2, 0.0), 0.15), (dvec3(1.0, 0.9, 0.3), 0.2)]);
        let body = Shape::ellipsoid(dvec3(0.5, 0.9, 0.4)).union(arm.clone().mirrored(), 0.1);
        let hollow = body.clone().subtract(Shape::sphere(0.3).moved(dvec3(0.0, 0.3, 0.3)), 0.05);
        let placed = hollow.turned(DQuat::from_rotation_z(0.4)).scaled(1.3).stretched(dvec3(1.0, 0.7, 1.2));
        let ring = Shape::revolve([(dvec2(0.2, 0.5), 0.2), (dvec2(0.7, 0.3), 0.1), (dvec2(0.9, -0.6), 0.05)]);
        let waves = ring.clone().ruffled(6, 0.1, [0.4, 0.7]).union(arm.around(5), 0.05);
        let whole = placed.union(ring.moved(dvec3(0.9, 0.0, 0.2)), 0.2).intersect(Shape::sphere(1.4), 0.1).rippled(
            DVec3::Y,
            0.2,
            0.02,
        );
        let whole = whole.union(waves.moved(dvec3(-0.5, 0.3, 0.0)), 0.1);
        for n in 0..300u32 {
            let at = |k: u32| f64::from((n * 7919 + k * 104_729) % 2003) / 2003.0 * 3.0 - 1.5;
            let (centre, radius) = (dvec3(at(0), at(1), at(2)), 0.02 + 0.1 * (at(3) + 1.5));
            let part = whole.within(centre, radius);
            for m in 0..20u32 {
                let step = |k: u32| f64::from((n * 31 + m * 7919 + k * 104_729) % 2003) / 2003.0 - 0.5;
                let p = centre + radius * dvec3(step(0), step(1), step(2));
                assert_eq!(part.at(p).to_bits(), whole.at(p).to_bits(), "{n}: {p}");
            }
        }
    }
}
