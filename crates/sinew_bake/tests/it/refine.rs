//! Refiners: numbers of a scene found by performing it.

use serde_json::json;
use sinew_bake::refine::{
    Reach, ReachError, RefineError, RefinePicture, RefineProgress, RefineSink, Refinement, Refiner, Rehearsal, search,
};
use sinew_scene::{Command, Document};
use sinew_solve::StopFlag;
use std::ops::ControlFlow;
use std::path::Path;

const PUSHED: &str = r#"
sinew = 1
[scene]
frames = [1, 40]
gravity = [0.0, 0.0, 0.0]
[[body]]
name = "bar"
skin = { model = "bar", size = [1.0, 0.2, 0.2] }
material = { preset = "rubber", density_kg_m3 = 1000 }
flesh = { kind = "tets", vertices = 80 }
[[body.director]]
name = "push"
kind = "force"
on = "all"
newton = [2.0, 0.0, 0.0]
[[body.director]]
name = "lean"
kind = "rest_shape"
bend_deg = 10.0
weight = 1.0
"#;

fn reach(change: &str, measure: &str, goal: f64, frame: i32, between: (f64, f64)) -> Reach {
    Reach {
        change: change.to_owned(),
        measure: measure.parse().unwrap(),
        goal,
        frame,
        between: between.0..=between.1,
        tolerance: 0.005,
    }
}

fn refine(reach: &Reach) -> Result<(f64, Command), RefineError> {
    let document = Document::parse(PUSHED, "pushed").unwrap();
    let mut rehearsal = Rehearsal::new(&document, Path::new("."), 1, |_| ControlFlow::Continue(()));
    let found = reach.refine(&mut rehearsal)?;
    assert!(rehearsal.runs() <= 16, "{} performances", rehearsal.runs());
    Ok((found[0].outcome[0].2, found[0].command.clone()))
}

/// 40 kg pushed by F for n steps of h are at F/m h² n(n+1)/2.
#[test]
fn a_force_is_found_that_carries_a_body_to_its_place() {
    let (reached, command) =
        refine(&reach("body.bar.director.push.newton", "bar/centre_x", 0.5, 25, (0.0, 100.0))).unwrap();
    assert!((reached - 0.5).abs() < 0.5 * 0.005, "{reached} m");
    let (h, n) = (1.0 / 96.0, 96.0);
    let newton = 0.5 * 40.0 / (h * h * n * (n + 1.0) / 2.0);
    let Command::Set { path, value } = command else { panic!("{command:?}") };
    assert_eq!(path, "body.bar.director.push.newton");
    let found = value[0].as_f64().unwrap();
    assert!((found / newton - 1.0).abs() < 0.01, "{found} N, and {newton} N by hand");
    assert_eq!((&value[1], &value[2]), (&json!(0.0), &json!(0.0)));
}

#[test]
fn a_bend_is_found_that_is_measured_at_its_frame() {
    let (reached, command) =
        refine(&reach("body.bar.director.lean.bend_deg", "bar/lean/bend", 30.0, 20, (0.0, 80.0))).unwrap();
    assert!((reached - 30.0).abs() < 30.0 * 0.005, "{reached}°");
    // Applied to the document it does what was promised: the same scene gives the same bits.
    let mut document = Document::parse(PUSHED, "pushed").unwrap();
    document.apply(&command).unwrap();
    let mut rehearsal = Rehearsal::new(&document, Path::new("."), 1, |_| ControlFlow::Continue(()));
    let nothing = Command::Batch { label: None, commands: Vec::new() };
    let rehearsed = rehearsal.perform(&nothing, 20).unwrap();
    let bend = rehearsed.run.measures(20).iter().find(|m| m.director == "lean" && m.name == "bend").unwrap();
    assert_eq!(bend.value, reached);
}

#[test]
fn what_cannot_be_reached_or_measured_is_told() {
    let far = refine(&reach("body.bar.director.push.newton", "bar/centre_x", 50.0, 10, (0.0, 2.0))).unwrap_err();
    assert!(matches!(far.of_search(), Some(ReachError::OutOfReach { most, .. }) if *most < 1.0), "{far}");
    let unknown = refine(&reach("body.bar.director.push.newton", "bar/lean/wobble", 1.0, 3, (0.0, 2.0))).unwrap_err();
    assert!(unknown.to_string().contains("bar/lean/bend"), "{unknown}");
    let nowhere = refine(&reach("body.bar.director.push.on", "bar/centre_x", 1.0, 3, (0.0, 2.0))).unwrap_err();
    assert!(matches!(nowhere.of_search(), Some(ReachError::NoNumber { .. })), "{nowhere}");
    let late = refine(&reach("body.bar.director.push.newton", "bar/centre_x", 1.0, 99, (0.0, 2.0))).unwrap_err();
    assert!(late.to_string().contains("frame 99"), "{late}");
}

#[test]
fn it_tells_how_far_it_is_and_stops_when_asked() {
    let document = Document::parse(PUSHED, "pushed").unwrap();
    let mut told: Vec<RefineProgress> = Vec::new();
    let mut rehearsal = Rehearsal::new(&document, Path::new("."), 1, |progress| {
        told.push(progress);
        if progress.runs == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    let stopped = reach("body.bar.director.push.newton", "bar/centre_x", 0.01, 5, (0.0, 100.0)).refine(&mut rehearsal);
    assert!(matches!(stopped, Err(RefineError::Stopped)));
    drop(rehearsal);
    assert_eq!(told.iter().filter(|progress| progress.fraction == 1.0).count(), 2);
    assert_eq!(told.last().map(|progress| (progress.runs, progress.fraction)), Some((3, 0.25)));
}

/// What a search told, and when it is to stop: after so many performances.
#[derive(Default)]
struct Heard {
    stop_at_run: u32,
    offers: Vec<Vec<Refinement>>,
    pictures: Vec<RefinePicture>,
}

impl RefineSink for &mut Heard {
    fn progress(&mut self, at: RefineProgress) -> ControlFlow<()> {
        if at.runs == self.stop_at_run { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn offered(&mut self, so_far: &[Refinement]) {
        self.offers.push(so_far.to_vec());
    }

    fn picture(&mut self, picture: RefinePicture) {
        self.pictures.push(picture);
    }
}

/// The sixth performance is stopped; of those before it the closest is kept, and does what it says.
#[test]
fn a_stopped_search_keeps_the_best_so_far_and_has_shown_it() {
    let document = Document::parse(PUSHED, "pushed").unwrap();
    let wish = reach("body.bar.director.push.newton", "bar/centre_x", 0.5, 25, (0.0, 100.0));
    let mut heard = Heard { stop_at_run: 6, ..Heard::default() };
    let mut rehearsal = Rehearsal::new(&document, Path::new("."), 1, &mut heard);
    let found = search(&wish, &mut rehearsal).unwrap();
    assert!(!found.is_whole && found.alternatives.len() == 1);
    let told = found.alternatives[0].outcome[0].2;
    drop(rehearsal);
    let off = |offer: &Vec<Refinement>| (offer[0].outcome[0].2 - 0.5).abs();
    assert!(heard.offers.windows(2).all(|pair| off(&pair[1]) < off(&pair[0])), "each is closer than the one before");
    assert_eq!(heard.offers.last(), Some(&found.alternatives));
    assert!(heard.pictures.first().is_some_and(|picture| picture.frame == 25 && picture.state.bodies.len() == 1));
    let mut changed = document.clone();
    changed.apply(&found.alternatives[0].command).unwrap();
    let mut again = Rehearsal::new(&changed, Path::new("."), 1, |_| ControlFlow::Continue(()));
    let ended = again.perform(&Command::Batch { label: None, commands: Vec::new() }, 25).unwrap();
    let body = &ended.built.stage.bodies()[0];
    let centre = sinew_math::rotation::mass_centre(&ended.run.state().bodies[0].x, &body.flesh.mass_kg);
    assert!((centre.x - told).abs() < 1e-6, "{} m, and {told} m were told", centre.x);
}

/// A search that performs nothing, as one that plans.
struct Planned;

impl Refiner for Planned {
    fn label(&self) -> String {
        "a plan".to_owned()
    }

    fn refine(&self, rehearsal: &mut Rehearsal<'_>) -> Result<Vec<Refinement>, RefineError> {
        let mut found = Vec::new();
        for round in 0..1000 {
            let command = Command::Batch { label: None, commands: Vec::new() };
            let label = format!("alternative {round} of {}", rehearsal.document().scene().bodies[0].name);
            let (outcome, notes, assets) = (Vec::new(), Vec::new(), Vec::new());
            found.push(Refinement { label, command, outcome, notes, assets });
            rehearsal.offer(found.clone());
            rehearsal.progress(f64::from(round) / 1000.0)?;
            if round == 2 {
                rehearsal.stop().set();
            }
        }
        Ok(found)
    }
}

#[test]
fn a_search_without_performances_offers_alternatives_and_is_stopped_by_its_flag() {
    let document = Document::parse(PUSHED, "pushed").unwrap();
    let (mut heard, stop) = (Heard { stop_at_run: 99, ..Heard::default() }, StopFlag::default());
    let mut rehearsal = Rehearsal::stopped_by(stop.clone(), &document, Path::new("."), 1, &mut heard);
    let found = search(&Planned, &mut rehearsal).unwrap();
    assert!(!found.is_whole && stop.is_set() && rehearsal.runs() == 0);
    let labels: Vec<&str> = found.alternatives.iter().map(|each| each.label.as_str()).collect();
    assert_eq!(labels, [0, 1, 2, 3].map(|round| format!("alternative {round} of bar")));
    let mut rehearsal = Rehearsal::stopped_by(stop, &document, Path::new("."), 1, |_| ControlFlow::Continue(()));
    let wish = reach("body.bar.director.push.newton", "bar/centre_x", 0.5, 25, (0.0, 100.0));
    assert!(matches!(search(&wish, &mut rehearsal), Err(RefineError::Stopped)), "nothing was offered by then");
}
