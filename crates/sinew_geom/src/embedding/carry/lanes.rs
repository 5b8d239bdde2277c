//! The inner loop of carrying, compiled for what the machine has. Every version does the same operations on each point.

use super::{Frame, LANES};

const HALF: usize = LANES / 2;

type Lists<'a> = [&'a [f32]; 6];

pub(super) fn carry_run(frame: &Frame, points: Lists<'_>, positions: &mut [[f32; 3]], normals: &mut [[f32; 3]]) {
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
fn wide(frame: &Frame, points: Lists<'_>, positions: &mut [[f32; 3]], normals: &mut [[f32; 3]]) {
    run(frame, points, positions, normals);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn half(frame: &Frame, points: Lists<'_>, positions: &mut [[f32; 3]], normals: &mut [[f32; 3]]) {
    run(frame, points, positions, normals);
}

#[inline(always)]
fn run(frame: &Frame, points: Lists<'_>, positions: &mut [[f32; 3]], normals: &mut [[f32; 3]]) {
    let count = positions.len();
    let mut at = 0;
    while at + LANES <= count {
        block::<LANES>(frame, points, at, positions, normals);
        at += LANES;
    }
    // Some points once more, with the same result, rather than one by one.
    match count - at {
        0 => {}
        left if left > HALF && count >= LANES => block::<LANES>(frame, points, count - LANES, positions, normals),
        left if left <= HALF && count >= HALF => block::<HALF>(frame, points, count - HALF, positions, normals),
        _ => {
            for i in at..count {
                let [a, b, c, x, y, z] = points;
                (positions[i], normals[i]) = point(frame, [a[i], b[i], c[i], x[i], y[i], z[i]]);
            }
        }
    }
}

#[inline(always)]
fn block<const N: usize>(
    frame: &Frame,
    points: Lists<'_>,
    at: usize,
    positions: &mut [[f32; 3]],
    normals: &mut [[f32; 3]],
) {
    // Spelt out: what `map` calls would not be compiled for the wide registers.
    let (Some(a), Some(b), Some(c)) =
        (points[0][at..].first_chunk::<N>(), points[1][at..].first_chunk::<N>(), points[2][at..].first_chunk::<N>())
    else {
        return;
    };
    let (Some(x), Some(y), Some(z)) =
        (points[3][at..].first_chunk::<N>(), points[4][at..].first_chunk::<N>(), points[5][at..].first_chunk::<N>())
    else {
        return;
    };
    let (Some(positions), Some(normals)) =
        (positions[at..].first_chunk_mut::<N>(), normals[at..].first_chunk_mut::<N>())
    else {
        return;
    };
    for i in 0..N {
        (positions[i], normals[i]) = point(frame, [a[i], b[i], c[i], x[i], y[i], z[i]]);
    }
}

#[inline(always)]
fn point(frame: &Frame, [a, b, c, x, y, z]: [f32; 6]) -> ([f32; 3], [f32; 3]) {
    let Frame { origin: o, edges: [e, f, g], cofactors: [p, q, r] } = frame;
    let position = [
        o[0] + (e[0] * a + f[0] * b + g[0] * c),
        o[1] + (e[1] * a + f[1] * b + g[1] * c),
        o[2] + (e[2] * a + f[2] * b + g[2] * c),
    ];
    let n = [p[0] * x + q[0] * y + r[0] * z, p[1] * x + q[1] * y + r[1] * z, p[2] * x + q[2] * y + r[2] * z];
    let squared = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
    // A flat tet has no normal; the zero it gets is better than what is not a number.
    let scale = 1.0 / squared.max(f32::MIN_POSITIVE).sqrt();
    (position, [n[0] * scale, n[1] * scale, n[2] * scale])
}
