//! How stiff a body has to be to stand: linear statics and linear buckling of its flesh under its own weight.
//!
//! The flesh is held at its soles. Both answers are for one Young's modulus and scale with it: displacements are u = u₁ / E, where
//! K₁ u₁ = f is solved once, and the body buckles below the largest E with E K₁ v = −K_σ v, where K_σ is the geometric stiffness
//! of the stresses that gravity causes (Bathe. "Finite Element Procedures", §6.8.2). These are the elements that the solvers use,
//! so that flesh of few elements counts as stiff as it is.

use sinew_geom::TetMesh;
use sinew_math::rotation::outer;
use sinew_math::sparse::{Analysis, Factor, SymmetricMatrix};
use sinew_math::{DMat3, DVec3};

/// How heavy flesh is.
pub(super) const WEIGHT_N_M3: f64 = 9.81 * 1050.0;
/// Flesh is nearly incompressible; linear tets of more than this lock.
const POISSON: f64 = 0.4;

/// What gravity does to a body that stands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Standing {
    pub(super) height_m: f64,
    /// How far nine tenths of its mass move at most, times Young's modulus.
    pub(super) sag_m_pa: f64,
    /// Young's modulus below which it buckles; 0 for a body that never does.
    pub(super) buckling_pa: f64,
    /// Share of its mass that moves as it buckles: near 1 where legs give way, little where a sole wrinkles.
    pub(super) buckling_share: f64,
}

impl Standing {
    /// None where the flesh has no height or nothing to stand on.
    pub(super) fn of(flesh: &TetMesh) -> Option<Self> {
        let (low, high) = flesh
            .positions
            .iter()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x.y), high.max(x.y)));
        let height_m = high - low;
        let free = Freedom::of(flesh, low, height_m)?;
        let elements: Vec<Element> = flesh.tets.iter().filter_map(|tet| Element::of(flesh, *tet)).collect();
        let stiffness = free.assemble(&elements, Element::stiffness, REGULAR);
        let factor = Analysis::new(&stiffness).ok()?.factor(&stiffness).ok()?;
        let mut moved = free.weight(&elements);
        factor.solve(&mut moved);
        let sag_m_pa = free.mass_quantile(&elements, &moved, 0.9);
        let stressed: Vec<(Element, DMat3)> =
            elements.iter().copied().map(|element| (element, element.stress(&free, &moved))).collect();
        let geometric = free.assemble(&stressed, |(element, stress), a, b| element.geometric(*stress, a, b), 0.0);
        let (buckling_pa, mode) = largest_eigenvalue(&factor, &stiffness, &geometric);
        Some(Self { height_m, sag_m_pa, buckling_pa, buckling_share: free.moving_share(&elements, &mode) })
    }
}

/// Share of the mean diagonal that holds pieces which hang on nothing.
const REGULAR: f64 = 1e-9;

/// Which vertices are free to move, by their place among the unknowns; soles are not, nor is what hangs on none of them.
struct Freedom {
    unknown: Vec<Option<u32>>,
    count: usize,
}

impl Freedom {
    fn of(flesh: &TetMesh, low: f64, height_m: f64) -> Option<Self> {
        let soles = soles(flesh, low, height_m)?;
        let mut carried = soles.clone();
        // Flooding along tets; those in the order of the lattice need few rounds.
        loop {
            let mut is_new = false;
            for tet in &flesh.tets {
                let reached = tet.iter().filter(|v| carried[**v as usize]).count();
                if (1..4).contains(&reached) {
                    tet.iter().for_each(|v| carried[*v as usize] = true);
                    is_new = true;
                }
            }
            if !is_new {
                break;
            }
        }
        let mut count = 0;
        let mut number = |is_free: bool| {
            count += u32::from(is_free);
            is_free.then_some(count.wrapping_sub(1))
        };
        let unknown: Vec<Option<u32>> =
            soles.iter().zip(&carried).map(|(sole, carried)| number(*carried && !*sole)).collect();
        (count > 0 && height_m > 0.0).then_some(Self { unknown, count: count as usize })
    }

    /// Sums blocks of elements over all pairs of their free corners, and adds `regular` times the mean diagonal.
    fn assemble<E: AsRef<Element>>(
        &self,
        elements: &[E],
        block: impl Fn(&E, usize, usize) -> DMat3,
        regular: f64,
    ) -> SymmetricMatrix {
        let mut entries = Vec::with_capacity(elements.len() * 78);
        for element in elements {
            let corners = element.as_ref().corners.map(|v| self.unknown[v as usize]);
            for (a, row) in corners.iter().enumerate() {
                for (b, column) in corners.iter().enumerate() {
                    let (Some(row), Some(column)) = (row, column) else { continue };
                    let block = block(element, a, b);
                    for i in 0..3 {
                        for j in 0..3 {
                            let (r, c) = (3 * row + i as u32, 3 * column + j as u32);
                            if r >= c {
                                entries.push((r, c, block.col(j)[i]));
                            }
                        }
                    }
                }
            }
        }
        let size = 3 * self.count;
        if regular > 0.0 {
            let trace: f64 = entries.iter().filter(|(r, c, _)| r == c).map(|entry| entry.2).sum();
            entries.extend((0..size as u32).map(|n| (n, n, regular * trace / size as f64)));
        }
        SymmetricMatrix::from_entries(size, entries)
    }

    fn weight(&self, elements: &[Element]) -> Vec<f64> {
        let mut force = vec![0.0; 3 * self.count];
        for element in elements {
            for n in element.corners.iter().filter_map(|v| self.unknown[*v as usize]) {
                force[3 * n as usize + 1] -= 0.25 * WEIGHT_N_M3 * element.volume_m3;
            }
        }
        force
    }

    fn of_vertex(&self, moved: &[f64], vertex: u32) -> DVec3 {
        self.unknown[vertex as usize].map_or(DVec3::ZERO, |n| DVec3::from_slice(&moved[3 * n as usize..]))
    }

    /// The share of the mass that a mode moves: (Σ m |v|)² / (Σ m · Σ m |v|²).
    fn moving_share(&self, elements: &[Element], mode: &[f64]) -> f64 {
        let (mut mass, mut first, mut second) = (0.0, 0.0, 0.0);
        for element in elements {
            let moved = self.middle(element, mode).length();
            mass += element.volume_m3;
            first += element.volume_m3 * moved;
            second += element.volume_m3 * moved * moved;
        }
        first * first / (mass * second).max(f64::MIN_POSITIVE)
    }

    /// How the middle of an element moves.
    fn middle(&self, element: &Element, moved: &[f64]) -> DVec3 {
        0.25 * element.corners.iter().map(|v| self.of_vertex(moved, *v)).sum::<DVec3>()
    }

    /// What this share of the mass moves at most.
    fn mass_quantile(&self, elements: &[Element], moved: &[f64], share: f64) -> f64 {
        let mut found: Vec<(f64, f64)> =
            elements.iter().map(|each| (self.middle(each, moved).length(), each.volume_m3)).collect();
        found.sort_by(|a, b| a.0.total_cmp(&b.0));
        let whole: f64 = found.iter().map(|each| each.1).sum();
        let mut below = 0.0;
        for (far, volume) in found {
            below += volume;
            if below >= share * whole {
                return far;
            }
        }
        0.0
    }
}

/// The vertices that a body stands on: the lowest, and so many that its middle is between them.
fn soles(flesh: &TetMesh, low: f64, height_m: f64) -> Option<Vec<bool>> {
    /// Shares of the height that are tried one after the other: feet are seldom level.
    const SHARES: [f64; 5] = [0.02, 0.04, 0.07, 0.12, 0.2];
    let volumes = flesh.vertex_volumes().into_vec();
    let weighted = flesh.positions.iter().zip(&volumes).map(|(x, volume)| *x * *volume);
    let middle = weighted.sum::<DVec3>() / flesh.volume();
    let mut best = None;
    for share in SHARES {
        let soles: Vec<bool> = flesh.positions.iter().map(|x| x.y < low + share * height_m).collect();
        let places = flesh.positions.iter().zip(&soles).filter(|(_, sole)| **sole).map(|(x, _)| *x);
        let (least, most) =
            places.clone().fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(a, b), x| (a.min(x), b.max(x)));
        if places.count() < 3 {
            continue;
        }
        let is_between = middle.x > least.x && middle.x < most.x && middle.z > least.z && middle.z < most.z;
        best = Some(soles);
        if is_between {
            break;
        }
    }
    best
}

/// A linear tetrahedron for Young's modulus 1.
#[derive(Debug, Clone, Copy)]
struct Element {
    corners: [u32; 4],
    volume_m3: f64,
    /// Gradients of the shape functions.
    gradients: [DVec3; 4],
}

impl AsRef<Element> for Element {
    fn as_ref(&self) -> &Element {
        self
    }
}

impl AsRef<Element> for (Element, DMat3) {
    fn as_ref(&self) -> &Element {
        &self.0
    }
}

impl Element {
    fn of(flesh: &TetMesh, corners: [u32; 4]) -> Option<Self> {
        let [a, b, c, d] = corners.map(|v| flesh.positions[v as usize]);
        let edges = DMat3::from_cols(b - a, c - a, d - a);
        let volume_m3 = edges.determinant() / 6.0;
        if volume_m3.is_nan() || volume_m3 <= 0.0 {
            return None;
        }
        let inverse = edges.inverse().transpose();
        let [g1, g2, g3] = [inverse.x_axis, inverse.y_axis, inverse.z_axis];
        Some(Self { corners, volume_m3, gradients: [-(g1 + g2 + g3), g1, g2, g3] })
    }

    /// Lamé's constants for Young's modulus 1.
    fn lame() -> (f64, f64) {
        (POISSON / ((1.0 + POISSON) * (1.0 - 2.0 * POISSON)), 0.5 / (1.0 + POISSON))
    }

    fn stiffness(&self, a: usize, b: usize) -> DMat3 {
        let (lambda, mu) = Self::lame();
        let [ga, gb] = [self.gradients[a], self.gradients[b]];
        (outer(ga, gb) * lambda + outer(gb, ga) * mu + DMat3::from_diagonal(DVec3::splat(mu * ga.dot(gb))))
            * self.volume_m3
    }

    /// Cauchy's stress under displacements; the same for every Young's modulus, as these are inversely proportional to it.
    fn stress(&self, free: &Freedom, moved: &[f64]) -> DMat3 {
        let mut gradient = DMat3::ZERO;
        for (vertex, g) in self.corners.iter().zip(self.gradients) {
            gradient += outer(free.of_vertex(moved, *vertex), g);
        }
        let strain = (gradient + gradient.transpose()) * 0.5;
        let (lambda, mu) = Self::lame();
        let trace = strain.x_axis.x + strain.y_axis.y + strain.z_axis.z;
        strain * (2.0 * mu) + DMat3::from_diagonal(DVec3::splat(lambda * trace))
    }

    fn geometric(&self, stress: DMat3, a: usize, b: usize) -> DMat3 {
        DMat3::from_diagonal(DVec3::splat(self.volume_m3 * self.gradients[a].dot(stress * self.gradients[b])))
    }
}

/// The largest e with e K v = −G v, and v, by power iteration on K⁻¹(−G). Where tension's eigenvalues are larger in size they are shifted away.
fn largest_eigenvalue(factor: &Factor, stiffness: &SymmetricMatrix, geometric: &SymmetricMatrix) -> (f64, Vec<f64>) {
    let first = power_iteration(factor, stiffness, geometric, 0.0);
    if first.0 >= 0.0 {
        return first;
    }
    let (found, mode) = power_iteration(factor, stiffness, geometric, -first.0);
    ((found + first.0).max(0.0), mode)
}

/// The eigenvalue of K⁻¹(−G) + shift that is largest in size, and its vector.
fn power_iteration(
    factor: &Factor,
    stiffness: &SymmetricMatrix,
    geometric: &SymmetricMatrix,
    shift: f64,
) -> (f64, Vec<f64>) {
    const ROUNDS: usize = 60;
    const CLOSE: f64 = 1e-3;
    // Any start that no mode of buckling is orthogonal to.
    let mut v: Vec<f64> = (0..stiffness.size()).map(|n| 1.0 + ((n * 7919) % 101) as f64 / 101.0).collect();
    let mut found = 0.0;
    for _ in 0..ROUNDS {
        let loaded = stiffness.times(&v);
        let norm = dot(&v, &loaded).sqrt();
        if norm.is_nan() || norm <= 0.0 {
            return (0.0, v);
        }
        v.iter_mut().for_each(|x| *x /= norm);
        let mut next: Vec<f64> = geometric.times(&v).into_iter().map(|x| -x).collect();
        // Of a vector of unit energy, Rayleigh's quotient.
        let quotient = dot(&v, &next) + shift;
        let is_close = (quotient - found).abs() <= CLOSE * quotient.abs();
        found = quotient;
        if is_close {
            break;
        }
        factor.solve(&mut next);
        next.iter_mut().zip(&v).for_each(|(x, old)| *x += shift * old);
        v = next;
    }
    (found, v)
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_geom::structured::bar;
    use sinew_math::dvec3;

    #[test]
    fn a_column_shortens_as_its_weight_asks() {
        let column = bar(dvec3(0.4, 1.0, 0.4), [8, 20, 8]);
        let found = Standing::of(&column).unwrap();
        // ρ g L² / (2 E) at the top; nine tenths of the mass move by at most 0.99 of that.
        let wanted = 0.99 * WEIGHT_N_M3 / 2.0;
        assert!((found.sag_m_pa / wanted - 1.0).abs() < 0.1, "{found:?}, wanted {wanted}");
    }

    #[test]
    fn a_slender_column_buckles_at_greenhills_load() {
        let (wide_m, tall_m) = (0.1, 1.0);
        let column = bar(dvec3(wide_m, tall_m, wide_m), [4, 40, 4]);
        let found = Standing::of(&column).unwrap();
        // Greenhill: q L³ = 7.837 E I, with q the weight per metre.
        let inertia = wide_m.powi(4) / 12.0;
        let wanted = WEIGHT_N_M3 * wide_m * wide_m * tall_m.powi(3) / (7.837 * inertia);
        // Linear tets, four across, bend up to a third too stiffly.
        assert!((0.6..1.05).contains(&(found.buckling_pa / wanted)), "{found:?}, wanted {wanted}");
    }
}
