//! Key shapes of the scene become running ones.

use super::BuildError;
use crate::keys::{KeySamples, KeyShelf};
use sinew_direct::ShapeFormula;
use sinew_direct::key_shapes::{Between, KeyShape, KeyShapes, ShapeCells, check_shape};
use sinew_math::DVec3;
use sinew_scene::model;
use sinew_solve::Flesh;
use std::sync::Arc;

/// The key shapes of a director; `at` is its place in the scene.
pub(crate) fn make(of: &model::KeyShapes, flesh: &Flesh, shelf: &KeyShelf, at: &str) -> Result<KeyShapes, BuildError> {
    let cells = shelf.cells(flesh);
    let cells = cells.map_err(|problem| BuildError::new(format!("{at}.keys"), problem.what, problem.help))?;
    let mut keys = Vec::new();
    for (number, key) in of.keys.iter().enumerate() {
        let place = format!("{at}.keys[{number}]");
        let rest = asset(key.rest.as_deref(), flesh, shelf, &format!("{place}.rest"))?;
        keys.push(KeyShape { frame: key.frame, shape: shape_of(key, flesh, shelf, &place)?, rest });
    }
    let between = match of.between {
        model::Between::Rigid => Between::Rigid,
        model::Between::Linear => Between::RigidLinear,
        model::Between::Physical => Between::Physical { damping: of.damping },
    };
    Ok(KeyShapes::new(cells, keys, between))
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
