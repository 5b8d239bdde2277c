//! Key shapes of the scene become running ones.

use super::BuildError;
use crate::keys::KeyShelf;
use sinew_direct::ShapeFormula;
use sinew_direct::key_shapes::{Between, KeyShape, KeyShapes, ShapeCells, check_shape};
use sinew_math::DVec3;
use sinew_scene::model;
use sinew_solve::Flesh;
use std::sync::Arc;

/// The key shapes of a director; `at` is its place in the scene.
pub(crate) fn make(of: &model::KeyShapes, flesh: &Flesh, shelf: &KeyShelf, at: &str) -> Result<KeyShapes, BuildError> {
    let refuse = |place: &str, what: String, help: String| BuildError::new(format!("{at}.{place}"), what, help);
    let cells = shelf.cells(flesh).map_err(|problem| refuse("keys", problem.what, problem.help))?;
    let mut keys = Vec::new();
    for (number, key) in of.keys.iter().enumerate() {
        let asset = |word: &str, name: &Option<String>| {
            let place = format!("keys[{number}].{word}");
            let read =
                |name: &String| shelf.shape(name, flesh).map_err(|problem| refuse(&place, problem.what, problem.help));
            name.as_ref().map(read).transpose()
        };
        let (shape, rest) = (asset("asset", &key.asset)?, asset("rest", &key.rest)?);
        let shape = formed(key, shape, &cells).map_err(|what| {
            refuse(&format!("keys[{number}]"), what, "ask for less, or mesh the body finer".to_owned())
        })?;
        keys.push(KeyShape { frame: key.frame, shape, rest });
    }
    let between = match of.between {
        model::Between::Rigid => Between::Rigid,
        model::Between::Linear => Between::RigidLinear,
        model::Between::Physical => Between::Physical { damping: of.damping },
    };
    Ok(KeyShapes::new(cells, keys, between))
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
