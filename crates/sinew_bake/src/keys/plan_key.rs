//! Keys of plans: a body as it is seen becomes a pose with a place and a turn.

use super::edit::{KeyError, KeyedBody, NewKey, free_name, rounded};
use crate::assets::Assets;
use serde_json::json;
use sinew_direct::key_shapes::unfold;
use sinew_math::rotation::{best_fit_rotation, mass_centre};
use sinew_scene::model::{Plan, PlanKey};
use sinew_scene::{Body, Command, Direction, Scene};

/// Stores a pose as an asset and gives the command that puts it into a plan: the named director's, or the
/// body's first one, or a new one, which begins with the body where it starts at the first frame. A pose at
/// its frame is replaced, but for its name. `copy` is the copy that was seen, from 1, of a body that has
/// copies.
pub fn plan_key_command(
    scene: &Scene,
    body: KeyedBody<'_>,
    director: Option<&str>,
    key: NewKey,
    assets: &Assets,
) -> Result<Command, KeyError> {
    let of = body.in_scene(scene)?;
    let copy = of.copies.as_ref().and_then(|_| body.name.rsplit('-').next()?.parse().ok());
    let mut made = PlanKey { name: key.name, copy, ..PlanKey::at_frame(key.frame) };
    if let Some(shape) = &key.shape {
        let (shape, _) = unfold(&*body.cells()?, shape)?;
        made.asset = Some(body.store(&shape, assets)?);
        made.at = Some(mass_centre(&shape, &body.flesh.mass_kg).to_array().map(rounded));
        made.turn = Some(best_fit_rotation(&body.flesh.rest, &shape, &body.flesh.mass_kg).to_array());
    }
    let label = format!("pose of {} at frame {}", body.name, key.frame);
    let command = match plan_of(of, director) {
        Some((path, plan)) => {
            let is_same = |other: &&PlanKey| other.is_pose() && other.frame == made.frame && other.copy == made.copy;
            let replaced = plan.keys.iter().find(is_same);
            made.name = made.name.or_else(|| replaced.and_then(|other| other.name.clone()));
            let mut keys: Vec<PlanKey> = plan.keys.iter().filter(|other| !is_same(other)).cloned().collect();
            keys.push(made);
            keys.sort_by(|a, b| a.frame.total_cmp(&b.frame));
            Command::Set { path: format!("{path}.keys"), value: json!(keys) }
        }
        None => {
            let first = f64::from(scene.shot.frames[0]);
            let begin = (first < key.frame).then(|| PlanKey::at_frame(first));
            let keys: Vec<PlanKey> = begin.into_iter().chain([made]).collect();
            let value = json!({ "name": free_name(of, "plan"), "kind": "plan", "keys": keys });
            Command::Add { to: format!("body.{}.director", of.name), value, index: None, name: None }
        }
    };
    Ok(Command::Batch { label: Some(label), commands: vec![command] })
}

/// A plan by its director's name, or the first one: its path in the scene, and what it says.
fn plan_of<'a>(body: &'a Body, director: Option<&str>) -> Option<(String, &'a Plan)> {
    body.directors.iter().enumerate().find_map(|(number, own)| match &own.direction {
        Direction::Plan(plan) if director.is_none_or(|name| own.name_at(number) == name) => {
            let place = own.name.as_ref().map_or_else(|| format!("[{number}]"), |name| format!(".{name}"));
            Some((format!("body.{}.director{place}", body.name), &**plan))
        }
        _ => None,
    })
}
