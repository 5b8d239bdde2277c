//! Lanes of AVX2 and AVX-512. A record is one AVX-512 register, so that summing a list is one add per entry; the
//! sums are then turned from rows to columns with shuffles, which round nothing.

use super::{Lanes, Lists, Record, Slot};
use std::arch::x86_64::*;
use std::ops::{Add, Div, Mul, Neg, Sub};

// SAFETY, for every `unsafe` below: the intrinsics need their target feature; these types are private to `simd`, and only
// `Path::run` hands them to kernels, where the machine has it; slots and records are aligned to 64 bytes, and `at + WIDTH` lanes lie within a slot.

#[derive(Clone, Copy)]
pub(super) struct Avx2(pub(super) __m256);

arithmetic!(
    Avx2,
    a,
    b,
    Self(unsafe { _mm256_add_ps(a.0, b.0) }),
    Self(unsafe { _mm256_sub_ps(a.0, b.0) }),
    Self(unsafe { _mm256_mul_ps(a.0, b.0) }),
    Self(unsafe { _mm256_div_ps(a.0, b.0) })
);

impl Lanes for Avx2 {
    const WIDTH: usize = 8;
    type Mask = __m256;

    #[inline(always)]
    fn splat(value: f32) -> Self {
        Self(unsafe { _mm256_set1_ps(value) })
    }
    #[inline(always)]
    fn load(slot: &Slot, at: usize) -> Self {
        debug_assert!(at + Self::WIDTH <= slot.0.len());
        Self(unsafe { _mm256_load_ps(slot.0.as_ptr().add(at)) })
    }
    #[inline(always)]
    fn store(self, slot: &mut Slot, at: usize) {
        debug_assert!(at + Self::WIDTH <= slot.0.len());
        unsafe { _mm256_store_ps(slot.0.as_mut_ptr().add(at), self.0) }
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(unsafe { _mm256_sqrt_ps(self.0) })
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Self(unsafe { _mm256_andnot_ps(_mm256_set1_ps(-0.0), self.0) })
    }
    #[inline(always)]
    fn below(self, other: Self) -> Self::Mask {
        unsafe { _mm256_cmp_ps::<_CMP_LT_OQ>(self.0, other.0) }
    }
    #[inline(always)]
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self {
        Self(unsafe { _mm256_blendv_ps(no.0, yes.0, mask) })
    }
    #[inline(always)]
    fn both(a: Self::Mask, b: Self::Mask) -> Self::Mask {
        unsafe { _mm256_and_ps(a, b) }
    }
    #[inline(always)]
    fn either(a: Self::Mask, b: Self::Mask) -> Self::Mask {
        unsafe { _mm256_or_ps(a, b) }
    }
    #[inline(always)]
    fn not(a: Self::Mask) -> Self::Mask {
        unsafe { _mm256_xor_ps(a, _mm256_castsi256_ps(_mm256_set1_epi32(-1))) }
    }
    #[inline(always)]
    fn any(mask: Self::Mask) -> bool {
        unsafe { _mm256_movemask_ps(mask) != 0 }
    }
    #[inline(always)]
    fn bits(mask: Self::Mask) -> u32 {
        unsafe { _mm256_movemask_ps(mask) as u32 }
    }
    #[inline(always)]
    fn least(self, other: Self) -> Self {
        Self(unsafe { _mm256_min_ps(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn sum_records(records: &[Record], lists: &Lists, first: usize) -> [Self; Record::USED] {
        unsafe {
            let base = records.as_ptr().cast::<u8>();
            let mut front = [_mm256_setzero_ps(); 8];
            let mut back = [_mm_setzero_ps(); 8];
            for lane in 0..8 {
                let (mut even, mut odd) = (_mm256_setzero_ps(), _mm256_setzero_ps());
                let (mut even_back, mut odd_back) = (_mm_setzero_ps(), _mm_setzero_ps());
                for pair in lists.of(first + lane).chunks_exact(Lists::EVEN) {
                    let (a, b) = (base.add(pair[0] as usize).cast::<f32>(), base.add(pair[1] as usize).cast::<f32>());
                    even = _mm256_add_ps(even, _mm256_load_ps(a));
                    even_back = _mm_add_ps(even_back, _mm_load_ps(a.add(8)));
                    odd = _mm256_add_ps(odd, _mm256_load_ps(b));
                    odd_back = _mm_add_ps(odd_back, _mm_load_ps(b.add(8)));
                }
                front[lane] = _mm256_add_ps(even, odd);
                back[lane] = _mm_add_ps(even_back, odd_back);
            }
            let [a, b, c, d, e, f, g, h] = transpose_8x8(front);
            // Rows 0–3 and 4–7 of the last four numbers side by side, then 4×4 within each half.
            let [i, j, k, l] = transpose_4x4_in_256(four!(K => _mm256_set_m128(back[K + 4], back[K])));
            [Self(a), Self(b), Self(c), Self(d), Self(e), Self(f), Self(g), Self(h), Self(i), Self(j), Self(k), Self(l)]
        }
    }

    #[inline(always)]
    unsafe fn store_records(values: [Self; Record::USED], to: &mut [Record]) {
        unsafe {
            let [a, b, c, d, e, f, g, h, i, j, k, l] = values;
            let front = transpose_8x8([a.0, b.0, c.0, d.0, e.0, f.0, g.0, h.0]);
            let back = transpose_4x4_in_256([i.0, j.0, k.0, l.0]);
            for (lane, record) in to.get_unchecked_mut(..8).iter_mut().enumerate() {
                let record = record.0.as_mut_ptr();
                _mm256_store_ps(record, front[lane]);
                let half = if lane < 4 {
                    _mm256_castps256_ps128(back[lane])
                } else {
                    _mm256_extractf128_ps::<1>(back[lane - 4])
                };
                _mm_store_ps(record.add(8), half);
            }
        }
    }
}

#[inline(always)]
unsafe fn transpose_4x4_in_256(r: [__m256; 4]) -> [__m256; 4] {
    unsafe {
        let (a, b) = (_mm256_unpacklo_ps(r[0], r[1]), _mm256_unpackhi_ps(r[0], r[1]));
        let (c, d) = (_mm256_unpacklo_ps(r[2], r[3]), _mm256_unpackhi_ps(r[2], r[3]));
        [
            _mm256_shuffle_ps::<0x44>(a, c),
            _mm256_shuffle_ps::<0xEE>(a, c),
            _mm256_shuffle_ps::<0x44>(b, d),
            _mm256_shuffle_ps::<0xEE>(b, d),
        ]
    }
}

#[inline(always)]
unsafe fn transpose_8x8(r: [__m256; 8]) -> [__m256; 8] {
    unsafe {
        let [a, b, c, d] = transpose_4x4_in_256(four!(K => _mm256_permute2f128_ps::<0x20>(r[K], r[K + 4])));
        let [e, f, g, h] = transpose_4x4_in_256(four!(K => _mm256_permute2f128_ps::<0x31>(r[K], r[K + 4])));
        [a, b, c, d, e, f, g, h]
    }
}

#[derive(Clone, Copy)]
pub(super) struct Avx512(pub(super) __m512);

arithmetic!(
    Avx512,
    a,
    b,
    Self(unsafe { _mm512_add_ps(a.0, b.0) }),
    Self(unsafe { _mm512_sub_ps(a.0, b.0) }),
    Self(unsafe { _mm512_mul_ps(a.0, b.0) }),
    Self(unsafe { _mm512_div_ps(a.0, b.0) })
);

impl Lanes for Avx512 {
    const WIDTH: usize = 16;
    type Mask = __mmask16;

    #[inline(always)]
    fn splat(value: f32) -> Self {
        Self(unsafe { _mm512_set1_ps(value) })
    }
    #[inline(always)]
    fn load(slot: &Slot, _at: usize) -> Self {
        Self(unsafe { _mm512_load_ps(slot.0.as_ptr()) })
    }
    #[inline(always)]
    fn store(self, slot: &mut Slot, _at: usize) {
        unsafe { _mm512_store_ps(slot.0.as_mut_ptr(), self.0) }
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(unsafe { _mm512_sqrt_ps(self.0) })
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Self(unsafe { _mm512_abs_ps(self.0) })
    }
    #[inline(always)]
    fn below(self, other: Self) -> Self::Mask {
        unsafe { _mm512_cmp_ps_mask::<_CMP_LT_OQ>(self.0, other.0) }
    }
    #[inline(always)]
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self {
        Self(unsafe { _mm512_mask_blend_ps(mask, no.0, yes.0) })
    }
    #[inline(always)]
    fn both(a: Self::Mask, b: Self::Mask) -> Self::Mask {
        a & b
    }
    #[inline(always)]
    fn either(a: Self::Mask, b: Self::Mask) -> Self::Mask {
        a | b
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
    fn bits(mask: Self::Mask) -> u32 {
        u32::from(mask)
    }
    #[inline(always)]
    fn least(self, other: Self) -> Self {
        Self(unsafe { _mm512_min_ps(self.0, other.0) })
    }

    #[inline(always)]
    unsafe fn sum_records(records: &[Record], lists: &Lists, first: usize) -> [Self; Record::USED] {
        unsafe {
            let base = records.as_ptr().cast::<u8>();
            let mut rows = [_mm512_setzero_ps(); 16];
            for (lane, row) in rows.iter_mut().enumerate() {
                let (mut even, mut odd) = (_mm512_setzero_ps(), _mm512_setzero_ps());
                for pair in lists.of(first + lane).chunks_exact(Lists::EVEN) {
                    even = _mm512_add_ps(even, _mm512_load_ps(base.add(pair[0] as usize).cast::<f32>()));
                    odd = _mm512_add_ps(odd, _mm512_load_ps(base.add(pair[1] as usize).cast::<f32>()));
                }
                *row = _mm512_add_ps(even, odd);
            }
            // Quarters first: group[g][k] holds numbers 4g..4g+4 of rows k, k + 4, k + 8, k + 12. Then 4×4 in quarters.
            let quarters = four!(K => transpose_quarters([rows[K], rows[K + 4], rows[K + 8], rows[K + 12]]));
            let [[a, b, c, d], [e, f, g, h], [i, j, k, l]] =
                three!(G => transpose_4x4_in_512(four!(K => quarters[K][G])));
            [Self(a), Self(b), Self(c), Self(d), Self(e), Self(f), Self(g), Self(h), Self(i), Self(j), Self(k), Self(l)]
        }
    }

    #[inline(always)]
    unsafe fn store_records(values: [Self; Record::USED], to: &mut [Record]) {
        unsafe {
            let groups = three!(G => transpose_4x4_in_512(four!(K => values[4 * G + K].0)));
            let to = to.as_mut_ptr().cast::<f32>();
            four!(K => {
                let rows = transpose_quarters([groups[0][K], groups[1][K], groups[2][K], _mm512_setzero_ps()]);
                four!(Q => _mm512_store_ps(to.add((4 * Q + K) * 16), rows[Q]));
            });
        }
    }
}

#[inline(always)]
pub(super) unsafe fn transpose_4x4_in_512(r: [__m512; 4]) -> [__m512; 4] {
    unsafe {
        let (a, b) = (_mm512_unpacklo_ps(r[0], r[1]), _mm512_unpackhi_ps(r[0], r[1]));
        let (c, d) = (_mm512_unpacklo_ps(r[2], r[3]), _mm512_unpackhi_ps(r[2], r[3]));
        [
            _mm512_shuffle_ps::<0x44>(a, c),
            _mm512_shuffle_ps::<0xEE>(a, c),
            _mm512_shuffle_ps::<0x44>(b, d),
            _mm512_shuffle_ps::<0xEE>(b, d),
        ]
    }
}

/// Quarter `j` of row `i` becomes quarter `i` of row `j`.
#[inline(always)]
unsafe fn transpose_quarters(r: [__m512; 4]) -> [__m512; 4] {
    unsafe {
        let (a, b) = (_mm512_shuffle_f32x4::<0x44>(r[0], r[1]), _mm512_shuffle_f32x4::<0xEE>(r[0], r[1]));
        let (c, d) = (_mm512_shuffle_f32x4::<0x44>(r[2], r[3]), _mm512_shuffle_f32x4::<0xEE>(r[2], r[3]));
        [
            _mm512_shuffle_f32x4::<0x88>(a, c),
            _mm512_shuffle_f32x4::<0xDD>(a, c),
            _mm512_shuffle_f32x4::<0x88>(b, d),
            _mm512_shuffle_f32x4::<0xDD>(b, d),
        ]
    }
}
