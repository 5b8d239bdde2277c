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

    /// Seconds that so many operations and bytes take at the least, and what they wait for.
    pub(crate) fn least_secs(&self, flops: f64, bytes: f64, resident_bytes: f64) -> (f64, &'static str) {
        let (compute, traffic) = (flops / self.flops_per_sec, bytes / bytes_per_sec(resident_bytes));
        if compute > traffic { (compute, "arithmetic") } else { (traffic, "memory") }
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

/// Runs `$plain` as compiled for the widest lanes that the machine has.
macro_rules! widest {
    ($name:ident = $plain:ident($($arg:ident: $type:ty),*) $(-> $out:ty)?) => {
        fn $name($($arg: $type),*) $(-> $out)? {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx512f")]
                fn avx512($($arg: $type),*) $(-> $out)? {
                    $plain::<true>($($arg),*)
                }
                #[target_feature(enable = "avx2,fma")]
                fn avx2($($arg: $type),*) $(-> $out)? {
                    $plain::<true>($($arg),*)
                }
                // SAFETY: each is entered only after asking the machine for its features.
                if is_x86_feature_detected!("avx512f") {
                    return unsafe { avx512($($arg),*) };
                }
                if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                    return unsafe { avx2($($arg),*) };
                }
            }
            $plain::<false>($($arg),*)
        }
    };
}

widest!(fused = fused_in(sums: &mut [Line; 12], rounds: usize));
widest!(added = added_in(lines: &[Line]) -> f32);

#[inline(always)]
fn fused_in<const FUSED: bool>(sums: &mut [Line; 12], rounds: usize) {
    let mut all = *sums;
    for _ in 0..rounds {
        for sum in &mut all {
            for lane in sum {
                *lane = if FUSED { lane.mul_add(0.9999, 1e-4) } else { *lane * 0.9999 + 1e-4 };
            }
        }
    }
    *sums = all;
}

#[inline(always)]
fn added_in<const FUSED: bool>(lines: &[Line]) -> f32 {
    const SUMS: usize = 8;
    let mut sums = [[0.0f32; WIDTH]; SUMS];
    for eight in lines.chunks_exact(SUMS) {
        for (sum, line) in sums.iter_mut().zip(eight) {
            for (sum, value) in sum.iter_mut().zip(line) {
                *sum += value;
            }
        }
    }
    sums.iter().flatten().sum()
}
