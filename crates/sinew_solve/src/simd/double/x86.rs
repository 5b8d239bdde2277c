//! Lanes of f64 in AVX2 and AVX-512.

use super::super::x86::{Avx2, Avx512};
use super::{Doubles, OCTET, Octet, Place, WithDoubles};
use std::arch::x86_64::*;
use std::ops::{Add, Div, Mul, Neg, Sub};

// SAFETY, for every `unsafe` below: the intrinsics need their target feature, and `Path::run` enters kernels only where the
// machine has it; octets are aligned to 64 bytes and places to 32, `at + WIDTH` lanes lie within an octet, and the caller of
// `gather` promises that the places exist.

#[derive(Clone, Copy)]
pub(crate) struct Avx2Doubles(__m256d);

impl WithDoubles for Avx2 {
    type Doubles = Avx2Doubles;
}

arithmetic!(
    Avx2Doubles,
    a,
    b,
    Self(unsafe { _mm256_add_pd(a.0, b.0) }),
    Self(unsafe { _mm256_sub_pd(a.0, b.0) }),
    Self(unsafe { _mm256_mul_pd(a.0, b.0) }),
    Self(unsafe { _mm256_div_pd(a.0, b.0) })
);

impl Doubles for Avx2Doubles {
    const WIDTH: usize = 4;
    type Mask = __m256d;

    #[inline(always)]
    fn splat(value: f64) -> Self {
        Self(unsafe { _mm256_set1_pd(value) })
    }
    #[inline(always)]
    fn load(octet: &Octet, at: usize) -> Self {
        debug_assert!(at + Self::WIDTH <= OCTET);
        Self(unsafe { _mm256_load_pd(octet.0.as_ptr().add(at)) })
    }
    #[inline(always)]
    fn store(self, octet: &mut Octet, at: usize) {
        debug_assert!(at + Self::WIDTH <= OCTET);
        unsafe { _mm256_store_pd(octet.0.as_mut_ptr().add(at), self.0) }
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(unsafe { _mm256_sqrt_pd(self.0) })
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Self(unsafe { _mm256_andnot_pd(_mm256_set1_pd(-0.0), self.0) })
    }
    #[inline(always)]
    fn below(self, other: Self) -> Self::Mask {
        unsafe { _mm256_cmp_pd::<_CMP_LT_OQ>(self.0, other.0) }
    }
    #[inline(always)]
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self {
        Self(unsafe { _mm256_blendv_pd(no.0, yes.0, mask) })
    }
    #[inline(always)]
    fn both(a: Self::Mask, b: Self::Mask) -> Self::Mask {
        unsafe { _mm256_and_pd(a, b) }
    }
    #[inline(always)]
    fn not(a: Self::Mask) -> Self::Mask {
        unsafe { _mm256_xor_pd(a, _mm256_castsi256_pd(_mm256_set1_epi32(-1))) }
    }
    #[inline(always)]
    fn any(mask: Self::Mask) -> bool {
        unsafe { _mm256_movemask_pd(mask) != 0 }
    }

    #[inline(always)]
    unsafe fn gather(places: &[Place], numbers: &[u32; OCTET], at: usize) -> [Self; 3] {
        debug_assert!(at + Self::WIDTH <= OCTET);
        unsafe {
            let one = |lane: usize| {
                let number = *numbers.get_unchecked(at + lane) as usize;
                _mm256_load_pd(places.as_ptr().add(number).cast())
            };
            let (r0, r1, r2, r3) = (one(0), one(1), one(2), one(3));
            let (xz, y) = (_mm256_unpacklo_pd(r0, r1), _mm256_unpackhi_pd(r0, r1));
            let (more_xz, more_y) = (_mm256_unpacklo_pd(r2, r3), _mm256_unpackhi_pd(r2, r3));
            [
                Self(_mm256_permute2f128_pd::<0x20>(xz, more_xz)),
                Self(_mm256_permute2f128_pd::<0x20>(y, more_y)),
                Self(_mm256_permute2f128_pd::<0x31>(xz, more_xz)),
            ]
        }
    }

    #[inline(always)]
    fn put(of: [Self; 3], places: &mut [Place; OCTET], at: usize) {
        debug_assert!(at + Self::WIDTH <= OCTET);
        unsafe {
            let (x, y, z, zero) = (of[0].0, of[1].0, of[2].0, _mm256_setzero_pd());
            let (even, odd) = (_mm256_unpacklo_pd(x, y), _mm256_unpackhi_pd(x, y));
            let (even_z, odd_z) = (_mm256_unpacklo_pd(z, zero), _mm256_unpackhi_pd(z, zero));
            let to = places.as_mut_ptr().add(at).cast::<f64>();
            _mm256_store_pd(to, _mm256_permute2f128_pd::<0x20>(even, even_z));
            _mm256_store_pd(to.add(4), _mm256_permute2f128_pd::<0x20>(odd, odd_z));
            _mm256_store_pd(to.add(8), _mm256_permute2f128_pd::<0x31>(even, even_z));
            _mm256_store_pd(to.add(12), _mm256_permute2f128_pd::<0x31>(odd, odd_z));
        }
    }
}

/// Eight numbers of eight lanes, turned from columns to rows.
#[inline(always)]
unsafe fn transpose(numbers: &[Octet; 9]) -> [__m512d; 8] {
    unsafe {
        let r = |k: usize| _mm512_load_pd(numbers.get_unchecked(k).0.as_ptr());
        let (t0, t1) = (_mm512_unpacklo_pd(r(0), r(1)), _mm512_unpackhi_pd(r(0), r(1)));
        let (t2, t3) = (_mm512_unpacklo_pd(r(2), r(3)), _mm512_unpackhi_pd(r(2), r(3)));
        let (t4, t5) = (_mm512_unpacklo_pd(r(4), r(5)), _mm512_unpackhi_pd(r(4), r(5)));
        let (t6, t7) = (_mm512_unpacklo_pd(r(6), r(7)), _mm512_unpackhi_pd(r(6), r(7)));
        let (u0, u1) = (_mm512_shuffle_f64x2::<0x88>(t0, t2), _mm512_shuffle_f64x2::<0xDD>(t0, t2));
        let (u2, u3) = (_mm512_shuffle_f64x2::<0x88>(t1, t3), _mm512_shuffle_f64x2::<0xDD>(t1, t3));
        let (v0, v1) = (_mm512_shuffle_f64x2::<0x88>(t4, t6), _mm512_shuffle_f64x2::<0xDD>(t4, t6));
        let (v2, v3) = (_mm512_shuffle_f64x2::<0x88>(t5, t7), _mm512_shuffle_f64x2::<0xDD>(t5, t7));
        [
            _mm512_shuffle_f64x2::<0x88>(u0, v0),
            _mm512_shuffle_f64x2::<0x88>(u2, v2),
            _mm512_shuffle_f64x2::<0x88>(u1, v1),
            _mm512_shuffle_f64x2::<0x88>(u3, v3),
            _mm512_shuffle_f64x2::<0xDD>(u0, v0),
            _mm512_shuffle_f64x2::<0xDD>(u2, v2),
            _mm512_shuffle_f64x2::<0xDD>(u1, v1),
            _mm512_shuffle_f64x2::<0xDD>(u3, v3),
        ]
    }
}

#[derive(Clone, Copy)]
pub(crate) struct Avx512Doubles(__m512d);

impl WithDoubles for Avx512 {
    type Doubles = Avx512Doubles;
}

arithmetic!(
    Avx512Doubles,
    a,
    b,
    Self(unsafe { _mm512_add_pd(a.0, b.0) }),
    Self(unsafe { _mm512_sub_pd(a.0, b.0) }),
    Self(unsafe { _mm512_mul_pd(a.0, b.0) }),
    Self(unsafe { _mm512_div_pd(a.0, b.0) })
);

impl Doubles for Avx512Doubles {
    const WIDTH: usize = 8;
    type Mask = __mmask8;

    #[inline(always)]
    fn splat(value: f64) -> Self {
        Self(unsafe { _mm512_set1_pd(value) })
    }
    #[inline(always)]
    fn load(octet: &Octet, _at: usize) -> Self {
        Self(unsafe { _mm512_load_pd(octet.0.as_ptr()) })
    }
    #[inline(always)]
    fn store(self, octet: &mut Octet, _at: usize) {
        unsafe { _mm512_store_pd(octet.0.as_mut_ptr(), self.0) }
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(unsafe { _mm512_sqrt_pd(self.0) })
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Self(unsafe { _mm512_abs_pd(self.0) })
    }
    #[inline(always)]
    fn below(self, other: Self) -> Self::Mask {
        unsafe { _mm512_cmp_pd_mask::<_CMP_LT_OQ>(self.0, other.0) }
    }
    #[inline(always)]
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self {
        Self(unsafe { _mm512_mask_blend_pd(mask, no.0, yes.0) })
    }
    #[inline(always)]
    fn both(a: Self::Mask, b: Self::Mask) -> Self::Mask {
        a & b
    }
    #[inline(always)]
    fn not(a: Self::Mask) -> Self::Mask {
        !a
    }
    #[inline(always)]
    fn any(mask: Self::Mask) -> bool {
        mask != 0
    }

    #[inline(always)]
    unsafe fn gather(places: &[Place], numbers: &[u32; OCTET], _at: usize) -> [Self; 3] {
        unsafe {
            let one = |lane: usize| {
                let number = *numbers.get_unchecked(lane) as usize;
                _mm256_load_pd(places.as_ptr().add(number).cast())
            };
            let two = |k: usize| _mm512_insertf64x4::<1>(_mm512_castpd256_pd512(one(k)), one(k + 2));
            let (r0, r1, r4, r5) = (two(0), two(1), two(4), two(5));
            let (xz, y) = (_mm512_unpacklo_pd(r0, r1), _mm512_unpackhi_pd(r0, r1));
            let (more_xz, more_y) = (_mm512_unpacklo_pd(r4, r5), _mm512_unpackhi_pd(r4, r5));
            [
                Self(_mm512_shuffle_f64x2::<0x88>(xz, more_xz)),
                Self(_mm512_shuffle_f64x2::<0x88>(y, more_y)),
                Self(_mm512_shuffle_f64x2::<0xDD>(xz, more_xz)),
            ]
        }
    }

    #[inline(always)]
    fn put(of: [Self; 3], places: &mut [Place; OCTET], _at: usize) {
        unsafe {
            let (x, y, z, zero) = (of[0].0, of[1].0, of[2].0, _mm512_setzero_pd());
            let (even, odd) = (_mm512_unpacklo_pd(x, y), _mm512_unpackhi_pd(x, y));
            let (even_z, odd_z) = (_mm512_unpacklo_pd(z, zero), _mm512_unpackhi_pd(z, zero));
            let front = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
            let back = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
            let to = places.as_mut_ptr().cast::<f64>();
            for (first, a, b) in [(0, even, even_z), (1, odd, odd_z)] {
                let (low, high) = (_mm512_permutex2var_pd(a, front, b), _mm512_permutex2var_pd(a, back, b));
                let to = to.add(4 * first);
                _mm256_store_pd(to, _mm512_castpd512_pd256(low));
                _mm256_store_pd(to.add(8), _mm512_extractf64x4_pd::<1>(low));
                _mm256_store_pd(to.add(16), _mm512_castpd512_pd256(high));
                _mm256_store_pd(to.add(24), _mm512_extractf64x4_pd::<1>(high));
            }
        }
    }

    #[inline(always)]
    fn add_nine(numbers: &[Octet; 9], to: &[u32; OCTET], out: &mut [[f64; 9]]) {
        unsafe {
            let rows = transpose(numbers);
            for lane in 0..OCTET {
                let Some(out) = out.get_mut(*to.get_unchecked(lane) as usize) else { continue };
                let first = out.as_mut_ptr();
                _mm512_storeu_pd(first, _mm512_add_pd(_mm512_loadu_pd(first), *rows.get_unchecked(lane)));
                *first.add(8) += *numbers[8].0.get_unchecked(lane);
            }
        }
    }
}
