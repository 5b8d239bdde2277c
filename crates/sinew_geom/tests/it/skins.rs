//! Skins follow their flesh smoothly: bends and twists that are known everywhere, given at the flesh's vertices only.

use sinew_geom::cast::Member;
use sinew_geom::structured::bar;
use sinew_geom::{Embedding, Row, TetMesh, TriangleMesh};
use sinew_math::libm::{acos, cos, sin};
use sinew_math::{DMat3, DQuat, DVec3, dvec3};

const ACROSS: [usize; 2] = [241, 73];
/// Of the skin's grid along the bar.
const STEP_M: f64 = 0.6 / (ACROSS[0] - 1) as f64;

/// A patch of skin over the top of a bar, so far above its flesh.
fn patch(over_m: f64) -> TriangleMesh {
    let [along, wide] = ACROSS;
    let at = |n: usize| {
        let (i, j) = ((n / wide) as f64, (n % wide) as f64);
        dvec3(-0.3 + STEP_M * i, 0.15 + over_m, -0.08 + 0.16 * j / (wide - 1) as f64)
    };
    let square = |n: usize| {
        let a = (n / (wide - 1) * wide + n % (wide - 1)) as u32;
        let (b, c, d) = (a + 1, a + wide as u32 + 1, a + wide as u32);
        [[a, b, c], [a, c, d]]
    };
    TriangleMesh {
        positions: (0..along * wide).map(at).collect(),
        triangles: (0..(along - 1) * (wide - 1)).flat_map(square).collect(),
    }
}

/// Into an arc of this radius.
fn bent(x: DVec3) -> DVec3 {
    const RADIUS: f64 = 0.6;
    let angle = x.x / RADIUS;
    dvec3((RADIUS - x.y) * sin(angle), RADIUS - (RADIUS - x.y) * cos(angle), x.z)
}

/// By two radians a metre.
fn twisted(x: DVec3) -> DVec3 {
    DQuat::from_rotation_x(2.0 * x.x) * x
}

#[derive(Debug, Clone, Copy)]
struct Off {
    /// Root mean squares.
    place_mm: f64,
    normal_deg: f64,
    /// The most between triangles side by side along the bar.
    kink_deg: f64,
}

fn off(skin: &[DVec3], exact: &[DVec3], triangles: &[[u32; 3]]) -> Off {
    let normals = |of: &[DVec3]| -> Vec<DVec3> {
        let normal = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|v| of[v as usize]);
            (b - a).cross(c - a).normalize()
        };
        triangles.iter().map(normal).collect()
    };
    let rms = |squares: &mut dyn Iterator<Item = f64>, count: usize| (squares.sum::<f64>() / count as f64).sqrt();
    let angle = |a: &DVec3, b: &DVec3| acos(a.dot(*b).clamp(-1.0, 1.0)).to_degrees();
    let (now, wanted) = (normals(skin), normals(exact));
    let row = 2 * (ACROSS[1] - 1);
    Off {
        place_mm: 1e3 * rms(&mut skin.iter().zip(exact).map(|(a, b)| a.distance_squared(*b)), skin.len()),
        normal_deg: rms(&mut now.iter().zip(&wanted).map(|(a, b)| angle(a, b).powi(2)), now.len()),
        kink_deg: now.iter().zip(&now[row..]).map(|(a, b)| angle(a, b)).fold(0.0, f64::max),
    }
}

/// What the smooth map and its rows alone make of a motion.
fn smooth_and_plain(flesh: &TetMesh, over_m: f64, motion: fn(DVec3) -> DVec3) -> [Off; 2] {
    let skin = patch(over_m);
    let embedding = Embedding::of_skin(&skin, flesh);
    let now: Vec<DVec3> = flesh.positions.iter().map(|x| motion(*x)).collect();
    let exact: Vec<DVec3> = skin.positions.iter().map(|x| motion(*x)).collect();
    let mut smooth = Vec::new();
    embedding.apply(&now, &mut smooth);
    let plain: Vec<DVec3> = (0..embedding.len() as u32).map(|row| embedding.rows.at(Row(row), &now)).collect();
    [off(&smooth, &exact, &skin.triangles), off(&plain, &exact, &skin.triangles)]
}

#[test]
fn a_bent_or_twisted_skin_shows_no_tets() {
    let three_thick = bar(dvec3(1.0, 0.3, 0.2), [8, 3, 2]);
    let one_thick = bar(dvec3(1.0, 0.3, 0.2), [10, 1, 1]);
    let motions = [("bent", bent as fn(DVec3) -> DVec3), ("twisted", twisted)];
    for (name, motion) in motions {
        for (thick, flesh) in [("three", &three_thick), ("one", &one_thick)] {
            let [smooth, plain] = smooth_and_plain(flesh, 0.0, motion);
            println!("{name}, {thick} thick: {smooth:?}, by rows {plain:?}");
            assert!(8.0 * smooth.place_mm < plain.place_mm, "{name}, {thick} thick: {smooth:?} against {plain:?}");
            assert!(10.0 * smooth.normal_deg < plain.normal_deg, "{name}, {thick} thick: {smooth:?} against {plain:?}");
            assert!(8.0 * smooth.kink_deg < plain.kink_deg, "{name}, {thick} thick: {smooth:?} against {plain:?}");
            let [over, _] = smooth_and_plain(flesh, 0.02, motion);
            println!("{name}, {thick} thick, 2 cm over it: {over:?}");
            assert!(over.place_mm < 1.1 && over.normal_deg < 0.8 && over.kink_deg < 1.6, "{name}, {thick}: {over:?}");
        }
    }
}

/// Rotations and translations, however far, leave a skin as it is.
#[test]
fn rigid_motion_stays_rigid() {
    let (flesh, skin) = (Member::Snail.flesh(700).unwrap(), Member::Snail.skin(4000, None).unwrap().mesh);
    let embedding = Embedding::of_skin(&skin, &flesh);
    let (turn, way) =
        (DMat3::from_quat(DQuat::from_rotation_z(2.0) * DQuat::from_rotation_x(-1.1)), dvec3(3.0, -7.0, 2.0));
    let now: Vec<DVec3> = flesh.positions.iter().map(|x| turn * *x + way).collect();
    let mut moved = Vec::new();
    embedding.apply(&now, &mut moved);
    for (x, now) in skin.positions.iter().zip(&moved) {
        assert!(now.distance(turn * *x + way) < 2e-6, "{x} went to {now}");
    }
}

/// All of the map is a sum: what one flesh point does to a skin point is its weight. Their sizes tell how far a skin can be
/// thrown off by any flesh, inverted or not.
#[test]
fn nothing_throws_a_skin_far_off() {
    for member in Member::ALL {
        let flesh = member.flesh(800).unwrap();
        let skin = member.skin(4000, None).unwrap().mesh;
        let embedding = Embedding::of_skin(&skin, &flesh);
        let mut loudness: Vec<f64> = (0..embedding.len())
            .map(|point| embedding.terms(point).iter().map(|(_, weight)| weight.abs()).sum())
            .collect();
        loudness.sort_by(f64::total_cmp);
        let [middle, most] = [0.5, 1.0].map(|share| loudness[((loudness.len() - 1) as f64 * share) as usize]);
        let high = loudness[loudness.len() * 99 / 100];
        println!("{}: weights come to {middle:.2}, 99 of 100 to {high:.2}, at most {most:.2}", member.name());
        assert!(middle < 2.0 && most < 20.0, "{}: {middle} and {most}", member.name());
    }
}

/// The sum that is told is the sum that is done.
#[test]
fn terms_are_what_is_applied() {
    let (flesh, skin) = (Member::WORM.flesh(200).unwrap(), Member::WORM.skin(1000, None).unwrap().mesh);
    let embedding = Embedding::of_skin(&skin, &flesh);
    let now: Vec<DVec3> = flesh.positions.iter().map(|x| bent(*x)).collect();
    let mut applied = Vec::new();
    embedding.apply(&now, &mut applied);
    for (point, applied) in applied.iter().enumerate() {
        let summed: DVec3 = embedding.terms(point).iter().map(|(dof, weight)| now[*dof] * *weight).sum();
        assert!(summed.distance(*applied) < 1e-9, "{point}: {summed} {applied}");
    }
}
