//! One edit in space and time: how every frame near it is deformed so that the body has the edited shape at its frame.
//!
//! The edit is taken apart in rotation–strain coordinates of the take's own shape (Huang, Tong, Zhou, Bao, Desbrun, "Interactive shape
//! interpolation through controllable dynamic deformation", TVCG 2011; used so by Barbič, Sin, Grinspun 2012): with F = R S of an element in the
//! take, the edited one is `R exp(ω) exp(ε) S`. ω and ε turn with the element, so that an edit of an ear stays one of the ear wherever
//! it is in another frame. The displacement u whose gradient is nearest to ω + ε swings with the frequencies of the flesh (`ritz.rs`), each part
//! of it over time with the least effort (`sinew_math::Pulse`); what no displacement has fades as a cubic curve, and so does the way of the centre, in the world's axes.

use super::ritz::{Elastic, Swing, turn_and_strain};
use crate::key_shapes::ShapeCells;
use sinew_math::rotation::{mass_centre, nearest_rotation};
use sinew_math::rotation_curve::{exp, log};
use sinew_math::{DMat3, DQuat, DVec3, Pulse, Sym3, Wiggle};
use sinew_solve::Material;
use std::f64::consts::TAU;

/// Stretches are taken no smaller than this: a flat element has no logarithm.
const LEAST_STRETCH: f64 = 1e-3;
/// A swing of fewer frames than this would be seen as jitter; such a part fades as a cubic curve.
const LEAST_PERIOD_FRAMES: f64 = 5.0;

/// When an edit acts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Window {
    pub(super) frame: f64,
    pub(super) before: f64,
    pub(super) after: f64,
}

impl Window {
    pub(super) fn holds(&self, frame: f64) -> bool {
        frame > self.frame - self.before && frame < self.frame + self.after
    }
}

/// What of an edit is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Of {
    Whole,
    /// What the swings leave: flesh would not hold it by itself for a moment.
    Left,
}

#[derive(Debug)]
pub(super) struct Layer {
    window: Window,
    fade: Pulse,
    swings: Vec<(Pulse, Vec<DVec3>)>,
    /// ω and ε of each element that the swings leave.
    left: Vec<(DVec3, Sym3)>,
    shift: DVec3,
    /// By which acceleration the flesh resists the parts that swing: K u over the mass, root mean square, m/s².
    pub(super) resistance: f64,
}

/// What swings are made of.
pub(super) struct Swinging<'a> {
    pub(super) elastic: &'a Elastic,
    pub(super) material: &'a Material,
    pub(super) frames_per_sec: f64,
    /// Whether parts of the edit swing; else all of it fades as a cubic curve.
    pub(super) is_on: bool,
}

impl Layer {
    /// From the shape of the take at the edit's frame to the edited one.
    pub(super) fn new(
        cells: &ShapeCells,
        window: Window,
        [take, edited]: [&[DVec3]; 2],
        swinging: Option<Swinging<'_>>,
    ) -> Self {
        let wished: Vec<(DVec3, Sym3)> = cells
            .gradients(take)
            .into_iter()
            .zip(cells.gradients(edited))
            .map(|(take, edited)| difference(take, edited))
            .collect();
        let (mut swings, mut resistance) = (Vec::new(), 0.0);
        if let Some(of) = swinging {
            let gradients: Vec<DMat3> = wished.iter().map(|(turn, strain)| skew(*turn) + strain.to_mat()).collect();
            let u = cells.shape(&gradients, &vec![DVec3::ZERO; take.len()]);
            let slow = of.elastic.swings(cells, &u).into_iter().filter(|swing| of.is_slow(swing));
            let slow: Vec<Swing> = slow.collect();
            let square = |swing: &Swing| (swing.per_sec * swing.per_sec * cells.mean_length(&swing.shape)).powi(2);
            resistance = slow.iter().map(square).sum::<f64>().sqrt();
            swings = slow.into_iter().map(|swing| of.pulse(window, swing)).collect();
        }
        let fade = Pulse::new(Wiggle { period: f64::INFINITY, damping: 0.0 }, window.before, window.after);
        let shift = mass_centre(edited, &cells.mass_kg) - mass_centre(take, &cells.mass_kg);
        let mut layer = Self { window, fade, swings, left: Vec::new(), shift, resistance };
        let swung = layer.swung(take.len(), 0.0);
        let left = |(element, (turn, strain)): (&_, (DVec3, Sym3))| {
            let (own_turn, own_strain) = turn_and_strain(element, cells, &swung);
            (turn - own_turn, strain + own_strain * -1.0)
        };
        layer.left = cells.elements.iter().zip(wished).map(left).collect();
        layer
    }

    /// What the edit makes of a shape at a frame; none where it does nothing.
    pub(super) fn apply(&self, cells: &ShapeCells, take: &[DVec3], frame: f64, of: Of) -> Option<Vec<DVec3>> {
        if !self.window.holds(frame) {
            return None;
        }
        let at = frame - self.window.frame;
        let swung = match of {
            Of::Whole => self.swung(take.len(), at),
            Of::Left => vec![DVec3::ZERO; take.len()],
        };
        let fade = self.fade.value(at);
        let deformed = |((element, take), (turn, strain)): ((&_, DMat3), &(DVec3, Sym3))| {
            let (own_turn, own_strain) = turn_and_strain(element, cells, &swung);
            let rotation = DMat3::from_quat(nearest_rotation(take));
            let by = DMat3::from_quat(exp(own_turn + *turn * fade)) * (own_strain + *strain * fade).exp().to_mat();
            rotation * by * rotation.transpose() * take
        };
        let gradients = cells.gradients(take).into_iter();
        let wished: Vec<DMat3> = cells.elements.iter().zip(gradients).zip(&self.left).map(deformed).collect();
        let mut shape = cells.shape(&wished, take);
        let wanted = mass_centre(take, &cells.mass_kg) + self.shift * fade;
        let off = wanted - mass_centre(&shape, &cells.mass_kg);
        shape.iter_mut().for_each(|x| *x += off);
        Some(shape)
    }

    /// The displacement of all swings, at a number of frames after the edit's.
    fn swung(&self, points: usize, at: f64) -> Vec<DVec3> {
        let mut u = vec![DVec3::ZERO; points];
        for (pulse, shape) in &self.swings {
            let share = pulse.value(at);
            u.iter_mut().zip(shape).for_each(|(u, shape)| *u += *shape * share);
        }
        u
    }
}

impl Swinging<'_> {
    /// Whether it can be seen to swing.
    fn is_slow(&self, swing: &Swing) -> bool {
        self.is_on && self.period(swing) >= LEAST_PERIOD_FRAMES
    }

    /// Frames.
    fn period(&self, swing: &Swing) -> f64 {
        TAU / swing.per_sec * self.frames_per_sec
    }

    fn pulse(&self, window: Window, swing: Swing) -> (Pulse, Vec<DVec3>) {
        let period = self.period(&swing);
        let Swing { per_sec, shape } = swing;
        let of = &self.material.damping;
        let rate = of.wobble_per_sec + of.rayleigh_mass_per_sec + of.rayleigh_stiffness_secs * per_sec * per_sec;
        let damping = if per_sec > 0.0 { (0.5 * rate / per_sec).min(1.0) } else { 0.0 };
        (Pulse::new(Wiggle { period, damping }, window.before, window.after), shape)
    }
}

/// ω and ε with `edited = R exp(ω) exp(ε) S` for `take = R S`.
fn difference(take: DMat3, edited: DMat3) -> (DVec3, Sym3) {
    let rotation = DMat3::from_quat(nearest_rotation(take));
    let (stretches, axes) = Sym3::from_mat(rotation.transpose() * take).eigen();
    let inverse = |i: usize| Sym3::along(axes.col(i), 1.0 / stretches[i].max(LEAST_STRETCH));
    let by = rotation.transpose() * edited * (inverse(0) + inverse(1) + inverse(2)).to_mat();
    let turn: DQuat = nearest_rotation(by);
    let (stretches, axes) = Sym3::from_mat(DMat3::from_quat(turn).transpose() * by).eigen();
    let ln = |i: usize| Sym3::along(axes.col(i), sinew_math::libm::log(stretches[i].max(LEAST_STRETCH)));
    (log(turn), ln(0) + ln(1) + ln(2))
}

fn skew(of: DVec3) -> DMat3 {
    DMat3::from_cols(DVec3::new(0.0, of.z, -of.y), DVec3::new(-of.z, 0.0, of.x), DVec3::new(of.y, -of.x, 0.0))
}
