//! Boxes along the axes, in f32 about the middle of the stage: what rejects nearly everything before it costs anything.

/// Points that are looked at together.
pub(super) const LANES: usize = 16;

/// The smallest box around some points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Bounds {
    pub(super) low: [f32; 3],
    pub(super) high: [f32; 3],
}

impl Bounds {
    pub(super) const NOTHING: Self = Self { low: [f32::INFINITY; 3], high: [f32::NEG_INFINITY; 3] };

    #[inline(always)]
    pub(super) fn add(&mut self, p: &[f32; 4]) {
        for axis in 0..3 {
            self.low[axis] = smaller(self.low[axis], p[axis]);
            self.high[axis] = larger(self.high[axis], p[axis]);
        }
    }

    #[inline(always)]
    pub(super) fn join(&mut self, other: &Self) {
        for axis in 0..3 {
            self.low[axis] = smaller(self.low[axis], other.low[axis]);
            self.high[axis] = larger(self.high[axis], other.high[axis]);
        }
    }

    pub(super) fn grown(&self, by: f32) -> Self {
        Self { low: self.low.map(|x| x - by), high: self.high.map(|x| x + by) }
    }

    #[inline(always)]
    pub(super) fn meets(&self, other: &Self) -> bool {
        (0..3).fold(true, |meets, axis| {
            meets & (self.low[axis] <= other.high[axis]) & (other.low[axis] <= self.high[axis])
        })
    }
}

/// Sixteen boxes, axis by axis.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct BoxLanes {
    pub(super) low: [[f32; LANES]; 3],
    pub(super) high: [[f32; LANES]; 3],
}

impl BoxLanes {
    pub(super) const NOTHING: Self = Self { low: [[f32::INFINITY; LANES]; 3], high: [[f32::NEG_INFINITY; LANES]; 3] };

    pub(super) fn set(&mut self, lane: usize, bounds: &Bounds) {
        for axis in 0..3 {
            self.low[axis][lane] = bounds.low[axis];
            self.high[axis][lane] = bounds.high[axis];
        }
    }

    pub(super) fn get(&self, lane: usize) -> Bounds {
        Bounds { low: self.low.map(|axis| axis[lane]), high: self.high.map(|axis| axis[lane]) }
    }

    /// Which of the sixteen meet `other`: one bit each.
    #[inline(always)]
    pub(super) fn meeting(&self, other: &Bounds) -> u32 {
        let mut bits = 0;
        for lane in 0..LANES {
            let mut meets = true;
            for axis in 0..3 {
                meets &= self.low[axis][lane] <= other.high[axis];
                meets &= other.low[axis] <= self.high[axis][lane];
            }
            bits |= u32::from(meets) << lane;
        }
        bits
    }
}

/// Sixteen points, axis by axis; lanes without a point hold infinity, which is in no box.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct PointLanes {
    pub(super) at: [[f32; LANES]; 3],
}

impl PointLanes {
    pub(super) const NOWHERE: Self = Self { at: [[f32::INFINITY; LANES]; 3] };

    /// Which of the sixteen lie in `bounds`: one bit each.
    #[inline(always)]
    pub(super) fn inside(&self, bounds: &Bounds) -> u32 {
        let mut bits = 0;
        for lane in 0..LANES {
            let mut inside = true;
            for axis in 0..3 {
                inside &= self.at[axis][lane] >= bounds.low[axis];
                inside &= self.at[axis][lane] <= bounds.high[axis];
            }
            bits |= u32::from(inside) << lane;
        }
        bits
    }
}

// `f32::min` also sorts out NaN, which costs; a NaN here is only a contact not found, and the step is refused anyway.
#[inline(always)]
fn smaller(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

#[inline(always)]
fn larger(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// The lanes whose bit is set, in order.
pub(super) fn set_bits(mut bits: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = bits.trailing_zeros() as usize;
        bits &= bits.wrapping_sub(1);
        (lane < LANES).then_some(lane)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_agree_with_boxes_one_by_one() {
        let mut lanes = BoxLanes::NOTHING;
        let boxes: Vec<Bounds> = (0..13)
            .map(|i| {
                let low = [i as f32, 0.5 * i as f32, -(i as f32)];
                Bounds { low, high: low.map(|x| x + 1.5) }
            })
            .collect();
        boxes.iter().enumerate().for_each(|(lane, bounds)| lanes.set(lane, bounds));
        let other = Bounds { low: [3.0, 0.0, -9.0], high: [8.0, 3.6, 0.0] };
        let one_by_one: Vec<usize> = (0..13).filter(|&i| boxes[i].meets(&other)).collect();
        assert_eq!(set_bits(lanes.meeting(&other)).collect::<Vec<_>>(), one_by_one);
        assert!(one_by_one.len() > 2 && one_by_one.len() < 13);
        assert_eq!(PointLanes::NOWHERE.inside(&other), 0);
    }
}
