//! One element: a piece of flesh with one deformation gradient, linear in the positions of its corners.
//!
//! `F = Σ x_a b_aᵀ` with gradients b that sum to zero: four corners for a tetrahedron, more for a smoothed piece
//! (`elements.rs`). Energy, forces and the projected Hessian follow from the law (`law.rs`).
//!
//! Contraction: `W = V_o det T Ψ(F_o T'⁻¹)`, F_o measured from the rest positions o(t), T' = R_o T R_oᵀ turned with the flesh.

use super::law::{Curvature, Law};
use crate::{Cues, Flesh, StretchLaw};
use sinew_math::rotation::{nearest_rotation, nearest_rotation_from, outer};
use sinew_math::{DMat3, DQuat, DVec3, Sym3};

/// Rotation updates per evaluation: warm-started ones settle in two or three.
const ROTATION_UPDATES: usize = 60;

/// What a tetrahedron is measured against during one interval.
#[derive(Debug, Clone, Copy)]
pub(super) struct RestTet {
    /// Gradients b of the shape functions in the contracted rest shape.
    pub(super) gradient: [DVec3; 4],
    pub(super) volume_m3: f64,
    /// Factor on the material's moduli, and what is added to its Poisson ratio.
    pub(super) stiffness: f64,
    pub(super) poisson_shift: f64,
}

impl RestTet {
    /// A tetrahedron that asks for nothing.
    pub(super) const NONE: Self =
        Self { gradient: [DVec3::ZERO; 4], volume_m3: 0.0, stiffness: 0.0, poisson_shift: 0.0 };

    /// The rest shape under `cues`; `None` where the asked rest shape is inverted or flat.
    pub(super) fn asked(flesh: &Flesh, corners: [u32; 4], cues: &Cues) -> Option<Self> {
        let corners = corners.map(|v| v as usize);
        let edges = |x: [DVec3; 4]| DMat3::from_cols(x[1] - x[0], x[2] - x[0], x[3] - x[0]);
        let rest_edges = edges(corners.map(|v| cues.rest(flesh, v)));
        let volume_o = rest_edges.determinant() / 6.0;
        if volume_o.is_nan() || volume_o <= 0.0 {
            return None;
        }
        let mut from_now = rest_edges.inverse();
        let mut volume_m3 = volume_o;
        if !cues.log_stretch.is_empty() {
            let mut log = corners.iter().fold(Sym3::ZERO, |sum, &v| sum + cues.log_stretch[v]) * 0.25;
            if !cues.rest_offset.is_empty() {
                let own_edges = edges(corners.map(|v| flesh.rest[v]));
                log = log.turned(DMat3::from_quat(nearest_rotation(rest_edges * own_edges.inverse())));
            }
            from_now *= (log * -1.0).exp().to_mat();
            volume_m3 *= sinew_math::libm::exp(log.trace());
        }
        let rows = from_now.transpose();
        let gradient = [-(rows.x_axis + rows.y_axis + rows.z_axis), rows.x_axis, rows.y_axis, rows.z_axis];
        let mean = |of: &[f64], even: f64| {
            if of.is_empty() { even } else { corners.iter().map(|&v| of[v]).sum::<f64>() / 4.0 }
        };
        let (stiffness, poisson_shift) = (mean(&cues.stiffness, 1.0), mean(&cues.poisson, 0.0));
        Some(Self { gradient, volume_m3, stiffness, poisson_shift })
    }
}

/// An element during one interval.
#[derive(Debug, Clone, Copy)]
pub(super) struct Element<'a> {
    pub(super) gradient: &'a [DVec3],
    pub(super) volume_m3: f64,
    pub(super) law: Law,
}

impl Element<'_> {
    fn deformation(&self, place: impl Fn(usize) -> DVec3) -> DMat3 {
        change(self.gradient, place)
    }

    /// The rotation of the deformation, from nothing.
    pub(super) fn best_turn(&self, place: impl Fn(usize) -> DVec3) -> DQuat {
        nearest_rotation(self.deformation(place))
    }

    /// Splits the deformation with corners at `place` into rotation and stretch.
    pub(super) fn strained(&self, place: impl Fn(usize) -> DVec3, warm: DQuat) -> Strained {
        let f = self.deformation(place);
        let turn = nearest_rotation_from(f, warm, ROTATION_UPDATES);
        let r = DMat3::from_quat(turn);
        Strained { f, r, turn, stress: self.law.stress(f, r) }
    }
}

/// A deformed element: F = R S.
#[derive(Debug, Clone, Copy)]
pub(super) struct Strained {
    f: DMat3,
    r: DMat3,
    pub(super) turn: DQuat,
    stress: DMat3,
}

impl Strained {
    pub(super) const REST: Self =
        Self { f: DMat3::IDENTITY, r: DMat3::IDENTITY, turn: DQuat::IDENTITY, stress: DMat3::ZERO };

    pub(super) fn energy(&self, element: &Element<'_>) -> f64 {
        element.volume_m3 * element.law.energy(self.f, self.r)
    }

    /// Gradient of the energy at a corner (minus the elastic force).
    pub(super) fn gradient_at(&self, element: &Element<'_>, corner: usize) -> DVec3 {
        self.stress * (element.gradient[corner] * element.volume_m3)
    }

    fn stretch(&self) -> Sym3 {
        Sym3::from_mat(self.r.transpose() * self.f)
    }

    /// The projected Hessian in a form whose 3×3 blocks are cheap.
    pub(super) fn stiffness(&self, element: &Element<'_>) -> Stiffness {
        let (law, stretch) = (&element.law, self.stretch());
        if law.kind == StretchLaw::Corotated
            && let Some(twist) = exact_twist(law, stretch)
        {
            return self.turned(element, twist);
        }
        let (s, axes) = stretch.eigen();
        Stiffness::Principal {
            frame: self.r * axes,
            axes: axes.transpose(),
            volume_m3: element.volume_m3,
            curvature: law.curvature(s),
        }
    }

    /// Linear elasticity in the turned frame, for Rayleigh damping.
    pub(super) fn turned_linear(&self, element: &Element<'_>) -> Stiffness {
        self.turned(element, DMat3::from_diagonal(DVec3::splat(-element.law.mu_pa)))
    }

    fn turned(&self, element: &Element<'_>, twist: DMat3) -> Stiffness {
        let (v, law) = (element.volume_m3, &element.law);
        Stiffness::Turned {
            frame: self.r,
            spread: 2.0 * law.mu_pa * v,
            along: law.lambda_pa * v,
            twist: self.r * (twist * v) * self.r.transpose(),
        }
    }
}

/// Σ of the corotated twists' eigenvalues less 2μ, where none is negative: 1/(sᵢ + sⱼ) belong to the inverse of
/// tr(S) I − S, which needs no eigenvectors.
fn exact_twist(law: &Law, stretch: Sym3) -> Option<DMat3> {
    let softening = 2.0 * law.mu_pa - law.lambda_pa * (stretch.trace() - 3.0);
    let sums = DMat3::from_diagonal(DVec3::splat(stretch.trace())) - stretch.to_mat();
    // All sᵢ + sⱼ are at least softening/μ where this matrix has no negative eigenvalue (Sylvester's minors).
    let least = (softening / law.mu_pa).max(1e-9);
    let spare = sums - DMat3::from_diagonal(DVec3::splat(least));
    let (first, last) = (spare.x_axis.x, spare.determinant());
    let second = spare.x_axis.x * spare.y_axis.y - spare.x_axis.y * spare.y_axis.x;
    (first > 0.0 && second > 0.0 && last > 0.0).then(|| sums.inverse() * -softening)
}

/// The Hessian of an element's energy in its corners' positions, without its blocks.
#[derive(Debug, Clone, Copy)]
pub(super) enum Stiffness {
    /// `K_ab = spread (b_a·b_b) I + along b_a b_bᵀ + [b_a]× twist [b_b]×ᵀ`, b the gradients turned by `frame`.
    Turned { frame: DMat3, spread: f64, along: f64, twist: DMat3 },
    /// In the frame of the principal stretches, to which `axes` brings gradients and from which `frame` brings forces.
    Principal { frame: DMat3, axes: DMat3, volume_m3: f64, curvature: Curvature },
}

/// Blocks of an element's symmetric matrix with this many corners: those with a ≤ b, row after row.
pub(super) const fn block_count(corners: usize) -> usize {
    corners * (corners + 1) / 2
}

/// Where block (a, b) is among the blocks, and whether it is stored as its transpose.
pub(super) const fn block_at(corners: usize, a: usize, b: usize) -> (usize, bool) {
    let (low, high) = if a <= b { (a, b) } else { (b, a) };
    (low * corners - low * (low + 1) / 2 + high, a > b)
}

impl Stiffness {
    /// All blocks. Those of the first corner follow from the others: moving all corners alike takes no force.
    pub(super) fn blocks(&self, gradient: &[DVec3], blocks: &mut [DMat3]) {
        let n = gradient.len();
        match self {
            Self::Turned { frame, spread, along, twist } => {
                for b in 1..n {
                    let other = *frame * gradient[b];
                    // twist [b]×ᵀ, by columns: [b]×ᵀ e = e × b.
                    let twisted = DMat3::from_cols(
                        *twist * DVec3::new(0.0, -other.z, other.y),
                        *twist * DVec3::new(other.z, 0.0, -other.x),
                        *twist * DVec3::new(-other.y, other.x, 0.0),
                    );
                    for a in 1..=b {
                        let mine = *frame * gradient[a];
                        let even = DMat3::from_diagonal(DVec3::splat(spread * mine.dot(other)));
                        let crossed = DMat3::from_cols(
                            mine.cross(twisted.x_axis),
                            mine.cross(twisted.y_axis),
                            mine.cross(twisted.z_axis),
                        );
                        blocks[block_at(n, a, b).0] = even + outer(mine * *along, other) + crossed;
                    }
                }
            }
            Self::Principal { frame, axes, volume_m3, curvature } => {
                let back = frame.transpose();
                for b in 1..n {
                    let other = *axes * gradient[b];
                    for a in 1..=b {
                        let mine = *axes * gradient[a] * *volume_m3;
                        blocks[block_at(n, a, b).0] = *frame * curvature.block(mine, other) * back;
                    }
                }
            }
        }
        sum_first_corner(n, blocks);
    }

    /// K u without its blocks.
    pub(super) fn times(&self, gradient: &[DVec3], u: impl Fn(usize) -> DVec3, out: &mut [DVec3]) {
        let image = self.image(change(gradient, u));
        out[0] = DVec3::ZERO;
        for a in 1..gradient.len() {
            out[a] = image * gradient[a];
            out[0] -= out[a];
        }
    }

    /// u·K u.
    pub(super) fn work(&self, gradient: &[DVec3], u: impl Fn(usize) -> DVec3) -> f64 {
        let change = change(gradient, u);
        let image = self.image(change);
        image.x_axis.dot(change.x_axis) + image.y_axis.dot(change.y_axis) + image.z_axis.dot(change.z_axis)
    }

    /// Change of the stress, times volume, for a change of the deformation gradient.
    fn image(&self, change: DMat3) -> DMat3 {
        match self {
            Self::Turned { frame, spread, along, twist } => {
                let turned = change * frame.transpose();
                let spin = DVec3::new(
                    turned.z_axis.y - turned.y_axis.z,
                    turned.x_axis.z - turned.z_axis.x,
                    turned.y_axis.x - turned.x_axis.y,
                );
                let twist = *twist * spin;
                let along = *along * (turned.x_axis.x + turned.y_axis.y + turned.z_axis.z);
                // b × twist as a matrix applied to b.
                let crossed = DMat3::from_cols(
                    DVec3::new(0.0, -twist.z, twist.y),
                    DVec3::new(twist.z, 0.0, -twist.x),
                    DVec3::new(-twist.y, twist.x, 0.0),
                );
                (turned * *spread + DMat3::from_diagonal(DVec3::splat(along)) + crossed) * *frame
            }
            Self::Principal { frame, axes, volume_m3, curvature } => {
                let inside = frame.transpose() * change * axes.transpose();
                *frame * curvature.times(inside) * *axes * *volume_m3
            }
        }
    }
}

/// Σ u_a b_aᵀ. From edges, not from positions: far from the origin the difference has all its digits.
fn change(gradient: &[DVec3], u: impl Fn(usize) -> DVec3) -> DMat3 {
    let first = u(0);
    (1..gradient.len()).fold(DMat3::ZERO, |sum, a| sum + outer(u(a) - first, gradient[a]))
}

/// Blocks of the first corner: minus the sums over the others.
fn sum_first_corner(n: usize, blocks: &mut [DMat3]) {
    let mut whole = DMat3::ZERO;
    for b in 1..n {
        let column = (1..n).fold(DMat3::ZERO, |sum, a| {
            let (at, transposed) = block_at(n, a, b);
            sum + if transposed { blocks[at].transpose() } else { blocks[at] }
        });
        blocks[b] = -column;
        whole += column;
    }
    blocks[0] = whole.transpose();
}

impl Curvature {
    /// The block of gradients a and b.
    fn block(&self, a: DVec3, b: DVec3) -> DMat3 {
        let (s, [x, y, z]) = (&self.stretch, self.swapped);
        let ab = a * b;
        let own = DVec3::new(
            s.xx * ab.x + self.same[2] * ab.y + self.same[1] * ab.z,
            s.yy * ab.y + self.same[2] * ab.x + self.same[0] * ab.z,
            s.zz * ab.z + self.same[1] * ab.x + self.same[0] * ab.y,
        );
        DMat3::from_cols(
            DVec3::new(own.x, s.xy * a.y * b.x + z * a.x * b.y, s.zx * a.z * b.x + y * a.x * b.z),
            DVec3::new(s.xy * a.x * b.y + z * a.y * b.x, own.y, s.yz * a.z * b.y + x * a.y * b.z),
            DVec3::new(s.zx * a.x * b.z + y * a.z * b.x, s.yz * a.y * b.z + x * a.z * b.y, own.z),
        )
    }

    /// Change of the principal stress for a change of the principal deformation.
    fn times(&self, f: DMat3) -> DMat3 {
        let own = self.stretch * DVec3::new(f.x_axis.x, f.y_axis.y, f.z_axis.z);
        let pair = |k: usize, one: f64, other: f64| self.same[k] * one + self.swapped[k] * other;
        DMat3::from_cols(
            DVec3::new(own.x, pair(2, f.x_axis.y, f.y_axis.x), pair(1, f.x_axis.z, f.z_axis.x)),
            DVec3::new(pair(2, f.y_axis.x, f.x_axis.y), own.y, pair(0, f.y_axis.z, f.z_axis.y)),
            DVec3::new(pair(1, f.z_axis.x, f.x_axis.z), pair(0, f.z_axis.y, f.y_axis.z), own.z),
        )
    }
}

#[cfg(test)]
mod tests;
