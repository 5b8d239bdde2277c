//! Contracted rest shapes, quickly: a body under a muscle has new ones in every step.

use crate::Cues;
use crate::fem::element::RestTet;
use sinew_math::{Sym3, libm};

/// ln T is halved this often before the polynomial: with degree 7 the error is below 1e-10 for stretches of 1/20 to 20.
const HALVINGS: i32 = 4;

/// A tetrahedron under the contraction and stiffness that cues ask for, and T⁻¹ − I; rest positions are its own.
pub(super) fn contracted(plain: &RestTet, corners: [u32; 4], cues: &Cues) -> (RestTet, Sym3) {
    let mut rest = *plain;
    if !cues.stiffness.is_empty() {
        rest.stiffness = corners.iter().map(|&v| cues.stiffness[v as usize]).sum::<f64>() / 4.0;
    }
    if cues.log_stretch.is_empty() {
        return (rest, Sym3::ZERO);
    }
    let log = corners.iter().fold(Sym3::ZERO, |sum, &v| sum + cues.log_stretch[v as usize]) * 0.25;
    let shrunk = exp_minus_identity(log * -1.0);
    rest.gradient = rest.gradient.map(|b| b + shrunk * b);
    rest.volume_m3 *= libm::exp(log.trace());
    (rest, shrunk)
}

/// `exp(x) − I` by scaling and squaring, carried through as differences from the identity so that nothing at all stays exactly zero.
fn exp_minus_identity(x: Sym3) -> Sym3 {
    let x = x * (1.0 / f64::from(1 << HALVINGS));
    let mut y = x * (1.0 / 7.0);
    for k in [6.0, 5.0, 4.0, 3.0, 2.0, 1.0] {
        y = (x + product(x, y)) * (1.0 / k);
    }
    for _ in 0..HALVINGS {
        y = y * 2.0 + product(y, y);
    }
    y
}

/// The product of symmetric matrices that commute, which is symmetric.
fn product(a: Sym3, b: Sym3) -> Sym3 {
    Sym3 {
        xx: a.xx * b.xx + a.xy * b.xy + a.zx * b.zx,
        yy: a.xy * b.xy + a.yy * b.yy + a.yz * b.yz,
        zz: a.zx * b.zx + a.yz * b.yz + a.zz * b.zz,
        xy: a.xx * b.xy + a.xy * b.yy + a.zx * b.yz,
        yz: a.xy * b.zx + a.yy * b.yz + a.yz * b.zz,
        zx: a.xx * b.zx + a.xy * b.yz + a.zx * b.zz,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Flesh;
    use sinew_geom::structured::bar;
    use sinew_math::dvec3;

    #[test]
    fn the_quick_way_is_the_reference() {
        let flesh = Flesh::from_tets(bar(dvec3(1.0, 0.3, 0.2), [2, 1, 1]), 1000.0).unwrap();
        let crate::Cells::Tets(tets) = &flesh.cells else { unreachable!("tets were asked for") };
        let ln_t = |x: &sinew_math::DVec3| {
            Sym3::along(dvec3(0.6, 0.8, 0.0), 1.5 * x.x) + Sym3::along(dvec3(0.0, 0.6, 0.8), -0.7 + x.y)
        };
        let cues = Cues {
            log_stretch: flesh.rest.iter().map(ln_t).collect(),
            stiffness: flesh.rest.iter().map(|x| 2.0 + x.x).collect(),
            ..Cues::default()
        };
        for &corners in tets {
            let plain = RestTet::asked(&flesh, corners, &Cues::default()).unwrap();
            let asked = RestTet::asked(&flesh, corners, &cues).unwrap();
            let (found, _) = contracted(&plain, corners, &cues);
            assert!((found.volume_m3 / asked.volume_m3 - 1.0).abs() < 1e-12 && found.stiffness == asked.stiffness);
            let size = asked.gradient.iter().map(|b| b.length()).fold(0.0, f64::max);
            assert!(found.gradient.iter().zip(asked.gradient).all(|(a, b)| a.distance(b) < 1e-9 * size));
        }
    }
}
