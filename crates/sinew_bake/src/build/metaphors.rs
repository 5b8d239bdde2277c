//! Metaphors of the scene become running ones, and what is wrong with them is told.

use super::{BuildError, BuildWarning, clock, material, method, sets};
use crate::goal_stamp::goal_stamp;
use sinew_direct::metaphor::{
    self, Cylinders, Goal, Growth, Joint, Measured, Metaphor, Orientation, Part, Region, Sharing, Strength, Widget,
    blend_arrows, bound, troubles,
};
use sinew_math::{DVec3, PrincipalFrame};
use sinew_scene::model::{self, Act, GoalBy, MetaphorGoal, Push, PushedRegion, WidgetFrame};
use sinew_scene::{Body, Direction, Director, Scene, Solver};
use sinew_solve::Flesh;
use sinew_stage::Method;
use std::collections::BTreeMap;

/// See [`Strength::share`]. Measured on the cylinder of `bounded_metaphors_leave_flesh_the_right_way_round`.
const SPRINGS_BEAR: f64 = 0.35;
/// See [`Strength::bent`].
const SPRINGS_BENT: f64 = 0.6;

/// What a body's flesh bears in this scene. Shape matching knows no modulus: it is as stiff as its regions, iterations and steps make it.
pub(super) fn strength(scene: &Scene, body: &Body, flesh: &Flesh) -> Strength {
    let material = material(body);
    let density_kg_m3 = material.density_kg_m3;
    let step_secs = clock(scene).secs(1, 0.0);
    let (young_pa, step_secs) = match method(body) {
        Ok(Method::ShapeMatching(params)) => {
            (material.young_pa.min(params.young_pa(flesh, density_kg_m3, step_secs)), Some(step_secs))
        }
        _ => (material.young_pa, None),
    };
    let is_springs = matches!(body.solver, Solver::Springs { .. });
    let (share, bent) = if is_springs { (SPRINGS_BEAR, SPRINGS_BENT) } else { (1.0, 1.0) };
    Strength { young_pa, density_kg_m3, step_secs, share, bent }
}

/// The metaphor on a body whose flesh bears `strength`; `name` is its director's.
pub(super) fn make(
    body: &Body,
    name: &str,
    metaphor: &model::Metaphor,
    flesh: &Flesh,
    strength: &Strength,
) -> Result<Metaphor, BuildError> {
    let (at, [along, up]) = placed(metaphor, flesh);
    let widget = Widget::new(flesh, at, along, up).ok_or_else(|| {
        BuildError::new(
            format!("body.{}.director.{name}.up", body.name),
            "`up` runs along the metaphor's long axis",
            "choose a direction across `along`",
        )
    })?;
    let points = |set: &str| sets::points(body, flesh, set, &format!("director.{name}"));
    let places: Vec<DVec3> = match &metaphor.act {
        Act::Custom { .. } => flesh.rest.iter().map(|x| widget.place(*x)).collect(),
        _ => Vec::new(),
    };
    let (parts, measured) = parts(&metaphor.act, &points, &places)?;
    let mut made = Metaphor::new(flesh, widget, parts, metaphor.newton.0.clone(), measured);
    if let Some(goal) = &metaphor.goal {
        let frames = goal_of(goal);
        match goal.by {
            GoalBy::Inside => {
                made.contraction = metaphor.contraction.as_ref().map(|channel| channel.0.clone());
                return Ok(made.from_inside(flesh, frames));
            }
            GoalBy::Force => made.goal = Some(frames),
        }
    }
    if metaphor.paper {
        return Ok(made.shared(flesh, Sharing::PerNode));
    }
    made.is_balanced = metaphor.balanced.is_on();
    if metaphor.bounded.is_on() {
        made.bound = bound(&made, flesh, strength);
    }
    Ok(made)
}

/// The scene's frames as the director counts them.
pub(crate) fn goal_of(goal: &MetaphorGoal) -> Goal {
    Goal {
        amount: goal.amount,
        from: f64::from(goal.from),
        at: f64::from(goal.at),
        hold: f64::from(goal.hold),
        release: f64::from(goal.release),
    }
}

/// Warnings about the metaphors of a body.
pub(super) fn warnings(
    scene: &Scene,
    mesh_hashes: &BTreeMap<String, [u8; 32]>,
    body: &Body,
    flesh: &Flesh,
) -> Result<Vec<BuildWarning>, BuildError> {
    let (strength, mut found) = (strength(scene, body, flesh), Vec::new());
    for (number, director) in body.directors.iter().enumerate().filter(|(_, director)| !director.mute) {
        let Direction::Metaphor(metaphor) = &director.direction else { continue };
        let made = make(body, &director.name_at(number), metaphor, flesh, &strength)?;
        // A path that commands understand: a director without a name has its place.
        let place = director.name.as_ref().map_or_else(|| format!("[{number}]"), |name| format!(".{name}"));
        let at = format!("body.{}.director{place}", body.name);
        let is_inside = metaphor.goal.is_some_and(|goal| goal.by == GoalBy::Inside);
        let asked_n = if is_inside { [0.0; 2] } else { asked_n(scene, metaphor, director) };
        found.extend(troubles(&made, flesh, &strength, asked_n).into_iter().map(|trouble| BuildWarning {
            at: at.clone(),
            what: trouble.what(),
            help: trouble.help().to_owned(),
        }));
        found.extend(ignored_by_paper(metaphor).map(|word| BuildWarning {
            at: at.clone(),
            what: format!("`{word} = true` has no effect in paper mode, which is neither balanced nor bounded"),
            help: format!("leave out `paper`, or leave out `{word}`"),
        }));
        found.extend(goal_outside(scene, metaphor).map(|what| BuildWarning {
            at: at.clone(),
            what,
            help: "move the goal into the shot, or make the shot longer".to_owned(),
        }));
        found.extend(unsolved(metaphor, || goal_stamp(scene, mesh_hashes, &body.name, number)).map(|what| {
            BuildWarning {
                help: format!("solve it: sinew refine goal SCENE --director {at} -o SCENE"),
                at,
                what: what.to_owned(),
            }
        }));
    }
    Ok(found)
}

/// Words that a scene writes out and paper mode ignores.
fn ignored_by_paper(metaphor: &model::Metaphor) -> impl Iterator<Item = &'static str> {
    let words = [("balanced", metaphor.balanced), ("bounded", metaphor.bounded)];
    let is_paper = metaphor.paper;
    words.into_iter().filter(move |(_, switch)| is_paper && switch.is_written_on()).map(|(word, _)| word)
}

/// Says where a goal lies that no frame of the shot sees reached.
fn goal_outside(scene: &Scene, metaphor: &model::Metaphor) -> Option<String> {
    let goal = metaphor.goal?;
    let [first, last] = scene.shot.frames;
    if goal.at > last {
        return Some(format!("its goal is reached at frame {}, after the shot ends at {last}", goal.at));
    }
    let end = goal.at.saturating_add(goal.hold).saturating_add(goal.release);
    (end <= first).then(|| format!("its goal is over at frame {end}, before the shot begins at {first}"))
}

/// Says so where what is to bring a metaphor to its goal was not found for this scene.
fn unsolved(metaphor: &model::Metaphor, stamp: impl Fn() -> String) -> Option<&'static str> {
    let is_inside = metaphor.goal?.by == GoalBy::Inside;
    let is_stale = || metaphor.solved_for.as_ref().is_some_and(|of| *of != stamp());
    match (is_inside, &metaphor.solved_for) {
        // What is wanted is a fair contraction as it is.
        (true, _) if metaphor.contraction.is_none() => None,
        (true, None) => Some("its contraction was not found for this goal"),
        (true, Some(_)) => is_stale().then_some("its contraction was found for another scene than this one"),
        (false, None) => Some("its goal is not solved: no force was found for it"),
        (false, Some(_)) => is_stale().then_some("its force was found for another scene than this one"),
    }
}

/// The least and the greatest magnitude that a metaphor asks for in the shot, to the frame: handles and swings go beyond keys.
fn asked_n(scene: &Scene, metaphor: &model::Metaphor, director: &Director) -> [f64; 2] {
    const MOST_FRAMES: f64 = 10_000.0;
    let [first, last] = scene.shot.frames.map(f64::from);
    let step = ((last - first) / MOST_FRAMES).max(1.0);
    let frames = (0..=((last - first) / step) as u32).map(|n| first + step * f64::from(n));
    let asked = |frame: f64| metaphor.newton.value(frame) * director.weight.value(frame);
    frames.map(asked).fold([0.0, 0.0], |[low, high], newton| [newton.min(low), newton.max(high)])
}

type Points<'a> = &'a dyn Fn(&str) -> Result<Vec<u32>, BuildError>;

/// The acting parts, and what is measured. `places` are those of the points in the widget's frame.
fn parts(act: &Act, points: Points<'_>, places: &[DVec3]) -> Result<(Vec<Part>, Measured), BuildError> {
    let cylinders = |of: &model::Cylinders| Cylinders { near_m: of.near, far_m: of.far, radius_m: of.radius };
    Ok(match act {
        Act::Stretch { stretch } => (metaphor::stretch(cylinders(stretch)), Measured::Stretch),
        Act::Compress { compress } => (metaphor::compress(cylinders(compress)), Measured::Compression),
        Act::Twist { twist: of } => {
            let both = Cylinders { near_m: of.near, far_m: of.far, radius_m: of.radius };
            (metaphor::twist(both, of.by_radius), Measured::Twist)
        }
        Act::Bend { bend: of } => {
            let joint = Joint {
                angle_deg: of.angle_deg,
                arm_m: of.arm,
                pivot_radius_m: of.pivot_radius.unwrap_or(of.radius),
                end_radius_m: of.radius,
            };
            (metaphor::bend(joint), Measured::Bend)
        }
        Act::Custom { custom } => {
            let part = |of: &model::Pushed| {
                Ok(Part { region: region(&of.region, points)?, orientation: push(&of.push, places) })
            };
            (custom.iter().map(part).collect::<Result<_, BuildError>>()?, Measured::Nothing)
        }
    })
}

fn region(of: &PushedRegion, points: Points<'_>) -> Result<Region, BuildError> {
    Ok(match of {
        PushedRegion::Cylinder { cylinder } => {
            Region::Cylinder { from_m: cylinder.from, to_m: cylinder.to, radius_m: cylinder.radius }
        }
        PushedRegion::Sphere { sphere } => {
            Region::Sphere { centre: DVec3::from_array(sphere.centre), radius_m: sphere.radius }
        }
        PushedRegion::Box { bounds } => {
            Region::Cuboid { low: DVec3::from_array(bounds.min), high: DVec3::from_array(bounds.max) }
        }
        PushedRegion::Set { set } => Region::Points(points(set)?),
    })
}

fn push(of: &Push, places: &[DVec3]) -> Orientation {
    match of {
        Push::Along { along } => Orientation::Uniform(DVec3::from_array(*along)),
        Push::Around { around } => Orientation::Around { sign: *around, grows: Growth::Even },
        Push::Away { away } => Orientation::Away { sign: *away },
        Push::Field { field } => {
            let arrow = |arrow: &model::Arrow| (DVec3::from_array(arrow.at), DVec3::from_array(arrow.push));
            let arrows: Vec<(DVec3, DVec3)> = field.iter().map(arrow).collect();
            Orientation::Field(places.iter().map(|at| blend_arrows(&arrows, *at)).collect())
        }
    }
}

/// The widget's place and its two axes in rest coordinates.
fn placed(metaphor: &model::Metaphor, flesh: &Flesh) -> (DVec3, [DVec3; 2]) {
    let axes = [metaphor.along, metaphor.up].map(DVec3::from_array);
    let at = metaphor.at.map(DVec3::from_array);
    match (metaphor.frame, PrincipalFrame::of(&flesh.rest, &flesh.mass_kg)) {
        (WidgetFrame::Principal, Some(own)) => {
            (own.centre + own.axes * at.unwrap_or_default(), axes.map(|axis| own.axes * axis))
        }
        _ => (at.unwrap_or_else(|| centre(flesh)), axes),
    }
}

fn centre(flesh: &Flesh) -> DVec3 {
    let sum: DVec3 = flesh.rest.iter().zip(&flesh.mass_kg).map(|(x, m)| *x * *m).sum();
    sum / flesh.total_mass_kg()
}
