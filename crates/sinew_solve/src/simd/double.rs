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

    /// ln(1 + self) to a few units in the last place: 2 artanh(x / (2 + x)) as a series where x is from −1/3 to 1/2, where flesh is all but always, and
    /// one lane after the other elsewhere.
    #[inline(always)]
    fn log1p(self) -> Self {
        /// |x / (2 + x)| up to which the series has enough terms.
        const NEAR: f64 = 0.2;
        let s = self / (Self::splat(2.0) + self);
        let (s2, mut sum) = (s * s, Self::splat(1.0 / 25.0));
        for odd in [23.0, 21.0, 19.0, 17.0, 15.0, 13.0, 11.0, 9.0, 7.0, 5.0, 3.0] {
            sum = sum * s2 + Self::splat(1.0 / odd);
        }
        let near = s + s + (s + s) * s2 * sum;
        if !Self::any(Self::not(s.abs().below(Self::splat(NEAR)))) {
            return near;
        }
        let mut lanes = [Octet::ZERO; 3];
        for (lanes, value) in lanes.iter_mut().zip([near, s, self]) {
            value.store(lanes, 0);
        }
        let [mut out, s, x] = lanes;
        for lane in 0..Self::WIDTH {
            if s.0[lane].abs() < NEAR {
                continue;
            }
            out.0[lane] = log1p(x.0[lane]);
        }
        Self::load(&out, 0)
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

    dispatched! { log1p_of_all = log1p_of_all_in(numbers: &mut Octet) }

    #[inline(always)]
    fn log1p_of_all_in<L: Gather>(numbers: &mut Octet) {
        for at in (0..OCTET).step_by(L::Doubles::WIDTH) {
            L::Doubles::load(numbers, at).log1p().store(numbers, at);
        }
    }

    /// Near and far lanes side by side: a lane does not depend on its neighbours.
    #[test]
    fn logarithms_are_those_of_libm_to_a_few_units_in_the_last_place() {
        let given: Vec<f64> = (0..4000).map(|i| (f64::from(i) * 0.618).fract() * 1.4 - 0.74).collect();
        let far = [0.5, -1.0 / 3.0, 3.0, 1e9, 0.0, -1e-300, 1e-17, -0.75, 0.499_999_999_999_999_9, f64::INFINITY];
        let given: Vec<f64> = given.into_iter().chain(far).collect();
        for chunk in given.chunks(OCTET) {
            let mut numbers = Octet::ZERO;
            numbers.0[..chunk.len()].copy_from_slice(chunk);
            let results: Vec<Octet> = Path::all()
                .map(|path| {
                    let mut out = numbers;
                    log1p_of_all(path, &mut out);
                    out
                })
                .collect();
            assert!(results.windows(2).all(|two| two[0] == two[1]), "{chunk:?}");
            for (x, found) in chunk.iter().zip(results[0].0) {
                let wanted = log1p(*x);
                assert!(found == wanted || (found - wanted).abs() <= 1e-15 * wanted.abs(), "{x}: {found}");
            }
        }
        let mut wrong = Octet([f64::NAN; OCTET]);
        log1p_of_all(Path::best(), &mut wrong);
        assert!(wrong.0.iter().all(|x| x.is_nan()));
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
