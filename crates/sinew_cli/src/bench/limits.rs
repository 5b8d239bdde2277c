//! What one core can do at the most, measured beside what it is held against: operations a second, and bytes a second
//! from as much memory as the work goes over.

use std::hint::black_box;
use std::time::Instant;

/// One core's peaks.
pub(crate) struct Limits {
    flops_per_sec: f64,
}

/// f32 in a register of the widest kind; one cache line.
const WIDTH: usize = 16;
type Line = [f32; WIDTH];
/// The best of so many tries: a limit is what can be reached, not what is usual.
const TRIES: usize = 5;

impl Limits {
    pub(crate) fn measure() -> Self {
        /// Sums at once, enough to hide the latency of each.
        const SUMS: usize = 12;
        const ROUNDS: usize = 200_000;
        let flops = (2 * WIDTH * SUMS * ROUNDS) as f64;
        let best = best_secs(|| {
            let mut sums: [Line; SUMS] = std::array::from_fn(|i| [i as f32; WIDTH]);
            fused(black_box(&mut sums), ROUNDS);
            black_box(sums);
        });
        Self { flops_per_sec: flops / best }
    }

    pub(crate) fn flops_per_sec(&self) -> f64 {
        self.flops_per_sec
    }
}

/// Bytes a second that are read from a buffer of that size again and again.
pub(crate) fn bytes_per_sec(resident_bytes: f64) -> f64 {
    /// Bytes of one try, about.
    const READ: f64 = 2e8;
    let lines = (resident_bytes as usize / size_of::<Line>()).max(64);
    let buffer = vec![[1.0f32; WIDTH]; lines];
    let rounds = (READ / (lines * size_of::<Line>()) as f64).ceil() as usize;
    let best = best_secs(|| {
        for _ in 0..rounds {
            black_box(added(black_box(&buffer)));
        }
    });
    (rounds * lines * size_of::<Line>()) as f64 / best
}

fn best_secs(mut work: impl FnMut()) -> f64 {
    let mut once = || {
        let begun = Instant::now();
        work();
        begun.elapsed().as_secs_f64()
    };
    (0..TRIES).map(|_| once()).fold(f64::INFINITY, f64::min)
}

/// Multiplies and adds into twelve registers at once: more than enough to hide how long each takes.
fn fused(sums: &mut [Line; 12], rounds: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        // SAFETY: each is entered only after asking the machine for its features.
        if is_x86_feature_detected!("avx512f") {
            return unsafe { x86::fused512(sums, rounds) };
        }
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            return unsafe { x86::fused256(sums, rounds) };
        }
    }
    for _ in 0..rounds {
        for lane in sums.as_flattened_mut() {
            *lane = *lane * SHRINK + GROW;
        }
    }
}

/// Keep sums from growing out of bounds.
const SHRINK: f32 = 0.9999;
const GROW: f32 = 1e-4;

/// The sum of all lines: as few operations as one can do with what one reads.
fn added(lines: &[Line]) -> f32 {
    #[cfg(target_arch = "x86_64")]
    {
        // SAFETY: as above.
        if is_x86_feature_detected!("avx512f") {
            return unsafe { x86::added512(lines) };
        }
        if is_x86_feature_detected!("avx2") {
            return unsafe { x86::added256(lines) };
        }
    }
    added_in(lines)
}

#[inline(always)]
fn added_in(lines: &[Line]) -> f32 {
    const SUMS: usize = 8;
    let mut sums = [[0.0f32; WIDTH]; SUMS];
    // Plain loops: what iterators call does not take on a function's target features.
    let mut at = 0;
    while at + SUMS <= lines.len() {
        let mut i = 0;
        while i < SUMS {
            let mut lane = 0;
            while lane < WIDTH {
                sums[i][lane] += lines[at + i][lane];
                lane += 1;
            }
            i += 1;
        }
        at += SUMS;
    }
    sums.as_flattened().iter().sum()
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{GROW, Line, SHRINK};
    use std::arch::x86_64::*;

    #[target_feature(enable = "avx512f")]
    pub(super) fn fused512(sums: &mut [Line; 12], rounds: usize) {
        let (shrink, grow) = (_mm512_set1_ps(SHRINK), _mm512_set1_ps(GROW));
        let mut all = [grow; 12];
        for _ in 0..rounds {
            for sum in &mut all {
                *sum = _mm512_fmadd_ps(*sum, shrink, grow);
            }
        }
        for (line, sum) in sums.iter_mut().zip(all) {
            line[0] = _mm512_reduce_add_ps(sum);
        }
    }

    /// Half a line at a time, so that each round does the work of two.
    #[target_feature(enable = "avx2,fma")]
    pub(super) fn fused256(sums: &mut [Line; 12], rounds: usize) {
        let (shrink, grow) = (_mm256_set1_ps(SHRINK), _mm256_set1_ps(GROW));
        let mut all = [grow; 12];
        for _ in 0..2 * rounds {
            for sum in &mut all {
                *sum = _mm256_fmadd_ps(*sum, shrink, grow);
            }
        }
        for (line, sum) in sums.iter_mut().zip(all) {
            line[0] = _mm256_cvtss_f32(sum);
        }
    }

    #[target_feature(enable = "avx512f")]
    pub(super) fn added512(lines: &[Line]) -> f32 {
        super::added_in(lines)
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn added256(lines: &[Line]) -> f32 {
        super::added_in(lines)
    }
}
