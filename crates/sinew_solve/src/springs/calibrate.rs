//! How stiff a net of tetrahedra's edges is beside the solid that it stands for: static tests on the body itself.
//!
//! Averages over directions say which constants an even net has (`network.rs`). A slender body has few cells across, and its mesh is not even: its net comes
//! out up to a third too stiff or too soft. So it is tried: pulled along its longest axis and bent two ways by forces that balance, as a
//! net for small strains, `K = Σ k d dᵀ`, and as linear finite elements on the same tetrahedra with Poisson's ratio 1/4, which is the net's. Both give way by `f · u`. The
//! constants of all springs are multiplied by the geometric mean of the quotients, in which a pull counts four times as much as both bends.

use super::network::Spring;
use crate::{Flesh, RigidBody};
use sinew_math::rotation::outer;
use sinew_math::sparse::{Analysis, SymmetricMatrix};
use sinew_math::{DMat3, DVec3, PrincipalFrame, libm};

/// Bodies of more points are not tried: they are not slender in cells, and the factor of their matrix takes long.
const MOST_POINTS: usize = 6000;
/// Holds what loads do not move, as a share of the mean diagonal.
const HELD: f64 = 1e-7;
/// How much each load counts. Length most: finite elements of few cells bend too stiffly, so that a net which gives way like them in length and more in bending is nearer to beams.
const WEIGHTS: [f64; 3] = [0.8, 0.1, 0.1];
/// Beyond these a quotient says that the body has parts which hang on nothing, not that its springs are wrong.
const BELIEVED: std::ops::Range<f64> = 0.2..5.0;

/// What the constants of a body's springs are to be multiplied by.
pub(super) fn factor(flesh: &Flesh, tets: &[[u32; 4]], springs: &[Spring], young_pa: f64) -> f64 {
    let Some(quotients) = quotients(flesh, tets, springs, young_pa) else { return 1.0 };
    if quotients.iter().any(|quotient| !BELIEVED.contains(quotient)) {
        return 1.0;
    }
    libm::exp(quotients.iter().zip(WEIGHTS).map(|(quotient, weight)| weight * libm::log(*quotient)).sum())
}

/// By how much more the net gives way than the solid: to a pull and two bends.
fn quotients(flesh: &Flesh, tets: &[[u32; 4]], springs: &[Spring], young_pa: f64) -> Option<[f64; 3]> {
    if flesh.point_count() > MOST_POINTS || springs.is_empty() {
        return None;
    }
    let loads = loads(flesh)?;
    let net = give(&net_matrix(flesh, springs), &loads)?;
    let solid = give(&solid_matrix(flesh, tets, young_pa)?, &loads)?;
    let mut quotients = [1.0; 3];
    for (quotient, (net, solid)) in quotients.iter_mut().zip(net.into_iter().zip(solid)) {
        *quotient = net / solid;
    }
    quotients.iter().all(|quotient| quotient.is_finite()).then_some(quotients)
}

/// Forces along the principal axes, shared by mass, that neither move nor turn the body.
fn loads(flesh: &Flesh) -> Option<[Vec<DVec3>; 3]> {
    let frame = PrincipalFrame::of(&flesh.rest, &flesh.mass_kg)?;
    let [a, b, c] = [frame.axes.x_axis, frame.axes.y_axis, frame.axes.z_axis];
    let load = |push: &dyn Fn(f64) -> DVec3| {
        let at = |(x, m): (&DVec3, &f64)| push((*x - frame.centre).dot(a)) * *m;
        let mut forces: Vec<DVec3> = flesh.rest.iter().zip(&flesh.mass_kg).map(at).collect();
        balance(flesh, &mut forces);
        forces
    };
    Some([load(&|along| a * along), load(&|along| b * (along * along)), load(&|along| c * (along * along))])
}

/// Takes off m (g + s × r).
fn balance(flesh: &Flesh, forces: &mut [DVec3]) {
    let points = flesh.rest.iter().zip(&flesh.mass_kg);
    let mut body = RigidBody::of_points(points.clone().map(|(x, m)| (*x, DVec3::ZERO, *m)));
    for (x, force) in flesh.rest.iter().zip(&*forces) {
        body.apply_impulse(*force, *x - body.centre);
    }
    points.zip(forces).for_each(|((x, m), force)| *force -= body.velocity_at(*x) * *m);
}

/// f · u of every load, u being what it moves the body by.
fn give(matrix: &SymmetricMatrix, loads: &[Vec<DVec3>; 3]) -> Option<[f64; 3]> {
    let factor = Analysis::new(matrix).ok()?.factor(matrix).ok()?;
    let mut columns: Vec<f64> = loads.iter().flatten().flat_map(DVec3::to_array).collect();
    factor.solve(&mut columns);
    let size = matrix.size();
    let mut gives = [0.0; 3];
    for (number, (give, load)) in gives.iter_mut().zip(loads).enumerate() {
        let moved = columns[number * size..(number + 1) * size].chunks_exact(3).map(DVec3::from_slice);
        *give = moved.zip(load).map(|(u, f)| u.dot(*f)).sum();
    }
    Some(gives)
}

fn net_matrix(flesh: &Flesh, springs: &[Spring]) -> SymmetricMatrix {
    let mut entries = Vec::with_capacity(springs.len() * 27);
    for spring in springs {
        let [a, b] = spring.ends.map(|v| flesh.rest[v as usize]);
        let d = (b - a).normalize_or_zero();
        let block = outer(d * spring.stiffness_n_per_m, d);
        add(&mut entries, spring.ends[0], spring.ends[0], block);
        add(&mut entries, spring.ends[1], spring.ends[1], block);
        add(&mut entries, spring.ends[0], spring.ends[1], -block);
    }
    held(flesh, entries)
}

/// K of corners i, j is V (λ gᵢ gⱼᵀ + μ gⱼ gᵢᵀ + μ (gᵢ · gⱼ) 1) with gradients g of the shape functions, and λ = μ = 2/5 E.
fn solid_matrix(flesh: &Flesh, tets: &[[u32; 4]], young_pa: f64) -> Option<SymmetricMatrix> {
    let mut entries = Vec::with_capacity(tets.len() * 90);
    for tet in tets {
        let [a, b, c, d] = tet.map(|v| flesh.rest[v as usize]);
        let edges = DMat3::from_cols(b - a, c - a, d - a);
        let volume_m3 = (edges.determinant() / 6.0).abs();
        if volume_m3 <= 0.0 {
            return None;
        }
        let rows = edges.inverse().transpose();
        let gradients = [-(rows.x_axis + rows.y_axis + rows.z_axis), rows.x_axis, rows.y_axis, rows.z_axis];
        let lame = 0.4 * young_pa * volume_m3;
        for i in 0..4 {
            for j in i..4 {
                let (g, h) = (gradients[i], gradients[j]);
                let block = (outer(g, h) + outer(h, g) + DMat3::from_diagonal(DVec3::splat(g.dot(h)))) * lame;
                add(&mut entries, tet[i], tet[j], block);
            }
        }
    }
    Some(held(flesh, entries))
}

/// The block of points `a` (rows) and `b`; of its own point the lower half.
fn add(entries: &mut Vec<(u32, u32, f64)>, a: u32, b: u32, block: DMat3) {
    for row in 0..3u32 {
        let columns = if a == b { 0..row + 1 } else { 0..3 };
        for column in columns {
            entries.push((3 * a + row, 3 * b + column, block.col(column as usize)[row as usize]));
        }
    }
}

fn held(flesh: &Flesh, entries: Vec<(u32, u32, f64)>) -> SymmetricMatrix {
    let size = 3 * flesh.point_count();
    let trace: f64 = entries.iter().filter(|(row, column, _)| row == column).map(|(.., value)| value).sum();
    let hold = HELD * trace / size as f64;
    SymmetricMatrix::from_entries(size, entries.into_iter().chain((0..size as u32).map(|i| (i, i, hold))))
}
