//! The file of a key shape: places of the body at rest and how far each is moved, arrays `rest` and `displacement` of an NPZ.
//!
//! Both are of shape (points, 3), f8, metres, in the order of the mesh's file. Samples know where they are, so that a key made on one
//! mesh of a body can be had on a finer one.

use crate::assets::Asset;
use sinew_io::npz::{NpzError, NpzReader, NpzWriter, Values};
use sinew_math::rotation::outer;
use sinew_math::{DMat3, DVec3};
use sinew_solve::Flesh;
use std::path::Path;

/// A sample this near to a point of the flesh, as a share of its size, is that point.
const SAME: f64 = 1e-6;
/// No point of the flesh may be farther from all samples than this share of its size.
const NEAR: f64 = 0.1;
/// Samples that a point between them is moved with.
const NEIGHBOURS: usize = 12;

/// Where a shape takes points of a body.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct KeySamples {
    pub rest: Vec<DVec3>,
    pub displacement: Vec<DVec3>,
}

/// Why a file is no key of a body.
#[derive(Debug, thiserror::Error)]
pub enum KeyFileError {
    #[error(transparent)]
    Npz(#[from] NpzError),
    #[error(
        "array {name:?} has shape {shape:?}; a key has n rows of three f8 numbers, as many in `rest` as in `displacement`"
    )]
    Shape { name: &'static str, shape: Vec<usize> },
    #[error(
        "array {name:?} has shape {shape:?}; a motion has first_frame (1), rest (points, 3), origin (frames, 3) and offset (frames, points, 3)"
    )]
    Motion { name: &'static str, shape: Vec<usize> },
    #[error("it was recorded on another mesh: that has {found} points, the body {points}")]
    OtherMesh { found: usize, points: usize },
    #[error("sample {sample} is at no finite place")]
    NotFinite { sample: usize },
    #[error(
        "it was made on another body: the point at {at:.4} is {far_m:.4} m from the nearest of its {samples} samples"
    )]
    OtherBody { at: DVec3, far_m: f64, samples: usize },
}

impl KeySamples {
    /// Of a shape in the flesh's order.
    pub fn of(flesh: &Flesh, shape: &[DVec3]) -> Self {
        let mut samples = Self { rest: vec![DVec3::ZERO; shape.len()], displacement: vec![DVec3::ZERO; shape.len()] };
        for (i, &place) in flesh.file_order.iter().enumerate() {
            samples.rest[place as usize] = flesh.rest[i];
            samples.displacement[place as usize] = shape[i] - flesh.rest[i];
        }
        samples
    }

    /// Mirrored along an axis, about the middle of the samples.
    pub fn mirrored(&self, axis: DVec3) -> Self {
        let along = |x: &DVec3| x.dot(axis);
        let low = self.rest.iter().map(along).fold(f64::INFINITY, f64::min);
        let high = self.rest.iter().map(along).fold(f64::NEG_INFINITY, f64::max);
        let turned = |x: &DVec3| *x - axis * (2.0 * along(x));
        let back = axis * (low + high);
        Self {
            rest: self.rest.iter().map(|x| turned(x) + back).collect(),
            displacement: self.displacement.iter().map(turned).collect(),
        }
    }

    /// The file's bytes: the same samples always give the same.
    pub fn to_bytes(&self) -> Result<Vec<u8>, KeyFileError> {
        let dir =
            tempfile::tempdir().map_err(|source| NpzError::Write { path: "a temporary folder".into(), source })?;
        let path = dir.path().join("key.npz");
        let mut out = NpzWriter::create(&path)?;
        for (name, values) in [("rest", &self.rest), ("displacement", &self.displacement)] {
            let numbers: Vec<f64> = values.iter().flat_map(DVec3::to_array).collect();
            out.f8(name, &[values.len(), 3], &numbers)?;
        }
        out.finish()?;
        Ok(std::fs::read(&path).map_err(|source| NpzError::Read { path, source })?)
    }

    /// The file as an asset to be stored.
    pub fn to_asset(&self) -> Result<Asset, KeyFileError> {
        Ok(Asset::new("key", "npz", self.to_bytes()?))
    }

    pub fn read(path: &Path) -> Result<Self, KeyFileError> {
        let file = NpzReader::open(path)?;
        let vectors = |name: &'static str| {
            let array = file.array(name)?;
            match (&array.shape[..], &array.values) {
                ([_, 3], Values::F8(numbers)) => {
                    Ok(numbers.chunks_exact(3).map(DVec3::from_slice).collect::<Vec<DVec3>>())
                }
                _ => Err(KeyFileError::Shape { name, shape: array.shape }),
            }
        };
        let samples = Self { rest: vectors("rest")?, displacement: vectors("displacement")? };
        if samples.rest.len() != samples.displacement.len() || samples.rest.is_empty() {
            return Err(KeyFileError::Shape { name: "displacement", shape: vec![samples.displacement.len(), 3] });
        }
        let is_finite = |(a, b): (&DVec3, &DVec3)| a.is_finite() && b.is_finite();
        match samples.rest.iter().zip(&samples.displacement).position(|pair| !is_finite(pair)) {
            Some(sample) => Err(KeyFileError::NotFinite { sample }),
            None => Ok(samples),
        }
    }

    /// The shape on a body's flesh, in its order: sample by sample on the mesh it was made on, else by moving least squares.
    pub fn on(&self, flesh: &Flesh) -> Result<Vec<DVec3>, KeyFileError> {
        let size_m = flesh.size_m();
        let is_own = |(i, &place): (usize, &u32)| {
            let rest = self.rest.get(place as usize);
            rest.is_some_and(|rest| rest.distance(flesh.rest[i]) <= SAME * size_m)
        };
        if self.rest.len() == flesh.point_count() && flesh.file_order.iter().enumerate().all(is_own) {
            let place = |(x0, &place): (&DVec3, &u32)| *x0 + self.displacement[place as usize];
            return Ok(flesh.rest.iter().zip(&flesh.file_order).map(place).collect());
        }
        flesh.rest.iter().map(|x0| self.moved(*x0, NEAR * size_m)).collect()
    }

    /// A place between samples, by the affine map that fits the nearest of them best.
    pub(super) fn moved(&self, x0: DVec3, near_m: f64) -> Result<DVec3, KeyFileError> {
        let mut nearest: Vec<(f64, usize)> = Vec::with_capacity(NEIGHBOURS + 1);
        for (sample, rest) in self.rest.iter().enumerate() {
            let far = rest.distance_squared(x0);
            if nearest.len() < NEIGHBOURS || far < nearest[nearest.len() - 1].0 {
                let at = nearest.partition_point(|(other, _)| *other <= far);
                nearest.insert(at, (far, sample));
                nearest.truncate(NEIGHBOURS);
            }
        }
        let far_m = nearest[0].0.sqrt();
        if far_m > near_m {
            return Err(KeyFileError::OtherBody { at: x0, far_m, samples: self.rest.len() });
        }
        let reach = nearest[nearest.len() - 1].0.max(f64::MIN_POSITIVE);
        let weight = |far: f64| 1.0 / (far / reach + 1e-6);
        let sum: f64 = nearest.iter().map(|(far, _)| weight(*far)).sum();
        let mean = |of: &[DVec3]| nearest.iter().map(|(far, n)| of[*n] * weight(*far)).sum::<DVec3>() / sum;
        let (middle, by) = (mean(&self.rest), mean(&self.displacement));
        let (mut cross, mut own) = (DMat3::ZERO, DMat3::from_diagonal(DVec3::splat(1e-6 * reach * sum)));
        for (far, n) in &nearest {
            let arm = (self.rest[*n] - middle) * weight(*far);
            cross += outer(self.displacement[*n] - by, arm);
            own += outer(self.rest[*n] - middle, arm);
        }
        Ok(x0 + by + cross * own.inverse() * (x0 - middle))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_geom::structured::bar;
    use sinew_math::dvec3;

    fn flesh(cells: [usize; 3]) -> Flesh {
        Flesh::from_tets(bar(dvec3(1.0, 0.2, 0.2), cells), 1000.0).unwrap()
    }

    fn bent(x: DVec3) -> DVec3 {
        x + dvec3(0.0, 0.3 * x.x * x.x, 0.1 * x.x)
    }

    #[test]
    fn a_key_comes_back_as_it_was_and_on_a_finer_mesh_as_it_would_be() {
        let coarse = flesh([16, 3, 3]);
        let shape: Vec<DVec3> = coarse.rest.iter().map(|x| bent(*x)).collect();
        let samples = KeySamples::of(&coarse, &shape);
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("key.npz");
        std::fs::write(&path, samples.to_bytes().unwrap()).unwrap();
        let read = KeySamples::read(&path).unwrap();
        assert_eq!(read, samples);
        let back = read.on(&coarse).unwrap();
        assert!(back.iter().zip(&shape).all(|(a, b)| a.distance(*b) < 1e-15));
        let fine = flesh([29, 5, 5]);
        let worst =
            read.on(&fine).unwrap().iter().zip(&fine.rest).map(|(x, x0)| x.distance(bent(*x0))).fold(0.0, f64::max);
        assert!(worst < 0.002, "{worst} m off on the finer mesh");
    }

    #[test]
    fn what_is_no_key_of_the_body_says_why() {
        let own = flesh([8, 2, 2]);
        let far = KeySamples { rest: vec![dvec3(9.0, 0.0, 0.0); 4], displacement: vec![DVec3::ZERO; 4] };
        assert!(matches!(far.on(&own), Err(KeyFileError::OtherBody { .. })));
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("key.npz");
        let write = |samples: &KeySamples| std::fs::write(&path, samples.to_bytes().unwrap()).unwrap();
        write(&KeySamples { rest: vec![DVec3::ZERO; 3], displacement: vec![DVec3::ZERO; 2] });
        assert!(matches!(KeySamples::read(&path), Err(KeyFileError::Shape { .. })));
        write(&KeySamples { rest: vec![DVec3::NAN; 3], displacement: vec![DVec3::ZERO; 3] });
        assert!(matches!(KeySamples::read(&path), Err(KeyFileError::NotFinite { sample: 0 })));
        std::fs::write(&path, "not a key").unwrap();
        assert!(matches!(KeySamples::read(&path), Err(KeyFileError::Npz(_))));
    }
}
