//! Plans: keys that contradict each other, parts out of order, sets and copies that are not there.

use super::director::check_set_exists;
use super::place::{Found, Place};
use crate::model::{Body, Copies, Direction, Director, Flesh, Grown, Plan, PlanKey};

pub(super) fn check_plan(body: &Body, plan: &Plan, at: &Place, found: &mut Found) {
    if matches!(body.flesh, Flesh::Grown(Grown::Shell { .. })) {
        at.wrong(
            found,
            "a plan moves bodies with an inside, and this one is a sheet",
            "give it flesh = { kind = \"tets\" }",
        );
    }
    let is_earlier = |other: &&Director| {
        !other.mute && matches!(&other.direction, Direction::Plan(of) if !std::ptr::eq(&**of, plan))
    };
    let before = body
        .directors
        .iter()
        .take_while(|own| !matches!(&own.direction, Direction::Plan(of) if std::ptr::eq(&**of, plan)));
    let overlapping =
        before.filter(is_earlier).any(|own| matches!(&own.direction, Direction::Plan(of) if do_meet(of, plan)));
    let is_muted = body
        .directors
        .iter()
        .any(|own| own.mute && matches!(&own.direction, Direction::Plan(of) if std::ptr::eq(&**of, plan)));
    if overlapping && !is_muted {
        let help = "give them `parts` that do not meet, put all keys into one plan, or mute one";
        at.wrong(found, "two plans lead the body at the same time", help);
    }
    check_parts(plan, &at.key("parts"), found);
    for (index, key) in plan.keys.iter().enumerate() {
        let place = at.key("keys").index(index);
        check_times(key, &place, found);
        check_what_it_holds(body, key, &place, found);
        let is_same = |other: &&PlanKey| is_pose_twice(key, other);
        if let Some(other) = plan.keys[..index].iter().find(is_same) {
            let what = format!("two poses are at frame {}", key.frame.max(other.frame));
            place.key("frame").wrong(found, what, "move one of them, or make it a guess");
        }
    }
    if let Some(file) = &plan.plan {
        check_asset(file, &at.key("plan"), found);
    }
}

/// Two poses of the same body at one time, of which neither is a guess; a held one is there all the while.
fn is_pose_twice(a: &PlanKey, b: &PlanKey) -> bool {
    let is_fixed = |key: &PlanKey| key.is_pose() && !key.guess;
    let is_met = a.frame <= b.to.unwrap_or(b.frame) && b.frame <= a.to.unwrap_or(a.frame);
    is_fixed(a) && is_fixed(b) && is_met && (a.copy == b.copy || a.copy.is_none() || b.copy.is_none())
}

/// Whether two plans are designed at the same frame.
fn do_meet(one: &Plan, other: &Plan) -> bool {
    let parts = |plan: &Plan| -> Vec<[f64; 2]> {
        if !plan.parts.is_empty() {
            return plan.parts.iter().map(|part| part.map(f64::from)).collect();
        }
        let first = plan.keys.iter().map(|key| key.frame).fold(f64::INFINITY, f64::min);
        let last = plan.keys.iter().map(|key| key.to.unwrap_or(key.frame)).fold(f64::NEG_INFINITY, f64::max);
        vec![[first, last]]
    };
    let others = parts(other);
    parts(one).iter().any(|[a, b]| others.iter().any(|[c, d]| a <= d && c <= b))
}

fn check_parts(plan: &Plan, at: &Place, found: &mut Found) {
    for (index, [first, last]) in plan.parts.iter().enumerate() {
        if last < first {
            at.index(index).wrong(found, format!("the part ends at {last} before it begins at {first}"), "swap them");
        }
        if let Some([_, before]) = index.checked_sub(1).map(|before| plan.parts[before])
            && *first <= before
        {
            let what = format!("the part begins at {first}, and the one before it ends at {before}");
            at.index(index).wrong(found, what, "parts follow each other with frames between them");
        }
    }
}

fn check_times(key: &PlanKey, at: &Place, found: &mut Found) {
    if let Some(to) = key.to
        && (to.is_nan() || to < key.frame)
    {
        at.key("to").wrong(found, format!("the key ends at {to} before it begins at {}", key.frame), "make `to` later");
    }
    if key.guess && (key.to.is_some() || key.velocity.is_some() || key.bounce || key.on.is_some()) {
        let help = "leave out `to`, `velocity`, `bounce` and `on`, or `guess`";
        at.key("guess").wrong(found, "a guess is a pose at one frame, and no constraint", help);
    }
}

fn check_what_it_holds(body: &Body, key: &PlanKey, at: &Place, found: &mut Found) {
    if let Some(set) = &key.on {
        check_set_exists(body, set, &at.key("on"), found);
        for (is_there, word) in [
            (key.asset.is_some(), "asset"),
            (key.turn.is_some(), "turn"),
            (key.bend_deg != 0.0, "bend_deg"),
            (key.twist_deg != 0.0, "twist_deg"),
            (key.mirror.is_some(), "mirror"),
        ] {
            if is_there {
                at.key(word).wrong(found, format!("`{word}` is of a whole pose"), "leave it out, or leave out `on`");
            }
        }
    }
    if key.turn.is_some_and(|turn| turn.iter().map(|part| part * part).sum::<f64>() < 1e-12) {
        at.key("turn").wrong(found, "a quaternion of length 0 is no turn", "write [0.0, 0.0, 0.0, 1.0] for none");
    }
    if let Some(asset) = &key.asset {
        check_asset(asset, &at.key("asset"), found);
    }
    let Some(copy) = key.copy else { return };
    match body.copies.as_ref().map(Copies::body_count) {
        None => at.key("copy").wrong(found, format!("{:?} has no copies", body.name), "leave out `copy`"),
        Some(count) if u64::from(copy) > count => {
            let what = format!("there is no copy {copy} of {:?}", body.name);
            at.key("copy").wrong(found, what, format!("copies are counted from 1 to {count}"));
        }
        Some(_) => {}
    }
}

fn check_asset(file: &str, at: &Place, found: &mut Found) {
    if !file.starts_with("assets/") {
        let help = "poses and plans are made with `sinew key add --plan`, `sinew refine plan` or the studio, which store and name them";
        at.wrong(found, format!("{file:?} is no asset of the project"), help);
    }
}
