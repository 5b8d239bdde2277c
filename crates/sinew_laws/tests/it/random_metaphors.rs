//! Metaphors that nobody chose, on bodies that nobody chose: nothing becomes a number that is none, bounded ones keep bodies in one piece,
//! balanced ones leave them where they are, and forces that nothing bears are told.
//!
//! A share of them runs in the suite; `cargo xtask metaphors` runs ten thousand.

use sinew_bake::{Built, build};
use sinew_laws::Random;
use sinew_math::DVec3;
use sinew_scene::Scene;
use std::path::Path;

/// Substeps that each is played for.
const TICKS: usize = 8;
const IN_THE_SUITE: u64 = 150;
/// A bounded body may grow to so many times its size: three metaphors may each strain it by its own length (4.1 at the most in 10,000).
const MOST_GROWTH: f64 = 6.0;

struct Drawn {
    text: String,
    is_bounded: bool,
    is_balanced: bool,
}

/// What became of one.
struct Outcome {
    warned_of_strength: bool,
    /// Size over that at rest, at the most.
    growth: f64,
    /// Way of the centre over the body's size.
    drift: f64,
    /// The stage gave up, with these words.
    refused: Option<String>,
}

#[test]
fn random_metaphors_neither_explode_nor_drift() {
    let number = |name: &str, left_out: u64| std::env::var(name).map_or(left_out, |text| text.parse().unwrap());
    let (count, seed) = (number("SINEW_METAPHORS", IN_THE_SUITE), number("SINEW_METAPHORS_SEED", 14));
    let (mut warned, mut refused, mut worst, mut wrong) = (0, 0, [0.0f64; 2], Vec::new());
    for n in 0..count {
        let drawn = draw(&mut Random::new(seed.wrapping_add(n)));
        let outcome = play(&drawn.text);
        let mut told = |what: &str| wrong.push(format!("draw {n} of seed {seed}: {what}\n{}", drawn.text));
        let has_modulus = !drawn.text.contains("shape_matching");
        warned += u64::from(outcome.warned_of_strength);
        if let Some(words) = &outcome.refused {
            refused += 1;
            // Only a force that was warned of may be too much for a step.
            if drawn.is_bounded || !outcome.warned_of_strength {
                told(words);
            }
            continue;
        }
        if drawn.is_bounded {
            worst[usize::from(!has_modulus)] = outcome.growth.max(worst[usize::from(!has_modulus)]);
            if outcome.growth > MOST_GROWTH {
                told(&format!("it grew to {:.1} times its size", outcome.growth));
            }
        } else if outcome.growth > MOST_GROWTH && !outcome.warned_of_strength {
            told(&format!("it grew to {:.1} times its size without a warning", outcome.growth));
        }
        if drawn.is_balanced && drawn.is_bounded && outcome.drift > 1e-3 {
            told(&format!("it drifted by {:.2e} of its size", outcome.drift));
        }
    }
    println!(
        "{count} metaphors: {warned} warned of, {refused} refused, bounded bodies grew to {worst:.2?} times their size (with and without a modulus)"
    );
    assert!(
        wrong.is_empty(),
        "{} of {count}, the first three being\n{}",
        wrong.len(),
        wrong[..wrong.len().min(3)].join("\n")
    );
    assert!(warned > count / 20, "too few forces were too great: {warned} of {count}");
}

fn play(text: &str) -> Outcome {
    let scene = Scene::from_toml(text, "drawn").unwrap_or_else(|error| panic!("{error}\n{text}"));
    let Built { mut stage, warnings, .. } = build(&scene, Path::new("."), 1).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let flesh = stage.bodies()[0].flesh.clone();
    let size = |x: &[DVec3]| {
        let (low, high) = x.iter().fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(l, h), x| (l.min(*x), h.max(*x)));
        (high - low).length()
    };
    let centre = |x: &[DVec3]| {
        x.iter().zip(&flesh.mass_kg).map(|(x, m)| *x * *m).sum::<DVec3>() / flesh.mass_kg.iter().sum::<f64>()
    };
    let mut state = stage.first_state();
    let (rest_size, start) = (size(&flesh.rest), centre(&state.bodies[0].x));
    let warned_of_strength = warnings.iter().any(|warning| warning.what.contains("more than the material bears"));
    let mut outcome = Outcome { warned_of_strength, growth: 1.0, drift: 0.0, refused: None };
    for _ in 0..TICKS {
        if let Err(error) = stage.step(&mut state, &[]) {
            outcome.refused = Some(error.to_string());
            break;
        }
        let x = &state.bodies[0].x;
        assert!(x.iter().chain(&state.bodies[0].v).all(|x| x.is_finite()), "{text}");
        outcome.growth = outcome.growth.max(size(x) / rest_size);
        outcome.drift = outcome.drift.max(centre(x).distance(start) / rest_size);
    }
    outcome
}

/// A body and one to three metaphors on it, as text.
fn draw(random: &mut Random) -> Drawn {
    let size = random.log_between(0.05, 4.0);
    let young = random.log_between(3e3, 3e6);
    let [a, b] = [(); 2].map(|()| random.between(0.3, 1.0) * size);
    let bodies = [
        (format!("{{ model = \"bar\", size = [{size:?}, {a:?}, {b:?}] }}"), "{ kind = \"tets\", vertices = 90 }", true),
        (
            format!("{{ model = \"cylinder\", radius = {:?}, height = {size:?} }}", 0.3 * a),
            "{ kind = \"tets\", vertices = 90 }",
            true,
        ),
        (
            format!("{{ model = \"bar\", size = [{size:?}, {a:?}, {b:?}] }}"),
            "{ kind = \"lattice\", size = [5, 3, 3] }",
            false,
        ),
        (format!("{{ model = \"cloth\", size = [{size:?}, {a:?}] }}"), "{ kind = \"shell\", vertices = 100 }", false),
    ];
    let (skin, flesh, is_solid) = &bodies[random.whole(0, 3) as usize];
    let solvers = [
        "{ kind = \"springs\" }",
        "{ kind = \"shape_matching\" }",
        "{ kind = \"fem\" }",
        "{ kind = \"fem\", method = \"descent\" }",
    ];
    let solver = solvers[random.whole(0, if *is_solid { 3 } else { 1 }) as usize];
    let is_bounded = random.chance(0.6);
    let is_balanced = random.chance(0.6);
    let mut text = format!(
        "sinew = 1\n[scene]\nframes = [1, 24]\ngravity = [0.0, 0.0, 0.0]\n[[body]]\nname = \"body\"\nskin = {skin}\n\
         material = {{ preset = \"rubber\", young_pa = {young:?}, damping = \"heavy\" }}\nflesh = {flesh}\nsolver = {solver}\n\
         sets = {{ painted = {{ strokes = [[[{:?}, 0.0, 0.0], [{:?}, {:?}, 0.0]]], radius = {:?} }} }}\n",
        -0.4 * size,
        0.4 * size,
        0.2 * a,
        0.5 * size
    );
    for number in 0..random.whole(1, 3) {
        let vector = |random: &mut Random| [(); 3].map(|()| random.between(-1.0, 1.0));
        let at = vector(random).map(|c| 0.5 * c * size);
        let (along, up) = (vector(random), vector(random));
        let frame = random.pick(&["rest", "principal"]);
        text += &format!(
            "[[body.director]]\nname = \"m{number}\"\nkind = \"metaphor\"\nframe = \"{frame}\"\nat = {at:?}\nalong = {along:?}\nup = {up:?}\n\
             act = {}\nnewton = {}\nbalanced = {is_balanced}\nbounded = {is_bounded}\n",
            act(random, size),
            curve(random, young * size * size),
        );
    }
    Drawn { text, is_bounded, is_balanced }
}

fn act(random: &mut Random, size: f64) -> String {
    let near = random.between(0.0, 0.3) * size;
    let far = near + random.between(0.05, 0.6) * size;
    let radius = random.between(0.01, 0.7) * size;
    let cylinders = format!("near = {near:?}, far = {far:?}, radius = {radius:?}");
    match random.whole(0, 5) {
        0 => format!("{{ stretch = {{ {cylinders} }} }}"),
        1 => format!("{{ compress = {{ {cylinders} }} }}"),
        2 => format!("{{ twist = {{ {cylinders}, by_radius = {} }} }}", random.chance(0.5)),
        3 | 4 => format!(
            "{{ bend = {{ arm = {:?}, radius = {radius:?}, pivot_radius = {:?}, angle_deg = {:?} }} }}",
            random.between(0.05, 0.8) * size,
            random.between(0.01, 0.7) * size,
            random.between(1.0, 180.0)
        ),
        _ => {
            let push = [
                "{ along = [1.0, 0.5, 0.0] }".to_owned(),
                "{ around = 1.0 }".to_owned(),
                "{ away = -1.0 }".to_owned(),
                "{ field = [{ at = [0.1, 0.0, 0.0], push = [0.0, 1.0, 0.0] }, { at = [-0.1, 0.0, 0.0], push = [0.0, -1.0, 0.5] }] }".to_owned(),
            ];
            let region = [
                "{ set = \"painted\" }".to_owned(),
                format!("{{ sphere = {{ centre = [0.0, 0.0, 0.0], radius = {radius:?} }} }}"),
                format!("{{ box = {{ min = [{:?}, {:?}, {:?}], max = [0.0, 0.0, 0.0] }} }}", -size, -size, -size),
            ];
            let [push, region] = [&push[random.whole(0, 3) as usize], &region[random.whole(0, 2) as usize]];
            format!("{{ custom = [{{ region = {region}, push = {push} }}] }}")
        }
    }
}

/// From a ten-thousandth of E A to a hundred thousand times it, of either sign, in every shape.
fn curve(random: &mut Random, stiff_n: f64) -> String {
    let sign = random.pick(&[-1.0, 1.0]);
    let newton = sign * random.log_between(1e-4, 1e5) * stiff_n;
    let outside = random.pick(&["\"hold\"", "\"zero\"", "{ cycle = 6 }"]);
    let wiggle = random.pick(&[
        "",
        "",
        ", wiggle = { period = 3.5, damping = 0.1 }",
        ", wiggle = { period = 20.0, damping = 1.5 }",
    ]);
    let shape = random.pick(&["linear", "smooth", "step"]);
    match random.whole(0, 3) {
        0 => format!("{newton:?}"),
        1 => format!("[[1, 0.0, {{ leave = [1.0, {newton:?}], arrive = [-1.0, 0.0] }}], [4, {newton:?}]]"),
        _ => format!(
            "{{ keys = [[1, {newton:?}], [3, {:?}], [5, {:?}]], shape = \"{shape}\", outside = {outside}{wiggle} }}",
            -0.5 * newton,
            0.2 * newton
        ),
    }
}
