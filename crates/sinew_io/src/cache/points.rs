//! MDD and PC2: counts, then points frame by frame.

use super::{Cache, CacheMotion};
use crate::ByteError;
use crate::bytes::{Bytes, Endian};

/// Big endian: frames, points, the time of each frame in seconds, then their points.
pub(super) fn parse_mdd(bytes: &[u8]) -> Result<Cache, ByteError> {
    let mut bytes = Bytes::new(bytes, Endian::Big);
    let frame_count = bytes.count("frames")?;
    let vertex_count = bytes.count("points")?;
    check_length(&bytes, frame_count, vertex_count, 4)?;
    let mut times_secs = Vec::new();
    for _ in 0..frame_count {
        let (at, secs) = (bytes.at(), f64::from(bytes.f32("the frames' times")?));
        if !secs.is_finite() || times_secs.last().is_some_and(|before| *before > secs) {
            return Err(ByteError::new(at, format!("{secs} s is no time of a frame: they are finite and ascend")));
        }
        times_secs.push(secs);
    }
    let frames = frames(&mut bytes, frame_count, vertex_count)?;
    Ok(plain(vertex_count, times_secs, None, frames))
}

/// Little endian: a head of 32 bytes, then points frame by frame. PC2 has no seconds: its times are frames at 24 a second.
pub(super) fn parse_pc2(bytes: &[u8]) -> Result<Cache, ByteError> {
    const FPS: f64 = 24.0;
    let mut bytes = Bytes::new(bytes, Endian::Little);
    if bytes.take(12, "the head POINTCACHE2")? != b"POINTCACHE2\0" {
        return Err(ByteError::new(0, "a PC2 file begins with POINTCACHE2 and a zero"));
    }
    let version = bytes.u32("the version")?;
    if version != 1 {
        return Err(ByteError::new(12, format!("version {version} of PC2 is not known; 1 is")));
    }
    let vertex_count = bytes.count("points")?;
    let (start, step) = (bytes.f32("the first frame")?, bytes.f32("the frames between samples")?);
    if !start.is_finite() || !step.is_finite() || step < 0.0 {
        return Err(ByteError::new(20, format!("samples from frame {start} on, {step} frames apart, cannot be")));
    }
    let frame_count = bytes.count("samples")?;
    check_length(&bytes, frame_count, vertex_count, 0)?;
    let step = if step == 0.0 { 1.0 } else { f64::from(step) };
    let times_secs = (0..frame_count).map(|frame| frame as f64 * step / FPS).collect();
    let frames = frames(&mut bytes, frame_count, vertex_count)?;
    Ok(plain(vertex_count, times_secs, Some(start.round() as i32), frames))
}

/// Counts that the rest of the file does not bear out are refused before anything is made for them.
fn check_length(
    bytes: &Bytes<'_>,
    frame_count: usize,
    vertex_count: usize,
    more_per_frame: u64,
) -> Result<(), ByteError> {
    // Frames without points could be any number for no bytes at all.
    if vertex_count == 0 {
        return Err(ByteError::new(bytes.at(), "the cache has no points"));
    }
    let frame_bytes = 12 * vertex_count as u64 + more_per_frame;
    let needed = (frame_count as u64).checked_mul(frame_bytes);
    if needed == Some(bytes.left() as u64) && frame_count > 0 {
        return Ok(());
    }
    let (left, needed) = (bytes.left(), needed.map_or("far more".to_owned(), |needed| needed.to_string()));
    Err(ByteError::new(bytes.at(), format!("{frame_count} frames need {needed} bytes, and {left} follow")))
}

fn frames(bytes: &mut Bytes<'_>, frame_count: usize, vertex_count: usize) -> Result<Vec<Vec<[f32; 3]>>, ByteError> {
    (0..frame_count).map(|_| bytes.points(vertex_count, "the points of a frame")).collect()
}

fn plain(vertex_count: usize, times_secs: Vec<f64>, first_frame: Option<i32>, frames: Vec<Vec<[f32; 3]>>) -> Cache {
    let motion = CacheMotion::Frames(frames);
    Cache { name: String::new(), vertex_count, triangles: Vec::new(), times_secs, first_frame, motion }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_beyond_the_file_are_refused() {
        let mdd = [i32::MAX.to_be_bytes(), 1i32.to_be_bytes(), [0; 4]].concat();
        let refused = parse_mdd(&mdd).unwrap_err().to_string();
        assert_eq!(refused, "byte 8: 2147483647 frames need 34359738352 bytes, and 4 follow");
        assert!(parse_mdd(&[255; 8]).unwrap_err().to_string().contains("-1 is no number of frames"));
        assert!(parse_pc2(b"POINTCACHE3\0").unwrap_err().to_string().contains("begins with POINTCACHE2"));
        assert!(parse_mdd(&[0, 0, 0, 0, 0, 0, 0, 0]).is_err());
        // Frames of no points take no bytes, however many are claimed.
        let head = [&b"POINTCACHE2\0"[..], &[1, 0, 0, 0], &[0; 4], &1f32.to_le_bytes(), &1f32.to_le_bytes()].concat();
        let empty = [&head[..], &i32::MAX.to_le_bytes()].concat();
        assert_eq!(parse_pc2(&empty).unwrap_err().to_string(), "byte 32: the cache has no points");
    }
}
