//! Shapes by formula: scaled, twisted and bent copies of a rest shape.
//!
//! Bend and twist are Barr's ("Global and Local Deformations of Solid Primitives", SIGGRAPH 1984). An S-bend is two arcs that
//! meet in the middle with one tangent: the curvature changes its sign there.

use sinew_math::libm::{cos, sin};
use sinew_math::{DQuat, DVec3};

/// Scaled first, then twisted, then bent, about a centre.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ShapeFormula {
    /// Factors along the body's axes.
    pub scale: DVec3,
    /// Total turn from one end to the other about `axis`, degrees.
    pub twist_deg: f64,
    /// Total bend of `axis` towards `bend_to`, degrees.
    pub bend_deg: f64,
    /// Bend of each half, the second the other way, degrees.
    pub s_bend_deg: f64,
    pub axis: DVec3,
    pub bend_to: DVec3,
}

impl ShapeFormula {
    /// Changes nothing.
    pub const REST: Self =
        Self { scale: DVec3::ONE, twist_deg: 0.0, bend_deg: 0.0, s_bend_deg: 0.0, axis: DVec3::X, bend_to: DVec3::Y };

    /// Whether it changes nothing.
    pub fn is_rest(&self) -> bool {
        self.scale == DVec3::ONE && self.twist_deg == 0.0 && self.bend_deg == 0.0 && self.s_bend_deg == 0.0
    }

    /// Where points go. Centre and length are those of all the points given.
    pub fn shape(&self, points: &[DVec3]) -> Vec<DVec3> {
        let centre = points.iter().sum::<DVec3>() / points.len().max(1) as f64;
        let along = |x: &DVec3| (*x - centre).dot(self.axis);
        let low = points.iter().map(along).fold(f64::INFINITY, f64::min);
        let high = points.iter().map(along).fold(f64::NEG_INFINITY, f64::max);
        let length = (high - low).max(f64::MIN_POSITIVE);
        let [twist, bend] = [self.twist_deg, self.bend_deg].map(|degrees| degrees.to_radians() / length);
        let s_bend = self.s_bend_deg.to_radians() / (0.5 * length);
        let place = |x: &DVec3| {
            let x = self.twisted((*x - centre) * self.scale, twist);
            centre + self.s_bent(self.bent(x, bend), s_bend)
        };
        points.iter().map(place).collect()
    }

    fn twisted(&self, x: DVec3, radians_per_m: f64) -> DVec3 {
        DQuat::from_axis_angle(self.axis, radians_per_m * x.dot(self.axis)) * x
    }

    /// Carries the axis onto a circle of curvature κ towards `bend_to`.
    fn bent(&self, x: DVec3, curvature_per_m: f64) -> DVec3 {
        if curvature_per_m.abs() < 1e-9 {
            return x;
        }
        let (s, up) = (x.dot(self.axis), x.dot(self.bend_to));
        let angle = curvature_per_m * s;
        let radius = 1.0 / curvature_per_m - up;
        x - self.axis * s - self.bend_to * up
            + self.axis * (radius * sin(angle))
            + self.bend_to * (1.0 / curvature_per_m - radius * cos(angle))
    }

    /// The half ahead of the centre bends towards `bend_to`, the other half is its image in the centre.
    fn s_bent(&self, x: DVec3, curvature_per_m: f64) -> DVec3 {
        if x.dot(self.axis) >= 0.0 {
            return self.bent(x, curvature_per_m);
        }
        let half_turn = |x: DVec3| x - (self.axis * x.dot(self.axis) + self.bend_to * x.dot(self.bend_to)) * 2.0;
        half_turn(self.bent(half_turn(x), curvature_per_m))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_math::dvec3;

    #[test]
    fn an_s_keeps_its_length_and_its_ends_point_the_same_way() {
        let formula = ShapeFormula { s_bend_deg: 60.0, ..ShapeFormula::REST };
        let line: Vec<DVec3> = (0..=200).map(|i| dvec3(0.01 * f64::from(i) - 1.0, 0.0, 0.0)).collect();
        let bent = formula.shape(&line);
        let length: f64 = bent.windows(2).map(|pair| pair[0].distance(pair[1])).sum();
        assert!((length - 2.0).abs() < 1e-4, "{length}");
        let (first, last) = (bent[1] - bent[0], bent[200] - bent[199]);
        assert!(first.angle_between(last).to_degrees() < 1e-6);
        assert!((last.angle_between(DVec3::X).to_degrees() - 60.0).abs() < 1.0);
        assert!((bent[200] + bent[0]).length() < 1e-12, "its halves are images of each other");
        // An arc of 60° and length 1 has radius 3/π and rises by 3/π (1 − cos 60°).
        assert!((bent[200].y - 1.5 / std::f64::consts::PI).abs() < 1e-9, "{}", bent[200]);
    }
}
