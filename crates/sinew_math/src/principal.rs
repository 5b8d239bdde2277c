//! The frame that fits a cloud of weighted points best: its centre and principal axes.
//!
//! Sign rule: an axis points to where the cloud reaches farther from its centre in the mean of cubes (its longer, thinner
//! end); where both ends are alike, its largest component is positive. The third axis makes the frame right-handed. Equal
//! spreads leave their axes to rounding: a ball has a frame, but no meaningful one.

use crate::{DMat3, DVec3, Sym3};

/// Centre, axes by falling spread, and the spreads (standard deviations along the axes).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PrincipalFrame {
    pub centre: DVec3,
    /// Columns are the axes; a rotation.
    pub axes: DMat3,
    pub spread: DVec3,
}

impl PrincipalFrame {
    /// Of points and their weights; none where the weights sum to nothing.
    pub fn of(points: &[DVec3], weights: &[f64]) -> Option<Self> {
        let total: f64 = weights.iter().sum();
        let weighted = || points.iter().copied().zip(weights.iter().copied());
        let centre = weighted().fold(DVec3::ZERO, |sum, (x, w)| sum + x * w) / total;
        if !(total > 0.0 && centre.is_finite()) {
            return None;
        }
        let covariance = weighted().fold(Sym3::ZERO, |sum, (x, w)| sum + Sym3::along(x - centre, w / total));
        let (values, vectors) = covariance.eigen();
        let mut order = [0, 1, 2];
        order.sort_by(|&a: &usize, &b: &usize| values[b].total_cmp(&values[a]));
        let spread = DVec3::from_array(order.map(|i| values[i].max(0.0).sqrt()));
        let signed = |n: usize| {
            let axis = vectors.col(order[n]);
            let lean = weighted().map(|(x, w)| (x - centre).dot(axis).powi(3) * w).sum::<f64>() / total;
            /// Cubes of a symmetric cloud sum to rounding only.
            const EVEN: f64 = 1e-6;
            let towards = if lean.abs() > EVEN * spread[n].powi(3) { lean } else { largest_component(axis) };
            if towards < 0.0 { -axis } else { axis }
        };
        let (first, second) = (signed(0), signed(1));
        Some(Self { centre, axes: DMat3::from_cols(first, second, first.cross(second)), spread })
    }
}

fn largest_component(axis: DVec3) -> f64 {
    axis.to_array().into_iter().fold(0.0, |best: f64, c| if c.abs() > best.abs() + 1e-9 { c } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DQuat, dvec3};

    /// A wedge: longer than wide, wider than high, with a thin end.
    fn wedge() -> Vec<DVec3> {
        let mut points = Vec::new();
        for i in 0..20 {
            let x = f64::from(i) / 19.0;
            for (y, z) in [(-1.0, -0.3), (1.0, -0.3), (1.4, 0.2), (-1.0, 0.2)] {
                points.push(dvec3(4.0 * x * x, y * (1.0 - 0.5 * x), z));
            }
        }
        points
    }

    #[test]
    fn the_frame_turns_with_the_cloud_and_keeps_its_signs() {
        let points = wedge();
        let weights = vec![0.7; points.len()];
        let frame = PrincipalFrame::of(&points, &weights).unwrap();
        assert!(frame.axes.x_axis.x > 0.99 && frame.spread.x > frame.spread.y && frame.spread.y > frame.spread.z);
        for n in 0..20 {
            let turn = DQuat::from_rotation_y(0.4 * f64::from(n)) * DQuat::from_rotation_x(0.9 * f64::from(n));
            let shift = dvec3(f64::from(n), -3.0, 0.5);
            let moved: Vec<DVec3> = points.iter().map(|x| turn * *x + shift).collect();
            let turned = PrincipalFrame::of(&moved, &weights).unwrap();
            let off = turned.axes - DMat3::from_quat(turn) * frame.axes;
            assert!(off.to_cols_array().iter().all(|c| c.abs() < 1e-9), "{n}: {off}");
            assert!(turned.centre.distance(turn * frame.centre + shift) < 1e-12);
        }
        assert!((frame.axes.determinant() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn weightless_clouds_have_no_frame() {
        assert_eq!(PrincipalFrame::of(&[], &[]), None);
        assert_eq!(PrincipalFrame::of(&[DVec3::X], &[0.0]), None);
    }
}
