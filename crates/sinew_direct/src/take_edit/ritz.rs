//! A displacement as a sum of swings: Ritz vectors of linear elasticity that begin with the displacement itself.
//!
//! `K φ = ω² M φ` about the rest shape, in the Krylov space of `(K + σ M)⁻¹ M` that the displacement u spans (Wilson, Yuan, Dickens, "Dynamic
//! analysis by direct superposition of Ritz vectors", Earthquake Eng. Struct. Dyn. 1982; Lanczos with full orthogonalisation). u is in that
//! space, so that the sum is u exactly, however few vectors there are; slow swings, near the shift, are found first. K is factored once.
//!
//! Strain is the symmetric part of the gradient. Of a triangle of a sheet, whose normal turns with it, that is the strain in its plane: bending
//! costs nothing and is as slow as rigid motion.

use crate::key_shapes::ShapeCells;
use crate::key_shapes::cells::{Element, gradient_of};
use sinew_math::dense::symmetric_eigenvectors;
use sinew_math::rotation::outer;
use sinew_math::sparse::{Analysis, Factor, FactorError, SymmetricMatrix};
use sinew_math::{DMat3, DVec3, Sym3};
use sinew_solve::Material;

/// Ritz vectors at most.
const MOST: usize = 14;
/// Near 0.5 linear tetrahedra lock, and no swing would be slow.
const MOST_POISSON: f64 = 0.45;

/// A part of a displacement that swings with one frequency.
#[derive(Debug, Clone)]
pub(super) struct Swing {
    pub(super) per_sec: f64,
    pub(super) shape: Vec<DVec3>,
}

/// `K + σ M`, factored.
#[derive(Debug)]
pub(super) struct Elastic {
    factor: Factor,
    shift_per_sec2: f64,
}

impl Elastic {
    /// `shift_per_sec` is the angular frequency about which swings are found first.
    pub(super) fn new(cells: &ShapeCells, material: &Material, shift_per_sec: f64) -> Result<Self, FactorError> {
        let material = Material { poisson: material.poisson.min(MOST_POISSON), ..*material };
        let (lambda, mu) = material.lame();
        let (mass_kg, volume): (f64, f64) =
            (cells.mass_kg.iter().sum(), cells.elements.iter().map(|element| element.volume).sum());
        // A sheet's elements have areas; its thickness is in the mass.
        let thickness = mass_kg / (material.density_kg_m3 * volume).max(f64::MIN_POSITIVE);
        let shift_per_sec2 = shift_per_sec * shift_per_sec;
        let mut entries: Vec<(u32, u32, f64)> = Vec::with_capacity(cells.elements.len() * 78);
        for element in &cells.elements {
            let normal = normal_at_rest(element, cells);
            let weight = element.volume.abs() * thickness;
            let strains: Vec<(u32, Sym3)> = element
                .corners()
                .zip(element.gradient)
                .flat_map(|(corner, gradient)| {
                    [DVec3::X, DVec3::Y, DVec3::Z].into_iter().enumerate().map(move |(axis, along)| {
                        let (_, strain) = parts(with_normal(outer(along, gradient), normal));
                        (3 * corner as u32 + axis as u32, strain)
                    })
                })
                .collect();
            for (i, (a, e)) in strains.iter().enumerate() {
                for (b, f) in &strains[..=i] {
                    entries.push((*a, *b, weight * (2.0 * mu * contraction(*e, *f) + lambda * e.trace() * f.trace())));
                }
            }
        }
        let masses = cells.mass_kg.iter().enumerate();
        entries.extend(masses.flat_map(|(point, mass)| {
            [0, 1, 2].map(|axis| (3 * point as u32 + axis, 3 * point as u32 + axis, shift_per_sec2 * mass))
        }));
        let matrix = SymmetricMatrix::from_entries(3 * cells.rest.len(), entries);
        Ok(Self { factor: Analysis::new(&matrix)?.factor(&matrix)?, shift_per_sec2 })
    }

    /// The swings whose sum is `u`.
    pub(super) fn swings(&self, cells: &ShapeCells, u: &[DVec3]) -> Vec<Swing> {
        let dot = |a: &[DVec3], b: &[DVec3]| -> f64 {
            a.iter().zip(b).zip(&cells.mass_kg).map(|((a, b), mass)| mass * a.dot(*b)).sum()
        };
        let length = dot(u, u).sqrt();
        if !length.is_finite() || length <= 0.0 {
            return Vec::new();
        }
        let mut basis: Vec<Vec<DVec3>> = vec![u.iter().map(|v| *v / length).collect()];
        // The projection of (K + σ M)⁻¹ M on the basis.
        let mut images: Vec<Vec<DVec3>> = Vec::new();
        loop {
            let image = self.solve(basis[basis.len() - 1].iter().zip(&cells.mass_kg).map(|(v, mass)| *v * *mass));
            let whole = dot(&image, &image).sqrt();
            let mut next = image.clone();
            images.push(image);
            if basis.len() == MOST {
                break;
            }
            // Twice is enough.
            for _ in 0..2 {
                for known in &basis {
                    let along = dot(known, &next);
                    next.iter_mut().zip(known).for_each(|(v, known)| *v -= *known * along);
                }
            }
            let left = dot(&next, &next).sqrt();
            if left.is_nan() || left <= 1e-9 * whole {
                break;
            }
            next.iter_mut().for_each(|v| *v /= left);
            basis.push(next);
        }
        let n = basis.len();
        let projected: Vec<f64> = (0..n * n).map(|at| dot(&basis[at % n], &images[at / n])).collect();
        let symmetric: Vec<f64> = (0..n * n).map(|at| 0.5 * (projected[at] + projected[at % n * n + at / n])).collect();
        let Some(vectors) = symmetric_eigenvectors(&symmetric, n) else { return Vec::new() };
        let swing = |weights: Vec<f64>| {
            let times = |at: usize| weights[at % n] * symmetric[at] * weights[at / n];
            let value: f64 = (0..n * n).map(times).sum();
            let per_sec = (1.0 / value - self.shift_per_sec2).max(0.0).sqrt();
            // u is the first of the basis, and its share of this vector is the vector's first weight.
            let share = length * weights[0];
            let place = |point: usize| basis.iter().zip(&weights).map(|(b, w)| b[point] * *w).sum::<DVec3>() * share;
            Swing { per_sec, shape: (0..u.len()).map(place).collect() }
        };
        vectors.into_iter().map(swing).collect()
    }

    fn solve(&self, right: impl Iterator<Item = DVec3>) -> Vec<DVec3> {
        let mut column: Vec<f64> = right.flat_map(|v| v.to_array()).collect();
        self.factor.solve(&mut column);
        column.chunks_exact(3).map(DVec3::from_slice).collect()
    }
}

/// The turn and the strain of an element under a small displacement.
pub(super) fn turn_and_strain(element: &Element, cells: &ShapeCells, u: &[DVec3]) -> (DVec3, Sym3) {
    parts(with_normal(gradient_of(element, u), normal_at_rest(element, cells)))
}

/// Skew and symmetric part of a gradient.
fn parts(of: DMat3) -> (DVec3, Sym3) {
    let [x, y, z] = [of.x_axis, of.y_axis, of.z_axis];
    let turn = 0.5 * DVec3::new(y.z - z.y, z.x - x.z, x.y - y.x);
    (turn, Sym3::from_mat(of))
}

/// The unit normal of a triangle; none of a tetrahedron.
fn normal_at_rest(element: &Element, cells: &ShapeCells) -> Option<DVec3> {
    (element.corners().count() == 3).then(|| element.edges(&cells.rest).z_axis)
}

/// Turns the normal of a triangle with it: `G − (Gᵀ n) nᵀ`.
fn with_normal(gradient: DMat3, normal: Option<DVec3>) -> DMat3 {
    normal.map_or(gradient, |normal| gradient - outer(gradient.transpose() * normal, normal))
}

/// ε : η.
fn contraction(a: Sym3, b: Sym3) -> f64 {
    a.xx * b.xx + a.yy * b.yy + a.zz * b.zz + 2.0 * (a.xy * b.xy + a.yz * b.yz + a.zx * b.zx)
}
