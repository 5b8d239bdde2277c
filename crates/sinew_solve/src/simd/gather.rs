//! Places of vertices, read by number: one lane each, turned from records to lanes with shuffles, which round nothing.

use super::double::WithDoubles;
use super::{BLOCK, Lanes, Portable};

/// A vertex's place in the body's frame; the last number is nothing.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C, align(16))]
pub(crate) struct Point(pub(crate) [f32; 4]);

impl Point {
    pub(crate) const ZERO: Self = Self([0.0; 4]);
}

/// Numbers of points, one per lane.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C, align(64))]
pub(crate) struct Numbers(pub(crate) [u32; BLOCK]);

impl Numbers {
    pub(crate) const COUNTING: Self = Self([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
}

pub(crate) trait Gather: Lanes + WithDoubles {
    /// x, y and z of the points that lanes `at..at + WIDTH` name.
    ///
    /// # Safety
    /// `points` has all of them.
    unsafe fn gather(points: &[Point], numbers: &Numbers, at: usize) -> [Self; 3];

    /// Writes x, y and z of `WIDTH` points that follow each other.
    fn put(place: [Self; 3], points: &mut [Point]);

    /// Writes x, y and z of the points that lanes `at..at + WIDTH` name; of a point that is named twice, those of one of the lanes.
    ///
    /// # Safety
    /// `points` has all of them.
    unsafe fn scatter(place: [Self; 3], points: &mut [Point], numbers: &Numbers, at: usize);
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

    #[inline(always)]
    fn put(place: [Self; 3], points: &mut [Point]) {
        for (lane, point) in points[..Self::WIDTH].iter_mut().enumerate() {
            *point = Point([place[0].0[lane], place[1].0[lane], place[2].0[lane], 0.0]);
        }
    }

    #[inline(always)]
    unsafe fn scatter(place: [Self; 3], points: &mut [Point], numbers: &Numbers, at: usize) {
        for lane in 0..Self::WIDTH {
            // SAFETY: the caller's promise.
            let point = unsafe { points.get_unchecked_mut(numbers.0[at + lane] as usize) };
            *point = Point([place[0].0[lane], place[1].0[lane], place[2].0[lane], 0.0]);
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{BLOCK, Gather, Numbers, Point};
    use crate::simd::x86::{Avx2, Avx512, transpose_4x4_in_512};
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

        #[inline(always)]
        fn put(place: [Self; 3], points: &mut [Point]) {
            let points = &mut points[..8];
            unsafe {
                let to = points.as_mut_ptr().cast::<f32>();
                for (k, r) in rows_256(place).into_iter().enumerate() {
                    _mm_store_ps(to.add(4 * k), _mm256_castps256_ps128(r));
                    _mm_store_ps(to.add(4 * k + 16), _mm256_extractf128_ps::<1>(r));
                }
            }
        }

        #[inline(always)]
        unsafe fn scatter(place: [Self; 3], points: &mut [Point], numbers: &Numbers, at: usize) {
            debug_assert!(at + 8 <= BLOCK);
            unsafe {
                let points = points.as_mut_ptr();
                let to = |lane: usize| points.add(*numbers.0.get_unchecked(at + lane) as usize).cast::<f32>();
                for (k, r) in rows_256(place).into_iter().enumerate() {
                    _mm_store_ps(to(k), _mm256_castps256_ps128(r));
                    _mm_store_ps(to(k + 4), _mm256_extractf128_ps::<1>(r));
                }
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

        #[inline(always)]
        fn put(place: [Self; 3], points: &mut [Point]) {
            let points = &mut points[..16];
            unsafe {
                let to = points.as_mut_ptr().cast::<f32>();
                for (k, r) in rows_512(place).into_iter().enumerate() {
                    _mm_store_ps(to.add(4 * k), _mm512_castps512_ps128(r));
                    _mm_store_ps(to.add(4 * k + 16), _mm512_extractf32x4_ps::<1>(r));
                    _mm_store_ps(to.add(4 * k + 32), _mm512_extractf32x4_ps::<2>(r));
                    _mm_store_ps(to.add(4 * k + 48), _mm512_extractf32x4_ps::<3>(r));
                }
            }
        }

        #[inline(always)]
        unsafe fn scatter(place: [Self; 3], points: &mut [Point], numbers: &Numbers, _at: usize) {
            unsafe {
                let points = points.as_mut_ptr();
                let to = |lane: usize| points.add(*numbers.0.get_unchecked(lane) as usize).cast::<f32>();
                for (k, r) in rows_512(place).into_iter().enumerate() {
                    _mm_store_ps(to(k), _mm512_castps512_ps128(r));
                    _mm_store_ps(to(k + 4), _mm512_extractf32x4_ps::<1>(r));
                    _mm_store_ps(to(k + 8), _mm512_extractf32x4_ps::<2>(r));
                    _mm_store_ps(to(k + 12), _mm512_extractf32x4_ps::<3>(r));
                }
            }
        }
    }

    /// Points of lanes `k` and `k + 4` in row `k`.
    #[inline(always)]
    unsafe fn rows_256([x, y, z]: [Avx2; 3]) -> [__m256; 4] {
        unsafe {
            let zero = _mm256_setzero_ps();
            let (a, b) = (_mm256_unpacklo_ps(x.0, y.0), _mm256_unpackhi_ps(x.0, y.0));
            let (c, d) = (_mm256_unpacklo_ps(z.0, zero), _mm256_unpackhi_ps(z.0, zero));
            [
                _mm256_shuffle_ps::<0x44>(a, c),
                _mm256_shuffle_ps::<0xEE>(a, c),
                _mm256_shuffle_ps::<0x44>(b, d),
                _mm256_shuffle_ps::<0xEE>(b, d),
            ]
        }
    }

    /// Points of lanes `k`, `k + 4`, `k + 8` and `k + 12` in row `k`.
    #[inline(always)]
    unsafe fn rows_512([x, y, z]: [Avx512; 3]) -> [__m512; 4] {
        unsafe { transpose_4x4_in_512([x.0, y.0, z.0, _mm512_setzero_ps()]) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::Slot;
    use crate::simd::{Path, dispatched};

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

    dispatched! {
        copy_all = copy_all_in(points: &[Point], out: &mut [Point])
    }

    #[inline(always)]
    fn copy_all_in<L: Gather>(points: &[Point], out: &mut [Point]) {
        for at in (0..BLOCK).step_by(L::WIDTH) {
            // SAFETY: the test passes a block of points.
            let found = unsafe { L::gather(points, &Numbers::COUNTING, at) };
            L::put(found, &mut out[at..]);
        }
    }

    #[test]
    fn every_path_puts_points_where_it_found_them() {
        let points: Vec<Point> = (0..16).map(|i| Point([i as f32, i as f32 + 0.25, -(i as f32), 0.0])).collect();
        for path in Path::all() {
            let mut out = vec![Point::ZERO; BLOCK];
            copy_all(path, &points, &mut out);
            assert_eq!(out, points, "{path:?}");
        }
    }

    dispatched! {
        scatter_all = scatter_all_in(from: &[Point], out: &mut [Point], numbers: &Numbers)
    }

    #[inline(always)]
    fn scatter_all_in<L: Gather>(from: &[Point], out: &mut [Point], numbers: &Numbers) {
        for at in (0..BLOCK).step_by(L::WIDTH) {
            // SAFETY: the test names points that exist.
            unsafe { L::scatter(L::gather(from, &Numbers::COUNTING, at), out, numbers, at) };
        }
    }

    #[test]
    fn every_path_writes_the_points_that_are_named_and_no_other() {
        let points: Vec<Point> = (0..16).map(|i| Point([i as f32, i as f32 + 0.25, -(i as f32), 0.0])).collect();
        let numbers = Numbers(std::array::from_fn(|lane| (lane as u32 * 23 + 5) % 40));
        for path in Path::all() {
            let mut out = vec![Point([7.0; 4]); 40];
            scatter_all(path, &points, &mut out, &numbers);
            for (number, point) in out.iter().enumerate() {
                let lane = numbers.0.iter().position(|named| *named as usize == number);
                assert_eq!(*point, lane.map_or(Point([7.0; 4]), |lane| points[lane]), "{path:?} point {number}");
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
