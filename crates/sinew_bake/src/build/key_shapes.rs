//! Key shapes of the scene become running ones.

use super::{BuildError, BuildWarning};
use crate::keys::{KeySamples, KeyShelf};
use sinew_direct::ShapeFormula;
use sinew_direct::key_shapes::{Between, KeyShape, KeyShapes, ShapeCells, check_shape};
use sinew_math::DVec3;
use sinew_scene::model::{Flesh as SceneFlesh, Grown};
use sinew_scene::{Body, Direction, Director, Scene, Solver, model};
use sinew_solve::Flesh;
use std::sync::Arc;

/// The key shapes of a director; `at` is its place in the scene.
pub(crate) fn make(of: &model::KeyShapes, flesh: &Flesh, shelf: &KeyShelf, at: &str) -> Result<KeyShapes, BuildError> {
    let cells = shelf.cells(flesh);
    let cells = cells.map_err(|problem| BuildError::new(format!("{at}.keys"), problem.what, problem.help))?;
    let mut keys = Vec::new();
    for (number, key) in of.keys.iter().enumerate() {
        let place = format!("{at}.keys[{number}]");
        let rest = key.rest.as_deref().filter(|_| !key.is_rest_stale());
        let rest = asset(rest, flesh, shelf, &format!("{place}.rest"))?;
        let shape = shape_of(key, flesh, shelf, &place)?;
        keys.push(KeyShape { frame: key.frame, shape, rest, lead: key.lead });
    }
    let between = match of.between {
        model::Between::Rigid => Between::Rigid,
        model::Between::Linear => Between::RigidLinear,
        model::Between::Physical => Between::Physical { damping: of.damping },
    };
    Ok(KeyShapes::new(cells, keys, between))
}

/// What keys and paths cannot do as they are: rest shapes that were found for other keys, directors that contradict each other, sheets that do not bend.
pub(super) fn warnings(scene: &Scene, body: &Body) -> Vec<BuildWarning> {
    let mut found: Vec<BuildWarning> = contradictions(scene, body).chain(flat_sheet(body)).collect();
    for (number, director) in body.directors.iter().enumerate().filter(|(_, director)| !director.mute) {
        let Direction::KeyShapes(shapes) = &director.direction else { continue };
        let place = director.name.as_ref().map_or_else(|| format!("[{number}]"), |name| format!(".{name}"));
        for (key, of) in shapes.keys.iter().enumerate().filter(|(_, key)| key.is_rest_stale()) {
            found.push(BuildWarning {
                at: format!("body.{}.director{place}.keys[{key}].rest", body.name),
                what: format!(
                    "the rest shape of the key at frame {} was found for another shape, frame or lead and is left out",
                    of.frame
                ),
                help: "find it anew with `sinew refine keys` or *Make exact*, or take `rest` out".to_owned(),
            });
        }
    }
    found
}

/// Two paths, or a path and a pin, that act at the same frame.
fn contradictions(scene: &Scene, body: &Body) -> impl Iterator<Item = BuildWarning> {
    let acting: Vec<(usize, &Director)> =
        body.directors.iter().enumerate().filter(|(_, director)| !director.mute).collect();
    let leads = |director: &Director, frame: f64| match &director.direction {
        Direction::Path(path) => path.strength.0.value(frame) * director.weight.0.value(frame) > 0.0,
        _ => false,
    };
    let holds = |director: &Director, frame: f64| {
        matches!(director.direction, Direction::Pin(_)) && director.weight.0.value(frame) > 0.0
    };
    let [first, last] = scene.shot.frames;
    let mut found = None;
    for frame in (first..=last).map(f64::from) {
        let paths: Vec<usize> = acting.iter().filter(|(_, own)| leads(own, frame)).map(|(place, _)| *place).collect();
        let pin = acting.iter().find(|(_, own)| holds(own, frame)).map(|(place, _)| *place);
        let both = match (&paths[..], pin) {
            ([.., one, other], _) => {
                Some((*one, *other, "lead the body at the same time, and the later one alone counts"))
            }
            ([path], Some(pin)) => {
                Some((*path, pin, "contradict each other: one leads the whole body, the other holds points of it"))
            }
            _ => None,
        };
        if let Some((one, other, what)) = both {
            let name = |place: usize| body.directors[place].name_at(place);
            found = Some(BuildWarning {
                at: format!("body.{}.director[{other}]", body.name),
                what: format!("{:?} and {:?} {what} (frame {frame} on)", name(one), name(other)),
                help: "let one end before the other begins (strength, weight), or mute one".to_owned(),
            });
            break;
        }
    }
    found.into_iter()
}

/// Springs of a sheet know lengths alone, and a flat one has no side to bend to.
fn flat_sheet(body: &Body) -> Option<BuildWarning> {
    let is_sheet =
        matches!(body.solver, Solver::Springs { .. }) && matches!(body.flesh, SceneFlesh::Grown(Grown::Shell { .. }));
    let bends = |director: &&Director| match &director.direction {
        Direction::KeyShapes(shapes) => shapes.keys.iter().any(|key| key.bend_deg != 0.0 || key.s_bend_deg != 0.0),
        _ => false,
    };
    let place = body.directors.iter().position(|director| is_sheet && !director.mute && bends(&director))?;
    Some(BuildWarning {
        at: format!("body.{}.director[{place}]", body.name),
        what: "springs of a sheet know lengths alone: a flat one does not bend to its keys".to_owned(),
        help: "use shape_matching for the sheet, or bend it with a metaphor or goals".to_owned(),
    })
}

/// What the body should look like at a key, without its rigid part; none is the body at rest. `at` is the key's place in the scene.
pub(crate) fn shape_of(
    key: &model::KeyShape,
    flesh: &Flesh,
    shelf: &KeyShelf,
    at: &str,
) -> Result<Option<Arc<Vec<DVec3>>>, BuildError> {
    let cells = shelf.cells(flesh).map_err(|problem| BuildError::new(at, problem.what, problem.help))?;
    let shape = asset(key.asset.as_deref(), flesh, shelf, &format!("{at}.asset"))?;
    let no_shape = |what: String| BuildError::new(at, what, "ask for less, or mesh the body finer");
    let shape = formed(key, shape, &cells).map_err(no_shape)?;
    let (Some(axis), Some(shape)) = (key.mirror, &shape) else { return Ok(shape) };
    let is_none = |what: String| BuildError::new(format!("{at}.mirror"), what, "mirror along another axis");
    let mirrored = KeySamples::of(flesh, shape).mirrored(axis.direction()).on(flesh);
    let mirrored = mirrored.map_err(|error| is_none(format!("it has no mirror image on this body: {error}")))?;
    check_shape(&cells, &mirrored).map_err(|trouble| is_none(format!("its mirror image is no shape: {trouble}")))?;
    Ok(Some(Arc::new(cells.without_rigid_motion(&mirrored))))
}

fn asset(name: Option<&str>, flesh: &Flesh, shelf: &KeyShelf, at: &str) -> Result<Option<Arc<Vec<DVec3>>>, BuildError> {
    let read = |name: &str| shelf.shape(name, flesh).map_err(|problem| BuildError::new(at, problem.what, problem.help));
    name.map(read).transpose()
}

/// A key's shape after its formula; none is the body at rest.
fn formed(
    key: &model::KeyShape,
    shape: Option<Arc<Vec<DVec3>>>,
    cells: &ShapeCells,
) -> Result<Option<Arc<Vec<DVec3>>>, String> {
    let formula = ShapeFormula {
        scale: DVec3::from_array(key.scale),
        twist_deg: key.twist_deg,
        bend_deg: key.bend_deg,
        s_bend_deg: key.s_bend_deg,
        axis: key.along.direction(),
        bend_to: key.bend_about.direction().cross(key.along.direction()),
    };
    if formula.is_rest() {
        return Ok(shape);
    }
    let formed = formula.shape(shape.as_ref().map_or(cells.rest(), |shape| shape));
    check_shape(cells, &formed)
        .map_err(|trouble| format!("the key at frame {} is no shape of the body: {trouble}", key.frame))?;
    Ok(Some(Arc::new(cells.without_rigid_motion(&formed))))
}
