//! Caches in NPZ: `NAME/skin` (F,V,3) with `NAME/faces`, as `sinew export` writes them, or any array of that shape.

use super::{Cache, CacheMotion};
use crate::ReadError;
use crate::npz::{NpzArray, NpzError, NpzReader, Values};
use std::path::Path;

/// Where a file says nothing of time.
const FPS: f64 = 24.0;

pub(super) fn read(path: &Path) -> Result<Vec<Cache>, ReadError> {
    let npz = NpzReader::open(path)?;
    let damaged = |what: String| NpzError::Damaged { path: path.to_owned(), what };
    let has = |name: &str| npz.names().any(|known| known == name);
    let skins: Vec<&str> = npz.names().filter(|name| name.ends_with("/skin")).collect();
    let wanted = if skins.is_empty() { npz.names().filter(|name| !name.contains('/')).collect() } else { skins };
    let times = if has("times") { Some(npz.array("times")?) } else { None };
    let first_frame = if has("frames") { first_of(&npz.array("frames")?) } else { None };
    let mut caches = Vec::new();
    for name in wanted {
        let array = npz.array(name)?;
        let &[frame_count, vertex_count, 3] = &array.shape[..] else { continue };
        if frame_count == 0 || vertex_count == 0 {
            return Err(damaged(format!("array {name:?} of shape {:?} has no points", array.shape)).into());
        }
        let Some(numbers) = floats(&array) else { continue };
        if let Some(wild) = numbers.iter().position(|number| !number.is_finite()) {
            return Err(damaged(format!("array {name:?}: number {wild} is not finite")).into());
        }
        let points = numbers.as_chunks::<3>().0;
        let frames = points.chunks_exact(vertex_count).map(<[_]>::to_vec).collect();
        let body = name.strip_suffix("/skin").unwrap_or(name);
        let faces = format!("{body}/faces");
        let triangles = if has(&faces) { triangles(&npz.array(&faces)?, vertex_count) } else { Some(Vec::new()) };
        let triangles = triangles.ok_or_else(|| damaged(format!("array {faces:?} does not hold triangles")))?;
        caches.push(Cache {
            name: body.to_owned(),
            vertex_count,
            triangles,
            times_secs: seconds(times.as_ref(), frame_count),
            first_frame,
            motion: CacheMotion::Frames(frames),
        });
    }
    if caches.is_empty() {
        let have = npz.names().collect::<Vec<_>>().join(", ");
        return Err(damaged(format!("no array of shape (frames, vertices, 3); it has {have}")).into());
    }
    Ok(caches)
}

fn floats(array: &NpzArray) -> Option<Vec<f32>> {
    match &array.values {
        Values::F4(numbers) => Some(numbers.clone()),
        Values::F8(numbers) => Some(numbers.iter().map(|number| *number as f32).collect()),
        _ => None,
    }
}

fn first_of(array: &NpzArray) -> Option<i32> {
    match &array.values {
        Values::I4(numbers) => numbers.first().copied(),
        _ => None,
    }
}

fn seconds(times: Option<&NpzArray>, frame_count: usize) -> Vec<f64> {
    match times.map(|times| &times.values) {
        Some(Values::F8(secs)) if secs.len() == frame_count && secs.is_sorted() => secs.clone(),
        _ => (0..frame_count).map(|frame| frame as f64 / FPS).collect(),
    }
}

fn triangles(array: &NpzArray, vertex_count: usize) -> Option<Vec<[u32; 3]>> {
    let Values::U4(corners) = &array.values else { return None };
    let sound = array.shape.get(1) == Some(&3) && corners.iter().all(|corner| (*corner as usize) < vertex_count);
    sound.then(|| corners.as_chunks::<3>().0.to_vec())
}
