//! How long the skins of the cast take: `cargo run --release -p sinew_geom --example skin_speed [-- VERTICES]`.

use sinew_geom::cast::Member;
use sinew_geom::extraction::extract;
use sinew_geom::stuffing::Fineness;
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let wanted = std::env::args().nth(1).map_or(Ok(20_000), |count| count.parse())?;
    for member in Member::ALL {
        let shape = member.figure().shape;
        let started = Instant::now();
        let drawn = extract(&shape, Fineness::Vertices(wanted))?;
        let count = drawn.mesh.positions.len();
        let secs = started.elapsed().as_secs_f64();
        println!("{:<12} {count:>7} vertices {secs:>6.2} s {:>7.1} k/s", member.name(), count as f64 / secs / 1000.0);
    }
    Ok(())
}
