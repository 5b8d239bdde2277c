//! Lanes for any machine: arrays of four, which compilers turn into whatever vectors there are.

use super::{Lanes, Lists, Record, Slot};
use std::ops::{Add, Div, Mul, Neg, Sub};

const WIDTH: usize = 4;

#[derive(Clone, Copy)]
pub(crate) struct Portable(pub(crate) [f32; WIDTH]);

impl Portable {
    #[inline(always)]
    fn zip(self, other: Self, op: impl Fn(f32, f32) -> f32) -> Self {
        Self(std::array::from_fn(|i| op(self.0[i], other.0[i])))
    }
}

arithmetic!(
    Portable,
    a,
    b,
    a.zip(b, |a, b| a + b),
    a.zip(b, |a, b| a - b),
    a.zip(b, |a, b| a * b),
    a.zip(b, |a, b| a / b)
);

impl Lanes for Portable {
    const WIDTH: usize = WIDTH;
    type Mask = [bool; WIDTH];

    #[inline(always)]
    fn splat(value: f32) -> Self {
        Self([value; WIDTH])
    }
    #[inline(always)]
    fn load(slot: &Slot, at: usize) -> Self {
        Self(std::array::from_fn(|i| slot.0[at + i]))
    }
    #[inline(always)]
    fn store(self, slot: &mut Slot, at: usize) {
        slot.0[at..at + WIDTH].copy_from_slice(&self.0);
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(self.0.map(f32::sqrt))
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Self(self.0.map(f32::abs))
    }
    #[inline(always)]
    fn below(self, other: Self) -> Self::Mask {
        std::array::from_fn(|i| self.0[i] < other.0[i])
    }
    #[inline(always)]
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self {
        Self(std::array::from_fn(|i| if mask[i] { yes.0[i] } else { no.0[i] }))
    }
    #[inline(always)]
    fn both(a: Self::Mask, b: Self::Mask) -> Self::Mask {
        std::array::from_fn(|i| a[i] & b[i])
    }
    #[inline(always)]
    fn either(a: Self::Mask, b: Self::Mask) -> Self::Mask {
        std::array::from_fn(|i| a[i] | b[i])
    }
    #[inline(always)]
    fn not(a: Self::Mask) -> Self::Mask {
        a.map(|a| !a)
    }
    #[inline(always)]
    fn any(mask: Self::Mask) -> bool {
        mask.into_iter().any(|lane| lane)
    }
    #[inline(always)]
    fn bits(mask: Self::Mask) -> u32 {
        mask.iter().enumerate().fold(0, |bits, (lane, set)| bits | u32::from(*set) << lane)
    }

    #[inline(always)]
    unsafe fn sum_records(records: &[Record], lists: &Lists, first: usize) -> [Self; Record::USED] {
        let mut sums = [Self::splat(0.0); Record::USED];
        for lane in 0..WIDTH {
            let (mut even, mut odd) = ([0.0f32; Record::USED], [0.0f32; Record::USED]);
            // SAFETY: the caller's promise.
            for pair in unsafe { lists.of(first + lane) }.chunks_exact(Lists::EVEN) {
                let (a, b) =
                    (&records[pair[0] as usize / Record::BYTES].0, &records[pair[1] as usize / Record::BYTES].0);
                for k in 0..Record::USED {
                    even[k] += a[k];
                    odd[k] += b[k];
                }
            }
            for k in 0..Record::USED {
                sums[k].0[lane] = even[k] + odd[k];
            }
        }
        sums
    }

    #[inline(always)]
    unsafe fn store_records(values: [Self; Record::USED], to: &mut [Record]) {
        for (lane, record) in to[..WIDTH].iter_mut().enumerate() {
            for (k, value) in values.iter().enumerate() {
                record.0[k] = value.0[lane];
            }
        }
    }
}
