#![allow(clippy::unwrap_used)]
mod fixtures;
mod heap;
use fixtures::*;
use heap::*;
use sinew_math::*;
use sinew_bake::Method;
use sinew_solve::fem::{FemMethod, FemParams};
#[test]
#[ignore]
fn explore() {
    let get = |name: &str, or: f64| std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(or);
    let count = get("COUNT", 10.0) as usize;
    let (a, e) = (get("SIDE", 0.1), get("E", 1e7));
    let sweeps = get("SWEEPS", 10.0) as u32;
    let method = match std::env::var("METHOD").unwrap_or_default().as_str() {
        "fem" => fem(),
        "springs" => springs(),
        "descent" => Method::Fem(FemParams { method: FemMethod::Descent { iterations: sweeps }, ..FemParams::default() }),
        _ => Method::ShapeMatching(sinew_solve::shape_matching::ShapeMatchingParams { iterations: get("ITER", 2.0) as u32, region_damping_per_sec: get("REG", 0.0), ..Default::default() }),
    };
    let mut heap = Heap::cubes(method, count, a);
    let cells = get("CELLS", 3.0) as usize;
    heap.flesh = std::sync::Arc::new(sinew_solve::Flesh::from_tets(sinew_geom::structured::bar(dvec3(a, a, a), [cells; 3]), 1000.0).unwrap());
    heap.material.young_pa = e;
    heap.material.damping.wobble_per_sec = get("WOBBLE", 4.0);
    if std::env::var("THICK").is_ok() {
        let flat = get("THICK", 0.05);
        heap.flesh = std::sync::Arc::new(sinew_solve::Flesh::from_tets(sinew_geom::structured::bar(dvec3(a, flat, a), [3, 1, 3]), 1000.0).unwrap());
    }
    let b = get("THICK", a);
    let gap = get("GAP", 0.0);
    for i in 0..count {
        heap.places[i] = dvec3(0.0, (0.5 * b) + (b + gap) * i as f64 + gap, 0.0);
    }
    heap.obstacles.push(floor(0.0));
    let (mut stage, flesh) = (heap.stage(), heap.flesh.clone());
    let mut state = stage.first_state();
    let start: Vec<_> = state.bodies.iter().map(|b| centre(&flesh, &b.x)).collect();
    let secs = get("SECS", 10.0);
    let per = get("PER", 1.0);
    let began = std::time::Instant::now();
    let mut t = 0.0;
    while t < secs {
        let mut fastest = 0.0f64;
        for _ in 0..(96.0 * per) as u32 {
            stage.step(&mut state, &[]).unwrap();
            fastest = fastest.max(state.bodies.iter().map(|b| centre(&flesh, &b.v).length()).fold(0.0, f64::max));
        }
        t += per;
        let off: Vec<DVec3> = state.bodies.iter().zip(&start).map(|(b, s)| centre(&flesh, &b.x) - *s).collect();
        let side = off.iter().map(|o| o.x.hypot(o.z)).fold(0.0, f64::max);
        let down = off.iter().map(|o| o.y).fold(0.0, f64::min);
        let deep = deepest_penetration(&stage, &state);
        let top = off.last().unwrap();
        println!("t {t:.2} side {:.5} of a, down {:.5} of a, top {:.5} {:.5} speed {fastest:.6} deep {:.5} of a, contacts {}", side / a, down / a, top.x/a, top.z/a, deep / a, stage.body_contacts().len());
        if side > 0.5 { break; }
    }
    println!("took {:.2} s", began.elapsed().as_secs_f64());
}
