//! The built-in cast: flesh of the asked size that is sound, skins that are closed, limbs that stay apart.

use sinew_geom::cast::Member;
use sinew_geom::distance::{Distance, Shape};
use sinew_geom::{TetMesh, adjacency, manifold};
use sinew_math::DVec3;

/// Members with the counts that scenes use, and how far off these may be.
fn counts() -> Vec<(Member, usize, f64)> {
    let short = Member::Worm { length_m: 0.5, radius_m: 0.06 };
    vec![
        (Member::JELLYFISH, 854, 0.02),
        (Member::Jellyfish { tentacles: 18 }, 854, 0.02),
        (Member::Jellyfish { tentacles: 18 }, 3000, 0.02),
        (Member::Jellyfish { tentacles: 30 }, 854, 0.02),
        (Member::JELLYFISH, 315, 0.02),
        (Member::JELLYFISH, 3000, 0.02),
        (Member::WORM, 470, 0.02),
        (short, 73, 0.042),
        (short, 300, 0.05),
        (Member::Snake, 700, 0.02),
        (Member::Heart, 1302, 0.02),
        (Member::Bowel, 1576, 0.02),
        (Member::Snail, 1000, 0.02),
        (Member::Snail, 600, 0.02),
        (Member::Rabbit, 1000, 0.02),
        (Member::Dragon, 2500, 0.02),
        (Member::Biped, 2500, 0.03),
        (Member::Arm, 1000, 0.02),
        (Member::Head, 1000, 0.02),
    ]
}

#[test]
fn flesh_has_the_asked_count_and_sound_tets() {
    for (member, wanted, within) in counts() {
        let mesh = member.flesh(wanted).unwrap();
        let off = mesh.positions.len() as f64 / wanted as f64 - 1.0;
        let (low, high) = mesh.dihedral_range_deg();
        println!("{} {wanted}: {} vertices, {low:.1} to {high:.1} degrees", member.name(), mesh.positions.len());
        if member == Member::Heart {
            // Outside, left ventricle, right ventricle.
            assert_eq!(boundary_pieces(&mesh), 3);
        }
        assert!(off.abs() <= within, "{} {wanted}: {} vertices", member.name(), mesh.positions.len());
        let checked = TetMesh::new(mesh.positions.clone(), mesh.tets.clone());
        assert!(checked.is_ok(), "{} {wanted}: {:?}", member.name(), checked.err());
        assert_eq!(adjacency::component_count(mesh.positions.len(), &mesh.tets), 1, "{}", member.name());
        assert!(manifold::faults(&mesh.boundary()).is_empty(), "{} {wanted}", member.name());
        assert!(low > 4.0 && high < 170.0, "{} {wanted}: {low} to {high}", member.name());
    }
}

/// Pieces that the boundary falls into.
fn boundary_pieces(mesh: &TetMesh) -> usize {
    adjacency::component_count(mesh.positions.len(), &mesh.boundary())
}

/// Pieces that a part of the body falls into, cut out of it by a rule.
fn pieces_where(mesh: &TetMesh, keep: impl Fn(DVec3) -> bool) -> usize {
    let kept: Vec<[u32; 4]> =
        mesh.tets.iter().filter(|tet| tet.iter().all(|v| keep(mesh.positions[*v as usize]))).copied().collect();
    adjacency::component_count(mesh.positions.len(), &kept)
}

/// Limbs that lie close to one another do not fuse at these numbers of vertices.
#[test]
fn limbs_stay_apart() {
    let rabbit = Member::Rabbit.flesh(1000).unwrap();
    assert_eq!(pieces_where(&rabbit, |x| x.y > 0.94), 2, "ears");
    assert_eq!(pieces_where(&rabbit, |x| x.y < 0.2 && x.x > 0.12 && x.z.abs() < 0.16), 2, "front legs");
    let dragon = Member::Dragon.flesh(2500).unwrap();
    assert_eq!(pieces_where(&dragon, |x| x.y < 0.2 && x.x > -0.45), 4, "legs");
    assert_eq!(pieces_where(&dragon, |x| x.z.abs() > 0.3 && x.y > 0.6), 2, "wings");
    let biped = Member::Biped.flesh(12000).unwrap();
    assert_eq!(pieces_where(&biped, |x| x.y < 0.7 && x.x.abs() < 0.4), 2, "legs");
    assert_eq!(pieces_where(&biped, |x| x.y < 0.7 && x.x > 0.4), 3, "fingers");
    let arm = Member::Arm.flesh(2000).unwrap();
    assert_eq!(pieces_where(&arm, |x| x.x > 0.64), 3, "fingers");
}

#[test]
fn tentacles_hang_from_the_rim_apart_from_each_other() {
    for (count, tentacles) in [(315, 8), (854, 8), (854, 18), (854, 30), (3000, 36)] {
        let mesh = Member::Jellyfish { tentacles }.flesh(count).unwrap();
        let found = pieces_where(&mesh, |x| x.y < -0.06 && x.with_y(0.0).length() > 0.25);
        assert_eq!(found, tentacles as usize, "{count}");
    }
}

/// Skins lie on their shapes, are closed, and have the colours of their marks.
#[test]
fn skins_are_closed_and_coloured() {
    for member in Member::ALL {
        let skin = member.skin(4000, None).unwrap();
        let count = skin.mesh.positions.len();
        assert!(count.abs_diff(4000) <= 400, "{}: {count}", member.name());
        assert!(manifold::faults(&skin.mesh.triangles).is_empty(), "{}", member.name());
        let figure = member.figure();
        let strands: Vec<Shape> = figure.strands.iter().map(|strand| Shape::sweep(strand.path.clone())).collect();
        let is_near =
            |x: &&DVec3| figure.shape.at(**x).abs() < 1e-3 || strands.iter().any(|strand| strand.at(**x).abs() < 2e-3);
        let near = skin.mesh.positions.iter().filter(is_near).count();
        assert!(near * 100 >= count * 98, "{}: {near} of {count} lie on the surface", member.name());
        let mut colours: Vec<[u32; 3]> = skin.colours.iter().map(|c| c.map(f32::to_bits)).collect();
        colours.sort_unstable();
        colours.dedup();
        assert!(colours.len() > figure.marks.len(), "{}: {} colours", member.name(), colours.len());
        let own = member.skin(4000, Some([0.1, 0.2, 0.3])).unwrap();
        assert!(own.colours.contains(&[0.1, 0.2, 0.3]) && !skin.colours.contains(&[0.1, 0.2, 0.3]));
    }
}
