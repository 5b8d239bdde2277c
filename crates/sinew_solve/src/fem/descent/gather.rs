//! Places of vertices, read by number: one lane each, turned from records to lanes with shuffles, which round nothing.

use crate::shape_matching::lanes::{BLOCK, Lanes, Portable};

/// A vertex's place in the body's frame; the last number is nothing.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C, align(16))]
pub(super) struct Point(pub(super) [f32; 4]);

impl Point {
    pub(super) const ZERO: Self = Self([0.0; 4]);
}

/// Numbers of points, one per lane.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C, align(64))]
pub(super) struct Numbers(pub(super) [u32; BLOCK]);

impl Numbers {
    pub(super) const COUNTING: Self = Self([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
}

pub(super) trait Gather: Lanes {
    /// x, y and z of the points that lanes `at..at + WIDTH` name.
    ///
    /// # Safety
    /// `points` has all of them.
    unsafe fn gather(points: &[Point], numbers: &Numbers, at: usize) -> [Self; 3];
}

impl Gather for Portable {
    #[inline(always)]
    unsafe fn gather(points: &[Point], numbers: &Numbers, at: usize) -> [Self; 3] {
        let mut lanes = [Self::splat(0.0); 3];
        for lane in 0..Self::WIDTH {
            // SAFETY: the caller's promise.
            let point = unsafe { points.get_unchecked(numbers.0[at + lane] as usize) };
            for (axis, lanes) in lanes.iter_mut().enumerate() {
                lanes.0[lane] = point.0[axis];
            }
        }
        lanes
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{BLOCK, Gather, Numbers, Point};
    use crate::shape_matching::lanes::{Avx2, Avx512, four};
    use std::arch::x86_64::*;

    // SAFETY, for every `unsafe` below: the intrinsics need their target feature, and kernels are entered only where the
    // machine has it; points are aligned to 16 bytes, and the caller promises that they exist.

    impl Gather for Avx2 {
        #[inline(always)]
        unsafe fn gather(points: &[Point], numbers: &Numbers, at: usize) -> [Self; 3] {
            debug_assert!(at + 8 <= BLOCK);
            unsafe {
                let one = |lane: usize| {
                    let number = *numbers.0.get_unchecked(at + lane) as usize;
                    _mm_load_ps(points.as_ptr().add(number).cast())
                };
                // Row k holds lanes k and k + 4, so that transposing 4×4 within halves leaves lanes in order.
                let r = four!(K => _mm256_set_m128(one(K + 4), one(K)));
                let (a, b) = (_mm256_unpacklo_ps(r[0], r[1]), _mm256_unpackhi_ps(r[0], r[1]));
                let (c, d) = (_mm256_unpacklo_ps(r[2], r[3]), _mm256_unpackhi_ps(r[2], r[3]));
                [
                    Self(_mm256_shuffle_ps::<0x44>(a, c)),
                    Self(_mm256_shuffle_ps::<0xEE>(a, c)),
                    Self(_mm256_shuffle_ps::<0x44>(b, d)),
                ]
            }
        }
    }

    impl Gather for Avx512 {
        #[inline(always)]
        unsafe fn gather(points: &[Point], numbers: &Numbers, _at: usize) -> [Self; 3] {
            unsafe {
                let one = |lane: usize| {
                    let number = *numbers.0.get_unchecked(lane) as usize;
                    _mm_load_ps(points.as_ptr().add(number).cast())
                };
                let row = |k: usize| {
                    let low = _mm512_castps128_ps512(one(k));
                    let low = _mm512_insertf32x4::<1>(low, one(k + 4));
                    let low = _mm512_insertf32x4::<2>(low, one(k + 8));
                    _mm512_insertf32x4::<3>(low, one(k + 12))
                };
                let r = four!(K => row(K));
                let (a, b) = (_mm512_unpacklo_ps(r[0], r[1]), _mm512_unpackhi_ps(r[0], r[1]));
                let (c, d) = (_mm512_unpacklo_ps(r[2], r[3]), _mm512_unpackhi_ps(r[2], r[3]));
                [
                    Self(_mm512_shuffle_ps::<0x44>(a, c)),
                    Self(_mm512_shuffle_ps::<0xEE>(a, c)),
                    Self(_mm512_shuffle_ps::<0x44>(b, d)),
                ]
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape_matching::lanes::Slot;
    use crate::shape_matching::passes::{Path, dispatched};

    dispatched! {
        gather_all = gather_all_in(points: &[Point], numbers: &Numbers, out: &mut [Slot; 3])
    }

    #[inline(always)]
    fn gather_all_in<L: Gather>(points: &[Point], numbers: &Numbers, out: &mut [Slot; 3]) {
        for at in (0..BLOCK).step_by(L::WIDTH) {
            // SAFETY: the test names points that exist.
            let found = unsafe { L::gather(points, numbers, at) };
            for (found, out) in found.into_iter().zip(&mut *out) {
                found.store(out, at);
            }
        }
    }

    #[test]
    fn every_path_reads_the_points_that_are_named() {
        let points: Vec<Point> = (0..40).map(|i| Point([i as f32, i as f32 + 0.25, -(i as f32), 9.0])).collect();
        let numbers = Numbers(std::array::from_fn(|lane| (lane as u32 * 23 + 5) % 40));
        for path in Path::all() {
            let mut out = [Slot::ZERO; 3];
            gather_all(path, &points, &numbers, &mut out);
            for lane in 0..BLOCK {
                let Point([x, y, z, _]) = points[numbers.0[lane] as usize];
                assert_eq!([out[0].0[lane], out[1].0[lane], out[2].0[lane]], [x, y, z], "{path:?} lane {lane}");
            }
        }
    }
}
