//! The file of a plan: where a body's points are at the frames that were solved for.
//!
//! Arrays of an NPZ: `frames` (copies), i4, frames of each copy; `breaks` (all), i4, 1 where the velocity may
//! jump; `at` (all), f8, frames of the scene; `rest` (points, 3), f8; `origin` (all, 3), f8; `offset` (all,
//! points, 3), f4. Metres, points in the order of the mesh's file. A point is at its frame's origin plus its
//! offset.

use crate::assets::Asset;
use crate::keys::{KeyFileError, KeySamples};
use sinew_io::npz::{NpzError, NpzReader, NpzWriter, Values};
use sinew_math::DVec3;
use sinew_math::rotation::mass_centre;
use sinew_solve::Flesh;
use std::path::Path;

/// Planned motions of a body and its copies.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PlanFile {
    pub copies: Vec<PlanFrames>,
}

/// Places of all points of one body at frames of the scene, rising, in the flesh's order.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PlanFrames {
    pub frames: Vec<(f64, Vec<DVec3>)>,
    /// Which of them are breaks of the velocity.
    pub breaks: Vec<usize>,
}

/// Why a file is no plan of a body.
#[derive(Debug, thiserror::Error)]
pub enum PlanFileError {
    #[error(transparent)]
    Npz(#[from] NpzError),
    #[error(
        "array {name:?} has shape {shape:?}; a plan has frames (copies), breaks and at (frames in all), rest (points, 3), origin (frames in all, 3) and offset (frames in all, points, 3)"
    )]
    Shape { name: &'static str, shape: Vec<usize> },
    #[error("it holds a number that is not finite")]
    NotFinite,
    #[error("its frames do not rise")]
    NotRising,
    #[error(transparent)]
    OtherBody(#[from] KeyFileError),
}

impl PlanFile {
    /// The file as an asset to be stored: the same plan always gives the same bytes.
    pub fn to_asset(&self, flesh: &Flesh) -> Result<Asset, PlanFileError> {
        let dir =
            tempfile::tempdir().map_err(|source| NpzError::Write { path: "a temporary folder".into(), source })?;
        let path = dir.path().join("plan.npz");
        let points = flesh.point_count();
        let mut rest = vec![0.0; 3 * points];
        for (point, &place) in flesh.file_order.iter().enumerate() {
            rest[3 * place as usize..3 * place as usize + 3].copy_from_slice(&flesh.rest[point].to_array());
        }
        let counts: Vec<i32> = self.copies.iter().map(|copy| copy.frames.len() as i32).collect();
        let (mut at, mut breaks, mut origins) = (Vec::new(), Vec::new(), Vec::new());
        let mut offsets = Vec::new();
        for copy in &self.copies {
            for (number, (frame, places)) in copy.frames.iter().enumerate() {
                at.push(*frame);
                breaks.push(i32::from(copy.breaks.contains(&number)));
                let origin = mass_centre(places, &flesh.mass_kg);
                origins.extend(origin.to_array());
                let from = offsets.len();
                offsets.resize(from + 3 * points, 0.0f32);
                for (point, &place) in flesh.file_order.iter().enumerate() {
                    let to = from + 3 * place as usize;
                    offsets[to..to + 3].copy_from_slice(&(places[point] - origin).as_vec3().to_array());
                }
            }
        }
        let mut out = NpzWriter::create(&path)?;
        out.i4("frames", &[counts.len()], &counts)?;
        out.i4("breaks", &[breaks.len()], &breaks)?;
        out.f8("at", &[at.len()], &at)?;
        out.f8("rest", &[points, 3], &rest)?;
        out.f8("origin", &[at.len(), 3], &origins)?;
        out.f4("offset", &[at.len(), points, 3], &offsets)?;
        out.finish()?;
        let bytes = std::fs::read(&path).map_err(|source| NpzError::Read { path, source })?;
        Ok(Asset::new("plan", "npz", bytes))
    }

    /// The plan of a file on a body's flesh: point by point on the mesh it was made on, else carried over by
    /// moving least squares.
    pub fn read(path: &Path, flesh: &Flesh) -> Result<Self, PlanFileError> {
        let Table { counts, breaks, at, rest, origins, offsets } = Table::read(path)?;
        let points = rest.len();
        let mut copies = Vec::new();
        let mut number = 0;
        for count in counts {
            let mut copy = PlanFrames::default();
            for _ in 0..count {
                let place = |point: usize| {
                    let from = 3 * (number * points + point);
                    let offset = [offsets[from], offsets[from + 1], offsets[from + 2]];
                    origins[number] + DVec3::from_array(offset.map(f64::from))
                };
                let displacement = rest.iter().enumerate().map(|(point, x)| place(point) - *x).collect();
                let places = KeySamples { rest: rest.clone(), displacement }.on(flesh)?;
                if copy.frames.last().is_some_and(|(before, _)| at[number] <= *before) {
                    return Err(PlanFileError::NotRising);
                }
                if breaks[number] != 0 {
                    copy.breaks.push(copy.frames.len());
                }
                copy.frames.push((at[number], places));
                number += 1;
            }
            copies.push(copy);
        }
        Ok(Self { copies })
    }
}

/// The arrays of a file, of shapes that fit together.
struct Table {
    counts: Vec<usize>,
    breaks: Vec<i32>,
    at: Vec<f64>,
    rest: Vec<DVec3>,
    origins: Vec<DVec3>,
    offsets: Vec<f32>,
}

impl Table {
    fn read(path: &Path) -> Result<Self, PlanFileError> {
        let file = NpzReader::open(path)?;
        let odd = |name: &'static str, shape: &[usize]| PlanFileError::Shape { name, shape: shape.to_vec() };
        let whole = |name: &'static str| {
            let array = file.array(name)?;
            match (&array.shape[..], array.values) {
                ([_], Values::I4(numbers)) => Ok(numbers),
                (shape, _) => Err(odd(name, shape)),
            }
        };
        let numbers = |name: &'static str| {
            let array = file.array(name)?;
            match array.values {
                Values::F8(numbers) => Ok((array.shape, numbers)),
                _ => Err(odd(name, &array.shape)),
            }
        };
        let vectors = |name: &'static str| {
            let (shape, numbers) = numbers(name)?;
            let vectors = || numbers.chunks_exact(3).map(DVec3::from_slice).collect::<Vec<DVec3>>();
            if matches!(shape[..], [_, 3]) { Ok(vectors()) } else { Err(odd(name, &shape)) }
        };
        let (counts, breaks) = (whole("frames")?, whole("breaks")?);
        let (at_shape, at) = numbers("at")?;
        let (rest, origins) = (vectors("rest")?, vectors("origin")?);
        let offset = file.array("offset")?;
        let total = at.len();
        let counted: i64 = counts.iter().map(|count| i64::from(*count)).sum();
        if at_shape.len() != 1 || counts.iter().any(|count| *count < 1) || counted != total as i64 {
            return Err(odd("frames", &[counts.len()]));
        }
        if breaks.len() != total || origins.len() != total {
            return Err(odd("origin", &[origins.len(), 3]));
        }
        let is_whole = offset.shape[..] == [total, rest.len(), 3];
        let Values::F4(offsets) = offset.values else { return Err(odd("offset", &offset.shape)) };
        if !is_whole || rest.is_empty() {
            return Err(odd("offset", &offset.shape));
        }
        let is_finite = at.iter().all(|x| x.is_finite())
            && offsets.iter().all(|x| x.is_finite())
            && rest.iter().chain(&origins).all(|x| x.is_finite());
        if !is_finite {
            return Err(PlanFileError::NotFinite);
        }
        let counts = counts.into_iter().map(|count| count as usize).collect();
        Ok(Self { counts, breaks, at, rest, origins, offsets })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_geom::structured::bar;
    use sinew_math::{DQuat, dvec3};

    fn flesh(cells: [usize; 3]) -> Flesh {
        Flesh::from_tets(bar(dvec3(1.0, 0.2, 0.2), cells), 1000.0).unwrap()
    }

    fn plan(flesh: &Flesh) -> PlanFile {
        let turned = |frame: f64| {
            let turn = DQuat::from_rotation_y(0.1 * frame);
            flesh.rest.iter().map(|x| dvec3(frame, 2.0, 0.0) + turn * *x).collect::<Vec<_>>()
        };
        let copy = |frames: &[f64], breaks: Vec<usize>| PlanFrames {
            frames: frames.iter().map(|frame| (*frame, turned(*frame))).collect(),
            breaks,
        };
        PlanFile { copies: vec![copy(&[1.0, 12.5, 24.0], vec![1]), copy(&[3.0, 9.0], vec![])] }
    }

    fn farthest(a: &PlanFile, b: &PlanFile) -> f64 {
        let frames = a.copies.iter().zip(&b.copies).flat_map(|(a, b)| a.frames.iter().zip(&b.frames));
        frames.flat_map(|((_, a), (_, b))| a.iter().zip(b)).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max)
    }

    #[test]
    fn a_plan_comes_back_as_it_was_and_is_carried_to_another_mesh() {
        let (coarse, fine) = (flesh([8, 2, 2]), flesh([13, 3, 3]));
        let plan = plan(&coarse);
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("plan.npz");
        std::fs::write(&path, plan.to_asset(&coarse).unwrap().bytes).unwrap();
        let back = PlanFile::read(&path, &coarse).unwrap();
        assert_eq!(back.copies[0].breaks, [1]);
        assert_eq!(back.copies[1].frames[1].0, 9.0);
        assert!(farthest(&back, &plan) < 1e-6);
        let carried = PlanFile::read(&path, &fine).unwrap();
        assert!(farthest(&carried, &self::plan(&fine)) < 1e-5, "turned and moved bodies are carried over exactly");
    }

    #[test]
    fn what_is_no_plan_of_the_body_says_why() {
        let own = flesh([8, 2, 2]);
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("plan.npz");
        let mut backwards = plan(&own);
        backwards.copies[0].frames.reverse();
        std::fs::write(&path, backwards.to_asset(&own).unwrap().bytes).unwrap();
        assert!(matches!(PlanFile::read(&path, &own), Err(PlanFileError::NotRising)));
        let far = Flesh::from_tets(bar(dvec3(30.0, 9.0, 9.0), [3, 1, 1]), 1000.0).unwrap();
        std::fs::write(&path, plan(&own).to_asset(&own).unwrap().bytes).unwrap();
        assert!(matches!(PlanFile::read(&path, &far), Err(PlanFileError::OtherBody(_))));
        std::fs::write(&path, KeySamples::of(&own, &own.rest).to_bytes().unwrap()).unwrap();
        assert!(matches!(PlanFile::read(&path, &own), Err(PlanFileError::Npz(_))));
    }
}
