//! Fields written as formulas over the rest shape.

use super::path_field::PathLine;
use sinew_math::libm::{atan2, cos, sin};
use sinew_math::{DMat3, DVec3};
use sinew_solve::Flesh;

/// A signed axis of the body's rest frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Axis(pub DVec3);

/// Where fibres run; the frame's columns are the primary, secondary and tertiary direction.
#[derive(Debug, Clone, PartialEq)]
pub enum Fibres {
    Along(Axis),
    /// Rings about an axis through the rest frame's origin; the secondary direction points away from it.
    Around(Axis),
    /// Rings that climb: `pitch` from the ring towards the axis, radians.
    Spiral {
        about: Axis,
        pitch_rad: f64,
    },
    /// Rings about a path; the secondary direction points away from it.
    Rings(PathLine),
}

impl Fibres {
    /// One orthonormal frame per point. On the axis of rings, where they have no direction, any frame across it serves.
    pub fn on(&self, flesh: &Flesh) -> Vec<DMat3> {
        flesh.rest.iter().map(|x| self.frame(*x)).collect()
    }

    fn frame(&self, arm: DVec3) -> DMat3 {
        match *self {
            Self::Rings(ref path) => path.ring_frame(arm),
            Self::Along(Axis(axis)) => {
                let second = axis.any_orthonormal_vector();
                DMat3::from_cols(axis, second, axis.cross(second))
            }
            Self::Around(axis) => Self::Spiral { about: axis, pitch_rad: 0.0 }.frame(arm),
            Self::Spiral { about: Axis(axis), pitch_rad } => {
                let out = (arm - axis * arm.dot(axis)).try_normalize().unwrap_or_else(|| axis.any_orthonormal_vector());
                let first = axis.cross(out) * cos(pitch_rad) + axis * sin(pitch_rad);
                DMat3::from_cols(first, out, first.cross(out))
            }
        }
    }
}

/// A number per point.
#[derive(Debug, Clone, PartialEq)]
pub enum Scalar {
    Constant(f64),
    /// `from` at the one end of the body along the axis, `to` at the other.
    Along {
        axis: Axis,
        from: f64,
        to: f64,
    },
    /// `from` at a point of the rest shape, `to` at the point farthest from it.
    Distance {
        of: DVec3,
        from: f64,
        to: f64,
    },
    /// `from` where a path begins, `to` where it ends: by the path's place nearest to a point.
    Path {
        path: PathLine,
        from: f64,
        to: f64,
    },
    /// Rises once around an axis through the rest frame's origin.
    Around {
        axis: Axis,
        from: f64,
        to: f64,
    },
}

impl Scalar {
    /// The values where it begins and ends.
    pub fn range(&self) -> [f64; 2] {
        match *self {
            Self::Constant(value) => [value; 2],
            Self::Along { from, to, .. }
            | Self::Distance { from, to, .. }
            | Self::Path { from, to, .. }
            | Self::Around { from, to, .. } => [from, to],
        }
    }

    /// The same formula between other values.
    #[must_use]
    pub fn mapped(&self, map: impl Fn(f64) -> f64) -> Self {
        let mut mapped = self.clone();
        match &mut mapped {
            Self::Constant(value) => *value = map(*value),
            Self::Along { from, to, .. }
            | Self::Distance { from, to, .. }
            | Self::Path { from, to, .. }
            | Self::Around { from, to, .. } => (*from, *to) = (map(*from), map(*to)),
        }
        mapped
    }

    pub fn on(&self, flesh: &Flesh) -> Vec<f64> {
        let spread = |measure: &dyn Fn(DVec3) -> f64, from: f64, to: f64| {
            let values: Vec<f64> = flesh.rest.iter().map(|x| measure(*x)).collect();
            let low = values.iter().copied().fold(f64::INFINITY, f64::min);
            let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let span = if high > low { high - low } else { 1.0 };
            values.into_iter().map(|v| from + (to - from) * (v - low) / span).collect()
        };
        match *self {
            Self::Path { ref path, from, to } => {
                flesh.rest.iter().map(|x| from + (to - from) * path.share(*x)).collect()
            }
            Self::Constant(value) => vec![value; flesh.point_count()],
            Self::Along { axis, from, to } => spread(&|x| x.dot(axis.0), from, to),
            Self::Distance { of, from, to } => spread(&|x| x.distance(of), from, to),
            Self::Around { axis: Axis(axis), from, to } => {
                let first = axis.any_orthonormal_vector();
                let second = axis.cross(first);
                let turns = |x: DVec3| atan2(x.dot(second), x.dot(first)) / std::f64::consts::TAU;
                flesh.rest.iter().map(|x| from + (to - from) * (turns(*x) - turns(*x).floor())).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_geom::structured::cylinder;

    #[test]
    fn frames_are_orthonormal_and_rings_run_across_the_radius() {
        let flesh = Flesh::from_tets(cylinder(0.3, 1.0, 3, 4), 1000.0).unwrap();
        for fibres in [
            Fibres::Along(Axis(DVec3::X)),
            Fibres::Around(Axis(DVec3::Y)),
            Fibres::Spiral { about: Axis(DVec3::Y), pitch_rad: 0.6 },
        ] {
            for frame in fibres.on(&flesh) {
                let off = (frame.transpose() * frame - DMat3::IDENTITY).to_cols_array();
                assert!(off.iter().all(|c| c.abs() < 1e-12), "{fibres:?}");
            }
        }
        let rings = Fibres::Around(Axis(DVec3::Y)).on(&flesh);
        assert!(rings.iter().zip(&flesh.rest).all(|(frame, x)| frame.x_axis.dot(*x - DVec3::Y * x.y).abs() < 1e-12));
    }

    #[test]
    fn a_field_along_an_axis_runs_from_end_to_end() {
        let flesh = Flesh::from_tets(cylinder(0.3, 1.0, 2, 4), 1000.0).unwrap();
        let field = Scalar::Along { axis: Axis(DVec3::NEG_Y), from: 0.0, to: 1.0 }.on(&flesh);
        for (value, x) in field.iter().zip(&flesh.rest) {
            assert!((value - (0.5 - x.y)).abs() < 1e-12);
        }
    }
}
