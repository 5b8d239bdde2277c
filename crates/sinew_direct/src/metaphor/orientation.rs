//! Orientations: which way a metaphor pushes at a place (CM-14).

use sinew_math::DVec3;

/// A field of directions in the widget's frame, of length 1 unless it says otherwise.
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

/// How a force about an axis depends on the distance from it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Growth {
    /// Not at all.
    Even,
    /// In proportion, 1 at this distance: a rigid turn.
    ByRadius { radius_m: f64 },
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
                    Growth::ByRadius { radius_m } => around / *radius_m,
                }
            }
            Self::Away { sign } => across.normalize_or_zero() * *sign,
            Self::Field(vectors) => vectors.get(point as usize).copied().unwrap_or_default(),
        }
    }
}
