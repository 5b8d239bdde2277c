//! The scenes of the paper's figures 3, 8 to 12 and 14 do what their first lines say, in numbers.

use crate::fixtures::written::{built, example};
use sinew_math::rotation::best_fit_rotation;
use sinew_math::{DVec3, dvec3};
use sinew_solve::{Cells, Flesh};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A played scene: where every point of every body is at each frame, and what directors measured there.
struct Shot {
    fleshes: Vec<Arc<Flesh>>,
    x: Vec<Vec<Vec<DVec3>>>,
    measures: BTreeMap<String, Vec<f64>>,
}

impl Shot {
    fn of(name: &str) -> Self {
        Self::play(name, &example(name))
    }

    fn play(name: &str, toml: &str) -> Self {
        let (mut built, mut state) = built(toml, 2);
        let fleshes = built.stage.bodies().iter().map(|body| body.flesh.clone()).collect();
        let clock = built.stage.clock();
        let all = |state: &sinew_solve::StageState| state.bodies.iter().map(|body| body.x.clone()).collect();
        let mut shot = Self { fleshes, x: vec![all(&state)], measures: BTreeMap::new() };
        for frame in clock.first_frame + 1..=clock.last_frame {
            while state.tick < clock.tick_of(frame) {
                let report = built.stage.step(&mut state, &[]).unwrap();
                assert!(report.warnings.is_empty(), "{name}, frame {frame}: {:?}", report.warnings);
                if state.tick == clock.tick_of(frame) {
                    for measure in &report.measures {
                        let key = format!("{}/{}/{}", measure.body.0, measure.director, measure.name);
                        shot.measures.entry(key).or_default().push(measure.value);
                    }
                }
            }
            shot.x.push(all(&state));
        }
        shot
    }

    /// What a director measured, frame by frame from the second on.
    fn series(&self, name: &str) -> &[f64] {
        self.measures.get(name).unwrap_or_else(|| panic!("{name} is none of {:?}", self.measures.keys()))
    }

    fn most(&self, name: &str) -> f64 {
        self.series(name).iter().copied().fold(f64::NEG_INFINITY, f64::max)
    }

    fn least(&self, name: &str) -> f64 {
        self.series(name).iter().copied().fold(f64::INFINITY, f64::min)
    }

    fn last(&self, name: &str) -> f64 {
        self.series(name)[self.series(name).len() - 1]
    }

    /// Points of a body by where they are at rest.
    fn points(&self, body: usize, holds: impl Fn(DVec3) -> bool) -> Vec<usize> {
        let rest = &self.fleshes[body].rest;
        let found: Vec<usize> = (0..rest.len()).filter(|&i| holds(rest[i])).collect();
        assert!(found.len() > 3, "{} points", found.len());
        found
    }

    /// The middle of points at a frame, counted from 0.
    fn middle(&self, body: usize, points: &[usize], frame: usize) -> DVec3 {
        points.iter().map(|&i| self.x[frame][body][i]).sum::<DVec3>() / points.len() as f64
    }

    fn centre(&self, body: usize, frame: usize) -> DVec3 {
        crate::fixtures::centre(&self.fleshes[body], &self.x[frame][body])
    }

    /// How far points are from a rigid copy of themselves at rest, metres at the most.
    fn deformed(&self, body: usize, points: &[usize], frame: usize) -> f64 {
        let of = |all: &[DVec3]| points.iter().map(|&i| all[i]).collect::<Vec<_>>();
        let (rest, now) = (of(&self.fleshes[body].rest), of(&self.x[frame][body]));
        let turn = best_fit_rotation(&rest, &now, &vec![1.0; rest.len()]);
        let middle = |all: &[DVec3]| all.iter().sum::<DVec3>() / all.len() as f64;
        let (from, to) = (middle(&rest), middle(&now));
        rest.iter().zip(&now).map(|(a, b)| (turn * (*a - from)).distance(*b - to)).fold(0.0, f64::max)
    }

    /// The most that any edge of a body is longer than at rest, in all frames.
    fn stretched(&self, body: usize) -> f64 {
        let flesh = &self.fleshes[body];
        let cells: Vec<&[u32]> = match &flesh.cells {
            Cells::Tets(tets) => tets.iter().map(|tet| &tet[..]).collect(),
            Cells::Shell(triangles) => triangles.iter().map(|triangle| &triangle[..]).collect(),
        };
        let edges = cells.iter().flat_map(|cell| {
            cell.iter().enumerate().flat_map(|(n, &a)| cell[n + 1..].iter().map(move |&b| (a as usize, b as usize)))
        });
        let longer = |x: &[DVec3], (a, b): (usize, usize)| x[a].distance(x[b]) / flesh.rest[a].distance(flesh.rest[b]);
        let edges: Vec<(usize, usize)> = edges.collect();
        let frames = self.x.iter().map(|x| &x[body]);
        frames.flat_map(|x| edges.iter().map(|&edge| longer(x, edge))).fold(0.0, f64::max)
    }
}

/// Figure 8: a stretch with a negative curve presses the cylinder together; it bulges, stays where it is, and springs back.
#[test]
fn the_pressed_cylinder_bulges_and_springs_back() {
    let shot = Shot::of("cylinder-compress");
    let pressed = shot.least("0/press/stretch");
    let belt = shot.points(0, |x| x.y.abs() < 0.08 && dvec3(x.x, 0.0, x.z).length() > 0.2);
    let radius = |frame: usize| {
        let middle = shot.middle(0, &belt, frame);
        belt.iter().map(|&i| (shot.x[frame][0][i] - middle).with_y(0.0).length()).sum::<f64>() / belt.len() as f64
    };
    let bulge = radius(40) / radius(0) - 1.0;
    println!("pressed by {pressed:.1} %, {:.1} % thicker", 100.0 * bulge);
    assert!((-30.0..-15.0).contains(&pressed), "{pressed} %");
    assert!(bulge > 0.06, "{bulge}");
    assert!(shot.last("0/press/stretch").abs() < 0.1 && (radius(95) / radius(0) - 1.0).abs() < 1e-3);
    assert!(shot.centre(0, 95).distance(shot.centre(0, 0)) < 1e-4);
}

/// Figure 10, left: the bar is wrung at the vertex; its far part is as it was.
#[test]
fn the_local_twist_leaves_the_far_end_as_it_is() {
    let shot = Shot::of("local-twist");
    let far = shot.points(0, |x| x.x < -0.35);
    let near = shot.points(0, |x| (-0.05..0.55).contains(&x.x));
    let (still, wrung) = (shot.deformed(0, &far, 45), shot.deformed(0, &near, 45));
    println!("twisted by {:.0}°, far end off by {still:.4} m, wrung part by {wrung:.4} m", shot.most("0/wring/twist"));
    assert!((70.0..150.0).contains(&shot.most("0/wring/twist")));
    assert!(still < 0.1 * wrung, "{still} {wrung}");
    assert!(shot.last("0/wring/twist").abs() < 1.0 && shot.centre(0, 95).distance(shot.centre(0, 0)) < 1e-3);
}

/// Figure 10, right: the block is drawn out at the vertex and grows thin there; its far part is as it was.
#[test]
fn the_local_stretch_leaves_the_far_end_as_it_is() {
    let shot = Shot::of("local-stretch");
    let far = shot.points(0, |x| x.x < -0.35);
    let near = shot.points(0, |x| (0.1..0.3).contains(&x.x));
    let thick = |frame: usize| {
        let y = near.iter().map(|&i| shot.x[frame][0][i].y);
        y.clone().fold(f64::NEG_INFINITY, f64::max) - y.fold(f64::INFINITY, f64::min)
    };
    let (still, drawn, thinner) = (shot.deformed(0, &far, 45), shot.most("0/draw/stretch"), 1.0 - thick(45) / thick(0));
    println!("drawn out by {drawn:.0} %, {:.0} % thinner, far end off by {still:.4} m", 100.0 * thinner);
    assert!((50.0..120.0).contains(&drawn) && thinner > 0.1, "{drawn} % {thinner}");
    assert!(still < 0.01, "{still} m");
    assert!(shot.last("0/draw/stretch").abs() < 0.5);
}

/// Figures 11 and 12: the head turns both ways, an ear dips meanwhile, the two blend, the feet stay and all goes back.
#[test]
fn the_rabbit_turns_its_head_and_dips_an_ear() {
    let shot = Shot::of("rabbit");
    let (twist, bend) = (shot.series("0/twist-head/twist"), shot.series("0/bend-ear/bend"));
    println!(
        "head {:.0}° to {:.0}°, ear {:.0}°",
        shot.least("0/twist-head/twist"),
        shot.most("0/twist-head/twist"),
        shot.most("0/bend-ear/bend")
    );
    assert_eq!(twist.len(), 179, "180 states, as in the paper");
    assert!(shot.least("0/twist-head/twist") < -40.0 && shot.most("0/twist-head/twist") > 40.0);
    assert!((50.0..110.0).contains(&shot.most("0/bend-ear/bend")));
    let both = (0..179).filter(|&n| twist[n].abs() > 25.0 && bend[n] > 40.0).count();
    assert!(both > 15, "{both} frames of both");
    // The other ear goes with the head and keeps its shape.
    let ear = |sign: f64| shot.points(0, move |x| x.y > 0.95 && x.z * sign > 0.0);
    let (bent, still) = (shot.deformed(0, &ear(1.0), 80), shot.deformed(0, &ear(-1.0), 80));
    assert!(bent > 0.04 && still < 0.25 * bent, "{bent} {still}");
    let feet = shot.points(0, |x| x.y < 0.16);
    assert!(feet.iter().all(|&i| shot.x[90][0][i].distance(shot.x[0][0][i]) < 1e-9));
    assert!(twist[178].abs() < 3.0 && bend[178].abs() < 3.0, "{} {}", twist[178], bend[178]);
    assert!(shot.stretched(0) < 2.5, "{}", shot.stretched(0));
}

/// Figure 3: of two falling cloths one stays flat, the other folds upwards and, with less area in the air, falls faster.
#[test]
fn the_bent_cloth_folds_as_it_falls() {
    let shot = Shot::of("cloth-bend");
    let tall = |body: usize, frame: usize| {
        let y = shot.x[frame][body].iter().map(|x| x.y);
        y.clone().fold(f64::NEG_INFINITY, f64::max) - y.fold(f64::INFINITY, f64::min)
    };
    let fallen = |body: usize| shot.centre(body, 0).y - shot.centre(body, 43).y;
    let folded = (0..44).map(|frame| tall(1, frame)).fold(0.0, f64::max);
    println!("bent {:.0}°, {folded:.2} m tall; fell {:.2} and {:.2} m", shot.most("1/fold/bend"), fallen(0), fallen(1));
    assert!((0..44).all(|frame| tall(0, frame) < 1e-3));
    assert!(folded > 0.25 && shot.most("1/fold/bend") > 25.0);
    assert!(fallen(0) > 1.0 && fallen(1) > 1.1 * fallen(0), "{} {}", fallen(0), fallen(1));
    let aside = shot.centre(1, 43) - shot.centre(1, 0);
    assert!(aside.with_y(0.0).length() < 0.02, "{aside}");
}

/// Figure 14: the widget misses the body at both ends. It is told so; unbalanced, it only pushes the body away; balanced, it bends it in place.
#[test]
fn the_misaligned_bend_is_told_and_mended_by_balance() {
    let (built, _) = built(&example("misaligned"), 1);
    let told: Vec<String> = built.warnings.iter().map(|warning| format!("{}: {}", warning.at, warning.what)).collect();
    let of = |body: &str, what: &str| told.iter().filter(|line| line.contains(body) && line.contains(what)).count();
    assert_eq!(
        (of("body.astray", "holds no point"), of("body.astray", "move the body as a whole")),
        (2, 1),
        "{told:?}"
    );
    assert_eq!((of("body.balanced", "holds no point"), of("body.balanced", "move the body")), (2, 0), "{told:?}");
    let shot = Shot::of("misaligned");
    let bent = |body: usize, frame: usize| {
        let band = |low: f64, high: f64| shot.points(body, move |x| (low..high).contains(&x.y));
        let [low, pivot, high] = [(-0.5, -0.4), (-0.06, 0.06), (0.4, 0.5)].map(|(a, b)| band(a, b));
        let at = |points: &[usize]| shot.middle(body, points, frame);
        180.0 - (at(&low) - at(&pivot)).angle_between(at(&high) - at(&pivot)).to_degrees()
    };
    let moved = |body: usize| shot.centre(body, 71).distance(shot.centre(body, 0));
    println!("astray {:.2} m off, balanced {:.1e} m and bent by {:.0}°", moved(0), moved(1), bent(1, 28));
    assert!(moved(0) > 1.0 && moved(1) < 1e-4, "{} {}", moved(0), moved(1));
    assert!(bent(1, 28) > 25.0 && bent(1, 71) < 3.0, "{} {}", bent(1, 28), bent(1, 71));
}

/// The scene of the tutorial, as it stands on its page, with fewer vertices: the head turns, the ear dips after it, the seat stays.
#[test]
fn the_bunny_of_the_tutorial_turns_its_head_and_dips_an_ear() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let Some(mesh) = crate::beside::model("bunny.off") else { return };
    let page = std::fs::read_to_string(root.join("docs/book/bunny.md")).unwrap();
    let toml = page.split("```toml\n").nth(1).unwrap().split("```").next().unwrap();
    let toml = toml
        .replace("\"bunny.off\"", &format!("{:?}", mesh.to_str().unwrap()))
        .replace("vertices = 5000", "vertices = 2500")
        .replace("frames = [1, 96]", "frames = [1, 44]");
    let shot = Shot::play("bunny", &toml);
    let (twist, bend) = (shot.series("0/turn-head/twist"), shot.series("0/wave-ear/bend"));
    println!("head {:.1}°, ear {:.1}°", shot.most("0/turn-head/twist"), shot.most("0/wave-ear/bend"));
    assert!((15.0..60.0).contains(&twist[42]), "{}", twist[42]);
    assert!(bend[20].abs() < 4.0 && bend[42] > 15.0, "{} {}", bend[20], bend[42]);
    let seat = shot.points(0, |x| x.y < 0.32);
    assert!(seat.iter().all(|&i| shot.x[43][0][i].distance(shot.x[0][0][i]) < 1e-9));
}

/// Figure 13: four metaphors on one dragon. Both wings rise by as much, the head turns (by a bend, CM-34), the tail lifts.
#[test]
fn the_dragon_raises_its_wings_turns_its_head_and_lifts_its_tail() {
    let shot = Shot::of("dragon");
    let tip = |sign: f64| shot.points(0, move |x| x.z * sign > 0.55);
    let (head, tail) = (shot.points(0, |x| x.x > 0.7), shot.points(0, |x| x.x < -0.85));
    let way = |points: &[usize], frame: usize| shot.middle(0, points, frame) - shot.middle(0, points, 0);
    let up = |points: &[usize]| (0..shot.x.len()).map(|frame| way(points, frame).y).fold(0.0, f64::max);
    let wings = [1.0, -1.0].map(|sign| up(&tip(sign)));
    let turned = (0..shot.x.len()).map(|frame| way(&head, frame).z).fold(0.0, f64::max);
    println!("wings {wings:.2?} m up, head {turned:.2} m aside, tail {:.2} m up", up(&tail));
    assert!(wings.iter().all(|up| *up > 0.1) && (wings[0] / wings[1] - 1.0).abs() < 0.15, "{wings:?}");
    assert!(turned > 0.2 && up(&tail) > 0.07, "{turned} {}", up(&tail));
    for name in ["right-wing", "left-wing", "turn-head", "lift-tail"] {
        let (most, last) = (shot.most(&format!("0/{name}/bend")), shot.last(&format!("0/{name}/bend")));
        assert!(most > 15.0 && last.abs() < 0.4 * most, "{name}: {most}°, {last}° at the end");
    }
    assert!(shot.stretched(0) < 2.5, "{}", shot.stretched(0));
}
