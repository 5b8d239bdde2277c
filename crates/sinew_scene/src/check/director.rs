//! Directors: the sets they name, and what only makes sense together.

use super::paint::check_fields;
use super::place::{Found, Place, check_unique};
use super::plan::check_plan;
use crate::model::{
    ALL, Act, Body, Chart, Direction, Goal, KeyShapes, Metaphor, Muscle, Path, Push, Pushed, PushedRegion, RestShape,
    Stimulus, TakeEdit, Volume,
};
use crate::nearest::did_you_mean;
use sinew_math::shown;

pub(super) fn check_directors(body: &Body, at: &Place, found: &mut Found) {
    let names = body.directors.iter().enumerate().filter_map(|(i, director)| Some((i, director.name.as_deref()?)));
    check_unique(names, "director", at, found);
    for (index, director) in body.directors.iter().enumerate() {
        let at = at.index(index);
        if let Some(set) = director.direction.on() {
            check_set_exists(body, set, &at.key("on"), found);
        }
        match &director.direction {
            Direction::Muscle(muscle) => check_muscle(muscle, &at, found),
            Direction::RestShape(rest) => check_rest_shape(rest, &at, found),
            Direction::KeyShapes(shapes) => check_key_shapes(shapes, &at, found),
            Direction::TakeEdit(edit) => check_take_edit(body, edit, &at, found),
            Direction::Plan(plan) => check_plan(body, plan, &at, found),
            Direction::Goal(goal) => check_goal(goal, &at, found),
            Direction::Metaphor(metaphor) => check_metaphor(body, metaphor, &at, found),
            Direction::Path(path) => check_path(path, &at, found),
            Direction::Force(_) | Direction::Pin(_) | Direction::Material(_) => {}
        }
    }
}

pub(super) fn check_set_exists(body: &Body, set: &str, at: &Place, found: &mut Found) {
    if set == ALL || body.sets.contains_key(set) {
        return;
    }
    let known: Vec<&str> = body.sets.keys().map(String::as_str).chain([ALL]).collect();
    at.wrong(found, format!("body {:?} has no set called {set:?}", body.name), did_you_mean(set, &known));
}

fn check_goal(goal: &Goal, at: &Place, found: &mut Found) {
    match (&goal.offset, &goal.to) {
        (Some(_), Some(_)) => at.key("to").wrong(
            found,
            "a goal has `move` or `to`, not both",
            "`move` is an offset from where the set starts, `to` a place in the world",
        ),
        (None, None) => {
            at.wrong(found, "a goal needs `move` or `to`", "write move = [0.0, 0.2, 0.0] or to = [0.0, 1.0, 0.0]");
        }
        _ => {}
    }
}

/// Axes that are none, cylinders without length, sets that are not there.
fn check_metaphor(body: &Body, metaphor: &Metaphor, at: &Place, found: &mut Found) {
    let [along, up] = [metaphor.along, metaphor.up].map(sinew_math::DVec3::from_array);
    if along.length() == 0.0 || !along.is_finite() {
        at.key("along").wrong(found, "the long axis has no direction", "write along = [1.0, 0.0, 0.0]");
    } else if up.cross(along).length() <= 1e-9 * up.length() * along.length() {
        at.key("up").wrong(found, "`up` runs along the long axis", "choose a direction across `along`");
    }
    check_metaphor_goal(metaphor, at, found);
    let act = at.key("act");
    let far = match &metaphor.act {
        Act::Stretch { stretch } => Some((act.key("stretch"), stretch.near, stretch.far)),
        Act::Compress { compress } => Some((act.key("compress"), compress.near, compress.far)),
        Act::Twist { twist } => Some((act.key("twist"), twist.near, twist.far)),
        Act::Bend { bend } => {
            if bend.arm == 0.0 {
                let help = "write how far the ends are from the pivot, in metres";
                act.key("bend").key("arm").wrong(found, "without an arm both ends are the pivot: nothing bends", help);
            }
            None
        }
        Act::Custom { custom } => {
            check_custom(body, custom, &act.key("custom"), found);
            None
        }
    };
    if let Some((at, near, far)) = far
        && far <= near
    {
        at.key("far").wrong(
            found,
            format!("the cylinders end at {} m, where they begin or before", shown(far)),
            format!("write more than {}", shown(near)),
        );
    }
}

/// Sets that are not there, pushes that go nowhere.
fn check_custom(body: &Body, custom: &[Pushed], at: &Place, found: &mut Found) {
    for (index, part) in custom.iter().enumerate() {
        let at = at.index(index);
        if let PushedRegion::Set { set } = &part.region {
            check_set_exists(body, set, &at.key("region"), found);
        }
        let is_nothing = match &part.push {
            Push::Along { along } => *along == [0.0; 3],
            Push::Around { around: factor } | Push::Away { away: factor } => *factor == 0.0,
            Push::Field { field } => field.iter().all(|arrow| arrow.push == [0.0; 3]),
        };
        if is_nothing {
            at.key("push").wrong(found, "a push of length 0 moves nothing", "write along = [1.0, 0.0, 0.0]");
        }
    }
}

fn check_metaphor_goal(metaphor: &Metaphor, at: &Place, found: &mut Found) {
    let Some(goal) = &metaphor.goal else { return };
    let at = at.key("goal");
    if goal.from >= goal.at {
        let from = goal.from;
        at.key("at").wrong(
            found,
            format!("the goal is to be reached at frame {}, but begins at {from}", goal.at),
            format!("write a frame after {from}"),
        );
    }
    let (least, most, what) = match metaphor.act {
        Act::Twist { .. } => (-3600.0, 3600.0, "a goal of a twist is below ten turns: between -3600 and 3600 degrees"),
        Act::Bend { .. } => (-180.0, 180.0, "bent by half a turn, the ends meet: between -180 and 180 degrees"),
        Act::Stretch { .. } => (-100.0, f64::INFINITY, "a body cannot become shorter by 100 % and more"),
        Act::Compress { .. } => (f64::NEG_INFINITY, 100.0, "a body cannot become shorter by 100 % and more"),
        Act::Custom { .. } => (f64::NEG_INFINITY, f64::INFINITY, ""),
    };
    if goal.amount <= least || goal.amount >= most {
        let amount = goal.amount;
        at.key("amount").wrong(found, format!("{what}; {amount} is not"), "ask for less");
    }
    if matches!(metaphor.act, Act::Custom { .. }) {
        at.wrong(
            found,
            "a custom metaphor measures nothing, so it has no goal",
            "use stretch, compress, twist or bend, or leave out `goal`",
        );
    }
}

fn check_rest_shape(rest: &RestShape, at: &Place, found: &mut Found) {
    for (index, channel) in rest.scale.0.iter().enumerate() {
        let outside = channel.is_cut_off().then_some(0.0);
        if let Some(value) = channel.written_values().into_iter().chain(outside).find(|value| *value <= 0.0) {
            at.key("scale").index(index).wrong(
                found,
                format!("cannot scale by {}", shown(value)),
                "a factor is greater than 0",
            );
        }
    }
    if rest.along.index() == rest.bend_about.index() {
        let help = "bend about an axis across the long one: a bar along x bends about y or z";
        at.key("bend_about").wrong(found, "a body cannot bend about its long axis", help);
    }
}

fn check_path(path: &Path, at: &Place, found: &mut Found) {
    if path.turn.is_some() && !path.turns.is_empty() {
        at.key("turns").wrong(found, "a path has `turn` or `turns`, not both", "leave one of them out");
    }
    for (index, key) in path.turns.iter().enumerate() {
        let at = at.key("turns").index(index);
        if index > 0 && path.turns[index - 1].frame >= key.frame {
            at.key("frame").wrong(found, "keys must rise in frames", "put them in the order of their frames");
        }
        if key.turn.iter().map(|part| part * part).sum::<f64>() < 1e-12 {
            at.key("turn").wrong(found, "a quaternion of length 0 is no turn", "write [0.0, 0.0, 0.0, 1.0] for none");
        }
    }
}

fn check_key_shapes(shapes: &KeyShapes, at: &Place, found: &mut Found) {
    for (index, key) in shapes.keys.iter().enumerate() {
        let at = at.key("keys").index(index);
        if let Some(other) = shapes.keys[..index].iter().position(|other| other.frame == key.frame) {
            let help = format!("keys[{other}] is there already; move one of them");
            at.key("frame").wrong(found, format!("two keys are at frame {}", key.frame), help);
        }
        if key.along.index() == key.bend_about.index() {
            let help = "bend about an axis across the long one: a bar along x bends about y or z";
            at.key("bend_about").wrong(found, "a body cannot bend about its long axis", help);
        }
        let files = [("asset", &key.asset), ("rest", &key.rest)];
        for (word, file) in files.into_iter().filter_map(|(word, file)| Some((word, file.as_ref()?))) {
            if !file.starts_with("assets/") {
                let help = "keys from files are made with `sinew key`, which stores and names them";
                at.key(word).wrong(found, format!("{file:?} is no asset of the project"), help);
            }
        }
    }
}

fn check_take_edit(body: &Body, edit: &TakeEdit, at: &Place, found: &mut Found) {
    let no_asset = |word: &str, file: &str, at: &Place, found: &mut Found| {
        if !file.starts_with("assets/") {
            let help = "edits of takes are made with `sinew key take` or the studio, which store and name them";
            at.key(word).wrong(found, format!("{file:?} is no asset of the project"), help);
        }
    };
    no_asset("take", &edit.take, at, found);
    if body.copies.is_some() {
        let what = format!("copies of {:?} share its directors, and one take would lead all to one place", body.name);
        at.wrong(found, what, "edit the take of a body without copies");
    }
    for (index, key) in edit.keys.iter().enumerate() {
        let at = at.key("keys").index(index);
        if let Some(other) = edit.keys[..index].iter().position(|other| other.frame == key.frame) {
            let help = format!("keys[{other}] is there already; move one of them");
            at.key("frame").wrong(found, format!("two edits are at frame {}", key.frame), help);
        }
        if let Some(asset) = &key.asset {
            no_asset("asset", asset, &at, found);
        }
        if key.turn.iter().map(|part| part * part).sum::<f64>() < 1e-12 {
            at.key("turn").wrong(found, "a quaternion of length 0 is no turn", "write [0.0, 0.0, 0.0, 1.0] for none");
        }
    }
}

fn check_muscle(muscle: &Muscle, at: &Place, found: &mut Found) {
    check_rates(&muscle.primary, muscle.rate_limit, &at.key("primary"), found);
    let others = [(&muscle.secondary, "secondary"), (&muscle.tertiary, "tertiary")];
    for (chart, key) in others {
        let Some(chart) = chart else { continue };
        check_rates(chart, muscle.rate_limit, &at.key(key), found);
        if muscle.volume != Volume::Off {
            let help = format!("write volume = \"off\", or leave out `{key}`");
            at.key(key).wrong(found, format!("`{key}` has no effect while volume is kept"), help);
        }
    }
    check_respond(muscle, at, found);
    check_fields(muscle, at, found);
}

fn check_respond(muscle: &Muscle, at: &Place, found: &mut Found) {
    let Some(respond) = &muscle.respond else { return };
    if !respond.touches.is_empty() && !respond.to.contains(&Stimulus::Touch) {
        let help = "write to = [\"touch\"], or leave out `touches`";
        at.key("respond").key("touches").wrong(found, "touches have no effect on what does not respond to touch", help);
    }
    if muscle.phase.is_some() {
        let help = "leave out `phase`: a response spreads with the distance from where it begins";
        at.key("phase").wrong(found, "`phase` has no effect on a response", help);
    }
}

fn check_rates(chart: &Chart, limit: f64, at: &Place, found: &mut Found) {
    for (index, key) in chart.keys().iter().enumerate() {
        // A little room, so that a rate of 1/limit written in decimals is not refused.
        if !(key.value * limit > 1.0 - 1e-9 && key.value <= limit * (1.0 + 1e-9)) {
            let help = format!("rates lie between 1/{limit} and {limit}; `rate_limit` widens that");
            at.index(index).wrong(found, format!("the rate {} is out of bounds", key.value), help);
        }
    }
}
