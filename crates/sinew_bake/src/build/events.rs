//! The events of a scene as the inputs that hands would give: what is played live and what is written down are
//! one thing to the stage.
//!
//! A hand is heard once a frame. So is a pull of the scene: where it is at whole frames is what counts, and a
//! pull that was recorded from a hand gives exactly the inputs that the hand gave.

use sinew_math::DVec3;
use sinew_scene::{Body, Event, Scene};
use sinew_solve::{BodyId, Input};
use sinew_stage::{Clock, Script};
use std::collections::BTreeMap;

/// The inputs of a scene's events; `bodies` are the names on stage, in its order.
pub fn script<'a>(scene: &Scene, clock: Clock, bodies: impl IntoIterator<Item = &'a str>) -> Script {
    let ids: BTreeMap<&str, BodyId> =
        bodies.into_iter().enumerate().map(|(number, name)| (name, BodyId(number as u32))).collect();
    let mut script = Script::default();
    for body in &scene.bodies {
        for (number, name) in names_on_stage(body).into_iter().enumerate() {
            let Some(&id) = ids.get(name.as_str()) else { continue };
            let own = body.events.iter().filter(|event| event.copy().is_none_or(|copy| copy as usize == number + 1));
            add(&mut script, &own.collect::<Vec<_>>(), id, clock);
        }
    }
    script
}

/// What a body, or its copies, are called on stage.
fn names_on_stage(body: &Body) -> Vec<String> {
    match &body.copies {
        None => vec![body.name.clone()],
        Some(copies) => (0..copies.body_count() as usize).map(|place| body.copy_name(place)).collect(),
    }
}

/// Where two pulls of one body overlap, the later one in the list holds it.
fn add(script: &mut Script, events: &[&Event], body: BodyId, clock: Clock) {
    let mut held: BTreeMap<i32, Option<Input>> = BTreeMap::new();
    for event in events {
        match event {
            Event::Touch { frame, at, .. } if *frame >= clock.first_frame => {
                script.add(clock.tick_of(*frame), Input::Touch { body, at_rest: DVec3::from_array(*at) });
            }
            Event::Touch { .. } => {}
            Event::Pull { frame, at, path, .. } => {
                let end = frame.saturating_add(path.last().map_or(0.0, |last| last[0].ceil()) as i32);
                for now in (*frame).max(clock.first_frame)..end.min(clock.last_frame.saturating_add(1)) {
                    let to = place_at(path, f64::from(now - frame));
                    held.insert(now, Some(Input::Drag { body, at_rest: DVec3::from_array(*at), to }));
                }
                held.entry(end).or_insert(None);
            }
        }
    }
    for (frame, input) in held.into_iter().filter(|(frame, _)| *frame >= clock.first_frame) {
        script.add(clock.tick_of(frame), input.unwrap_or(Input::LetGo { body }));
    }
}

/// Where the hand is so many frames after it took hold. At the entries themselves exactly there.
fn place_at(path: &[[f64; 4]], since: f64) -> DVec3 {
    let place = |entry: &[f64; 4]| DVec3::new(entry[1], entry[2], entry[3]);
    let next = path.partition_point(|entry| entry[0] <= since);
    match (next.checked_sub(1).and_then(|before| path.get(before)), path.get(next)) {
        (Some(before), Some(after)) => {
            let share = (since - before[0]) / (after[0] - before[0]);
            place(before) + (place(after) - place(before)) * share
        }
        (Some(end), None) | (None, Some(end)) => place(end),
        (None, None) => DVec3::ZERO,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_math::dvec3;

    const CLOCK: Clock = Clock { fps: (24, 1), substeps: 4, first_frame: 1, last_frame: 50 };

    fn script_of(events: &str) -> Script {
        let text = format!("sinew = 1\n[[body]]\nname = \"bar\"\nskin = {{ model = \"bar\" }}\n{events}");
        let scene = sinew_scene::Document::parse(&text, "events").unwrap().scene().clone();
        script(&scene, CLOCK, ["other", "bar"])
    }

    #[test]
    fn a_pull_is_heard_once_a_frame_and_lets_go_at_its_end() {
        let script = script_of(
            "[[body.event]]\nkind = \"pull\"\nframe = 3\nat = [0.1, 0.0, 0.0]\npath = [[0, 0, 0, 0], [2, 1, 0, 0], [3, 1, 2, 0]]\n",
        );
        let drag =
            |x: f64, y: f64| Input::Drag { body: BodyId(1), at_rest: dvec3(0.1, 0.0, 0.0), to: dvec3(x, y, 0.0) };
        assert_eq!(script.at(8), [drag(0.0, 0.0)]);
        assert_eq!(script.at(12), [drag(0.5, 0.0)], "half of the way to the second place");
        assert_eq!(script.at(16), [drag(1.0, 0.0)]);
        assert_eq!(script.at(20), [Input::LetGo { body: BodyId(1) }]);
        assert!([0, 4, 9, 10, 11, 24].iter().all(|tick| script.at(*tick).is_empty()));
    }

    #[test]
    fn of_two_pulls_the_later_one_holds_and_nobody_lets_go_in_between() {
        let script = script_of(
            "[[body.event]]\nkind = \"pull\"\nframe = 1\nat = [0, 0, 0]\npath = [[0, 1, 0, 0], [4, 1, 0, 0]]\n\
             [[body.event]]\nkind = \"pull\"\nframe = 3\nat = [0, 0, 0]\npath = [[0, 2, 0, 0], [4, 2, 0, 0]]\n",
        );
        let held: Vec<f64> = (0..7)
            .map(|frame| match script.at(4 * frame) {
                [Input::Drag { to, .. }] => to.x,
                [Input::LetGo { .. }] => -1.0,
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(held, [1.0, 1.0, 2.0, 2.0, 2.0, 2.0, -1.0]);
    }

    #[test]
    fn what_lies_before_the_shot_is_left_out() {
        let script = script_of(
            "[[body.event]]\nkind = \"touch\"\nframe = 0\nat = [0, 0, 0]\n[[body.event]]\nkind = \"touch\"\nframe = 2\nat = [1, 0, 0]\n\
             [[body.event]]\nkind = \"pull\"\nframe = -5\nat = [0, 0, 0]\npath = [[0, 0, 0, 0], [7, 7, 0, 0]]\n",
        );
        let drag = Input::Drag { body: BodyId(1), at_rest: DVec3::ZERO, to: dvec3(6.0, 0.0, 0.0) };
        assert_eq!(script.at(0), [drag], "held already when the shot begins");
        assert_eq!(
            script.at(4),
            [Input::Touch { body: BodyId(1), at_rest: DVec3::X }, Input::LetGo { body: BodyId(1) }]
        );
    }
}
