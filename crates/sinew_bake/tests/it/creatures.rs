//! The built-in creatures do what their scenes say: swim, crawl, bend, beat, squeeze; at the paper's vertex counts.

use crate::fixtures::written::{built, example as text};
use sinew_bake::Built;
use sinew_math::{DVec3, dvec2};
use sinew_scene::{builtin, starter};
use sinew_solve::{BodyId, FieldQuery, FieldValues, Flesh, StageState};
use std::sync::Arc;

/// Plays on to a time.
fn play_to(built: &mut Built, state: &mut StageState, secs: f64) {
    let clock = built.stage.clock();
    let ticks = (secs * f64::from(clock.fps.0) / f64::from(clock.fps.1) * f64::from(clock.substeps)).round() as u64;
    while state.tick < ticks {
        built.stage.step(state, &[]).unwrap();
    }
}

fn centre(built: &Built, state: &StageState, body: usize) -> DVec3 {
    crate::fixtures::centre(&built.stage.bodies()[body].flesh, &state.bodies[body].x)
}

/// How far the centre of the first body comes in a time.
fn way(toml: &str, secs: f64) -> DVec3 {
    let (mut built, mut state) = built(toml, 1);
    let start = centre(&built, &state, 0);
    play_to(&mut built, &mut state, secs);
    centre(&built, &state, 0) - start
}

#[test]
fn scenes_have_the_papers_vertex_counts() {
    for (name, bodies, wanted) in [
        ("jellyfish", 1, 854),
        ("worm-crawl", 1, 470),
        ("worm-bend", 1, 470),
        ("worm-stiffness", 4, 470),
        ("jellyfish-school", 31, 315),
        ("heart", 1, 1302),
        ("bowel", 1, 1576),
    ] {
        let (built, _) = built(&text(name), 1);
        assert_eq!(built.stage.bodies().len(), bodies, "{name}");
        for body in built.stage.bodies() {
            let count = body.flesh.point_count();
            assert!(count.abs_diff(wanted) * 50 <= wanted, "{name}: {count} vertices for {wanted}");
        }
    }
}

#[test]
fn the_jellyfish_rises_in_water_and_nowhere_without() {
    let swims = text("jellyfish");
    let rise = way(&swims, 5.0);
    println!("the jellyfish rises by {rise}");
    assert!(rise.y > 0.35 && dvec2(rise.x, rise.z).length() < 0.2 * rise.y, "{rise}");
    let dry = swims
        .replace("normal_drag = 400.0", "normal_drag = 0.0")
        .replace("tangential_drag = 8.0", "tangential_drag = 0.0");
    let stays = way(&dry, 5.0);
    assert!(stays.length() < 1e-6, "{stays}");
}

#[test]
fn the_worm_crawls_forward_and_backward_when_its_wave_is_reversed() {
    let crawl = text("worm-crawl");
    let forward = way(&crawl, 8.0);
    let reversed = crawl.replace("phase = { along = \"-x\" }", "phase = { along = \"x\" }");
    assert_ne!(crawl, reversed);
    let backward = way(&reversed, 8.0);
    println!("the worm comes {forward} forward, {backward} when reversed");
    assert!(forward.x > 0.4 && backward.x < -0.1, "{forward} {backward}");
    assert!(forward.z.abs() < 0.1 * forward.x, "{forward}");
}

#[test]
fn the_snake_follows_its_head() {
    let come = way(&text("snake"), 8.0);
    println!("the snake comes {come}");
    assert!(come.x > 2.5 && come.z.abs() < 0.2 * come.x, "{come}");
    // Scales that hold no more sideways than lengthwise drive nothing.
    let slippery =
        text("snake").replace("sideways = 0.8", "sideways = 0.15").replace("backward = 0.2", "backward = 0.1");
    let come = way(&slippery, 4.0);
    println!("without scales it comes {come}");
    assert!(come.length() < 0.6, "{come}");
}

#[test]
fn more_passes_droop_less() {
    let (mut built, mut state) = built(&text("worm-stiffness"), 1);
    play_to(&mut built, &mut state, 3.0);
    let droop: Vec<f64> =
        state.bodies.iter().map(|body| 0.9 - body.x.iter().map(|x| x.y).fold(f64::INFINITY, f64::min)).collect();
    println!("worms droop by {droop:?}");
    assert!(droop.windows(2).all(|pair| pair[1] < 0.9 * pair[0]), "{droop:?}");
}

#[test]
fn the_worm_bends_to_both_sides() {
    let (mut built, mut state) = built(&text("worm-bend"), 1);
    let flesh = built.stage.bodies()[0].flesh.clone();
    let mean = |state: &StageState, low: f64, high: f64| {
        let inside: Vec<DVec3> = flesh
            .rest
            .iter()
            .zip(&state.bodies[0].x)
            .filter(|(rest, _)| rest.x >= low && rest.x <= high)
            .map(|(_, x)| *x)
            .collect();
        inside.iter().sum::<DVec3>() / inside.len() as f64
    };
    let mut bends = Vec::new();
    for step in 0..40 {
        play_to(&mut built, &mut state, 1.25 + 0.0625 * f64::from(step));
        // The angle between the tail's half and the head's half, seen from above.
        let [tail, middle, head] = [(-0.5, -0.4), (-0.05, 0.05), (0.4, 0.5)].map(|(a, b)| mean(&state, a, b));
        let (a, b) = (middle - tail, head - middle);
        bends.push(dvec2(a.x, a.z).angle_to(dvec2(b.x, b.z)).to_degrees());
    }
    let (least, most) = (bends.iter().copied().fold(0.0, f64::min), bends.iter().copied().fold(0.0, f64::max));
    println!("the worm bends from {least} to {most} degrees");
    assert!(least < -40.0 && most > 40.0, "{least} {most}");
}

/// The ventricles: volumes of the hollows that the flesh's surface encloses, always in the same order.
fn cavities(flesh: &Flesh, x: &[DVec3]) -> Vec<f64> {
    let mut label: Vec<usize> = (0..flesh.surface_rows.len()).collect();
    loop {
        let mut changed = false;
        for triangle in &flesh.surface_triangles {
            let least = triangle.iter().map(|v| label[*v as usize]).min().unwrap();
            for v in triangle {
                changed |= std::mem::replace(&mut label[*v as usize], least) != least;
            }
        }
        if !changed {
            break;
        }
    }
    let at = |v: u32| x[flesh.surface_rows[v as usize].0 as usize];
    let mut volumes = std::collections::BTreeMap::new();
    for &[a, b, c] in &flesh.surface_triangles {
        *volumes.entry(label[a as usize]).or_insert(0.0) += at(a).dot(at(b).cross(at(c))) / 6.0;
    }
    volumes.into_values().filter(|volume| *volume < 0.0).map(|volume| -volume).collect()
}

/// What a ventricle does in a beat, against the rest shape.
#[derive(Debug)]
struct Beat {
    /// Share of each cavity's volume that is left.
    left: Vec<f64>,
    /// Degrees that the apex turns against the base about the axis.
    twist_deg: f64,
    /// Thickness of the left ventricle's free wall over that at rest.
    wall: f64,
}

fn measure(flesh: &Flesh, rest: &[DVec3], now: &[DVec3]) -> Beat {
    let left = cavities(flesh, now).iter().zip(cavities(flesh, rest)).map(|(now, rest)| now / rest).collect();
    let turned = |low: f64, high: f64| {
        let band: Vec<usize> =
            (0..rest.len()).filter(|n| flesh.rest[*n].y >= low && flesh.rest[*n].y <= high).collect();
        let middle = |x: &[DVec3]| band.iter().map(|n| x[*n]).sum::<DVec3>() / band.len() as f64;
        let (was, is) = (middle(rest), middle(now));
        // The turn about y that best carries the band from rest to now.
        let (mut cross, mut dot) = (0.0, 0.0);
        for &n in &band {
            let (a, b) = (rest[n] - was, now[n] - is);
            cross += a.z * b.x - a.x * b.z;
            dot += a.x * b.x + a.z * b.z;
        }
        cross.atan2(dot).to_degrees()
    };
    let thickness = |x: &[DVec3]| {
        let wall: Vec<usize> = (0..rest.len())
            .filter(|n| flesh.rest[*n].y.abs() < 0.15 && flesh.rest[*n].x > 0.7 * flesh.rest[*n].z.abs())
            .collect();
        let reach = |n: usize| dvec2(x[n].x, x[n].z).length();
        let of = |low: f64, high: f64| {
            let some: Vec<f64> = wall
                .iter()
                .filter(|n| {
                    let r = dvec2(flesh.rest[**n].x, flesh.rest[**n].z).length();
                    r >= low && r <= high
                })
                .map(|n| reach(*n))
                .collect();
            some.iter().sum::<f64>() / some.len() as f64
        };
        of(0.37, 1.0) - of(0.0, 0.26)
    };
    Beat { left, twist_deg: turned(-0.6, -0.38) - turned(0.1, 0.35), wall: thickness(now) / thickness(rest) }
}

/// Cavities empty by 30 to 60 per cent, the apex turns against the base, the wall thickens.
#[test]
fn the_heart_empties_twists_and_thickens() {
    // Upright and at the origin, so that the axis is y.
    let upright = text("heart").replace("turn = [0.0, -12.0, 0.0]", "").replace("at = [0.1, 0.72, 0.0]", "");
    let (mut built, mut state) = built(&upright, 1);
    let flesh = built.stage.bodies()[0].flesh.clone();
    assert_eq!(cavities(&flesh, &flesh.rest).len(), 2, "two ventricles");
    let mut beats = Vec::new();
    for step in 0..18 {
        play_to(&mut built, &mut state, 1.8 + 0.05 * f64::from(step));
        beats.push(measure(&flesh, &flesh.rest, &state.bodies[0].x));
    }
    let systole = beats.iter().min_by(|a, b| a.left[0].total_cmp(&b.left[0])).unwrap();
    let diastole = beats.iter().max_by(|a, b| a.left[0].total_cmp(&b.left[0])).unwrap();
    println!("systole {systole:?}, diastole {diastole:?}");
    for side in 0..2 {
        let emptied = 1.0 - systole.left[side] / diastole.left[side];
        assert!((0.3..=0.6).contains(&emptied), "cavity {side} empties by {emptied}");
    }
    assert!((systole.twist_deg - diastole.twist_deg).abs() > 5.0, "{systole:?}");
    assert!(systole.wall > 1.15 * diastole.wall, "{systole:?}");
}

/// A narrow place travels along the bowel, from its start to its end.
#[test]
fn a_narrow_ring_travels_along_the_bowel() {
    let (mut built, mut state) = built(&text("bowel"), 1);
    let flesh = built.stage.bodies()[0].flesh.clone();
    // Slices follow one another in the file: 1/40 of the vertices each.
    let order = &flesh.file_order;
    const SLICES: usize = 40;
    let width = |x: &[DVec3]| {
        let mut slices = vec![Vec::new(); SLICES];
        for (n, file) in order.iter().enumerate() {
            slices[*file as usize * SLICES / order.len()].push(x[n]);
        }
        let width = |slice: &Vec<DVec3>| {
            let middle = slice.iter().sum::<DVec3>() / slice.len() as f64;
            slice.iter().map(|x| (x.z - middle.z).abs()).sum::<f64>() / slice.len() as f64
        };
        slices.iter().map(width).collect::<Vec<f64>>()
    };
    let rest = width(&flesh.rest);
    let mut places = Vec::new();
    for step in 0..12 {
        play_to(&mut built, &mut state, 3.0 + 0.125 * f64::from(step));
        let shares: Vec<f64> = width(&state.bodies[0].x).iter().zip(&rest).map(|(now, rest)| now / rest).collect();
        places.push(shares);
    }
    // The narrowest of the slices near where it was a moment before.
    let mut at = (8..20).min_by(|a, b| places[0][*a].total_cmp(&places[0][*b])).unwrap();
    let start = at;
    for shares in &places {
        at = (at.saturating_sub(2)..(at + 4).min(SLICES)).min_by(|a, b| shares[*a].total_cmp(&shares[*b])).unwrap();
        assert!(shares[at] < 0.85, "slice {at} is only {} of its width", shares[at]);
    }
    println!("the narrow ring goes from slice {start} to {at} of {SLICES}");
    assert!(at >= start + 6, "{start} to {at}");
}

/// The paper's worm has 73 vertices; flesh in rings has a multiple of a slice's.
#[test]
fn a_hundred_and_one_worms_writhe_in_their_dish_and_keep_out_of_each_other() {
    let (mut built, mut state) = built(&text("worms"), 1);
    let bodies = built.stage.bodies();
    assert_eq!(bodies.len(), 101);
    assert!((70..=76).contains(&bodies[0].flesh.point_count()), "{} points", bodies[0].flesh.point_count());
    assert!(bodies.iter().all(|body| Arc::ptr_eq(&body.flesh, &bodies[0].flesh)), "copies share one flesh");
    let (mut depths, mut before) = (Vec::new(), state.clone());
    for secs in [1.0, 1.5, 2.0, 2.5, 3.0, 3.5] {
        before.clone_from(&state);
        play_to(&mut built, &mut state, secs);
        depths.extend(built.stage.body_contacts().iter().map(|contact| -contact.gap_m));
    }
    let (mut farthest, mut lowest, mut moved, mut points) = (0.0f64, f64::INFINITY, 0.0, 0usize);
    for (now, then) in state.bodies.iter().zip(&before.bodies) {
        for (x, was) in now.x.iter().zip(&then.x) {
            farthest = farthest.max(dvec2(x.x, x.z).length());
            lowest = lowest.min(x.y);
            moved += x.distance(*was);
            points += 1;
        }
    }
    // A worm is 0.064 m thick. Where tails are whipped across each other, a vertex gets through now and then, and comes out again: at five to fifteen of a hundred moments, whatever solves the contact of
    // worms that lie alone.
    let through = depths.iter().filter(|depth| **depth > 0.032).count() as f64 / depths.len() as f64;
    depths.sort_by(f64::total_cmp);
    let most = depths[depths.len() * 98 / 100];
    let moved = moved / points as f64;
    println!("out to {farthest} m, down to {lowest} m, {moved} m in half a second");
    println!("{} contacts, {through} of them deeper than half a worm, all but 2 % less than {most} m", depths.len());
    assert!(farthest < 1.5 && lowest > -0.01, "{farthest} {lowest}");
    assert!(moved > 0.01, "{moved}");
    assert!(through < 1e-3 && most < 0.01, "{through} {most}");
}

#[test]
fn the_school_rises_out_of_step() {
    let (mut built, mut state) = built(&text("jellyfish-school"), 1);
    let starts: Vec<DVec3> = (0..31).map(|body| centre(&built, &state, body)).collect();
    play_to(&mut built, &mut state, 4.0);
    let rises: Vec<f64> = (0..31).map(|body| centre(&built, &state, body).y - starts[body].y).collect();
    let mean = rises.iter().sum::<f64>() / 31.0;
    let asked = |body: u32| match built.stage.field(BodyId(body), FieldQuery::Contraction, state.tick, None) {
        Some(FieldValues::Numbers(numbers)) => numbers.iter().sum::<f64>() / numbers.len() as f64,
        _ => panic!("a jellyfish has a muscle"),
    };
    let asked: Vec<f64> = (0..31).map(asked).collect();
    let (least, most) =
        asked.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), a| (low.min(*a), high.max(*a)));
    println!("the school rises by {mean} m on average; rates from {least} to {most}");
    assert!(mean > 0.3 && rises.iter().all(|rise| *rise > 0.1), "{mean}: {rises:?}");
    // In step, all would ask for the same.
    assert!(most - least > 0.2, "{least} to {most}");
}

/// The signal that `render --field excitation` shows runs along the bowel from its start (+x, top) to its end.
#[test]
fn the_bowels_signal_travels_along_it() {
    let (built, _) = built(&text("bowel"), 1);
    let clock = built.stage.clock();
    let Some(FieldValues::Numbers(phase)) = built.stage.field(BodyId(0), FieldQuery::Phase, 0, None) else {
        panic!("no phase")
    };
    // The most excited place of the first half, by its place along the bowel.
    let front = |secs: f64, from: f64| {
        let tick = (secs * f64::from(clock.fps.0) * f64::from(clock.substeps)).round() as u64;
        let query = built.stage.field(BodyId(0), FieldQuery::Excitation, tick, None);
        let Some(FieldValues::Numbers(excited)) = query else { panic!("no excitation") };
        assert!(excited.iter().all(|value| (0.0..=1.0).contains(value)));
        let ahead = (0..phase.len()).filter(|n| phase[*n] >= from - 0.02 && phase[*n] < from + 0.2);
        let most = ahead.max_by(|a, b| excited[*a].total_cmp(&excited[*b])).unwrap();
        (phase[most], excited[most])
    };
    let mut at = front(3.3, 0.0).0;
    let start = at;
    for step in 1..=10 {
        let (next, excited) = front(3.3 + 0.2 * f64::from(step), at);
        assert!(excited > 0.8, "{excited} at {next}");
        at = next;
    }
    // 0.22 of its length a second, over two seconds.
    assert!((at - start - 0.44).abs() < 0.08, "from {start} to {at}");
}

/// What `sinew new --model NAME` writes can be built, and its skin is where it was drawn.
#[test]
fn every_model_starts_as_a_body() {
    for model in builtin::models() {
        let toml = starter::of_model(model.name).unwrap().replace("vertices = 20000", "vertices = 2000");
        let (built, state) = built(&toml, 1);
        let body = &built.stage.bodies()[0];
        let mut skin = Vec::new();
        body.skin.embedding.apply(&state.bodies[0].x, &mut skin);
        let off = body.skin.mesh.positions.iter().zip(&skin).map(|(rest, now)| (*rest + DVec3::Y).distance(*now));
        let worst = off.fold(0.0, f64::max);
        assert!(worst < 1e-4, "{}: a skin vertex lies {worst} m off", model.name);
        let colours = body.skin.vertex_colours.len();
        assert!(colours == 0 || colours == body.skin.mesh.positions.len(), "{}: {colours} colours", model.name);
    }
}
