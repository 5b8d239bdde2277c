//! Lanes of f64, half as many as of f32: for what has to be exact. The same rules hold, and the same bits come out everywhere.

#[cfg(target_arch = "x86_64")]
mod x86;

use super::Portable;
use sinew_math::libm::log1p;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// Lanes of a stored block of f64: one AVX-512 register, one cache line.
pub(crate) const OCTET: usize = 8;

/// One number of each of eight.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C, align(64))]
pub(crate) struct Octet(pub(crate) [f64; OCTET]);

impl Octet {
    pub(crate) const ZERO: Self = Self([0.0; OCTET]);
}

/// A point in space; the last number is nothing.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C, align(32))]
pub(crate) struct Place(pub(crate) [f64; 4]);

impl Place {
    pub(crate) const ZERO: Self = Self([0.0; 4]);
}

/// As many f64 as one register of the machine holds.
pub(crate) trait Doubles:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Neg<Output = Self>
{
    const WIDTH: usize;
    type Mask: Copy;

    fn splat(value: f64) -> Self;
    /// Lanes `at..at + WIDTH` of an octet; `at` is a multiple of the width.
    fn load(octet: &Octet, at: usize) -> Self;
    fn store(self, octet: &mut Octet, at: usize);
    fn sqrt(self) -> Self;
    fn abs(self) -> Self;
    /// `self < other`, false where either is not a number.
    fn below(self, other: Self) -> Self::Mask;
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;
    fn both(a: Self::Mask, b: Self::Mask) -> Self::Mask;
    fn not(a: Self::Mask) -> Self::Mask;
    fn any(mask: Self::Mask) -> bool;

    /// x, y and z of the places that lanes `at..at + WIDTH` name.
    ///
    /// # Safety
    /// `places` has all of them.
    unsafe fn gather(places: &[Place], numbers: &[u32; OCTET], at: usize) -> [Self; 3];

    /// Writes x, y and z, one place per lane.
    fn put(of: [Self; 3], places: &mut [Place; OCTET], at: usize);

    /// ln(1 + self), one lane after the other.
    #[inline(always)]
    fn log1p(self) -> Self {
        let mut lanes = Octet::ZERO;
        self.store(&mut lanes, 0);
        for lane in &mut lanes.0[..Self::WIDTH] {
            *lane = log1p(*lane);
        }
        Self::load(&lanes, 0)
    }

    /// Adds number `k` of nine in lane `l` to number `k` of matrix `to[l]`; lanes whose matrix is not there add to none.
    #[inline(always)]
    fn add_nine(numbers: &[Octet; 9], to: &[u32; OCTET], out: &mut [[f64; 9]]) {
        for (lane, &to) in to.iter().enumerate() {
            let Some(out) = out.get_mut(to as usize) else { continue };
            for (number, out) in numbers.iter().zip(out) {
                *out += number.0[lane];
            }
        }
    }
}

/// Kinds of f32 lanes know the kind of f64 lanes that the same machine has.
pub(crate) trait WithDoubles {
    type Doubles: Doubles;
}

#[derive(Clone, Copy)]
pub(crate) struct PortableDoubles([f64; 2]);

impl WithDoubles for Portable {
    type Doubles = PortableDoubles;
}

impl PortableDoubles {
    #[inline(always)]
    fn zip(self, other: Self, op: impl Fn(f64, f64) -> f64) -> Self {
        Self([op(self.0[0], other.0[0]), op(self.0[1], other.0[1])])
    }
}

arithmetic!(
    PortableDoubles,
    a,
    b,
    a.zip(b, |a, b| a + b),
    a.zip(b, |a, b| a - b),
    a.zip(b, |a, b| a * b),
    a.zip(b, |a, b| a / b)
);

impl Doubles for PortableDoubles {
    const WIDTH: usize = 2;
    type Mask = [bool; 2];

    #[inline(always)]
    fn splat(value: f64) -> Self {
        Self([value; 2])
    }
    #[inline(always)]
    fn load(octet: &Octet, at: usize) -> Self {
        Self([octet.0[at], octet.0[at + 1]])
    }
    #[inline(always)]
    fn store(self, octet: &mut Octet, at: usize) {
        octet.0[at..at + 2].copy_from_slice(&self.0);
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(self.0.map(f64::sqrt))
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Self(self.0.map(f64::abs))
    }
    #[inline(always)]
    fn below(self, other: Self) -> Self::Mask {
        [self.0[0] < other.0[0], self.0[1] < other.0[1]]
    }
    #[inline(always)]
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self {
        Self([if mask[0] { yes.0[0] } else { no.0[0] }, if mask[1] { yes.0[1] } else { no.0[1] }])
    }
    #[inline(always)]
    fn both(a: Self::Mask, b: Self::Mask) -> Self::Mask {
        [a[0] & b[0], a[1] & b[1]]
    }
    #[inline(always)]
    fn not(a: Self::Mask) -> Self::Mask {
        a.map(|a| !a)
    }
    #[inline(always)]
    fn any(mask: Self::Mask) -> bool {
        mask[0] | mask[1]
    }

    #[inline(always)]
    unsafe fn gather(places: &[Place], numbers: &[u32; OCTET], at: usize) -> [Self; 3] {
        // SAFETY: the caller's promise.
        let [a, b] = [0, 1].map(|lane| unsafe { places.get_unchecked(numbers[at + lane] as usize) });
        [Self([a.0[0], b.0[0]]), Self([a.0[1], b.0[1]]), Self([a.0[2], b.0[2]])]
    }

    #[inline(always)]
    fn put(of: [Self; 3], places: &mut [Place; OCTET], at: usize) {
        for lane in 0..2 {
            places[at + lane] = Place([of[0].0[lane], of[1].0[lane], of[2].0[lane], 0.0]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::gather::Gather;
    use super::*;
    use crate::simd::{Path, dispatched};

    dispatched! {
        copy_all = copy_all_in(places: &[Place], numbers: &[u32; OCTET], out: &mut [Place; OCTET])
    }

    #[inline(always)]
    fn copy_all_in<L: Gather>(places: &[Place], numbers: &[u32; OCTET], out: &mut [Place; OCTET]) {
        for at in (0..OCTET).step_by(L::Doubles::WIDTH) {
            // SAFETY: the test names places that exist.
            let found = unsafe { L::Doubles::gather(places, numbers, at) };
            L::Doubles::put(found, out, at);
        }
    }

    #[test]
    fn every_path_reads_and_writes_the_places_that_are_named() {
        let places: Vec<Place> =
            (0..30).map(|i| Place([f64::from(i), f64::from(i) + 0.25, -f64::from(i), 0.0])).collect();
        let numbers = std::array::from_fn(|lane| (lane as u32 * 23 + 5) % 30);
        for path in Path::all() {
            let mut out = [Place::ZERO; OCTET];
            copy_all(path, &places, &numbers, &mut out);
            for (out, number) in out.iter().zip(numbers) {
                assert_eq!(*out, places[number as usize], "{path:?}");
            }
        }
    }
}
