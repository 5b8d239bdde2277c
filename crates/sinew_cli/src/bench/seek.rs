//! Seeking in a take of 100 bodies with 1000 points each, against plain files of the same frames.

use super::{Peers, Row};
use crate::failure::Failure;
use sinew::bake::take::bench_seek;

pub(crate) fn measure(_: &Peers) -> Result<Vec<Row>, Failure> {
    let times = bench_seek()?;
    Ok(vec![Row::new(
        "take seek, 100 × 1000 points, any frame",
        times.seek_ms,
        "a raw f32 file per frame",
        Ok(times.raw_file_ms),
    )])
}
