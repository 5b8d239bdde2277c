//! What directors say back: measured numbers with name and unit, and warnings, in reports and takes.

use crate::fixtures::written::built;
use crate::fixtures::{Bar, play};
use sinew_bake::take::{TakeOptions, TakeReader};
use sinew_bake::{Bake, Method, bake};
use sinew_direct::{Path, RestShape, Track3};
use sinew_math::{DVec3, dvec3};
use sinew_solve::{CueError, CueWriter, Director, DirectorState, Measure, Now, Remembered, Seen, StepReport};
use std::ops::ControlFlow;

fn value(report: &StepReport, director: &str, name: &str) -> f64 {
    let found = report.measures.iter().find(|m| m.director == director && m.name == name);
    found.unwrap_or_else(|| panic!("no {director}/{name} in {:?}", report.measures)).value
}

fn bent(degrees: f64, twist: f64) -> impl Fn(usize) -> RestShape {
    move |points| RestShape {
        points: (0..points as u32).collect(),
        scale: Track3::constant(DVec3::ONE),
        twist_deg: twist.into(),
        bend_deg: degrees.into(),
        axis: DVec3::X,
        bend_to: DVec3::Y,
    }
}

/// Free flesh takes on its rest shape, so that the measured bend is the asked one less what lies within the
/// ends: these are a fifth of the length each, and their own turns are a tenth from either end.
fn a_measured_bend_is_the_bend_that_was_asked_for(method: Method) {
    let bar = Bar::new(method);
    let points = bar.flesh().point_count();
    let mut stage = bar.directed_by("bend", bent(50.0, 0.0)(points)).stage();
    let mut state = stage.first_state();
    play(&mut stage, &mut state, 40);
    let report = stage.step(&mut state, &[]).unwrap();
    let (bend, twist) = (value(report, "bend", "bend"), value(report, "bend", "twist"));
    assert!((bend - 0.8 * 50.0).abs() < 4.0, "{bend}°");
    assert!(twist.abs() < 1.0, "{twist}°");
}

fn a_measured_twist_has_the_sign_that_was_asked_for(method: Method) {
    let bar = Bar::new(method);
    let points = bar.flesh().point_count();
    let mut stage = bar.directed_by("wring", bent(0.0, -40.0)(points)).stage();
    let mut state = stage.first_state();
    play(&mut stage, &mut state, 40);
    let report = stage.step(&mut state, &[]).unwrap();
    let (bend, twist) = (value(report, "wring", "bend"), value(report, "wring", "twist"));
    assert!((twist + 0.8 * 40.0).abs() < 6.0, "{twist}°");
    assert!(bend.abs() < 1.0, "{bend}°");
}

fn distance_from_a_path_is_measured_after_the_step(method: Method) {
    let path = |strength: f64| Path {
        at: Track3::constant(dvec3(0.3, 0.0, 0.0)),
        turn: None,
        strength: strength.into(),
        yields_to_contact: false,
        mean_rotation: false,
    };
    let mut exact = Bar::new(method).directed_by("path", path(1.0)).stage();
    let mut state = exact.first_state();
    assert!(value(exact.step(&mut state, &[]).unwrap(), "path", "distance_from_path") < 1e-12);
    let mut free = Bar::new(method).directed_by("path", path(0.0)).stage();
    let mut state = free.first_state();
    let away = value(free.step(&mut state, &[]).unwrap(), "path", "distance_from_path");
    assert!((away - 0.3).abs() < 1e-9, "{away} m");
}

every_solver! {
    shape_matching fem fem_descent springs => [
        a_measured_bend_is_the_bend_that_was_asked_for
        a_measured_twist_has_the_sign_that_was_asked_for
        distance_from_a_path_is_measured_after_the_step
    ]
}

/// Complains from its third interval on, and counts them in a memory of its own type.
struct Grumbler;

#[derive(serde::Serialize, serde::Deserialize)]
struct Asked(u64);

impl Remembered for Asked {
    const KIND: &'static str = "asked";
}

impl Director for Grumbler {
    fn cue(&self, _: Now, _: &Seen<'_>, memory: &mut DirectorState, out: &mut CueWriter<'_>) -> Result<(), CueError> {
        let Asked(before) = memory.remembered().unwrap_or(Asked(0));
        memory.remember(&Asked(before + 1));
        if before >= 2 {
            out.warn("it is too much; ask for less");
        }
        Ok(())
    }
}

#[test]
fn a_directors_warning_names_it_and_its_memory_is_part_of_the_state() {
    let mut stage = Bar::new(crate::fixtures::shape_matching()).directed_by("grumbler", Grumbler).stage();
    let mut state = stage.first_state();
    let mut told = |state: &mut _| -> Vec<String> {
        stage.step(state, &[]).unwrap().warnings.iter().map(|warning| warning.what.clone()).collect()
    };
    assert_eq!((told(&mut state).len(), told(&mut state).len()), (0, 0));
    let kept = state.clone();
    assert_eq!(told(&mut state), [r#"director "grumbler": it is too much; ask for less"#]);
    assert_eq!(state.director_states[0][0].remembered::<Asked>().map(|asked| asked.0), Some(3));
    let mut again = kept;
    told(&mut again);
    assert!(again == state, "going on from a saved state remembers what it did");
}

#[test]
fn a_rest_shape_that_turns_flesh_inside_out_is_named() {
    let bar = Bar::new(crate::fixtures::fem());
    let (flesh, points) = (bar.flesh(), bar.flesh().point_count());
    let crushed = |along: f64| {
        let shape = RestShape { scale: Track3::constant(dvec3(along, 1.0, 1.0)), ..bent(0.0, 0.0)(points) };
        let mut stage = Bar::new(crate::fixtures::fem()).directed_by("crush", shape).stage();
        let mut state = stage.first_state();
        let asked = stage.asked(&state).unwrap()[0].rest_offset.len();
        assert_eq!(asked, points);
        let report = stage.step(&mut state, &[]);
        report.map(|report| report.warnings.iter().map(|w| w.what.clone()).collect::<Vec<_>>().join("; "))
    };
    assert_eq!(crushed(0.9).unwrap(), "");
    let told = crushed(1e-5).unwrap_or_else(|error| panic!("{error}"));
    let sinew_solve::Cells::Tets(tets) = &flesh.cells else { panic!("tets") };
    assert!(told.contains(&format!("{0} of {0} tetrahedra", tets.len())), "{told}");
}

const PATH: &str = r#"
sinew = 1
scene = { frames = [1, 12] }
[[body]]
name = "bar"
skin = { model = "bar" }
flesh = { kind = "tets", vertices = 60 }
[[body.director]]
name = "way"
kind = "path"
at = [[[1, 0.0], [12, 1.0]], 0.0, 0.0]
strength = 0.5
"#;

#[test]
fn a_take_holds_what_was_measured_once_a_frame_also_when_it_is_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("way.take");
    let asked = Bake { frames: 1..=12, resume: true, options: TakeOptions::default(), dump: None };
    let bake_on = |stop_at: i32| {
        let mut built = built(PATH, 1).0;
        let _ = bake(&mut built, PATH, &path, &asked, |frame| {
            if frame >= stop_at { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
    };
    let series = || -> Vec<(i32, Measure)> {
        let measures = TakeReader::open(&path).unwrap().measures().unwrap();
        measures.into_iter().flat_map(|(frame, of)| of.into_iter().map(move |m| (frame, m))).collect()
    };
    bake_on(99);
    let straight = series();
    assert_eq!(straight.iter().map(|(frame, _)| *frame).collect::<Vec<_>>(), (2..=12).collect::<Vec<_>>());
    assert!(straight.iter().all(|(_, m)| m.director == "way" && m.name == "distance_from_path" && m.unit == "m"));
    std::fs::remove_file(&path).unwrap();
    for stop_at in [3, 4, 9, 99] {
        bake_on(stop_at);
    }
    assert_eq!(series(), straight);
}
