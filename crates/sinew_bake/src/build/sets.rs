//! Named vertex sets, found on the flesh.

use super::BuildError;
use super::painting::path_line;
use sinew_math::DVec3;
use sinew_scene::{ALL, Body, VertexSet};
use sinew_solve::Flesh;

/// The points of the set called `name`, in rising order; an empty set is an error, because nothing would happen.
pub(crate) fn points(body: &Body, flesh: &Flesh, name: &str, asked_by: &str) -> Result<Vec<u32>, BuildError> {
    let at = format!("body.{}.{asked_by}", body.name);
    if name == ALL && !body.sets.contains_key(ALL) {
        return Ok((0..flesh.point_count() as u32).collect());
    }
    let set = body.sets.get(name).ok_or_else(|| {
        let known: Vec<&str> = body.sets.keys().map(String::as_str).chain([ALL]).collect();
        BuildError::new(
            &at,
            format!("there is no set {name:?}"),
            format!("the sets of this body are {}", known.join(", ")),
        )
    })?;
    if let VertexSet::Vertices { vertices } = set
        && let Some(wrong) = vertices.iter().find(|&&v| v as usize >= flesh.point_count())
    {
        let what = format!("vertex {wrong} does not exist: the flesh has {}", flesh.point_count());
        return Err(BuildError::new(format!("body.{}.sets.{name}", body.name), what, "vertices count from 0"));
    }
    let found: Vec<u32> = (0..flesh.point_count() as u32).filter(|&i| contains(set, flesh, i as usize)).collect();
    if found.is_empty() {
        let (low, high) = bounds(flesh);
        return Err(BuildError::new(
            format!("body.{}.sets.{name}", body.name),
            "no vertex of the flesh lies in this set",
            format!("the rest shape reaches from {low:.3} to {high:.3}; enlarge the set or use finer flesh"),
        ));
    }
    Ok(found)
}

fn contains(set: &VertexSet, flesh: &Flesh, point: usize) -> bool {
    let x = flesh.rest[point];
    match set {
        VertexSet::All { all } => *all,
        VertexSet::Box { bounds } => {
            x.cmpge(DVec3::from_array(bounds.min)).all() && x.cmple(DVec3::from_array(bounds.max)).all()
        }
        VertexSet::Sphere { sphere } => x.distance(DVec3::from_array(sphere.centre)) <= sphere.radius,
        VertexSet::Side { side, within } => {
            let (low, high) = bounds(flesh);
            let axis = side.index();
            let depth = if side.is_negative() { x[axis] - low[axis] } else { high[axis] - x[axis] };
            depth <= within * (high[axis] - low[axis]) + 1e-9 * (high - low).length()
        }
        VertexSet::Strokes { strokes, radius } => {
            strokes.iter().filter_map(|line| path_line(&line.0)).any(|line| line.distance(x) <= *radius)
        }
        VertexSet::Vertices { vertices } => vertices.contains(&flesh.file_order[point]),
    }
}

fn bounds(flesh: &Flesh) -> (DVec3, DVec3) {
    flesh.rest.iter().fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), x| (low.min(*x), high.max(*x)))
}
