//! The springs of a box: as stiff along each of its sides as its material, whatever its proportions.
//!
//! Springs of constants k and lengths L along unit directions d that fill a volume V have the elasticity `C = Σ k L² d⊗d⊗d⊗d / V`. With one weight `w = Σ k L² / V` for each family of
//! parallel springs (three of edges, three of face diagonals in pairs, one of body diagonals) a box is orthotropic: `B_ij = C_iijj` comes of diagonals alone, `C_iiii` of everything. Diagonals are given `B_ij = μ = 2/5 E`, the isotropic
//! solid's (λ = μ, Cauchy's relation), a third of it by body diagonals; edges the rest of what makes Young's modulus E along every side:
//! `1 / (C⁻¹)_ii = E`, so that `C_iiii = E + bᵀ M⁻¹ b` with b the two B of the side and M the block of the others.
//!
//! The diagonal between a long side and a short one lies along the long one, and μ of shear would make that stiffer than E. So `B_ij` is at most [`MOST_OF_LONG`] μ over the square of
//! their ratio: both diagonals of a side then give it no more than E. Such boxes shear more easily than their material. Cubes have the constants of `network.rs`.

/// See above: 2 · 1.25 · 2/5 E is E.
const MOST_OF_LONG: f64 = 1.25;
/// Share of shear that body diagonals take.
const OF_BODY: f64 = 1.0 / 3.0;
/// μ / E.
const SHEAR: f64 = 0.4;
/// Each takes about three digits more.
const ITERATIONS: usize = 30;

/// The sides of each family of face diagonals.
const PAIRS: [[usize; 2]; 3] = [[0, 1], [1, 2], [2, 0]];

/// k L² / E V of each spring of a box.
pub(super) struct BoxSprings {
    edges: [f64; 3],
    /// In the order of [`PAIRS`].
    faces: [f64; 3],
    body: f64,
}

impl BoxSprings {
    pub(super) fn of(sides_m: [f64; 3]) -> Self {
        let square = sides_m.map(|side| side * side);
        let whole: f64 = square.iter().sum();
        let shear = PAIRS.map(|[i, j]| {
            let ratio = (square[i] / square[j]).max(square[j] / square[i]);
            SHEAR * (MOST_OF_LONG / ratio).min(1.0)
        });
        // Squares of the components of diagonals' directions: side² over diagonal².
        let of_body = PAIRS.map(|[i, j]| square[i] * square[j] / (whole * whole));
        let body = (0..3).map(|p| OF_BODY * shear[p] / of_body[p]).fold(f64::INFINITY, f64::min);
        let mut edges = lengthwise(&shear);
        for (axis, edge) in edges.iter_mut().enumerate() {
            *edge -= body * (square[axis] / whole).powi(2);
        }
        let mut faces = [0.0; 3];
        for (p, [i, j]) in PAIRS.into_iter().enumerate() {
            let diagonal = square[i] + square[j];
            faces[p] = (shear[p] - body * of_body[p]) * diagonal * diagonal / (square[i] * square[j]);
            edges[i] -= faces[p] * (square[i] / diagonal).powi(2);
            edges[j] -= faces[p] * (square[j] / diagonal).powi(2);
        }
        // Four springs of each family in a box.
        let each = |weight: f64| 0.25 * weight.max(0.0);
        Self { edges: edges.map(each), faces: faces.map(each), body: each(body) }
    }

    /// The spring between two corners, by the sides on which they differ: bit 0 is the first.
    pub(super) fn between(&self, differ: usize) -> f64 {
        match differ {
            1 => self.edges[0],
            2 => self.edges[1],
            4 => self.edges[2],
            3 => self.faces[0],
            6 => self.faces[1],
            5 => self.faces[2],
            _ => self.body,
        }
    }
}

/// C_iiii / E with which Young's modulus is E along every side.
fn lengthwise(shear: &[f64; 3]) -> [f64; 3] {
    let [xy, yz, zx] = *shear;
    let mut c = [3.0 * SHEAR; 3];
    for _ in 0..ITERATIONS {
        // bᵀ M⁻¹ b for a side, with the B to both others, those, and the B between them.
        let carried = |b: [f64; 2], m: [f64; 2], between: f64| {
            let determinant = m[0] * m[1] - between * between;
            (b[0] * b[0] * m[1] + b[1] * b[1] * m[0] - 2.0 * b[0] * b[1] * between) / determinant
        };
        c = [
            1.0 + carried([xy, zx], [c[1], c[2]], yz),
            1.0 + carried([xy, yz], [c[0], c[2]], zx),
            1.0 + carried([zx, yz], [c[0], c[1]], xy),
        ];
    }
    c
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_math::{DMat3, DVec3, dvec3};

    /// The block of C for strains along the sides, over E, from the springs themselves.
    fn elasticity(sides: [f64; 3]) -> DMat3 {
        let springs = BoxSprings::of(sides);
        let corner = |n: usize| DVec3::from_array([0, 1, 2].map(|axis| (n >> axis & 1) as f64 * sides[axis]));
        let mut c = DMat3::ZERO;
        for (a, b) in (0..8usize).flat_map(|a| (a + 1..8).map(move |b| (a, b))) {
            let d = (corner(b) - corner(a)).normalize();
            let d2 = d * d;
            let share = springs.between(a ^ b);
            assert!(share >= 0.0);
            c += DMat3::from_cols(d2 * d2.x, d2 * d2.y, d2 * d2.z) * share;
        }
        c
    }

    #[test]
    fn boxes_of_any_proportions_have_their_modulus_along_every_side() {
        for sides in [[1.0, 1.0, 1.0], [0.0256, 0.0308, 0.055], [1.0, 2.0, 2.0], [1.0, 1.0, 5.0], [0.1, 3.0, 10.0]] {
            let compliance = elasticity(sides).inverse();
            let young = dvec3(1.0 / compliance.x_axis.x, 1.0 / compliance.y_axis.y, 1.0 / compliance.z_axis.z);
            assert!((young - DVec3::ONE).abs().max_element() < 1e-9, "{sides:?}: {young}");
        }
    }

    #[test]
    fn cubes_have_the_constants_of_an_isotropic_solid() {
        let springs = BoxSprings::of([0.3; 3]);
        for (differ, share) in [(1, 2.0 / 15.0), (2, 2.0 / 15.0), (3, 4.0 / 15.0), (5, 4.0 / 15.0), (7, 0.3)] {
            assert!((springs.between(differ) - share).abs() < 1e-12, "{differ}");
        }
    }
}
