//! Tetrahedra in lanes give what one at a time gives, on every path.

use super::super::elements::Elements;
use super::*;
use crate::fem::Smoothing;
use sinew_geom::structured;
use sinew_math::dvec3;

const LAWS: [StretchLaw; 3] = [StretchLaw::Corotated, StretchLaw::StVenantKirchhoff, StretchLaw::NeoHookean];

/// Points of a bar thrown about so far that some tetrahedra are squeezed flat and some are inside out.
fn thrown(flesh: &Flesh, by: f64) -> Vec<DVec3> {
    let noise = |i: usize, k: usize| (((i * 37 + k * 101) % 97) as f64 / 48.0 - 1.0) * by;
    let turn = DQuat::from_axis_angle(dvec3(0.6, 0.0, 0.8), 1.1);
    flesh.rest.iter().enumerate().map(|(i, x)| turn * *x + dvec3(noise(i, 0), noise(i, 1), noise(i, 2))).collect()
}

fn flesh() -> Flesh {
    Flesh::from_tets(structured::bar(dvec3(0.5, 0.3, 0.2), [5, 3, 2]), 1000.0).unwrap()
}

fn tets_of(flesh: &Flesh) -> &[[u32; 4]] {
    let crate::Cells::Tets(tets) = &flesh.cells else { panic!("a bar has tetrahedra") };
    tets
}

/// Adds the gradients at `place`; gives the energy.
fn pulls(lanes: &mut Tets, place: impl Fn(usize) -> DVec3, gradient: &mut [DVec3]) -> f64 {
    let energy = lanes.find_pulls(place);
    lanes.add_pulls(gradient);
    energy
}

#[test]
fn lanes_give_what_one_element_at_a_time_gives() {
    let flesh = flesh();
    let (points, start) = (flesh.point_count(), flesh.rest.clone());
    let warm = vec![DQuat::IDENTITY; tets_of(&flesh).len()];
    let rate = |points: &[u32]| 0.1 + 0.01 * f64::from(points[0]);
    let cues = Cues { stiffness: (0..points).map(|i| 1.0 + 0.1 * i as f64).collect(), ..Cues::default() };
    for law in LAWS {
        for by in [0.004, 0.08] {
            let material = Material { law, ..Material::default() };
            let x = thrown(&flesh, by);
            let mut lanes = Tets::new(tets_of(&flesh), points, law);
            let mut one_by_one = Elements::new(tets_of(&flesh), points, Smoothing::None);
            let (mut found, mut expected) = (lanes.matrix(), one_by_one.matrix());
            lanes.measure_rest(&flesh, &material, &cues);
            one_by_one.measure_rest(&flesh, &material, &cues);
            lanes.begin(&start, |tet| warm[tet], Some(&rate));
            one_by_one.strain_at_start(&start, |tet| warm[tet], true);
            one_by_one.strain(|v| x[v]);
            one_by_one.damp(|v| x[v] - start[v], rate);
            let mut gradient = vec![DVec3::ZERO; points];
            let energy = pulls(&mut lanes, |v| x[v], &mut gradient);
            let scale = gradient.iter().map(|g| g.length()).fold(0.0, f64::max);
            for (v, gradient) in gradient.iter().enumerate() {
                assert!(gradient.distance(one_by_one.gradient_at(v)) < 1e-9 * scale, "{law:?} {by} point {v}");
            }
            let other = one_by_one.energy(|v| x[v], |v| x[v] - start[v], rate);
            assert!((energy / other - 1.0).abs() < 1e-10 && (lanes.energy(|v| x[v]) / other - 1.0).abs() < 1e-10);
            lanes.assemble(&mut found);
            one_by_one.assemble(&mut expected, rate);
            let size = found.values().iter().map(|b| b.x_axis.abs().max_element()).fold(0.0, f64::max);
            for (found, expected) in found.values().iter().zip(expected.values()) {
                assert!(found.abs_diff_eq(*expected, 1e-7 * size), "{law:?} {by}: {found} {expected}");
            }
        }
    }
}

/// Tetrahedra between pieces are worked out by each, and counted once.
#[test]
fn a_body_of_several_pieces_gives_what_one_element_at_a_time_gives() {
    let flesh = Flesh::from_tets(structured::bar(dvec3(0.5, 0.3, 0.3), [20, 12, 12]), 1000.0).unwrap();
    let (points, x) = (flesh.point_count(), thrown(&flesh, 0.004));
    let material = Material { law: StretchLaw::NeoHookean, ..Material::default() };
    let mut lanes = Tets::new(tets_of(&flesh), points, material.law);
    assert_eq!(lanes.pieces.len(), 3);
    let mut one_by_one = Elements::new(tets_of(&flesh), points, Smoothing::None);
    let (mut found, mut expected) = (lanes.matrix(), one_by_one.matrix());
    lanes.measure_rest(&flesh, &material, &Cues::default());
    one_by_one.measure_rest(&flesh, &material, &Cues::default());
    lanes.begin(&x, |_| DQuat::IDENTITY, None);
    one_by_one.strain(|v| x[v]);
    let mut gradient = vec![DVec3::ZERO; points];
    let energy = pulls(&mut lanes, |v| x[v], &mut gradient);
    let scale = gradient.iter().map(|g| g.length()).fold(0.0, f64::max);
    assert!((0..points).all(|v| gradient[v].distance(one_by_one.gradient_at(v)) < 1e-9 * scale));
    assert!((energy / one_by_one.energy_at(&x) - 1.0).abs() < 1e-10);
    lanes.assemble(&mut found);
    one_by_one.assemble(&mut expected, |_: &[u32]| 0.0);
    let size = found.values().iter().map(|b| b.x_axis.abs().max_element()).fold(0.0, f64::max);
    assert!(found.values().iter().zip(expected.values()).all(|(a, b)| a.abs_diff_eq(*b, 1e-7 * size)));
}

/// What comes along with forces is the Hessian where the body is only turned, and with it the energy is met to the third order.
#[test]
fn linearised_tets_have_the_same_forces_and_at_rest_the_same_stiffness() {
    let flesh = flesh();
    let points = flesh.point_count();
    let material = Material { law: StretchLaw::Corotated, ..Material::default() };
    let mut lanes = Tets::new(tets_of(&flesh), points, StretchLaw::Corotated);
    let (mut matrix, mut whole) = (lanes.matrix(), lanes.matrix());
    lanes.measure_rest(&flesh, &material, &Cues::default());
    for by in [0.02, 0.0] {
        let x = thrown(&flesh, by);
        let (mut gradient, mut alone) = (vec![DVec3::ZERO; points], vec![DVec3::ZERO; points]);
        lanes.begin(&x, |_| DQuat::IDENTITY, None);
        let expected = pulls(&mut lanes, |v| x[v], &mut alone);
        lanes.begin(&x, |_| DQuat::IDENTITY, None);
        let energy = lanes.linearise(|v| x[v], &mut gradient, &mut matrix);
        assert_eq!(energy.to_bits(), expected.to_bits());
        assert_eq!(gradient, alone);
    }
    lanes.assemble(&mut whole);
    let size = whole.values().iter().map(|b| b.x_axis.abs().max_element()).fold(0.0, f64::max);
    assert!(matrix.values().iter().zip(whole.values()).all(|(a, b)| a.abs_diff_eq(*b, 1e-9 * size)));
    let at_rest = thrown(&flesh, 0.0);
    let mut off = |far: f64| {
        let there = thrown(&flesh, far);
        let step: Vec<DVec3> = there.iter().zip(&at_rest).map(|(a, b)| *a - *b).collect();
        let mut image = vec![DVec3::ZERO; points];
        matrix.multiply(&step, &mut image);
        let bend: f64 = step.iter().zip(&image).map(|(s, i)| s.dot(*i)).sum();
        (lanes.energy(|v| there[v]) - 0.5 * bend).abs()
    };
    let (far, near) = (off(0.0004), off(0.0002));
    assert!(far > 6.0 * near, "{far} and {near} at half the way");
}

#[test]
fn every_path_gives_the_same_bits() {
    let flesh = flesh();
    let (x, points) = (thrown(&flesh, 0.05), flesh.point_count());
    for law in LAWS {
        let results: Vec<_> = Path::all()
            .map(|path| {
                let mut lanes = Tets { path, ..Tets::new(tets_of(&flesh), points, law) };
                let mut matrix = lanes.matrix();
                lanes.measure_rest(&flesh, &Material { law, ..Material::default() }, &Cues::default());
                lanes.begin(&x, |_| DQuat::IDENTITY, None);
                let mut gradient = vec![DVec3::ZERO; points];
                let energy = pulls(&mut lanes, |v| x[v], &mut gradient);
                lanes.assemble(&mut matrix);
                (energy.to_bits(), gradient, matrix.values().to_vec())
            })
            .collect();
        assert!(results.windows(2).all(|two| two[0] == two[1]), "{law:?}");
    }
}

/// Stiffness at rest does not resist moving or turning the whole body, and resists everything else (methods: six zero modes).
#[test]
fn stiffness_at_rest_has_exactly_six_modes_without_force() {
    let flesh = Flesh::from_tets(structured::bar(dvec3(0.2, 0.1, 0.1), [2, 1, 1]), 1000.0).unwrap();
    let points = flesh.point_count();
    for law in LAWS {
        let mut lanes = Tets::new(tets_of(&flesh), points, law);
        let mut matrix = lanes.matrix();
        lanes.measure_rest(&flesh, &Material { law, ..Material::default() }, &Cues::default());
        lanes.begin(&flesh.rest, |_| DQuat::IDENTITY, None);
        lanes.find_pulls(|v| flesh.rest[v]);
        lanes.assemble(&mut matrix);
        let mut eigenvalues = eigenvalues(dense(&matrix), 3 * points);
        eigenvalues.sort_by(f64::total_cmp);
        let largest = eigenvalues[3 * points - 1];
        assert!(eigenvalues[..6].iter().all(|value| value.abs() < 1e-12 * largest), "{law:?}: {eigenvalues:?}");
        assert!(eigenvalues[6] > 1e-3 * largest, "{law:?}: {eigenvalues:?}");
    }
}

fn dense(matrix: &BlockMatrix) -> Vec<f64> {
    let n = 3 * matrix.size();
    let mut out = vec![0.0; n * n];
    for i in 0..matrix.size() {
        for (j, block) in matrix.blocks_of(i) {
            for (k, value) in block.to_cols_array().into_iter().enumerate() {
                let (row, column) = (3 * i + k % 3, 3 * j as usize + k / 3);
                out[row * n + column] = value;
                out[column * n + row] = value;
            }
        }
    }
    out
}

/// By cyclic Jacobi rotations.
fn eigenvalues(mut a: Vec<f64>, n: usize) -> Vec<f64> {
    for _ in 0..12 {
        for (i, j) in (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j))) {
            if a[i * n + j] == 0.0 {
                continue;
            }
            let theta = (a[j * n + j] - a[i * n + i]) / (2.0 * a[i * n + j]);
            let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
            let c = 1.0 / (t * t + 1.0).sqrt();
            let s = t * c;
            for k in 0..n {
                let (p, q) = (a[k * n + i], a[k * n + j]);
                (a[k * n + i], a[k * n + j]) = (c * p - s * q, s * p + c * q);
            }
            for k in 0..n {
                let (p, q) = (a[i * n + k], a[j * n + k]);
                (a[i * n + k], a[j * n + k]) = (c * p - s * q, s * p + c * q);
            }
        }
    }
    (0..n).map(|i| a[i * n + i]).collect()
}
