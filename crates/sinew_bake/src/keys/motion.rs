//! The file of a recorded motion: where a body's points were at every frame of a take.
//!
//! Arrays of an NPZ: `first_frame` (1), i4; `rest` (points, 3), f8; `origin` (frames, 3), f8; `offset` (frames, points, 3), f4. Metres, points in the
//! order of the mesh's file. A point is at its frame's origin plus its offset.

use super::KeyFileError;
use crate::assets::Asset;
use sinew_direct::take_edit::Motion;
use sinew_io::npz::{NpzError, NpzReader, NpzWriter, Values};
use sinew_math::DVec3;
use sinew_math::rotation::mass_centre;
use sinew_solve::Flesh;
use std::path::Path;

/// A point this far from where the file has it at rest, as a share of the body's size, is another one.
const SAME: f64 = 1e-6;

/// The motion that a body's recorded shapes show, frame by frame without gaps, in the flesh's order; none where there are none.
pub fn motion_of(flesh: &Flesh, seen: &[(i32, Vec<DVec3>)]) -> Option<Motion> {
    let frame = |(_, x): &(i32, Vec<DVec3>)| {
        let origin = mass_centre(x, &flesh.mass_kg);
        (origin, x.iter().map(|x| (*x - origin).as_vec3().to_array()).collect())
    };
    Motion::new(seen.first()?.0, seen.iter().map(frame).collect())
}

/// The file as an asset to be stored: the same motion always gives the same bytes.
pub(super) fn to_asset(motion: &Motion, flesh: &Flesh) -> Result<Asset, KeyFileError> {
    let dir = tempfile::tempdir().map_err(|source| NpzError::Write { path: "a temporary folder".into(), source })?;
    let path = dir.path().join("motion.npz");
    let (points, frames) = (flesh.point_count(), motion.recorded());
    let mut rest = vec![0.0; 3 * points];
    let mut offsets = vec![0.0f32; 3 * points * frames.len()];
    for (point, &place) in flesh.file_order.iter().enumerate() {
        let place = place as usize;
        rest[3 * place..3 * place + 3].copy_from_slice(&flesh.rest[point].to_array());
        for (number, (_, own)) in frames.iter().enumerate() {
            let at = 3 * (number * points + place);
            offsets[at..at + 3].copy_from_slice(&own[point]);
        }
    }
    let origins: Vec<f64> = frames.iter().flat_map(|(origin, _)| origin.to_array()).collect();
    let mut out = NpzWriter::create(&path)?;
    out.i4("first_frame", &[1], &[*motion.frames().start()])?;
    out.f8("rest", &[points, 3], &rest)?;
    out.f8("origin", &[frames.len(), 3], &origins)?;
    out.f4("offset", &[frames.len(), points, 3], &offsets)?;
    out.finish()?;
    let bytes = std::fs::read(&path).map_err(|source| NpzError::Read { path, source })?;
    Ok(Asset::new("motion", "npz", bytes))
}

/// The motion of a file on the flesh that it was recorded on, in its order.
pub(super) fn read(path: &Path, flesh: &Flesh) -> Result<Motion, KeyFileError> {
    let file = NpzReader::open(path)?;
    let array = |name: &'static str| Ok::<_, KeyFileError>(file.array(name)?);
    let odd = |name: &'static str, shape: Vec<usize>| KeyFileError::Motion { name, shape };
    let [first, rest, origin, offset] = ["first_frame", "rest", "origin", "offset"].map(array);
    let (first, rest, origin, offset) = (first?, rest?, origin?, offset?);
    let first_frame = match (&first.shape[..], &first.values) {
        ([1], Values::I4(numbers)) if numbers[0].abs() < 1 << 30 => numbers[0],
        _ => return Err(odd("first_frame", first.shape)),
    };
    let points = flesh.point_count();
    let (Values::F8(rest_numbers), [found, 3]) = (&rest.values, &rest.shape[..]) else {
        return Err(odd("rest", rest.shape));
    };
    let is_own = |(x, &place): (&DVec3, &u32)| {
        let at = 3 * place as usize;
        DVec3::from_slice(&rest_numbers[at..at + 3]).distance(*x) <= SAME * flesh.size_m()
    };
    if *found != points || !flesh.rest.iter().zip(&flesh.file_order).all(is_own) {
        return Err(KeyFileError::OtherMesh { found: *found, points });
    }
    let (Values::F8(origins), [frames, 3]) = (&origin.values, &origin.shape[..]) else {
        return Err(odd("origin", origin.shape));
    };
    let Values::F4(offsets) = &offset.values else { return Err(odd("offset", offset.shape)) };
    if offset.shape[..] != [*frames, points, 3] || *frames == 0 {
        return Err(odd("offset", offset.shape));
    }
    let is_finite = origins.iter().all(|x| x.is_finite()) && offsets.iter().all(|x| x.is_finite());
    if !is_finite {
        return Err(KeyFileError::NotFinite { sample: 0 });
    }
    let frame = |number: usize| {
        let of = |&place: &u32| {
            let at = 3 * (number * points + place as usize);
            [offsets[at], offsets[at + 1], offsets[at + 2]]
        };
        (DVec3::from_slice(&origins[3 * number..]), flesh.file_order.iter().map(of).collect())
    };
    let motion = Motion::new(first_frame, (0..*frames).map(frame).collect());
    motion.ok_or_else(|| odd("offset", offset.shape.clone()))
}
