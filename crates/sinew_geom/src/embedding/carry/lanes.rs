//! The inner loop of carrying, compiled for what the machine has. Every version does the same operations on each point.

use super::LANES;

const HALF: usize = LANES / 2;

type Lists<'a, const K: usize> = [&'a [f32]; K];

/// Makes a position and a normal of any length from a point's `K` numbers.
pub(super) trait PointFrame<const K: usize> {
    fn point(&self, numbers: [f32; K]) -> ([f32; 3], [f32; 3]);

    /// The same of `N` points, by coordinates.
    #[inline(always)]
    fn points<const N: usize>(&self, lists: [&[f32; N]; K]) -> [[[f32; N]; 3]; 2] {
        let mut made = [[[0.0; N]; 3]; 2];
        for i in 0..N {
            let mut numbers = [0.0; K];
            for k in 0..K {
                numbers[k] = lists[k][i];
            }
            let (position, normal) = self.point(numbers);
            for axis in 0..3 {
                made[0][axis][i] = position[axis];
                made[1][axis][i] = normal[axis];
            }
        }
        made
    }
}

pub(super) fn carry_run<F: PointFrame<K>, const K: usize>(
    frame: &F,
    points: Lists<'_, K>,
    positions: &mut [[f32; 3]],
    normals: &mut [[f32; 3]],
) {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f") {
            // SAFETY: the machine has it.
            return unsafe { wide(frame, points, positions, normals) };
        }
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the machine has it.
            return unsafe { half(frame, points, positions, normals) };
        }
    }
    run(frame, points, positions, normals);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn wide<F: PointFrame<K>, const K: usize>(
    frame: &F,
    points: Lists<'_, K>,
    positions: &mut [[f32; 3]],
    normals: &mut [[f32; 3]],
) {
    run(frame, points, positions, normals);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn half<F: PointFrame<K>, const K: usize>(
    frame: &F,
    points: Lists<'_, K>,
    positions: &mut [[f32; 3]],
    normals: &mut [[f32; 3]],
) {
    run(frame, points, positions, normals);
}

#[inline(always)]
fn run<F: PointFrame<K>, const K: usize>(
    frame: &F,
    points: Lists<'_, K>,
    positions: &mut [[f32; 3]],
    normals: &mut [[f32; 3]],
) {
    let count = positions.len();
    let mut at = 0;
    while at + LANES <= count {
        block::<F, K, LANES>(frame, points, at, positions, normals);
        at += LANES;
    }
    // Some points once more, with the same result, rather than one by one.
    match count - at {
        0 => {}
        left if left > HALF && count >= LANES => block::<F, K, LANES>(frame, points, count - LANES, positions, normals),
        left if left <= HALF && count >= HALF => block::<F, K, HALF>(frame, points, count - HALF, positions, normals),
        _ => {
            for i in at..count {
                (positions[i], normals[i]) = point(frame, points.map(|list| list[i]));
            }
        }
    }
}

#[inline(always)]
fn block<F: PointFrame<K>, const K: usize, const N: usize>(
    frame: &F,
    points: Lists<'_, K>,
    at: usize,
    positions: &mut [[f32; 3]],
    normals: &mut [[f32; 3]],
) {
    // Spelt out: what `map` calls would not be compiled for the wide registers.
    let mut lists = [&[0.0f32; N]; K];
    for k in 0..K {
        let Some(list) = points[k][at..].first_chunk::<N>() else { return };
        lists[k] = list;
    }
    let (Some(positions), Some(normals)) =
        (positions[at..].first_chunk_mut::<N>(), normals[at..].first_chunk_mut::<N>())
    else {
        return;
    };
    let [[x, y, z], [p, q, r]] = frame.points(lists);
    for i in 0..N {
        positions[i] = [x[i], y[i], z[i]];
        normals[i] = unit([p[i], q[i], r[i]]);
    }
}

#[inline(always)]
fn point<F: PointFrame<K>, const K: usize>(frame: &F, numbers: [f32; K]) -> ([f32; 3], [f32; 3]) {
    let (position, normal) = frame.point(numbers);
    (position, unit(normal))
}

#[inline(always)]
fn unit(n: [f32; 3]) -> [f32; 3] {
    let squared = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
    // A flat tet has no normal; the zero it gets is better than what is not a number.
    let scale = 1.0 / squared.max(f32::MIN_POSITIVE).sqrt();
    [n[0] * scale, n[1] * scale, n[2] * scale]
}
