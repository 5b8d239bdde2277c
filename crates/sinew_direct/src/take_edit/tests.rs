//! What holds for edited takes.

use super::ritz::Elastic;
use super::*;
use sinew_geom::structured::bar;
use sinew_math::rotation::{best_fit_rotation, mass_centre};
use sinew_math::{DQuat, dvec3};
use sinew_solve::Flesh;

const FIRST: i32 = 1;
const FRAMES: i32 = 49;

fn cells(along: usize) -> Arc<ShapeCells> {
    let flesh = Flesh::from_tets(bar(dvec3(1.0, 0.2, 0.2), [along, 3, 3]), 1000.0).unwrap();
    Arc::new(ShapeCells::new(&flesh).unwrap())
}

fn soft() -> Material {
    Material { young_pa: 2.0e4, poisson: 0.3, ..Material::default() }
}

/// A take in which the bar lies still, or flies and spins.
fn motion(cells: &ShapeCells, place: impl Fn(f64) -> (DVec3, DQuat)) -> Arc<Motion> {
    let frame = |n: i32| {
        let (centre, turn) = place(f64::from(n));
        let offsets = cells.rest.iter().map(|x| (turn * *x).as_vec3().to_array()).collect();
        (centre, offsets)
    };
    Arc::new(Motion::new(FIRST, (0..FRAMES).map(frame).collect()).unwrap())
}

fn still(_: f64) -> (DVec3, DQuat) {
    (DVec3::ZERO, DQuat::IDENTITY)
}

fn flying(t: f64) -> (DVec3, DQuat) {
    (dvec3(0.1 * t, 2.0 - 0.002 * t * t, 0.0), DQuat::from_axis_angle(dvec3(0.6, 0.0, 0.8), 0.15 * t))
}

/// Bent upwards about its centre of mass, as it is placed at the frame.
fn bent(cells: &ShapeCells, (centre, turn): (DVec3, DQuat)) -> Arc<Vec<DVec3>> {
    let shape: Vec<DVec3> = cells.rest.iter().map(|x| *x + dvec3(0.0, 0.5 * x.x * x.x, 0.0)).collect();
    let up = mass_centre(&shape, &cells.mass_kg) - mass_centre(&cells.rest, &cells.mass_kg);
    Arc::new(shape.iter().map(|x| centre + turn * (*x - up)).collect())
}

fn edit(cells: &Arc<ShapeCells>, motion: Arc<Motion>, keys: Vec<TakeKey>) -> TakeEdit {
    TakeEdit::new(EditedTake::new(cells.clone(), motion, keys, soft(), 24.0).unwrap().into(), true)
}

fn key(frame: i32, width: f64, shape: Arc<Vec<DVec3>>, swings: bool) -> TakeKey {
    TakeKey { frame, width, shape: KeyAt::World(shape), swings }
}

fn worst(a: &[DVec3], b: &[DVec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max)
}

#[test]
fn at_its_frame_the_body_has_the_edited_shape_and_outside_its_width_nothing_changes() {
    let cells = cells(12);
    let at = flying(24.0);
    for swings in [true, false] {
        let edited = bent(&cells, at);
        let of = edit(&cells, motion(&cells, flying), vec![key(25, 10.0, edited.clone(), swings)]);
        let of = &of.take;
        assert!(worst(&of.shape(25), &edited) < 1e-6, "{swings}: {}", worst(&of.shape(25), &edited));
        for frame in [1, 10, 15, 35, 36, 49] {
            assert_eq!(of.shape(frame), of.motion.shape(frame), "{swings} {frame}");
        }
        for frame in [17, 22, 28, 33] {
            assert!(worst(&of.shape(frame), &of.motion.shape(frame)) > 1e-4, "{swings} {frame} follows");
        }
    }
}

/// The same edit of a bar that lies still and of one that flies and spins: what follows is the same seen from the body.
#[test]
fn an_edit_goes_along_with_the_body() {
    let cells = cells(12);
    let follow = |place: fn(f64) -> (DVec3, DQuat), frame: i32| {
        let keys = vec![key(25, 12.0, bent(&cells, place(24.0)), true)];
        let of = edit(&cells, motion(&cells, place), keys);
        let (centre, turn) = place(f64::from(frame - 1));
        of.take.shape(frame).iter().map(|x| turn.inverse() * (*x - centre)).collect::<Vec<_>>()
    };
    for frame in [18, 23, 27, 33] {
        let off = worst(&follow(still, frame), &follow(flying, frame));
        assert!(off < 1e-5, "frame {frame} differs by {off} m");
    }
}

/// A later edit is of what the earlier one made.
#[test]
fn edits_are_layers_and_a_shift_moves_the_whole() {
    let cells = cells(8);
    let first = key(20, 10.0, bent(&cells, still(0.0)), true);
    let shift = TakeKey {
        frame: 26,
        width: 8.0,
        shape: KeyAt::Take { shape: None, shift: dvec3(0.0, 0.3, 0.0), turn: DQuat::IDENTITY },
        swings: true,
    };
    let alone = edit(&cells, motion(&cells, still), vec![first.clone()]);
    let both = edit(&cells, motion(&cells, still), vec![first, shift]);
    let [alone, both] = [&alone.take, &both.take];
    let raised: Vec<DVec3> = alone.shape(26).iter().map(|x| *x + dvec3(0.0, 0.3, 0.0)).collect();
    assert!(worst(&both.shape(26), &raised) < 1e-6, "{}", worst(&both.shape(26), &raised));
    assert_eq!(both.shape(15), alone.shape(15));
    let turned = best_fit_rotation(&raised, &both.shape(26), cells.mass_kg());
    assert!(turned.angle_between(DQuat::IDENTITY) < 1e-6);
    let half = mass_centre(&both.shape(30), cells.mass_kg()).y - mass_centre(&alone.shape(30), cells.mass_kg()).y;
    assert!((half - 0.15).abs() < 1e-6, "half of the width after it, half of the shift is left: {half}");
}

/// A bar that is free at both ends swings in bending with ω = 22.37 √(E I / (ρ A L⁴)) (Euler and Bernoulli). Its displacement is the sum of its swings.
#[test]
fn a_bent_bar_swings_as_beams_do() {
    let cells = cells(24);
    let elastic = Elastic::new(&cells, &soft(), 10.0).unwrap();
    // The first mode of a free beam, nearly: a parabola that moves neither the centre nor turns.
    let u: Vec<DVec3> = cells.rest.iter().map(|x| dvec3(-2.0 * x.x * x.y, x.x * x.x - 1.0 / 12.0, 0.0)).collect();
    let swings = elastic.swings(&cells, &u);
    let sum: Vec<DVec3> = (0..u.len()).map(|i| swings.iter().map(|swing| swing.shape[i]).sum()).collect();
    assert!(worst(&sum, &u) < 1e-9, "{}", worst(&sum, &u));
    let beam = 22.37 * (2.0e4 * 0.2f64.powi(2) / 12.0 / 1000.0).sqrt();
    let length = |of: &[DVec3]| cells.mean_length(of);
    let main = swings.iter().max_by(|a, b| length(&a.shape).total_cmp(&length(&b.shape))).unwrap();
    // A square bar bends to both sides alike: two swings have that frequency.
    let alike = swings.iter().filter(|swing| (swing.per_sec / main.per_sec - 1.0).abs() < 0.01);
    let share = alike.map(|swing| (length(&swing.shape) / length(&u)).powi(2)).sum::<f64>().sqrt();
    assert!(share > 0.95, "most of it is that swing: {share}");
    // A bar five times as long as it is thick is slower than a thin one, and linear elements are stiffer than flesh.
    assert!((0.8..1.2).contains(&(main.per_sec / beam)), "{} against {beam}", main.per_sec);
}

#[test]
fn what_cannot_be_edited_says_why() {
    let cells = cells(8);
    let new = |keys| EditedTake::new(cells.clone(), motion(&cells, still), keys, soft(), 24.0);
    let shape = bent(&cells, still(0.0));
    let first = new(vec![key(1, 5.0, shape.clone(), true)]).unwrap_err();
    assert_eq!(first, TakeEditTrouble::FirstFrame { frame: 1 });
    let beyond = new(vec![key(50, 5.0, shape, true)]).unwrap_err();
    assert_eq!(beyond, TakeEditTrouble::NoFrame { frame: 50, first: 1, last: 49 });
    let flat: Vec<DVec3> = cells.rest.iter().map(|x| dvec3(x.x, 0.0, x.z)).collect();
    let flat = new(vec![key(9, 5.0, Arc::new(flat), true)]).unwrap_err();
    assert!(matches!(flat, TakeEditTrouble::Shape { frame: 9, .. }), "{flat}");
    let other = self::cells(5);
    let other = EditedTake::new(other, motion(&cells, still), Vec::new(), soft(), 24.0).unwrap_err();
    assert!(matches!(other, TakeEditTrouble::OtherBody { .. }), "{other}");
}
