//! Where a body's points were in a take.

use sinew_math::DVec3;
use std::ops::RangeInclusive;

/// The recorded motion of one body: its points at every frame, as a take keeps them.
#[derive(Debug, Clone, PartialEq)]
pub struct Motion {
    first_frame: i32,
    frames: Vec<(DVec3, Vec<[f32; 3]>)>,
}

impl Motion {
    /// Of an origin and offsets from it at every frame from the first on. None where there are no frames, or frames with other numbers of points.
    pub fn new(first_frame: i32, frames: Vec<(DVec3, Vec<[f32; 3]>)>) -> Option<Self> {
        let count = frames.first()?.1.len();
        frames.iter().all(|(_, offsets)| offsets.len() == count).then_some(Self { first_frame, frames })
    }

    pub fn frames(&self) -> RangeInclusive<i32> {
        self.first_frame..=self.first_frame + self.frames.len() as i32 - 1
    }

    pub fn point_count(&self) -> usize {
        self.frames[0].1.len()
    }

    /// Origins and offsets, frame by frame.
    pub fn recorded(&self) -> &[(DVec3, Vec<[f32; 3]>)] {
        &self.frames
    }

    /// World positions at a frame; the nearest one where the take has not got it.
    pub fn shape(&self, frame: i32) -> Vec<DVec3> {
        let place = (frame - self.first_frame).clamp(0, self.frames.len() as i32 - 1) as usize;
        let (origin, offsets) = &self.frames[place];
        offsets.iter().map(|offset| *origin + DVec3::from_array(offset.map(f64::from))).collect()
    }

    /// The same between frames, along Catmull–Rom curves.
    pub fn shape_at(&self, at: f64) -> Vec<DVec3> {
        let before = sinew_math::libm::floor(at);
        let share = at - before;
        let frame = before as i32;
        if share == 0.0 || !self.frames().contains(&frame) {
            return self.shape(frame);
        }
        let shapes = four_about(frame, self.frames(), |frame| self.shape(frame));
        let place = |point: usize| catmull_rom([0, 1, 2, 3].map(|n: usize| shapes[n][point]), share).0;
        (0..self.point_count()).map(place).collect()
    }
}

/// The shapes before, at, and twice after a number. Beyond the ends motion goes straight on.
pub(super) fn four_about(
    number: i32,
    within: RangeInclusive<i32>,
    shape: impl Fn(i32) -> Vec<DVec3>,
) -> [Vec<DVec3>; 4] {
    let beyond = |near: &[DVec3], far: &[DVec3]| near.iter().zip(far).map(|(near, far)| *near * 2.0 - *far).collect();
    let (b, c) = (shape(number), shape((number + 1).min(*within.end())));
    let a = if within.contains(&(number - 1)) { shape(number - 1) } else { beyond(&b, &c) };
    let d = if within.contains(&(number + 2)) { shape(number + 2) } else { beyond(&c, &b) };
    [a, b, c, d]
}

/// The curve through four places one apart, at a share of the way from the second to the third, and its slope.
pub(super) fn catmull_rom([a, b, c, d]: [DVec3; 4], t: f64) -> (DVec3, DVec3) {
    let [m0, m1] = [(c - a) * 0.5, (d - b) * 0.5];
    let s = 1.0 - t;
    let [h0, h1, g0, g1] = [s * s * (1.0 + 2.0 * t), t * t * (3.0 - 2.0 * t), t * s * s, -t * t * s];
    let [d0, d1, e0, e1] = [-6.0 * t * s, 6.0 * t * s, s * (1.0 - 3.0 * t), t * (3.0 * t - 2.0)];
    (b * h0 + c * h1 + m0 * g0 + m1 * g1, b * d0 + c * d1 + m0 * e0 + m1 * e1)
}
