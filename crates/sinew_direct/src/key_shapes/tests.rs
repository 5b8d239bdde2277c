//! What holds for rest shapes between keys.

use super::*;
use crate::ShapeFormula;
use sinew_geom::structured::{bar, cloth};
use sinew_math::rotation::best_fit_rotation;
use sinew_math::{DQuat, dvec3};
use sinew_solve::Flesh;

fn flesh() -> Flesh {
    Flesh::from_tets(bar(dvec3(1.0, 0.2, 0.2), [12, 3, 3]), 1000.0).unwrap()
}

fn cells(flesh: &Flesh) -> Arc<ShapeCells> {
    Arc::new(ShapeCells::new(flesh).unwrap())
}

fn formed(cells: &ShapeCells, formula: ShapeFormula) -> Arc<Vec<DVec3>> {
    Arc::new(cells.without_rigid_motion(&formula.shape(&cells.rest)))
}

fn key(frame: f64, shape: Option<Arc<Vec<DVec3>>>) -> KeyShape {
    KeyShape { frame, shape, rest: None, lead: 0.0 }
}

fn ways() -> [Between; 3] {
    [Between::Rigid, Between::RigidLinear, Between::Physical { damping: 0.05 }]
}

#[test]
fn the_way_begins_and_ends_in_its_keys_to_the_bit_and_nowhere_jumps() {
    let cells = cells(&flesh());
    let s = formed(&cells, ShapeFormula { s_bend_deg: 70.0, ..ShapeFormula::REST });
    let u = formed(&cells, ShapeFormula { bend_deg: 120.0, ..ShapeFormula::REST });
    for between in ways() {
        let keys = vec![key(5.0, None), key(20.0, Some(s.clone())), key(31.0, Some(u.clone()))];
        let track = KeyShapes::new(cells.clone(), keys, between);
        assert_eq!(track.shape(20.0).unwrap(), **s, "{between:?}");
        assert_eq!(track.shape(31.0).unwrap(), **u, "{between:?}");
        assert_eq!(track.shape(99.0).unwrap(), **u, "{between:?}");
        assert_eq!(track.shape(5.0).unwrap(), cells.rest, "{between:?}");
        assert_eq!(track.shape(1.0), None, "the rest shape is held before the first key");
        for at in [20.0, 31.0] {
            let (before, there) = (track.shape(at - 1e-6).unwrap(), track.shape(at).unwrap());
            let jump = before.iter().zip(&there).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
            assert!(jump < 1e-6, "{between:?} jumps by {jump:e} at {at}");
        }
        for frame in 0..200 {
            let at = 5.0 + 26.0 * f64::from(frame) / 200.0;
            let [a, b] = [at, at + 0.13].map(|at| track.shape(at).unwrap());
            let step = a.iter().zip(&b).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
            assert!(step < 0.05, "{between:?} goes {step} m in an eighth of a frame at {at}");
        }
    }
}

/// The bar turned by 100°: as rigid as possible it only turns, and the turn is nobody's; so the rest shape stays.
#[test]
fn keys_that_are_moved_copies_of_each_other_give_a_rigid_rest_shape() {
    let cells = cells(&flesh());
    let bent = formed(&cells, ShapeFormula { bend_deg: 80.0, ..ShapeFormula::REST });
    let turn = DQuat::from_axis_angle(dvec3(1.0, 2.0, -1.0).normalize(), 100f64.to_radians());
    let moved: Vec<DVec3> = bent.iter().map(|x| dvec3(3.0, -1.0, 0.5) + turn * *x).collect();
    for between in ways() {
        let keys = vec![key(0.0, Some(bent.clone())), key(10.0, Some(Arc::new(moved.clone())))];
        let track = KeyShapes::new(cells.clone(), keys, between);
        for frame in 0..=10 {
            let shape = track.shape(f64::from(frame)).unwrap();
            let off = cells.distance(&shape, &bent);
            assert!(off < 1e-6, "{between:?} at {frame}: {off:e} m");
        }
    }
}

/// Halfway to a bend of 160° the bar is bent by 80° and as long as before.
#[test]
fn halfway_to_a_bend_is_half_the_bend_where_it_is_as_rigid_as_possible() {
    let flesh = flesh();
    let cells = cells(&flesh);
    let bent = formed(&cells, ShapeFormula { bend_deg: 160.0, ..ShapeFormula::REST });
    let half = formed(&cells, ShapeFormula { bend_deg: 80.0, ..ShapeFormula::REST });
    let keys = vec![key(0.0, None), key(10.0, Some(bent))];
    let shape = KeyShapes::new(cells.clone(), keys, Between::Rigid).shape(5.0).unwrap();
    let off = cells.distance(&shape, &half) / cells.size_m;
    assert!(off < 0.003, "{off}");
}

/// 420° from end to end, 210° either way from the middle: halfway the end is turned by 105°. The other way round it would be −75°.
#[test]
fn a_twist_beyond_half_a_turn_unwinds_the_way_it_was_wound() {
    let cells = cells(&Flesh::from_tets(bar(dvec3(1.0, 0.08, 0.08), [30, 2, 2]), 1000.0).unwrap());
    let wound = formed(&cells, ShapeFormula { twist_deg: 420.0, ..ShapeFormula::REST });
    let half = formed(&cells, ShapeFormula { twist_deg: 210.0, ..ShapeFormula::REST });
    let keys = vec![key(0.0, None), key(10.0, Some(wound))];
    let shape = KeyShapes::new(cells.clone(), keys, Between::RigidLinear).shape(5.0).unwrap();
    // By how much the end of the bar is turned about its axis.
    let turned_deg = |shape: &[DVec3]| {
        let far = cells.rest.iter().fold(f64::MIN, |far, rest| far.max(rest.x));
        let end: Vec<(DVec3, DVec3)> =
            cells.rest.iter().zip(shape).filter(|(rest, _)| rest.x > far - 1e-9).map(|(o, x)| (*o, *x)).collect();
        let middle = |of: fn(&(DVec3, DVec3)) -> DVec3| end.iter().map(of).sum::<DVec3>() / end.len() as f64;
        let (middle_o, middle_x) = (middle(|pair| pair.0), middle(|pair| pair.1));
        let sum = end.iter().fold((0.0, 0.0), |(cos, sin), (o, x)| {
            let (o, x) = (*o - middle_o, *x - middle_x);
            (cos + o.y * x.y + o.z * x.z, sin + o.y * x.z - o.z * x.y)
        });
        f64::atan2(sum.1, sum.0).to_degrees()
    };
    let (found, wanted) = (turned_deg(&shape), turned_deg(&half));
    let off = cells.distance(&shape, &half) / cells.size_m;
    assert!((wanted.abs() - 105.0).abs() < 1e-6 && (found - wanted).abs() < 3.0, "{found}° instead of {wanted}°");
    assert!(off < 0.005, "{off} of its size from half the twist");
}

/// A squash that keeps volume keeps it on the way.
#[test]
fn volume_runs_evenly_between_keys() {
    let flesh = flesh();
    let cells = cells(&flesh);
    let volume = |x: &[DVec3]| {
        let elements = cells.elements.iter().zip(cells.gradients(x));
        elements.map(|(element, f)| element.volume * f.determinant()).sum::<f64>()
    };
    let squash = formed(&cells, ShapeFormula { scale: dvec3(0.5, 2f64.sqrt(), 2f64.sqrt()), ..ShapeFormula::REST });
    let keys = vec![key(0.0, None), key(10.0, Some(squash))];
    let track = KeyShapes::new(cells.clone(), keys, Between::Rigid);
    for frame in 0..=10 {
        let share = track.shape(f64::from(frame)).map_or(1.0, |x| volume(&x) / volume(&flesh.rest));
        assert!((share - 1.0).abs() < 1e-3, "frame {frame}: {share}");
    }
}

/// Local differences go first: a wiggle is gone before a bend is.
#[test]
fn the_physical_way_smooths_what_is_local_first_and_then_the_whole() {
    let cells = cells(&flesh());
    let mut rough = ShapeFormula { bend_deg: 60.0, ..ShapeFormula::REST }.shape(&cells.rest);
    for (x, x0) in rough.iter_mut().zip(&cells.rest) {
        *x += dvec3(0.0, 0.0, 0.01) * if (x0.x * 12.0).round() as i64 % 2 == 0 { 1.0 } else { -1.0 };
    }
    let rough = Arc::new(cells.without_rigid_motion(&rough));
    let keys = vec![key(0.0, Some(rough)), key(10.0, None)];
    let track = KeyShapes::new(cells.clone(), keys, Between::Physical { damping: 0.05 });
    let wiggle = |x: &[DVec3]| {
        let gradients = cells.gradients(x);
        let pairs = cells.neighbours.iter().enumerate().flat_map(|(a, all)| all.iter().map(move |b| (a, *b as usize)));
        pairs
            .map(|(a, b)| (gradients[a] - gradients[b]).to_cols_array().iter().map(|v| v * v).sum::<f64>())
            .sum::<f64>()
    };
    let [start, then] = [0.0, 1.5].map(|at| track.shape(at).unwrap());
    let [far, still_far] = [&start, &then].map(|x| cells.distance(x, &cells.rest));
    assert!(wiggle(&then) < 0.1 * wiggle(&start), "{} of {}", wiggle(&then), wiggle(&start));
    assert!(still_far > 0.4 * far, "{still_far} of {far}");
}

#[test]
fn a_sheet_has_key_shapes_too() {
    let flesh = Flesh::from_shell(&cloth(1.0, 0.6, [10, 6]), 0.2);
    let cells = cells(&flesh);
    let rolled = formed(&cells, ShapeFormula { bend_deg: 200.0, ..ShapeFormula::REST });
    let half = formed(&cells, ShapeFormula { bend_deg: 100.0, ..ShapeFormula::REST });
    let keys = vec![key(0.0, None), key(10.0, Some(rolled.clone()))];
    let track = KeyShapes::new(cells.clone(), keys, Between::Rigid);
    assert_eq!(track.shape(10.0).unwrap(), **rolled);
    let off = cells.distance(&track.shape(5.0).unwrap(), &half) / cells.size_m;
    assert!(off < 0.005, "{off}");
}

#[test]
fn shapes_that_no_body_can_have_are_refused_by_name() {
    let flesh = flesh();
    let cells = cells(&flesh);
    assert_eq!(check_shape(&cells, &flesh.rest), Ok(()));
    let mut wrong = flesh.rest.clone();
    wrong[7].y = f64::NAN;
    assert_eq!(check_shape(&cells, &wrong), Err(KeyTrouble::NotFinite { point: 7 }));
    assert!(matches!(check_shape(&cells, &wrong[1..]), Err(KeyTrouble::Count { .. })));
    let flat: Vec<DVec3> = flesh.rest.iter().map(|x| dvec3(x.x, 0.0, x.z)).collect();
    assert_eq!(check_shape(&cells, &flat), Err(KeyTrouble::Flat));
    let mirrored: Vec<DVec3> = flesh.rest.iter().map(|x| dvec3(-x.x, x.y, x.z)).collect();
    assert_eq!(check_shape(&cells, &mirrored), Err(KeyTrouble::InsideOut));
    let mut poked = flesh.rest.clone();
    poked[0] += dvec3(0.4, 0.1, 0.1);
    assert!(matches!(check_shape(&cells, &poked), Err(KeyTrouble::Broken { .. })));
}

#[test]
fn a_key_has_no_rigid_part() {
    let cells = cells(&flesh());
    let bent = ShapeFormula { bend_deg: 80.0, twist_deg: 30.0, ..ShapeFormula::REST }.shape(&cells.rest);
    let key = cells.without_rigid_motion(&bent);
    let turn = best_fit_rotation(&cells.rest, &key, &cells.mass_kg);
    assert!(turn.angle_between(DQuat::IDENTITY) < 1e-7);
}

/// One end is held and the other put a quarter turn about it: the bar bends and neither stretches nor flattens.
#[test]
fn handles_bend_a_bar_as_rigidly_as_it_can_be() {
    let flesh = flesh();
    let cells = cells(&flesh);
    let is_end = |x: &DVec3| x.x.abs() > 0.49;
    let ends: Vec<usize> = (0..flesh.point_count()).filter(|i| is_end(&flesh.rest[*i])).collect();
    let handles = Handles::new(cells.clone(), ends.iter().map(|i| vec![(*i, 1.0)]).collect()).unwrap();
    let turn = DQuat::from_rotation_z(90f64.to_radians());
    let place = |i: &usize| {
        let x = flesh.rest[*i];
        if x.x < 0.0 { x } else { dvec3(0.1, 0.6, 0.0) + turn * (x - dvec3(0.5, 0.0, 0.0)) }
    };
    let to: Vec<DVec3> = ends.iter().map(place).collect();
    let shape = handles.drag(&flesh.rest, &to, 200);
    assert!(handles.residual_m(&shape, &to) < 0.01, "{}", handles.residual_m(&shape, &to));
    assert_eq!(check_shape(&cells, &shape), Ok(()));
    let dets: Vec<f64> = cells.gradients(&shape).iter().map(sinew_math::DMat3::determinant).collect();
    let mean = dets.iter().sum::<f64>() / dets.len() as f64;
    assert!((mean - 1.0).abs() < 0.05, "{mean}");
}

/// With a lead the key is there that many frames earlier and stays until its frame; before, the same way is gone in less time. A lead
/// beyond the key before is one up to it.
#[test]
fn a_lead_brings_the_rest_shape_there_early_and_holds_it() {
    let cells = cells(&flesh());
    let bent = formed(&cells, ShapeFormula { bend_deg: 80.0, ..ShapeFormula::REST });
    for between in ways() {
        let track = |lead: f64| {
            let second = KeyShape { lead, ..key(17.0, Some(bent.clone())) };
            KeyShapes::new(cells.clone(), vec![key(5.0, None), second, key(25.0, None)], between)
        };
        let (early, plain, whole) = (track(4.0), track(0.0), track(99.0));
        for frame in [13.0, 14.5, 17.0] {
            assert_eq!(early.shape(frame).unwrap(), **bent, "{between:?} {frame}");
        }
        // Eight frames instead of twelve.
        assert_eq!(early.shape(9.0), plain.shape(11.0), "{between:?}");
        assert_eq!(early.shape(21.0), plain.shape(21.0), "what comes after it is as it was: {between:?}");
        assert_eq!(whole.shape(5.0).unwrap(), cells.rest, "{between:?}");
        assert_eq!(whole.shape(5.1).unwrap(), **bent, "{between:?}");
        assert_eq!(early.key_shape(17.0), **bent);
    }
}
