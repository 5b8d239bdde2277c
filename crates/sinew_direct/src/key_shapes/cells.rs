//! Flesh as elements with one deformation gradient each, and the shape whose gradients come closest to wished ones.
//!
//! `F = Σ x_a g_aᵀ` over an element's corners. For wished gradients F_e the shape minimises `Σ V_e |F(x) − F_e|²` (Sumner, Popović,
//! "Deformation Transfer for Triangle Meshes", SIGGRAPH 2004): a Poisson system of the rest shape, factored once. A triangle of
//! a sheet has its unit normal for a third edge.

use sinew_math::rotation::{best_fit_rotation, mass_centre, outer};
use sinew_math::sparse::{Analysis, Factor, FactorError, SymmetricMatrix};
use sinew_math::{DMat3, DVec3};
use sinew_solve::{Cells, Flesh};
use std::sync::Arc;

/// How strongly points are held to where they are expected, against the gradients: enough for what gradients leave open, which is
/// where each loose part lies.
const HOLD: f64 = 1e-10;

/// A body's elements with what shapes are found from.
#[derive(Debug)]
pub struct ShapeCells {
    pub(crate) rest: Vec<DVec3>,
    pub(crate) mass_kg: Vec<f64>,
    pub(crate) elements: Vec<Element>,
    /// Elements across the faces of each.
    pub(crate) neighbours: Vec<Vec<u32>>,
    pub(crate) size_m: f64,
    pub(crate) hold: f64,
    factor: Factor,
}

/// A tetrahedron or a triangle.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Element {
    corners: [u32; 4],
    count: usize,
    pub(crate) gradient: [DVec3; 4],
    /// Cubic metres, of a triangle square metres.
    pub(crate) volume: f64,
}

impl Element {
    pub(crate) fn corners(&self) -> impl Iterator<Item = usize> + use<> {
        self.corners.into_iter().take(self.count).map(|corner| corner as usize)
    }

    /// All four; a triangle's fourth is its first, with a gradient of zero.
    pub(crate) fn all_corners(&self) -> [u32; 4] {
        self.corners
    }

    /// Measured against other places of its corners; none where it is flat there.
    pub(crate) fn at(&self, x: &[DVec3]) -> Option<Self> {
        let edges = self.edges(x);
        let determinant = edges.determinant();
        if determinant.is_nan() || determinant.abs() < f64::MIN_POSITIVE {
            return None;
        }
        let rows = edges.inverse().transpose();
        let [b, c, d] = [rows.x_axis, rows.y_axis, rows.z_axis];
        let (gradient, volume) = if self.count == 4 {
            ([-(b + c + d), b, c, d], determinant / 6.0)
        } else {
            ([-(b + c), b, c, DVec3::ZERO], determinant / 2.0)
        };
        Some(Self { gradient, volume, ..*self })
    }

    fn determinant_at_rest(&self) -> f64 {
        self.volume * if self.count == 4 { 6.0 } else { 2.0 }
    }

    /// From the first corner to the others; of a triangle the third is its unit normal.
    pub(crate) fn edges(&self, x: &[DVec3]) -> DMat3 {
        let [a, b, c, d] = self.corners.map(|corner| x[corner as usize]);
        let third = if self.count == 4 { d - a } else { (b - a).cross(c - a).normalize_or_zero() };
        DMat3::from_cols(b - a, c - a, third)
    }
}

impl ShapeCells {
    pub fn new(flesh: &Flesh) -> Result<Self, FactorError> {
        let elements = elements(flesh);
        let weight: f64 = elements.iter().map(|e| e.volume * e.gradient[0].length_squared()).sum();
        let hold = HOLD * weight / flesh.total_mass_kg().max(f64::MIN_POSITIVE);
        let matrix = stiffness(flesh.point_count(), &elements, &flesh.mass_kg, hold);
        Ok(Self {
            rest: flesh.rest.clone(),
            mass_kg: flesh.mass_kg.clone(),
            neighbours: neighbours(&elements),
            size_m: flesh.size_m(),
            hold,
            factor: Analysis::new(&matrix)?.factor(&matrix)?,
            elements,
        })
    }

    /// The deformation gradient of every element with points at `x`.
    pub(crate) fn gradients(&self, x: &[DVec3]) -> Vec<DMat3> {
        let gradient = |element: &Element| {
            let within = gradient_of(element, x);
            match element.count {
                4 => within,
                // The normal goes to the normal.
                _ => within + outer(element.edges(x).z_axis, element.edges(&self.rest).z_axis),
            }
        };
        self.elements.iter().map(gradient).collect()
    }

    /// The share of its volume that every element has with points at `x`; below 0 it is inside out.
    pub(crate) fn volume_shares(&self, x: &[DVec3]) -> impl Iterator<Item = f64> {
        self.elements.iter().map(|element| element.edges(x).determinant() / element.determinant_at_rest())
    }

    /// The shape whose gradients come closest to `wished`, near the places `near`.
    pub(crate) fn shape(&self, wished: &[DMat3], near: &[DVec3]) -> Vec<DVec3> {
        let mut right: Vec<DVec3> = near.iter().zip(&self.mass_kg).map(|(x, m)| *x * (self.hold * m)).collect();
        for (element, wished) in self.elements.iter().zip(wished) {
            for (corner, gradient) in element.corners().zip(element.gradient) {
                right[corner] += *wished * gradient * element.volume;
            }
        }
        solve(&self.factor, &right)
    }

    /// Takes off what moves or turns a shape as a whole: its mass centre is that of the rest shape, and so is its best fit.
    pub fn without_rigid_motion(&self, shape: &[DVec3]) -> Vec<DVec3> {
        let turn = best_fit_rotation(&self.rest, shape, &self.mass_kg).inverse();
        let (from, to) = (mass_centre(shape, &self.mass_kg), mass_centre(&self.rest, &self.mass_kg));
        shape.iter().map(|x| to + turn * (*x - from)).collect()
    }

    /// The same in place. A shape that has no rigid part, but for rounding, keeps its bits.
    pub(crate) fn take_rigid_motion_off(&self, shape: &mut Arc<Vec<DVec3>>) {
        let without = self.without_rigid_motion(shape);
        let moved = shape.iter().zip(&without).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
        if moved > 1e-9 * self.size_m {
            *shape = Arc::new(without);
        }
    }

    /// How far `x` is from `shape` where that is placed best: root mean square over the mass, metres.
    pub fn distance(&self, x: &[DVec3], shape: &[DVec3]) -> f64 {
        let turn = best_fit_rotation(shape, x, &self.mass_kg);
        let (to, from) = (mass_centre(x, &self.mass_kg), mass_centre(shape, &self.mass_kg));
        let off: Vec<DVec3> = x.iter().zip(shape).map(|(x, o)| *x - to - turn * (*o - from)).collect();
        self.mean_length(&off)
    }

    pub fn mass_kg(&self) -> &[f64] {
        &self.mass_kg
    }

    /// Root mean square over the mass.
    pub fn mean_length(&self, of: &[DVec3]) -> f64 {
        let sum: f64 = of.iter().zip(&self.mass_kg).map(|(v, m)| m * v.length_squared()).sum();
        (sum / self.mass_kg.iter().sum::<f64>()).sqrt()
    }

    /// x0.
    pub fn rest(&self) -> &[DVec3] {
        &self.rest
    }

    /// The diagonal of the box about the rest shape.
    pub fn size_m(&self) -> f64 {
        self.size_m
    }
}

/// `Σ V g_a·g_b` over elements, plus `hold` times the masses.
pub(crate) fn stiffness(points: usize, elements: &[Element], mass_kg: &[f64], hold: f64) -> SymmetricMatrix {
    let pairs = elements.iter().flat_map(|element| {
        element.corners().enumerate().flat_map(move |(i, a)| {
            let entry = move |(j, b): (usize, usize)| {
                (a as u32, b as u32, element.volume * element.gradient[i].dot(element.gradient[j]))
            };
            element.corners().enumerate().take(i + 1).map(entry)
        })
    });
    let held = mass_kg.iter().enumerate().map(|(i, mass)| (i as u32, i as u32, hold * mass));
    SymmetricMatrix::from_entries(points, pairs.chain(held))
}

/// Three right-hand sides at once.
pub(crate) fn solve(factor: &Factor, right: &[DVec3]) -> Vec<DVec3> {
    let n = right.len();
    let mut columns: Vec<f64> = (0..3).flat_map(|axis| right.iter().map(move |r| r[axis])).collect();
    factor.solve(&mut columns);
    (0..n).map(|i| DVec3::new(columns[i], columns[n + i], columns[2 * n + i])).collect()
}

/// Those of the rest shape that are not flat.
fn elements(flesh: &Flesh) -> Vec<Element> {
    let none = Element { corners: [0; 4], count: 0, gradient: [DVec3::ZERO; 4], volume: 0.0 };
    let of = |corners: [u32; 4], count: usize| Element { corners, count, ..none }.at(&flesh.rest);
    match &flesh.cells {
        Cells::Tets(tets) => tets.iter().filter_map(|tet| of(*tet, 4)).collect(),
        Cells::Shell(triangles) => triangles.iter().filter_map(|[a, b, c]| of([*a, *b, *c, *a], 3)).collect(),
    }
}

/// Elements that share a face, of triangles an edge.
fn neighbours(elements: &[Element]) -> Vec<Vec<u32>> {
    let mut faces: Vec<([usize; 3], u32)> = Vec::new();
    for (number, element) in elements.iter().enumerate() {
        for left_out in element.corners() {
            let mut face = [usize::MAX; 3];
            for (slot, corner) in face.iter_mut().zip(element.corners().filter(|corner| *corner != left_out)) {
                *slot = corner;
            }
            face.sort_unstable();
            faces.push((face, number as u32));
        }
    }
    faces.sort_unstable();
    let mut neighbours = vec![Vec::new(); elements.len()];
    for same in faces.chunk_by(|a, b| a.0 == b.0) {
        for (_, one) in same {
            neighbours[*one as usize].extend(same.iter().map(|(_, other)| *other).filter(|other| other != one));
        }
    }
    neighbours
}

/// Σ x_a g_aᵀ. A triangle's fourth corner is its first, with a gradient of zero.
#[inline]
pub(crate) fn gradient_of(element: &Element, x: &[DVec3]) -> DMat3 {
    let [a, b, c, d] = element.corners.map(|corner| x[corner as usize]);
    let ([_, f, g, h], [b, c, d]) = (element.gradient, [b - a, c - a, d - a]);
    DMat3::from_cols(b * f.x + c * g.x + d * h.x, b * f.y + c * g.y + d * h.y, b * f.z + c * g.z + d * h.z)
}
