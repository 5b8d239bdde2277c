//! Elastic bodies against the programs a user would pick instead, on the benchmark bars (five tets per cube of 0.1 m): same mesh, same
//! material, same step, one thread, runs of ours and theirs taking turns.

mod accuracy;
mod bar;
mod descent;
mod ground;
mod implicit;
pub(super) mod many;
mod pile_accuracy;
pub(super) mod tries;

use super::{Peers, Row};
use crate::failure::Failure;

pub(crate) use accuracy::measure as measure_accuracy;

pub(crate) fn measure(peers: &Peers) -> Result<Vec<Row>, Failure> {
    let mut rows = implicit::measure(peers)?;
    rows.extend(descent::measure(peers)?);
    rows.extend(ground::measure(peers)?);
    rows.extend(many::measure(peers)?);
    Ok(rows)
}
