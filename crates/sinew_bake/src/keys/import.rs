//! A mesh of the same topology as the shape of a body: its tetrahedra, or its skin, which the flesh follows as rigidly as it can.

use super::shelf::KeyShelf;
use super::{KeyError, KeySamples};
use crate::StageBody;
use sinew_direct::key_shapes::{Handles, ShapeCells, check_shape, unfold};
use sinew_math::DVec3;
use sinew_solve::Cells;
use std::path::Path;

/// Sweeps of the elastic solve that carries flesh into a skin.
const SWEEPS: usize = 120;
/// Places of a skin that local maps are fitted to.
const MOST_SAMPLES: usize = 4_000;
/// How far a skin may be from where it should be then, as a share of the body's size.
const CLOSE: f64 = 0.02;

/// The shape of a body that a mesh file shows, in the flesh's order.
pub fn shape_of_mesh(body: &StageBody, file: &Path, unit_m: f64) -> Result<Vec<DVec3>, KeyError> {
    let other = |what: String| KeyError::OtherTopology { file: file.to_owned(), body: body.name.clone(), what };
    let flesh = &body.flesh;
    let shape = if sinew_io::holds_tets(file) {
        let read = sinew_io::read_tets(file).map_err(|error| other(error.to_string()))?;
        let count = read.positions.len();
        let same = match &flesh.cells {
            Cells::Tets(tets) => count == flesh.point_count() && read.tets.len() == tets.len(),
            Cells::Shell(_) => false,
        };
        if !same {
            let (points, cells) = (flesh.point_count(), cell_count(&flesh.cells));
            let what =
                format!("it has {count} points and {} tetrahedra, the body {points} and {cells}", read.tets.len());
            return Err(other(what));
        }
        flesh.file_order.iter().map(|&place| read.positions[place as usize] * unit_m).collect()
    } else {
        let read = sinew_io::read_surface(file).map_err(|error| other(error.to_string()))?;
        let skin = &body.skin.mesh;
        if (read.positions.len(), read.triangles.len()) != (skin.positions.len(), skin.triangles.len()) {
            let (points, triangles) = (read.positions.len(), read.triangles.len());
            return Err(other(format!(
                "it has {points} vertices and {triangles} triangles, the body's skin {} and {}",
                skin.positions.len(),
                skin.triangles.len()
            )));
        }
        if let Some(at) = read.triangles.iter().zip(&skin.triangles).position(|(a, b)| a != b) {
            return Err(other(format!("its triangle {at} joins other vertices than the skin's")));
        }
        let to: Vec<DVec3> = read.positions.iter().map(|x| *x * unit_m).collect();
        if let Some(point) = to.iter().position(|x| !x.is_finite()) {
            return Err(other(format!("vertex {point} is at no finite place")));
        }
        within_skin(body, &to).map_err(other)?
    };
    let problem = |error: super::shelf::KeyProblem| other(error.what);
    let cells = KeyShelf::default().cells(flesh).map_err(problem)?;
    let folded = |trouble| KeyError::FoldedMesh { file: file.to_owned(), body: body.name.clone(), trouble };
    // What is mended is told where the key is made.
    unfold(&cells, &shape).map_err(folded)?;
    Ok(shape)
}

/// The flesh whose skin is at `to`.
fn within_skin(body: &StageBody, to: &[DVec3]) -> Result<Vec<DVec3>, String> {
    let cells = KeyShelf::default().cells(&body.flesh).map_err(|error| error.what)?;
    let places = (0..to.len()).map(|vertex| body.skin.embedding.terms(vertex)).collect();
    let handles = Handles::new(cells.clone(), places).map_err(|error| error.to_string())?;
    let shape = handles.drag(&body.flesh.rest, to, SWEEPS);
    let shape = if check_shape(&cells, &shape).is_ok() { shape } else { unfolded(body, &cells, &handles, to, shape) };
    let off = handles.residual_m(&shape, to) / cells.size_m();
    if off > CLOSE {
        return Err(format!(
            "its flesh cannot follow: some of the skin would be {:.1} % of the body's size away; give the flesh more vertices",
            100.0 * off
        ));
    }
    Ok(shape)
}

/// Where flesh that follows as rigidly as it can folds over, it begins with a smooth map instead and goes on only as far as every element stays the
/// right way round. A shape that folds even so is left to whoever checks it.
fn unfolded(body: &StageBody, cells: &ShapeCells, handles: &Handles, to: &[DVec3], folded: Vec<DVec3>) -> Vec<DVec3> {
    let rest = &body.flesh.rest;
    let mut skin = Vec::new();
    body.skin.embedding.apply(rest, &mut skin);
    let by: Vec<DVec3> = to.iter().zip(&skin).map(|(to, from)| *to - *from).collect();
    let harmonic = || Some(handles.spread(rest, &by));
    let local = || local_maps(rest, &skin, &by, cells.size_m());
    let smooth: [&dyn Fn() -> Option<Vec<DVec3>>; 2] = [&harmonic, &local];
    let is_shape = |shape: &Vec<DVec3>| check_shape(cells, shape).is_ok();
    let Some(mut best) = smooth.into_iter().find_map(|map| map().filter(is_shape)) else { return folded };
    for _ in 0..SWEEPS {
        let next = handles.drag(&best, to, 1);
        if check_shape(cells, &next).is_err() {
            break;
        }
        best = next;
    }
    best
}

/// Every point moved by the affine map that fits the skin near it best: a skin that is bent, leant or squashed as a whole takes the flesh along.
fn local_maps(rest: &[DVec3], skin: &[DVec3], by: &[DVec3], reach_m: f64) -> Option<Vec<DVec3>> {
    let every = skin.len().div_ceil(MOST_SAMPLES).max(1);
    let thinned = |of: &[DVec3]| of.iter().copied().step_by(every).collect();
    let samples = KeySamples { rest: thinned(skin), displacement: thinned(by) };
    rest.iter().map(|x0| samples.moved(*x0, reach_m).ok()).collect()
}

fn cell_count(cells: &Cells) -> usize {
    match cells {
        Cells::Tets(tets) => tets.len(),
        Cells::Shell(triangles) => triangles.len(),
    }
}
