//! Regions: which points a metaphor acts on, by where they are at rest (CM-13).

use sinew_math::DVec3;

/// A volume in the widget's frame, or points by their numbers.
#[derive(Debug, Clone, PartialEq)]
pub enum Region {
    /// About the x axis, between two distances along it.
    Cylinder {
        from_m: f64,
        to_m: f64,
        radius_m: f64,
    },
    Sphere {
        centre: DVec3,
        radius_m: f64,
    },
    Cuboid {
        low: DVec3,
        high: DVec3,
    },
    Points(Vec<u32>),
}

impl Region {
    /// Whether it holds a point of this number that is at `at` in the widget's frame. What is `slack_m` outside it is on its face but for rounding: without it
    /// one of two faces takes a layer of points that lies in both.
    pub fn holds(&self, point: u32, at: DVec3, slack_m: f64) -> bool {
        match self {
            Self::Cylinder { from_m, to_m, radius_m } => {
                (*from_m - slack_m..=*to_m + slack_m).contains(&at.x) && at.y.hypot(at.z) <= *radius_m + slack_m
            }
            Self::Sphere { centre, radius_m } => at.distance(*centre) <= *radius_m + slack_m,
            Self::Cuboid { low, high } => at.cmpge(*low - slack_m).all() && at.cmple(*high + slack_m).all(),
            Self::Points(points) => points.contains(&point),
        }
    }
}
