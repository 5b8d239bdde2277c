//! Forces and stiffness are derivatives of the energy, and clamping takes away only what is negative of it.

use super::*;
use sinew_math::dvec3;

const LAWS: [StretchLaw; 3] = [StretchLaw::Corotated, StretchLaw::StVenantKirchhoff, StretchLaw::NeoHookean];

fn gradients() -> [DVec3; 4] {
    let x = [DVec3::ZERO, dvec3(1.0, 0.1, 0.0), dvec3(0.0, 1.2, 0.2), dvec3(0.1, 0.0, 0.9)];
    let edges = DMat3::from_cols(x[1] - x[0], x[2] - x[0], x[3] - x[0]);
    let rows = edges.inverse().transpose();
    [-(rows.x_axis + rows.y_axis + rows.z_axis), rows.x_axis, rows.y_axis, rows.z_axis]
}

fn element(kind: StretchLaw, gradient: &[DVec3; 4]) -> Element<'_> {
    Element { gradient, volume_m3: 0.18, law: Law { kind, lambda_pa: 3.0, mu_pa: 2.0 } }
}

/// Stretched a little in every direction and turned: all laws are convex here.
fn stretched() -> [DVec3; 4] {
    [dvec3(0.1, 0.0, 0.0), dvec3(1.4, 0.3, 0.1), dvec3(-0.3, 1.5, 0.2), dvec3(0.2, 0.1, 1.3)]
}

fn gradient(element: &Element<'_>, x: [DVec3; 4]) -> [DVec3; 4] {
    let strained = element.strained(|a| x[a], DQuat::IDENTITY);
    [0, 1, 2, 3].map(|corner| strained.gradient_at(element, corner))
}

fn nudged(x: [DVec3; 4], corner: usize, axis: usize, by: f64) -> [DVec3; 4] {
    let mut x = x;
    x[corner][axis] += by;
    x
}

fn blocks(stiffness: &Stiffness, gradient: &[DVec3]) -> Vec<DMat3> {
    let mut blocks = vec![DMat3::ZERO; block_count(gradient.len())];
    stiffness.blocks(gradient, &mut blocks);
    blocks
}

fn block(blocks: &[DMat3], a: usize, b: usize) -> DMat3 {
    let (at, transposed) = block_at(4, a, b);
    if transposed { blocks[at].transpose() } else { blocks[at] }
}

#[test]
fn gradients_match_differences_at_second_order() {
    let g = gradients();
    for law in LAWS {
        let element = element(law, &g);
        let energy = |x: [DVec3; 4]| element.strained(|a| x[a], DQuat::IDENTITY).energy(&element);
        let exact = gradient(&element, stretched());
        let error = |d: f64| {
            let mut worst = 0.0f64;
            for (corner, exact) in exact.iter().enumerate() {
                for axis in 0..3 {
                    let difference = (energy(nudged(stretched(), corner, axis, d))
                        - energy(nudged(stretched(), corner, axis, -d)))
                        / (2.0 * d);
                    worst = worst.max((difference - exact[axis]).abs());
                }
            }
            worst
        };
        let (coarse, fine) = (error(1e-2), error(1e-3));
        assert!(fine < 1e-4 && coarse / fine > 50.0, "{law:?}: {coarse} {fine}");
    }
}

/// Away from where anything is clamped the matrix is the exact second derivative.
#[test]
fn stiffness_is_the_exact_hessian_where_that_is_positive() {
    let g = gradients();
    for law in LAWS {
        let element = element(law, &g);
        // Where det F is near α the neo-Hookean pressure is small and nothing is clamped.
        let det = element.deformation(|a| stretched()[a]).determinant();
        let scale = if law == StretchLaw::NeoHookean { (1.35 / det).cbrt() } else { 1.0 };
        let x = stretched().map(|x| x * scale);
        let strained = element.strained(|a| x[a], DQuat::IDENTITY);
        let k = blocks(&strained.stiffness(&element), &g);
        let d = 1e-5;
        for b in 0..4 {
            for axis in 0..3 {
                let plus = gradient(&element, nudged(x, b, axis, d));
                let minus = gradient(&element, nudged(x, b, axis, -d));
                for a in 0..4 {
                    let column = block(&k, a, b).col(axis);
                    let difference = (plus[a] - minus[a]) / (2.0 * d);
                    assert!(difference.distance(column) < 1e-6, "{law:?}: block {a}{b}: {difference} {column}");
                }
            }
        }
    }
}

/// However deformed, also inside out: no direction has negative curvature, and what was positive is left alone.
#[test]
fn clamping_takes_away_what_is_negative_and_nothing_else() {
    for law in LAWS.map(|kind| Law { kind, lambda_pa: 3.0, mu_pa: 2.0 }) {
        for s in [dvec3(1.0, 1.0, 1.0), dvec3(0.9, 0.7, 0.3), dvec3(2.0, 1.5, 0.1), dvec3(1.2, 0.5, -0.4)] {
            let c = law.curvature(s);
            let (values, _) = c.stretch.eigen();
            assert!(values.min_element() >= -1e-12, "{law:?} at {s}: {values}");
            for k in 0..3 {
                assert!(c.same[k] >= c.swapped[k].abs() - 1e-12, "{law:?} at {s}");
            }
        }
    }
    // Squeezed flat, a corotated twist is negative; eigenvectors say the same as the form without them elsewhere.
    let g = gradients();
    let element = element(StretchLaw::Corotated, &g);
    for squeeze in [1.0, 0.95] {
        let x = stretched().map(|x| x * dvec3(squeeze, squeeze, 1.0));
        let strained = element.strained(|a| x[a], DQuat::IDENTITY);
        let (s, axes) = strained.stretch().eigen();
        let principal = Stiffness::Principal {
            frame: strained.r * axes,
            axes: axes.transpose(),
            volume_m3: element.volume_m3,
            curvature: element.law.curvature(s),
        };
        let quick = strained.stiffness(&element);
        assert!(matches!(quick, Stiffness::Turned { .. }));
        for (quick, slow) in blocks(&quick, &g).iter().zip(blocks(&principal, &g)) {
            assert!(quick.abs_diff_eq(slow, 1e-10), "{squeeze}");
        }
    }
}

#[test]
fn blocks_and_product_are_the_same_matrix() {
    let g = gradients();
    let u = [dvec3(0.3, -0.1, 0.2), dvec3(-0.5, 0.4, 0.1), dvec3(0.2, 0.2, -0.7), dvec3(0.1, 0.9, 0.3)];
    for law in LAWS {
        let element = element(law, &g);
        let strained = element.strained(|a| stretched()[a], DQuat::IDENTITY);
        for stiffness in [strained.stiffness(&element), strained.turned_linear(&element)] {
            let blocks = blocks(&stiffness, &g);
            let mut product = [DVec3::ZERO; 4];
            stiffness.times(&g, |a| u[a], &mut product);
            for (a, product) in product.iter().enumerate() {
                let sum = (0..4).fold(DVec3::ZERO, |sum, b| sum + block(&blocks, a, b) * u[b]);
                assert!(sum.distance(*product) < 1e-12, "{law:?}, corner {a}: {sum} {product}");
            }
        }
    }
}

#[test]
fn forces_have_no_net_force_or_torque_and_rest_has_none() {
    let g = gradients();
    for law in LAWS {
        let element = element(law, &g);
        let x = stretched();
        let forces = gradient(&element, x);
        assert!(forces.iter().sum::<DVec3>().length() < 1e-12);
        assert!((0..4).map(|a| x[a].cross(forces[a])).sum::<DVec3>().length() < 1e-12);
        // A turned rest shape.
        let rest = [DVec3::ZERO, dvec3(1.0, 0.1, 0.0), dvec3(0.0, 1.2, 0.2), dvec3(0.1, 0.0, 0.9)];
        let turn = DQuat::from_axis_angle(dvec3(1.0, 2.0, -1.0).normalize(), 2.1);
        let still = element.strained(|a| turn * rest[a] + dvec3(5.0, 6.0, 7.0), DQuat::IDENTITY);
        assert!(still.energy(&element).abs() < 1e-14, "{law:?}: {}", still.energy(&element));
        assert!(still.gradient_at(&element, 2).length() < 1e-13, "{law:?}");
    }
}

/// All laws are Lamé's at small strain.
#[test]
fn laws_agree_at_small_strain() {
    let strain = Sym3 { xx: 1e-6, yy: -2e-6, zz: 0.5e-6, xy: 1.5e-6, yz: -0.7e-6, zx: 0.2e-6 };
    let linear = strain * 4.0 + Sym3::IDENTITY * (3.0 * strain.trace());
    for kind in LAWS {
        let law = Law { kind, lambda_pa: 3.0, mu_pa: 2.0 };
        let stress = law.stress(DMat3::IDENTITY + strain.to_mat(), DMat3::IDENTITY);
        assert!(stress.abs_diff_eq(linear.to_mat(), 1e-10), "{kind:?}");
    }
}
