//! Orientations: which way a metaphor pushes at a place (CM-14).

use sinew_math::DVec3;

/// A field of directions in the widget's frame, of length 1 unless it says otherwise ([`Growth`]).
#[derive(Debug, Clone, PartialEq)]
pub enum Orientation {
    /// The same everywhere; its length counts.
    Uniform(DVec3),
    /// About the x axis, by the right hand; turned about by a sign of −1. Zero on the axis (CM-24).
    Around { sign: f64, grows: Growth },
    /// Away from the x axis, or towards it.
    Away { sign: f64 },
    /// A vector of its own for every point, by the point's number; missing ones are zero.
    Field(Vec<DVec3>),
}

/// A field from arrows `(at, push)`, at the place `at`: blended by the inverse square of the distance (Shepard, "A two-dimensional
/// interpolation function for irregularly-spaced data", 1968). An arrow's own place has its push.
pub fn blend_arrows(arrows: &[(DVec3, DVec3)], at: DVec3) -> DVec3 {
    let (mut sum, mut total) = (DVec3::ZERO, 0.0);
    for (place, push) in arrows {
        let squared = place.distance_squared(at);
        if squared == 0.0 {
            return *push;
        }
        sum += *push / squared;
        total += 1.0 / squared;
    }
    if total > 0.0 && total.is_finite() { sum / total } else { DVec3::ZERO }
}

/// How a force about an axis depends on the distance from it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Growth {
    /// Not at all.
    Even,
    /// In proportion, as a rigid turn: the direction is as long as the distance, in metres, and the points' shares make up for it.
    ByRadius,
}

/// Nearer to the axis than this share of the distance from the widget is on it.
const ON_AXIS: f64 = 1e-9;

impl Orientation {
    /// The direction at a point that is at `at` in the widget's frame.
    pub fn at(&self, point: u32, at: DVec3) -> DVec3 {
        let across = DVec3::new(0.0, at.y, at.z);
        // What is on the axis but for rounding has no direction.
        let across = if across.length() > ON_AXIS * at.length() { across } else { DVec3::ZERO };
        match self {
            Self::Uniform(way) => *way,
            Self::Around { sign, grows } => {
                let around = DVec3::X.cross(across) * *sign;
                match grows {
                    Growth::Even => around.normalize_or_zero(),
                    Growth::ByRadius => around,
                }
            }
            Self::Away { sign } => across.normalize_or_zero() * *sign,
            Self::Field(vectors) => vectors.get(point as usize).copied().unwrap_or_default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two arrows against each other: each has its own push at its place, and half way they cancel.
    #[test]
    fn arrows_hold_at_their_places_and_blend_between() {
        let arrows = [(DVec3::X, DVec3::Y), (-DVec3::X, -DVec3::Y)];
        assert_eq!(
            [DVec3::X, -DVec3::X, DVec3::ZERO].map(|at| blend_arrows(&arrows, at)),
            [DVec3::Y, -DVec3::Y, DVec3::ZERO]
        );
        // 9 : 1 by the squares of 1/2 and 3/2.
        assert!((blend_arrows(&arrows, DVec3::X * 0.5).y - 0.8).abs() < 1e-12);
        assert_eq!(blend_arrows(&[], DVec3::X), DVec3::ZERO);
        assert_eq!(blend_arrows(&arrows[..1], DVec3::new(3.0, 4.0, 5.0)), DVec3::Y);
    }
}
