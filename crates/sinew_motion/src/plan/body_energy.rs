//! Elastic, acceleration and turning energies of one body over all its frames, with gradient and Hessian.
//!
//! Adams et al. 2009, Eq. 19–21. Departures: every frame's energy is weighted by its time share `(h₋ +
//! h₊)/2`, and second derivatives use the stencil of unequal frames, so that an inserted frame does not move
//! the optimum; means over the body replace sums over nodes.
//!
//! The acceleration energy in the body's frame charges the centre in the world and the detail `p = Rᵀ (y −
//! c)` in the body's axes: `λ Σ τ (|c̈|² + mean |p̈|²)`. It does not charge turning; `turn` charges `|ω|²`
//! and `spin` the change of ω, both by the radius of gyration. In the world's frame it is `λ Σ τ mean |f̈|²`.
//!
//! Unknowns are movements in each frame's own axes, `z = Rᵀ δy`. There the elastic Hessian is that of the
//! turned-back pose, and the rotation's derivative is the same matrix for every frame but for a 3 × 3 factor.
//! All blocks are exact under
//! [`Curvature::Exact`], except that `spin` keeps its Gauss–Newton form.

use super::posture::{Posture, cross, inverse_jacobian};
use super::solution::Energies;
use crate::block_banded::BlockBanded;
use crate::energy::{Curvature, Elastic};
use crate::interpolation::DetailFrame;
use crate::shape::PlanShape;
use rayon::prelude::*;
use sinew_math::rotation::outer;
use sinew_math::rotation_curve::log;
use sinew_math::{DMat3, DVec3};

/// Weights of one body's terms, lengths in metres.
#[derive(Debug, Clone)]
pub(super) struct BodyTerms {
    pub elastic: Elastic,
    /// Weight of elastic energy by frame: the time share.
    pub share: Vec<f64>,
    /// Acceleration: frame, weight (with time share and unit of length), and the stencil on the frames
    /// before, at and after.
    pub stencils: Vec<Stencil>,
    /// Weight of `|log(R_jᵀ R_{j+1})|²` by interval.
    pub turn: Vec<f64>,
    pub frame: DetailFrame,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Stencil {
    /// The middle one of three.
    pub frame: usize,
    pub weight: f64,
    /// Weight of the change of angular velocity.
    pub spin: f64,
    pub factors: [f64; 3],
    /// Seconds before and after.
    pub spans: [f64; 2],
}

/// Energies and gradient, and the postures they were taken at.
pub(super) struct BodyGradient {
    pub energies: Energies,
    /// In the axes of each frame.
    pub gradient: Vec<Vec<DVec3>>,
    pub postures: Vec<Posture>,
    /// Derivative by the rotation of each frame, over the matrix of turning: `K⁻¹ h`.
    lambda: Vec<DVec3>,
    /// Derivative by places in the body's axes.
    by_place: Vec<Vec<DVec3>>,
}

pub(super) fn energies(shape: &PlanShape, terms: &BodyTerms, y: &[Vec<DVec3>]) -> Energies {
    let postures: Vec<Posture> = y.par_iter().map(|y| Posture::new(&shape.frame, y)).collect();
    let elastic: Vec<[f64; 2]> =
        postures.par_iter().map(|posture| shape.elastic.values(&terms.elastic, &posture.places)).collect();
    let mut sum = Energies::default();
    for ([strain, volume], share) in elastic.iter().zip(&terms.share) {
        sum.strain += strain * share;
        sum.volume += volume * share;
    }
    let thetas = rotations_between(&postures);
    for stencil in &terms.stencils {
        sum.acceleration += stencil.weight * square_acceleration(shape, terms, stencil, &postures, y).0;
        sum.spin += stencil.spin * spin_change(stencil, &thetas).length_squared();
    }
    sum.turn = thetas.iter().zip(&terms.turn).map(|(theta, weight)| weight * theta.length_squared()).sum();
    sum
}

fn rotations_between(postures: &[Posture]) -> Vec<DVec3> {
    postures.windows(2).map(|pair| log(pair[0].turn.conjugate() * pair[1].turn)).collect()
}

fn spin_change(stencil: &Stencil, thetas: &[DVec3]) -> DVec3 {
    thetas[stencil.frame] / stencil.spans[1] - thetas[stencil.frame - 1] / stencil.spans[0]
}

/// Mean square acceleration at a frame, the acceleration of the centre and `M` times that of nodes. In the
/// world's frame all is in the second.
fn square_acceleration(
    shape: &PlanShape,
    terms: &BodyTerms,
    stencil: &Stencil,
    postures: &[Posture],
    y: &[Vec<DVec3>],
) -> (f64, DVec3, Vec<DVec3>) {
    let before = stencil.frame - 1;
    let [a, b, c] = stencil.factors;
    let (centre, nodes): (DVec3, Vec<DVec3>) = match terms.frame {
        DetailFrame::Body => {
            let [p, q, r] = [&postures[before], &postures[before + 1], &postures[before + 2]];
            let nodes = p.places.iter().zip(&q.places).zip(&r.places);
            (p.centre * a + q.centre * b + r.centre * c, nodes.map(|((p, q), r)| *p * a + *q * b + *r * c).collect())
        }
        DetailFrame::World => {
            let nodes = y[before].iter().zip(&y[before + 1]).zip(&y[before + 2]);
            (DVec3::ZERO, nodes.map(|((p, q), r)| *p * a + *q * b + *r * c).collect())
        }
    };
    let weighted = times_mass(&shape.mass, &nodes);
    let square: f64 = nodes.iter().zip(&weighted).map(|(d, m)| d.dot(*m)).sum();
    (square + centre.length_squared(), centre, weighted)
}

fn times_mass(mass: &[f64], v: &[DVec3]) -> Vec<DVec3> {
    let n = v.len();
    mass.chunks_exact(n).map(|row| row.iter().zip(v).fold(DVec3::ZERO, |sum, (m, v)| sum + *v * *m)).collect()
}

pub(super) fn gradient(shape: &PlanShape, terms: &BodyTerms, y: &[Vec<DVec3>]) -> BodyGradient {
    let n = shape.node_count();
    let postures: Vec<Posture> = y.par_iter().map(|y| Posture::new(&shape.frame, y)).collect();
    let elastic: Vec<(Vec<DVec3>, [f64; 2])> = (postures.par_iter().zip(&terms.share))
        .map(|(posture, share)| {
            let mut gradient = vec![DVec3::ZERO; n];
            let values = shape.elastic.add_gradient(&terms.elastic, &posture.places, *share, &mut gradient);
            (gradient, values)
        })
        .collect();
    let mut energies = Energies::default();
    for ((_, [strain, volume]), share) in elastic.iter().zip(&terms.share) {
        energies.strain += strain * share;
        energies.volume += volume * share;
    }
    let thetas = rotations_between(&postures);
    let frames = y.len();
    let (mut by_place, mut by_centre) = (vec![vec![DVec3::ZERO; n]; frames], vec![DVec3::ZERO; frames]);
    let mut by_world = vec![Vec::new(); frames];
    let mut by_turn = vec![DVec3::ZERO; frames];
    for stencil in &terms.stencils {
        let (square, centre, nodes) = square_acceleration(shape, terms, stencil, &postures, y);
        energies.acceleration += stencil.weight * square;
        for (m, factor) in stencil.factors.iter().enumerate() {
            let (frame, scale) = (stencil.frame + m - 1, 2.0 * stencil.weight * factor);
            by_centre[frame] += centre * scale;
            let target = match terms.frame {
                DetailFrame::Body => &mut by_place[frame],
                DetailFrame::World => {
                    by_world[frame].resize(n, DVec3::ZERO);
                    &mut by_world[frame]
                }
            };
            target.iter_mut().zip(&nodes).for_each(|(t, d)| *t += *d * scale);
        }
        if stencil.spin > 0.0 {
            let change = spin_change(stencil, &thetas);
            energies.spin += stencil.spin * change.length_squared();
            for (interval, factor) in
                [(stencil.frame, 1.0 / stencil.spans[1]), (stencil.frame - 1, -1.0 / stencil.spans[0])]
            {
                let (v, j) = (change * (2.0 * stencil.spin * factor), inverse_jacobian(thetas[interval]));
                by_turn[interval + 1] += j.transpose() * v;
                by_turn[interval] -= j * v;
            }
        }
    }
    for (interval, (theta, weight)) in thetas.iter().zip(&terms.turn).enumerate() {
        energies.turn += weight * theta.length_squared();
        by_turn[interval + 1] += *theta * (2.0 * weight);
        by_turn[interval] -= *theta * (2.0 * weight);
    }
    let mut lambda = Vec::with_capacity(frames);
    let mut gradient = Vec::with_capacity(frames);
    for (frame, (posture, (mut g, _))) in postures.iter().zip(elastic).enumerate() {
        let back = posture.r.transpose();
        let moments = by_place[frame].iter().zip(&posture.places);
        let h = moments.fold(by_turn[frame], |sum, (s, p)| sum + s.cross(*p));
        let l = posture.turning * h;
        let centre = back * by_centre[frame];
        for (i, g) in g.iter_mut().enumerate() {
            *g += by_place[frame][i] + l.cross(shape.frame.moment_weights[i]) + centre * shape.frame.centre_weights[i];
        }
        by_world[frame].iter().zip(&mut g).for_each(|(w, g)| *g += back * *w);
        lambda.push(l);
        gradient.push(g);
    }
    BodyGradient { energies, gradient, postures, lambda, by_place }
}

/// Frames solved for: numbers of the frames, and of each frame its number among them.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FreeFrames {
    pub frames: Vec<usize>,
    pub position: Vec<Option<usize>>,
}

impl FreeFrames {
    pub(super) fn new(fixed: &[bool]) -> Self {
        let frames: Vec<usize> = (0..fixed.len()).filter(|frame| !fixed[*frame]).collect();
        let mut position = vec![None; fixed.len()];
        frames.iter().enumerate().for_each(|(n, frame)| position[*frame] = Some(n));
        Self { frames, position }
    }
}

/// 3 × 3 couplings of rotations of frames, by pairs `(later, earlier)`: `[frame][0..=2]` couples it to itself
/// and the two after it.
type Couplings = Vec<[DMat3; 3]>;

/// Hessian over the free frames, `band` blocks below the diagonal.
pub(super) fn hessian(
    shape: &PlanShape,
    terms: &BodyTerms,
    at: &BodyGradient,
    free: &FreeFrames,
    curvature: Curvature,
    band: usize,
) -> BlockBanded {
    let n = shape.node_count();
    let frames = at.postures.len();
    let thetas = rotations_between(&at.postures);
    let turning: Vec<Vec<DMat3>> = at.postures.iter().map(|p| p.turning_by_node(&shape.frame)).collect();
    let weighted: Vec<Vec<DVec3>> = at.postures.iter().map(|p| times_mass(&shape.mass, &p.places)).collect();
    let (scalars, couplings) = frame_couplings(terms, at, &thetas, &weighted, frames, curvature);
    let mut matrix = BlockBanded::new(3 * n, free.frames.len(), band);
    let stride = (band + 1) * 3 * n;
    let panels: Vec<&mut [f64]> = matrix.panels_mut().collect();
    panels.into_par_iter().zip(&free.frames).enumerate().for_each(|(column, (panel, frame))| {
        let posture = &at.postures[*frame];
        shape.elastic.add_hessian(&terms.elastic, &posture.places, terms.share[*frame], curvature, panel, stride);
        if curvature == Curvature::Exact {
            add_turning_curvature(shape, at, *frame, &turning[*frame], panel, stride);
        }
        for away in 0..=2usize {
            let later = frame + away;
            let Some(row) = free.position.get(later).copied().flatten() else { continue };
            let block = &mut panel[(row - column) * 3 * n..];
            let (scale, coupling) = (scalars[*frame][away], couplings[*frame][away]);
            let between = at.postures[later].r.transpose() * posture.r;
            add_scaled_mass(shape, terms.frame, scale, between, away == 0, block, stride);
            let pair = TurningPair {
                later: &turning[later],
                earlier: &turning[*frame],
                weighted_later: &weighted[later],
                weighted_earlier: &weighted[*frame],
            };
            let scale = if terms.frame == DetailFrame::Body { scale } else { 0.0 };
            add_turning_pair(&pair, scale, coupling, away == 0, block, stride);
        }
    });
    matrix
}

/// Scalar factors of the acceleration between frames, and couplings of their rotations.
fn frame_couplings(
    terms: &BodyTerms,
    at: &BodyGradient,
    thetas: &[DVec3],
    weighted: &[Vec<DVec3>],
    frames: usize,
    curvature: Curvature,
) -> (Vec<[f64; 3]>, Couplings) {
    let mut scalars = vec![[0.0; 3]; frames];
    let mut couplings: Couplings = vec![[DMat3::ZERO; 3]; frames];
    for stencil in &terms.stencils {
        for early in 0..3 {
            for late in early..3 {
                scalars[stencil.frame + early - 1][late - early] +=
                    2.0 * stencil.weight * stencil.factors[early] * stencil.factors[late];
            }
        }
        if stencil.spin > 0.0 {
            // The change of ω by the rotations of the three frames.
            let (j0, j1) = (inverse_jacobian(thetas[stencil.frame - 1]), inverse_jacobian(thetas[stencil.frame]));
            let (h0, h1) = (1.0 / stencil.spans[0], 1.0 / stencil.spans[1]);
            let by = [j0.transpose() * h0, j1.transpose() * -h1 - j0 * h0, j1 * h1];
            for early in 0..3 {
                for late in early..3 {
                    couplings[stencil.frame + early - 1][late - early] +=
                        by[late].transpose() * by[early] * (2.0 * stencil.spin);
                }
            }
        }
    }
    if terms.frame == DetailFrame::Body {
        for frame in 0..frames {
            for away in 0..=2usize {
                if scalars[frame][away] != 0.0 {
                    let pairs = at.postures[frame + away].places.iter().zip(&weighted[frame]);
                    // Σ [p]×ᵀ [q]×.
                    let sum = pairs.fold(DMat3::ZERO, |sum, (p, q)| {
                        sum + DMat3::from_diagonal(DVec3::splat(p.dot(*q))) - outer(*q, *p)
                    });
                    couplings[frame][away] += sum * scalars[frame][away];
                }
            }
        }
    }
    for (interval, (theta, weight)) in thetas.iter().zip(&terms.turn).enumerate() {
        let (j, w) = (inverse_jacobian(*theta), 2.0 * weight);
        let (own, across) = match curvature {
            Curvature::Exact => ((j + j.transpose()) * (0.5 * w), j.transpose() * -w),
            // d = J ω₊ − Jᵀ ω.
            Curvature::GaussNewton => (j * j.transpose() * w, j.transpose() * j.transpose() * -w),
        };
        couplings[interval][0] += own;
        couplings[interval + 1][0] += if curvature == Curvature::Exact { own } else { j.transpose() * j * w };
        couplings[interval][1] += across;
    }
    if curvature == Curvature::Exact {
        for (frame, posture) in at.postures.iter().enumerate() {
            let pairs = at.by_place[frame].iter().zip(&posture.places);
            let moved = pairs
                .fold(DMat3::ZERO, |sum, (s, p)| sum + outer(*p, *s) - DMat3::from_diagonal(DVec3::splat(p.dot(*s))));
            let own = moved - posture.stretch * cross(at.lambda[frame]);
            couplings[frame][0] += (own + own.transpose()) * 0.5;
        }
    }
    (scalars, couplings)
}

/// `scale · M ⊗ B` for the world's frame; `scale · (b bᵀ ⊗ B + (M − b bᵀ) ⊗ I)` for the body's.
fn add_scaled_mass(
    shape: &PlanShape,
    frame: DetailFrame,
    scale: f64,
    between: DMat3,
    is_diagonal: bool,
    block: &mut [f64],
    stride: usize,
) {
    if scale == 0.0 {
        return;
    }
    let n = shape.node_count();
    let weights = &shape.frame.centre_weights;
    for column in 0..n {
        for row in (if is_diagonal { column } else { 0 })..n {
            let (mass, product) = (shape.mass[row * n + column], weights[row] * weights[column]);
            let entry = match frame {
                DetailFrame::World => between * (scale * mass),
                DetailFrame::Body => {
                    between * (scale * product) + DMat3::from_diagonal(DVec3::splat(scale * (mass - product)))
                }
            };
            add_block(block, stride, row, column, entry);
        }
    }
}

#[inline]
fn add_block(block: &mut [f64], stride: usize, row: usize, column: usize, entry: DMat3) {
    for s in 0..3 {
        let target = &mut block[(3 * column + s) * stride + 3 * row..][..3];
        let e = entry.col(s);
        target[0] += e.x;
        target[1] += e.y;
        target[2] += e.z;
    }
}

struct TurningPair<'a> {
    later: &'a [DMat3],
    earlier: &'a [DMat3],
    weighted_later: &'a [DVec3],
    weighted_earlier: &'a [DVec3],
}

/// `G_jᵀ (scale U_jᵀ + W G_k) + scale U_k… G_k`, where rows belong to the later frame.
fn add_turning_pair(pair: &TurningPair<'_>, scale: f64, w: DMat3, is_diagonal: bool, block: &mut [f64], stride: usize) {
    if scale == 0.0 && w == DMat3::ZERO {
        return;
    }
    let n = pair.later.len();
    for column in 0..n {
        // Rows of the later frame: δp = z + p × ω, so the cross terms are Gᵀ (M [p]×)ᵀ and (M [p]×) G.
        let right = cross(pair.weighted_later[column]).transpose() * scale + w * pair.earlier[column];
        let turn = pair.earlier[column] * scale;
        for row in (if is_diagonal { column } else { 0 })..n {
            let entry = pair.later[row].transpose() * right + cross(pair.weighted_earlier[row]) * turn;
            add_block(block, stride, row, column, entry);
        }
    }
}

/// Second derivatives of the rotation, weighted by the energy's derivative.
fn add_turning_curvature(
    shape: &PlanShape,
    at: &BodyGradient,
    frame: usize,
    turning: &[DMat3],
    panel: &mut [f64],
    stride: usize,
) {
    let n = turning.len();
    let l = at.lambda[frame];
    let moments = at.by_place[frame].iter().zip(&shape.frame.moment_weights);
    let x: Vec<DMat3> = moments.map(|(s, g)| cross(*s + l.cross(*g))).collect();
    for column in 0..n {
        for row in column..n {
            let entry = turning[row].transpose() * x[column] + x[row].transpose() * turning[column];
            add_block(panel, stride, row, column, entry);
        }
    }
}
