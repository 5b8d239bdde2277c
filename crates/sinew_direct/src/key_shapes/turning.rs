//! Elements that turn, eight at a time: one step of Newton's method towards each one's nearest rotation, and the forces of what is missing to it.
//!
//! The same as `nearest_rotation_from` with one update, in lanes. Loops are compiled for what the machine has; every version does the
//! same operations in the same order.

use super::cells::Element;
use sinew_math::DVec3;

const LANES: usize = 8;

type Lanes = [f64; LANES];

/// Elements with their turns.
pub(super) struct TurningElements {
    blocks: Vec<Block>,
}

struct Block {
    /// Points of the elements' corners.
    corners: [[u32; LANES]; 4],
    /// Of corners 1 to 3; that of corner 0 is minus their sum.
    gradient: [[Lanes; 3]; 3],
    volume: Lanes,
    /// x, y, z, w.
    turn: [Lanes; 4],
}

impl TurningElements {
    /// None has turned yet.
    pub(super) fn new(elements: &[Element]) -> Self {
        let block = |elements: &[Element]| {
            let mut block = Block {
                corners: [[0; LANES]; 4],
                gradient: [[[0.0; LANES]; 3]; 3],
                volume: [0.0; LANES],
                turn: [[0.0; LANES], [0.0; LANES], [0.0; LANES], [1.0; LANES]],
            };
            for lane in 0..LANES {
                // Lanes that are left over are the first element once more, without volume.
                let element = &elements[if lane < elements.len() { lane } else { 0 }];
                let corners = element.all_corners();
                (0..4).for_each(|n| block.corners[n][lane] = corners[n]);
                for (n, gradient) in element.gradient[1..].iter().enumerate() {
                    (0..3).for_each(|axis| block.gradient[n][axis][lane] = gradient[axis]);
                }
                block.volume[lane] = if lane < elements.len() { element.volume } else { 0.0 };
            }
            block
        };
        Self { blocks: elements.chunks(LANES).map(block).collect() }
    }

    /// Turns every element towards points at `x` and adds `V (R − F) g` to the `right` side of its corners, by their places in it.
    pub(super) fn pull(&mut self, x: &[DVec3], place: &[u32], right: &mut [DVec3]) {
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx512f") {
                // SAFETY: the machine has it.
                return unsafe { wide(&mut self.blocks, x, place, right) };
            }
            if is_x86_feature_detected!("avx2") {
                // SAFETY: the machine has it.
                return unsafe { half(&mut self.blocks, x, place, right) };
            }
        }
        run(&mut self.blocks, x, place, right);
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn wide(blocks: &mut [Block], x: &[DVec3], place: &[u32], right: &mut [DVec3]) {
    run(blocks, x, place, right);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn half(blocks: &mut [Block], x: &[DVec3], place: &[u32], right: &mut [DVec3]) {
    run(blocks, x, place, right);
}

#[inline(always)]
fn run(blocks: &mut [Block], x: &[DVec3], place: &[u32], right: &mut [DVec3]) {
    for block in blocks {
        let mut edges = [[[0.0; LANES]; 3]; 3];
        for lane in 0..LANES {
            let a = x[block.corners[0][lane] as usize];
            for n in 0..3 {
                let edge = x[block.corners[n + 1][lane] as usize] - a;
                (edges[n][0][lane], edges[n][1][lane], edges[n][2][lane]) = (edge.x, edge.y, edge.z);
            }
        }
        let pulls = pulls(block, &edges);
        for lane in 0..LANES {
            let mut sum = DVec3::ZERO;
            for n in 0..3 {
                let pull = DVec3::new(pulls[n][0][lane], pulls[n][1][lane], pulls[n][2][lane]);
                sum += pull;
                right[place[block.corners[n + 1][lane] as usize] as usize] += pull;
            }
            right[place[block.corners[0][lane] as usize] as usize] -= sum;
        }
    }
}

/// What pulls at corners 1 to 3, after one more turn of the elements.
#[expect(clippy::needless_range_loop, reason = "all lists are indexed alike")]
#[inline(always)]
fn pulls(block: &mut Block, edges: &[[Lanes; 3]; 3]) -> [[Lanes; 3]; 3] {
    let mut out = [[[0.0; LANES]; 3]; 3];
    for lane in 0..LANES {
        let g = |n: usize, axis: usize| block.gradient[n][axis][lane];
        let e = |n: usize, axis: usize| edges[n][axis][lane];
        // F by rows and columns.
        let mut f = [[0.0; 3]; 3];
        for row in 0..3 {
            for column in 0..3 {
                f[row][column] = (e(0, row) * g(0, column) + e(1, row) * g(1, column)) + e(2, row) * g(2, column);
            }
        }
        let now = [block.turn[0][lane], block.turn[1][lane], block.turn[2][lane], block.turn[3][lane]];
        let turn = turned(&f, now);
        (0..4).for_each(|n| block.turn[n][lane] = turn[n]);
        let r = rotation(turn);
        for n in 0..3 {
            for row in 0..3 {
                let missing = ((r[row][0] - f[row][0]) * g(n, 0) + (r[row][1] - f[row][1]) * g(n, 1))
                    + (r[row][2] - f[row][2]) * g(n, 2);
                out[n][row][lane] = missing * block.volume[lane];
            }
        }
    }
    out
}

/// One update of a turn towards the rotation of F, without branches.
#[inline(always)]
fn turned(f: &[[f64; 3]; 3], [x, y, z, w]: [f64; 4]) -> [f64; 4] {
    let r = rotation([x, y, z, w]);
    let mut m = [[0.0; 3]; 3];
    for row in 0..3 {
        for column in 0..3 {
            m[row][column] = (f[row][0] * r[column][0] + f[row][1] * r[column][1]) + f[row][2] * r[column][2];
        }
    }
    let torque = [m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1]];
    let grip = m[0][0] + m[1][1] + m[2][2];
    // tr(S) − S of the stretch S.
    let (a, b, c) = (grip - m[0][0], grip - m[1][1], grip - m[2][2]);
    let (d, e, g) = (-0.5 * (m[0][1] + m[1][0]), -0.5 * (m[0][2] + m[2][0]), -0.5 * (m[1][2] + m[2][1]));
    let (p, q, s) = (b * c - g * g, e * g - d * c, d * g - b * e);
    let determinant = a * p + d * q + e * s;
    let is_positive = (a > 0.0) & (a * b - d * d > 0.0) & (determinant > 1e-6 * grip.abs() * grip * grip);
    let (t, u, v) = (a * c - e * e, d * e - a * g, a * b - d * d);
    let newton = [
        p * torque[0] + q * torque[1] + s * torque[2],
        q * torque[0] + t * torque[1] + u * torque[2],
        s * torque[0] + u * torque[1] + v * torque[2],
    ];
    let slope = 1.0 / (grip.abs() + 1e-150);
    let inverse = 1.0 / if is_positive { determinant } else { 1.0 };
    let step = |n: usize| 0.5 * if is_positive { newton[n] * inverse } else { torque[n] * slope };
    let (i, j, k) = (step(0), step(1), step(2));
    let next = [
        x + (i * w + (j * z - k * y)),
        y + (j * w + (k * x - i * z)),
        z + (k * w + (i * y - j * x)),
        w - (i * x + j * y + k * z),
    ];
    let squared = next[0] * next[0] + next[1] * next[1] + next[2] * next[2] + next[3] * next[3];
    let scale = 1.0 / squared.sqrt();
    let is_number = scale > 0.0 && scale.is_finite();
    let keep = |new: f64, old: f64| if is_number { new * scale } else { old };
    [keep(next[0], x), keep(next[1], y), keep(next[2], z), keep(next[3], w)]
}

#[inline(always)]
fn rotation([x, y, z, w]: [f64; 4]) -> [[f64; 3]; 3] {
    [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)],
        [2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)],
        [2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)],
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_math::rotation::nearest_rotation_from;
    use sinew_math::{DMat3, DQuat};

    /// Turns, stretches and shears, one that is inside out, and nothing at all: every update is that of `nearest_rotation_from`.
    #[test]
    fn an_update_is_that_of_one_element_alone() {
        let gradient = |n: usize| {
            let turn = DQuat::from_axis_angle(DVec3::new(1.0, n as f64, 2.0).normalize(), 0.4 * n as f64);
            let shear = DMat3::from_cols_array(&[1.0, 0.1 * n as f64, 0.0, 0.2, 1.3, 0.1, 0.0, 0.3, 0.6]);
            DMat3::from_quat(turn) * shear
        };
        let mirrored = DMat3::from_diagonal(DVec3::new(-1.0, 0.8, 1.2));
        for f in (0..6).map(gradient).chain([mirrored, DMat3::ZERO, DMat3::IDENTITY]) {
            let mut now = DQuat::from_xyzw(0.1, -0.2, 0.05, 0.9).normalize();
            for _ in 0..4 {
                let wanted = nearest_rotation_from(f, now, 1);
                let rows = [0, 1, 2].map(|row| f.row(row).to_array());
                let found = DQuat::from_array(turned(&rows, now.to_array()));
                assert!(found.dot(wanted).abs() > 1.0 - 1e-12, "{f}: {found} instead of {wanted}");
                now = found;
            }
        }
        let lost = turned(&[[f64::NAN; 3]; 3], [0.0, 0.0, 0.6, 0.8]);
        assert_eq!(lost, [0.0, 0.0, 0.6, 0.8], "what is no number turns nothing");
    }
}
