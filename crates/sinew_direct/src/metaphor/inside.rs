//! Goals met from inside (CM-36): the rest shape itself is stretched, twisted or bent, so that the flesh contracts into it. No outer force
//! acts: a free body bends in flight, and neither drifts nor spins.
//!
//! Each point is carried by how far it is on the way from the first region to the second, u from −1 to 1, a harmonic field through the material.
//! Regions and all that hangs on them move rigidly; what is between them is stretched, turned (Barr, "Global and Local Deformations of Solid
//! Primitives", SIGGRAPH 1984) or laid along an arc.

use super::measured::Measured;
use super::widget::Frame;
use super::{Group, Metaphor};
use sinew_geom::field::{harmonic_in_tets, harmonic_on_sheet};
use sinew_math::libm::{cos, sin};
use sinew_math::{DMat3, DVec3};
use sinew_solve::{Cells, Flesh};

/// A bend, told by its arc, is found to this share of what is wanted.
const CLOSE: f64 = 1e-6;
const MOST_TRIES: usize = 30;

/// A metaphor's deformation of the rest shape.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Inside {
    /// −1 in the first region, 1 in the second.
    along: Vec<f64>,
    /// Half of the way between the two regions' middles, along the widget's x axis.
    half_m: f64,
}

impl Inside {
    /// Nothing where a region is empty or the material cannot tell the ends apart.
    pub(super) fn new(of: &Metaphor, flesh: &Flesh) -> Option<Self> {
        let [left, right, ..] = &*of.groups else { return None };
        let ends =
            |group: &Group, value: f64| group.points.iter().map(move |&point| (point, value)).collect::<Vec<_>>();
        let given = [ends(left, -1.0), ends(right, 1.0)].concat();
        if left.points.is_empty() || right.points.is_empty() {
            return None;
        }
        let along = match &flesh.cells {
            Cells::Tets(tets) => harmonic_in_tets(&flesh.rest, tets, &given),
            Cells::Shell(triangles) => harmonic_on_sheet(&flesh.rest, triangles, &given),
        };
        let frame = of.widget.at_rest();
        let x = |group: &Group| frame.place(group.centre(flesh, &flesh.rest)).x;
        Some(Self { along: along.ok()?, half_m: 0.5 * (x(right) - x(left)).abs() })
    }

    /// Where all points of the rest shape go for the metaphor to measure `amount` there.
    pub(super) fn shape(&self, of: &Metaphor, flesh: &Flesh, amount: f64) -> Vec<DVec3> {
        let frame = of.widget.at_rest();
        let amount = self.told(of, flesh, frame, amount);
        let place = |(x, u): (&DVec3, &f64)| frame.world(self.carried(of.measured, frame.place(*x), *u, amount));
        flesh.rest.iter().zip(&self.along).map(place).collect()
    }

    /// A place in the widget's frame, carried.
    fn carried(&self, measured: Measured, place: DVec3, u: f64, amount: f64) -> DVec3 {
        let half = 0.5 * amount.to_radians();
        match measured {
            Measured::Nothing => place,
            Measured::Stretch => place + DVec3::X * (0.01 * amount * self.half_m * u),
            Measured::Compression => place - DVec3::X * (0.01 * amount * self.half_m * u),
            Measured::Twist => about_x(half * u) * place,
            Measured::Bend => {
                // The axis goes along an arc of this length, which is a straight line where it is not bent.
                let s = u * self.half_m;
                let turn = half * u;
                let (rise, run) = if turn.abs() < 1e-6 {
                    (0.5 * s * turn, s)
                } else {
                    (s * (1.0 - cos(turn)) / turn, s * sin(turn) / turn)
                };
                DVec3::new(run, rise, 0.0) + about_z(turn) * (place - DVec3::X * s)
            }
        }
    }

    /// What to tell [`Self::carried`] for `amount` to be measured: only a bend, seen from its pivot, is another than that of its arc.
    fn told(&self, of: &Metaphor, flesh: &Flesh, frame: Frame, amount: f64) -> f64 {
        if of.measured != Measured::Bend || amount == 0.0 {
            return amount;
        }
        let mut x = flesh.rest.clone();
        let mut off = |told: f64| {
            for &point in of.groups.iter().flat_map(|group| &group.points) {
                let i = point as usize;
                x[i] = frame.world(self.carried(of.measured, frame.place(flesh.rest[i]), self.along[i], told));
            }
            of.measured.value(of, flesh, frame, &x, None).map_or(0.0, |(.., value)| value - amount)
        };
        // The secant method from the arc's own angle.
        let (mut a, mut b) = (amount, 2.0 * amount);
        let (mut off_a, mut off_b) = (off(a), off(b));
        for _ in 0..MOST_TRIES {
            if off_b.abs() <= CLOSE * amount.abs() || off_a == off_b {
                break;
            }
            let next = (b - off_b * (b - a) / (off_b - off_a)).clamp(-360.0, 360.0);
            (a, off_a) = (b, off_b);
            (b, off_b) = (next, off(next));
        }
        b
    }
}

fn about_z(radians: f64) -> DMat3 {
    let (s, c) = (sin(radians), cos(radians));
    DMat3::from_cols(DVec3::new(c, s, 0.0), DVec3::new(-s, c, 0.0), DVec3::Z)
}

fn about_x(radians: f64) -> DMat3 {
    let (s, c) = (sin(radians), cos(radians));
    DMat3::from_cols(DVec3::X, DVec3::new(0.0, c, s), DVec3::new(0.0, -s, c))
}
