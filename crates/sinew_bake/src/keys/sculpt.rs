//! A key's shape edited by hand: the words of an edit carried out on a body's flesh, and the command that puts the result in its place.

use super::edit::put_keys;
use super::take::{EditAt, find_edit};
use super::{KeyError, KeySamples, KeyedBody, track};
use crate::assets::Assets;
use crate::build::key_shapes::shape_of;
use sinew_direct::key_shapes::{Part, Sculptor, ShapeCells, check_shape};
use sinew_math::DVec3;
use sinew_scene::model::KeyShape;
use sinew_scene::{Axis, Command, Scene, ShapeEdit, ShapePart};
use sinew_solve::Flesh;
use std::sync::Arc;

/// Points this near to the plane of a mirror, as a share of the body's size, lie in it.
const IN_PLANE: f64 = 1e-6;
/// What a part is scaled by at the least and at the most.
const FACTORS: std::ops::RangeInclusive<f64> = 0.01..=100.0;
const MOST_ROUNDS: u32 = 1000;

/// A key whose shape is being edited.
pub struct Sculpt {
    cells: Arc<ShapeCells>,
    sculptor: Sculptor,
    /// The flesh's point of each number in sets of the scene.
    points: Vec<usize>,
    is_elastic: bool,
}

impl Sculpt {
    /// Begins with the shape of the key at a frame of a track: the named director, or the body's first one. Without key shapes that is an edited take.
    pub fn begin(scene: &Scene, body: KeyedBody<'_>, director: Option<&str>, frame: f64) -> Result<Self, KeyError> {
        let start = match find_take(scene, body, director, frame)? {
            Some(edit) => edit.shape(),
            None => key_at(scene, body, director, frame)?,
        };
        let cells = body.cells()?;
        let sculptor = Sculptor::new(cells.clone(), start);
        Ok(Self { cells, sculptor, points: points_by_number(body.flesh), is_elastic: false })
    }

    /// The shape at the start after an edit. What no solver can follow is refused by name.
    pub fn apply(&mut self, edit: &ShapeEdit) -> Result<Vec<DVec3>, KeyError> {
        check_edit(edit)?;
        self.check_reach(edit)?;
        let part = edit.part().map(|part| self.part(part)).transpose()?;
        self.is_elastic = matches!(
            edit,
            ShapeEdit::Pull { .. } | ShapeEdit::Scale { .. } | ShapeEdit::Turn { .. } | ShapeEdit::Bend { .. }
        );
        let v = DVec3::from_array;
        let shape = match (edit, &part) {
            (ShapeEdit::Pull { at, by, radius }, _) => self.sculptor.pull(v(*at), v(*by), *radius),
            (ShapeEdit::Nudge { at, by, radius }, _) => Ok(self.sculptor.nudge(v(*at), v(*by), *radius)),
            (ShapeEdit::Scale { by, .. }, Some(part)) => self.sculptor.scale(part, v(*by)),
            (ShapeEdit::Turn { about, deg, .. }, Some(part)) => self.sculptor.turn(part, v(*about), *deg),
            (ShapeEdit::Bend { along, about, deg, .. }, Some(part)) => {
                self.sculptor.bend(part, v(*along), v(*about), *deg)
            }
            (ShapeEdit::Smooth { rounds, .. }, Some(part)) => Ok(self.sculptor.smooth(part, *rounds as usize)),
            (ShapeEdit::Reset { share, .. }, Some(part)) => Ok(self.sculptor.reset(part, *share)),
            (ShapeEdit::Mirror { from }, _) => self.mirrored(*from),
            (_, None) => Ok(self.sculptor.start().to_vec()),
        };
        let shape = shape.map_err(|error| KeyError::Flesh {
            what: format!("flesh around the part cannot follow: {error}"),
            help: "repair the mesh: it has flat or doubled elements".to_owned(),
        })?;
        check_shape(&self.cells, &shape)?;
        Ok(shape)
    }

    /// What the gesture ends with: the shape it last had, with flesh that has found its place.
    pub fn finish(&mut self, last: Vec<DVec3>) -> Vec<DVec3> {
        let settled = if self.is_elastic { self.sculptor.settle() } else { None };
        settled.filter(|shape| check_shape(&self.cells, shape).is_ok()).unwrap_or(last)
    }

    /// A place that is moved is one of the body.
    fn check_reach(&self, edit: &ShapeEdit) -> Result<(), KeyError> {
        let (ShapeEdit::Pull { at, radius, .. } | ShapeEdit::Nudge { at, radius, .. }) = edit else { return Ok(()) };
        let away = self.cells.rest().iter().map(|x| x.distance(DVec3::from_array(*at))).fold(f64::INFINITY, f64::min);
        if away > radius.max(0.1 * self.cells.size_m()) {
            let what =
                format!("the place {at:?} is {away:.3} m from the body at rest, and {radius} m around it are moved");
            return Err(KeyError::Edit { what, help: "give a place of the body at rest, in its own axes" });
        }
        Ok(())
    }

    fn part(&self, part: &ShapePart) -> Result<Part, KeyError> {
        let refused = |what: String| KeyError::Edit { what, help: "choose a part that holds points of the body" };
        let points: Vec<usize> = match (&part.points, &part.within) {
            (Some(numbers), _) => {
                let find = |number: &u32| self.points.get(*number as usize).copied();
                let all: Option<Vec<usize>> = numbers.iter().map(find).collect();
                all.ok_or_else(|| refused(format!("the body has points 0 to {}", self.points.len() - 1)))?
            }
            (None, Some([low, high])) => {
                let (low, high) = (DVec3::from_array(*low), DVec3::from_array(*high));
                let rest = self.cells.rest();
                (0..rest.len()).filter(|i| rest[*i].cmpge(low).all() && rest[*i].cmple(high).all()).collect()
            }
            (None, None) => (0..self.points.len()).collect(),
        };
        if points.is_empty() {
            return Err(refused("that part holds no point of the body".to_owned()));
        }
        Ok(Part { points, falloff_m: part.falloff })
    }

    /// The side that an axis points to, twice.
    fn mirrored(&self, from: Axis) -> Result<Vec<DVec3>, sinew_math::sparse::FactorError> {
        let (rest, start, axis) = (self.cells.rest(), self.sculptor.start(), from.direction());
        let along = |x: &DVec3| x.dot(axis);
        let low = rest.iter().map(along).fold(f64::INFINITY, f64::min);
        let high = rest.iter().map(along).fold(f64::NEG_INFINITY, f64::max);
        let middle = 0.5 * (low + high);
        let reflected = |x: DVec3| x - axis * (2.0 * (along(&x) - middle));
        let near_m = IN_PLANE * self.cells.size_m();
        let mut kept = KeySamples::default();
        for (x0, x) in rest.iter().zip(start).filter(|(x0, _)| along(x0) >= middle - near_m) {
            kept.rest.push(*x0);
            kept.displacement.push(*x - *x0);
        }
        let place = |(x0, x): (&DVec3, &DVec3)| {
            let side = along(x0) - middle;
            if side > near_m {
                *x
            } else if side >= -near_m {
                *x - axis * (along(x) - middle)
            } else {
                // A place that the kept side is too far from stays as it was.
                kept.moved(reflected(*x0), self.cells.size_m()).map_or(*x, reflected)
            }
        };
        Ok(rest.iter().zip(start).map(place).collect())
    }
}

/// Stores an edited shape and gives the command that makes it the key's: one step of the history.
pub fn sculpt_command(
    scene: &Scene,
    body: KeyedBody<'_>,
    director: Option<&str>,
    frame: f64,
    shape: &[DVec3],
    word: &str,
    assets: &Assets,
) -> Result<Command, KeyError> {
    if let Some(edit) = find_take(scene, body, director, frame)? {
        return edit.put(body, shape, word, assets);
    }
    let (_, key) = find(scene, body, director, frame)?;
    // A formula is in the shape already, and a rest shape was found for the shape before.
    let made = KeyShape { name: key.name, asset: Some(body.store(shape, assets)?), ..KeyShape::rest_at(frame) };
    let of = body.in_scene(scene)?;
    Ok(put_keys(of, director, vec![made], &format!("{word} key {frame} of {}", of.name)))
}

/// Edits carried out one after the other on a key's shape.
pub fn edit_key(
    scene: &Scene,
    body: KeyedBody<'_>,
    director: Option<&str>,
    frame: f64,
    edits: &[ShapeEdit],
    assets: &Assets,
) -> Result<Command, KeyError> {
    let mut sculpt = Sculpt::begin(scene, body, director, frame)?;
    for edit in edits {
        let shape = sculpt.apply(edit)?;
        let shape = sculpt.finish(shape);
        sculpt.sculptor = Sculptor::new(sculpt.cells.clone(), shape);
    }
    let word = if let [edit] = edits { edit.word() } else { "edit" };
    sculpt_command(scene, body, director, frame, sculpt.sculptor.start(), word, assets)
}

/// The edit of a take at a frame: of the named director, or where the body has no key shapes.
fn find_take<'a>(
    scene: &'a Scene,
    body: KeyedBody<'a>,
    director: Option<&str>,
    frame: f64,
) -> Result<Option<EditAt<'a>>, KeyError> {
    if director.is_none() && track(body.in_scene(scene)?, None).is_some() {
        return Ok(None);
    }
    find_edit(scene, body, director, frame)
}

fn key_at(scene: &Scene, body: KeyedBody<'_>, director: Option<&str>, frame: f64) -> Result<Vec<DVec3>, KeyError> {
    let (path, key) = find(scene, body, director, frame)?;
    let shape = shape_of(&key, body.flesh, body.shelf, &path);
    let shape = shape.map_err(|error| KeyError::Flesh {
        what: error.to_string(),
        help: error.help().unwrap_or_default().to_owned(),
    })?;
    Ok(shape.map_or_else(|| body.flesh.rest.clone(), |shape| shape.to_vec()))
}

fn find(
    scene: &Scene,
    body: KeyedBody<'_>,
    director: Option<&str>,
    frame: f64,
) -> Result<(String, KeyShape), KeyError> {
    let of = body.in_scene(scene)?;
    let (path, shapes) = track(of, director).ok_or_else(|| KeyError::NoTrack {
        body: of.name.clone(),
        director: director.map(|name| format!(" {name:?}")).unwrap_or_default(),
    })?;
    let at = shapes.keys.iter().position(|key| key.frame == frame);
    let at = at.ok_or_else(|| KeyError::NoKey {
        path: path.clone(),
        frame,
        known: shapes.keys.iter().map(|key| key.frame.to_string()).collect::<Vec<_>>().join(", "),
    })?;
    Ok((format!("{path}.keys[{at}]"), shapes.keys[at].clone()))
}

fn points_by_number(flesh: &Flesh) -> Vec<usize> {
    let mut points = vec![0; flesh.point_count()];
    for (point, &number) in flesh.file_order.iter().enumerate() {
        points[number as usize] = point;
    }
    points
}

/// Numbers of an edit that mean nothing.
fn check_edit(edit: &ShapeEdit) -> Result<(), KeyError> {
    let refused = |what: &str, help: &'static str| Err(KeyError::Edit { what: what.to_owned(), help });
    let is_direction = |v: &[f64; 3]| DVec3::from_array(*v).length() > 1e-9;
    if let Some(part) = edit.part()
        && (!part.falloff.is_finite() || part.falloff < 0.0)
    {
        return refused("flesh cannot follow over a negative distance", "give a falloff of 0 or more, metres");
    }
    let is_place = |v: &[f64; 3]| v.iter().all(|c| c.is_finite());
    let is_across = |a: &[f64; 3], b: &[f64; 3]| DVec3::from_array(*a).cross(DVec3::from_array(*b)).length() > 1e-9;
    match edit {
        ShapeEdit::Pull { at, by, radius } | ShapeEdit::Nudge { at, by, radius }
            if !(is_place(at) && is_place(by) && radius.is_finite() && *radius > 0.0) =>
        {
            return refused("a place is moved with a radius above 0", "give finite places and a radius in metres");
        }
        ShapeEdit::Scale { by, .. } if !by.iter().all(|factor| FACTORS.contains(factor)) => {
            return refused("a part is scaled by 0.01 to 100", "give three factors in that range");
        }
        ShapeEdit::Turn { about, deg, .. } if !is_direction(about) || !deg.is_finite() => {
            return refused("a turn needs an axis and an angle", "give an axis such as [0, 1, 0] and degrees");
        }
        ShapeEdit::Bend { along, about, deg, .. } if !is_across(along, about) || !deg.is_finite() => {
            return refused("a bend needs two axes across each other", "give along and about, such as x and z");
        }
        ShapeEdit::Smooth { rounds, .. } if *rounds > MOST_ROUNDS => {
            return refused("that is smoothed for too long", "give up to 1000 rounds");
        }
        ShapeEdit::Reset { share, .. } if !(0.0..=1.0).contains(share) => {
            return refused("a part is reset by a share of 0 to 1", "give 1 for all of the way");
        }
        _ => {}
    }
    Ok(())
}
