//! Carrying a skin of 500,000 vertices (positions and normals) with its flesh, against a plain copy of the same bytes:
//! as many are read and written, half each. The ratio is the share of the machine's copy bandwidth.

use super::{Peers, Row, in_turns, median_ms};
use crate::failure::Failure;
use rayon::prelude::*;
use sinew::geom::distance::Shape;
use sinew::geom::embedding::CarriedSkin;
use sinew::geom::stuffing::{Fineness, stuff};
use sinew::geom::{Embedding, TriangleMesh, primitive};
use sinew::math::{DVec3, dvec3, libm};

/// Segments around a ball of about half a million vertices.
const AROUND: usize = 1000;
const FLESH_VERTICES: usize = 5000;

pub(crate) fn measure(_: &Peers) -> Result<Vec<Row>, Failure> {
    let skin = primitive::capsule(1.0, 0.0, AROUND);
    let flesh = stuff(&Shape::sphere(1.0), Fineness::Vertices(FLESH_VERTICES))?.mesh;
    let bent: Vec<DVec3> =
        flesh.positions.iter().map(|x| *x + dvec3(0.0, 0.2 * libm::sin(3.0 * x.x), 0.1 * x.x * x.y)).collect();
    let all = crate::commands::bake::all_cores();
    let mut rows = Vec::new();
    for (order, skin) in [("in order", &skin), ("in no order", &shuffled(&skin))] {
        let embedding = Embedding::of_skin(skin, &flesh);
        let carrier = embedding.carrier(&flesh.positions, skin, None);
        let half = carrier.byte_count() / 2;
        let from: Vec<u8> = (0..half).map(|n| n as u8).collect();
        let (mut to, mut carried) = (vec![0u8; half], CarriedSkin::default());
        for threads in if all > 1 { vec![1, all] } else { vec![1] } {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
            let plural = if threads > 1 { "s" } else { "" };
            let (vertices, mega) = (carrier.len(), 2 * half / 1_000_000);
            rows.push(in_turns(
                format!("skin of {vertices} {order}, {threads} thread{plural}"),
                &format!("a copy of the same {mega} MB"),
                || pool.install(|| median_ms(15, || carrier.carry(&bent, DVec3::ZERO, &mut carried))),
                || Ok(pool.install(|| median_ms(15, || copy(&from, &mut to)))),
            ));
        }
    }
    Ok(rows)
}

fn copy(from: &[u8], to: &mut [u8]) {
    const CHUNK: usize = 1 << 20;
    to.par_chunks_mut(CHUNK).zip(from.par_chunks(CHUNK)).for_each(|(to, from)| to.copy_from_slice(from));
    std::hint::black_box(to);
}

/// The same skin with its vertices in no order at all, as a bad exporter might write them.
fn shuffled(skin: &TriangleMesh) -> TriangleMesh {
    let scatter = |n: u64| n.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mut order: Vec<(u64, u32)> = (0..skin.positions.len() as u32).map(|n| (scatter(n.into()), n)).collect();
    order.sort_unstable();
    let order: Vec<u32> = order.into_iter().map(|(_, vertex)| vertex).collect();
    let place = sinew::geom::order::inverse(&order);
    TriangleMesh {
        positions: order.iter().map(|vertex| skin.positions[*vertex as usize]).collect(),
        triangles: skin.triangles.iter().map(|corners| corners.map(|corner| place[corner as usize])).collect(),
    }
}
