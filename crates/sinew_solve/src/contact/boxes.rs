//! Boxes along the axes, in f32 about the middle of the stage: what rejects nearly everything before it costs anything.

use crate::simd::{BLOCK, Lanes, Slot, three};
use sinew_math::Vec3A;

/// Points that are looked at together.
pub(super) const LANES: usize = BLOCK;

/// The smallest box around some points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Bounds {
    pub(super) low: Vec3A,
    pub(super) high: Vec3A,
}

impl Bounds {
    pub(super) const NOTHING: Self = Self { low: Vec3A::INFINITY, high: Vec3A::NEG_INFINITY };

    #[inline(always)]
    pub(super) fn add(&mut self, p: Vec3A) {
        self.low = self.low.min(p);
        self.high = self.high.max(p);
    }

    #[inline(always)]
    pub(super) fn join(&mut self, other: &Self) {
        self.low = self.low.min(other.low);
        self.high = self.high.max(other.high);
    }

    /// Around this and itself moved by `way`.
    pub(super) fn swept(&self, way: Vec3A) -> Self {
        Self { low: self.low.min(self.low + way), high: self.high.max(self.high + way) }
    }

    pub(super) fn grown(&self, by: f32) -> Self {
        Self { low: self.low - by, high: self.high + by }
    }

    #[inline(always)]
    pub(super) fn meets(&self, other: &Self) -> bool {
        (self.low.cmple(other.high) & other.low.cmple(self.high)).all()
    }
}

/// Sixteen boxes, axis by axis; lanes without a box hold [`Bounds::NOTHING`].
#[derive(Debug, Clone, Copy)]
pub(super) struct BoxLanes {
    low: [Slot; 3],
    high: [Slot; 3],
}

impl BoxLanes {
    pub(super) const NOTHING: Self =
        Self { low: [Slot([f32::INFINITY; LANES]); 3], high: [Slot([f32::NEG_INFINITY; LANES]); 3] };

    pub(super) fn set(&mut self, lane: usize, bounds: &Bounds) {
        for axis in 0..3 {
            self.low[axis].0[lane] = bounds.low[axis];
            self.high[axis].0[lane] = bounds.high[axis];
        }
    }

    /// Lanes from `at` on: around two points each, and so much larger.
    #[inline(always)]
    pub(super) fn set_around<L: Lanes>(&mut self, at: usize, one: [L; 3], other: [L; 3], grown_m: L) {
        three!(K => (one[K].least(other[K]) - grown_m).store(&mut self.low[K], at));
        three!(K => (L::select(other[K].below(one[K]), one[K], other[K]) + grown_m).store(&mut self.high[K], at));
    }

    #[inline(always)]
    pub(super) fn get(&self, lane: usize) -> Bounds {
        let point = |of: &[Slot; 3]| Vec3A::new(of[0].0[lane], of[1].0[lane], of[2].0[lane]);
        Bounds { low: point(&self.low), high: point(&self.high) }
    }

    /// Which of the sixteen meet `other`: one bit each.
    #[inline(always)]
    pub(super) fn meeting<L: Lanes>(&self, other: &Bounds) -> u32 {
        let mut bits = 0;
        for at in (0..LANES).step_by(L::WIDTH) {
            let mut apart = L::splat(other.high.x).below(L::load(&self.low[0], at));
            apart = L::either(apart, L::load(&self.high[0], at).below(L::splat(other.low.x)));
            apart = L::either(apart, L::splat(other.high.y).below(L::load(&self.low[1], at)));
            apart = L::either(apart, L::load(&self.high[1], at).below(L::splat(other.low.y)));
            apart = L::either(apart, L::splat(other.high.z).below(L::load(&self.low[2], at)));
            apart = L::either(apart, L::load(&self.high[2], at).below(L::splat(other.low.z)));
            bits |= L::bits(L::not(apart)) << at;
        }
        bits
    }
}

/// Sixteen points, axis by axis; lanes without a point hold infinity, which is in no box.
#[derive(Debug, Clone, Copy)]
pub(super) struct PointLanes {
    pub(super) at: [Slot; 3],
}

impl PointLanes {
    pub(super) const NOWHERE: Self = Self { at: [Slot([f32::INFINITY; LANES]); 3] };

    #[inline(always)]
    pub(super) fn get(&self, lane: usize) -> Vec3A {
        Vec3A::new(self.at[0].0[lane], self.at[1].0[lane], self.at[2].0[lane])
    }

    /// Which of the sixteen lie in `bounds`: one bit each.
    #[inline(always)]
    pub(super) fn inside<L: Lanes>(&self, bounds: &Bounds) -> u32 {
        let mut bits = 0;
        for at in (0..LANES).step_by(L::WIDTH) {
            let (x, y, z) = (L::load(&self.at[0], at), L::load(&self.at[1], at), L::load(&self.at[2], at));
            let mut out = L::either(x.below(L::splat(bounds.low.x)), L::splat(bounds.high.x).below(x));
            out = L::either(out, L::either(y.below(L::splat(bounds.low.y)), L::splat(bounds.high.y).below(y)));
            out = L::either(out, L::either(z.below(L::splat(bounds.low.z)), L::splat(bounds.high.z).below(z)));
            bits |= L::bits(L::not(out)) << at;
        }
        bits
    }
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
    use crate::simd::Portable;

    #[test]
    fn lanes_agree_with_boxes_one_by_one() {
        let mut lanes = BoxLanes::NOTHING;
        let boxes: Vec<Bounds> = (0..13)
            .map(|i| {
                let low = Vec3A::new(i as f32, 0.5 * i as f32, -(i as f32));
                Bounds { low, high: low + 1.5 }
            })
            .collect();
        boxes.iter().enumerate().for_each(|(lane, bounds)| lanes.set(lane, bounds));
        let other = Bounds { low: Vec3A::new(3.0, 0.0, -9.0), high: Vec3A::new(8.0, 3.6, 0.0) };
        let one_by_one: Vec<usize> = (0..13).filter(|&i| boxes[i].meets(&other)).collect();
        assert_eq!(set_bits(lanes.meeting::<Portable>(&other)).collect::<Vec<_>>(), one_by_one);
        assert!(one_by_one.len() > 2 && one_by_one.len() < 13);
        assert_eq!(PointLanes::NOWHERE.inside::<Portable>(&other), 0);
    }
}
