//! 3×3 blocks of a matrix in f64, read by number and turned into lanes of f32: rounded once, the same everywhere.

use super::gather::Gather;
use super::{BLOCK, Portable, Slot};

/// Which block of a matrix a lane takes, doubled, plus one where it is to be transposed; [`NO_BLOCK`] for none.
pub(crate) type Sources = [u32; BLOCK];

/// Of a lane that takes zeros.
pub(crate) const NO_BLOCK: u32 = u32::MAX;

/// Blocks as they are stored: column by column.
pub(crate) type Columns = [f64; 9];

pub(crate) trait TakeBlocks: Gather {
    /// Writes number `k` of each lane's block, row by row, to `to[k]`.
    #[inline(always)]
    fn take_blocks(blocks: &[Columns], sources: &Sources, to: &mut [Slot; 9]) {
        for (lane, &source) in sources.iter().enumerate() {
            let block = blocks.get(source as usize / 2).unwrap_or(&[0.0; 9]);
            for (k, slot) in to.iter_mut().enumerate() {
                slot.0[lane] = block[if source % 2 == 1 { k } else { k % 3 * 3 + k / 3 }] as f32;
            }
        }
    }
}

impl TakeBlocks for Portable {}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Columns, Slot, Sources, TakeBlocks};
    use crate::simd::x86::{Avx2, Avx512, transpose_4x4_in_512};
    use std::arch::x86_64::*;

    impl TakeBlocks for Avx2 {}

    // SAFETY, for every `unsafe` below: kernels are entered only where the machine has AVX-512; a block has nine numbers, of which eight are read at
    // once, and slots are aligned to 64 bytes.

    /// Eight numbers of a block, row by row; the ninth goes to `last`. Not a closure: those are called, feature by feature.
    #[inline(always)]
    unsafe fn eight(blocks: &[Columns], source: u32, last: &mut f32) -> __m256 {
        unsafe {
            let block = blocks.get(source as usize / 2).unwrap_or(&[0.0; 9]);
            *last = block[8] as f32;
            let order = if source % 2 == 1 {
                _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)
            } else {
                _mm256_setr_epi32(0, 3, 6, 1, 4, 7, 2, 5)
            };
            _mm256_permutevar8x32_ps(_mm512_cvtpd_ps(_mm512_loadu_pd(block.as_ptr())), order)
        }
    }

    /// Those of lanes `low` and `low + 4`.
    #[inline(always)]
    unsafe fn sixteen(blocks: &[Columns], sources: &Sources, low: usize, last: &mut Slot) -> __m512 {
        unsafe {
            let front = eight(blocks, sources[low], &mut last.0[low]);
            let back = eight(blocks, sources[low + 4], &mut last.0[low + 4]);
            let front = _mm512_castpd256_pd512(_mm256_castps_pd(front));
            _mm512_castpd_ps(_mm512_insertf64x4::<1>(front, _mm256_castps_pd(back)))
        }
    }

    impl TakeBlocks for Avx512 {
        #[inline(always)]
        fn take_blocks(blocks: &[Columns], sources: &Sources, to: &mut [Slot; 9]) {
            unsafe {
                // Row k holds numbers of lanes k, k + 4, k + 8 and k + 12, so that transposing 4×4 within quarters leaves lanes in order.
                let rows = four!(K => {
                    let front = sixteen(blocks, sources, K, &mut to[8]);
                    let back = sixteen(blocks, sources, K + 8, &mut to[8]);
                    (_mm512_shuffle_f32x4::<0x88>(front, back), _mm512_shuffle_f32x4::<0xDD>(front, back))
                });
                let first = transpose_4x4_in_512(four!(K => rows[K].0));
                let second = transpose_4x4_in_512(four!(K => rows[K].1));
                four!(K => _mm512_store_ps(to[K].0.as_mut_ptr(), first[K]));
                four!(K => _mm512_store_ps(to[K + 4].0.as_mut_ptr(), second[K]));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::{Path, dispatched};

    dispatched! { take = take_in(blocks: &[Columns], sources: &Sources, to: &mut [Slot; 9]) }

    #[inline(always)]
    fn take_in<L: TakeBlocks>(blocks: &[Columns], sources: &Sources, to: &mut [Slot; 9]) {
        L::take_blocks(blocks, sources, to);
    }

    #[test]
    fn every_path_takes_the_blocks_that_are_named_and_transposes_them() {
        let blocks: Vec<Columns> = (0..20).map(|i| std::array::from_fn(|k| f64::from(i) + k as f64 / 10.0)).collect();
        let mut sources: Sources = std::array::from_fn(|lane| (lane as u32 * 11 + 3) % 40);
        sources[5] = NO_BLOCK;
        for path in Path::all() {
            let mut out = [Slot([7.0; BLOCK]); 9];
            take(path, &blocks, &sources, &mut out);
            for (lane, &source) in sources.iter().enumerate() {
                for (row, column) in (0..9).map(|k| (k / 3, k % 3)) {
                    let expected = match source {
                        NO_BLOCK => 0.0,
                        source if source % 2 == 1 => blocks[source as usize / 2][3 * row + column],
                        source => blocks[source as usize / 2][3 * column + row],
                    };
                    assert_eq!(out[3 * row + column].0[lane], expected as f32, "{path:?} lane {lane}");
                }
            }
        }
    }
}
