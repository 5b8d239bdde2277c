//! The built-in cast: flesh of the asked size that is sound, skins that are closed, limbs that stay apart.

#![allow(clippy::unwrap_used, reason = "a test may fail anywhere")]

use sinew_geom::cast::Member;
use sinew_geom::{TetMesh, adjacency, manifold};

/// Members with the counts that scenes use, and how far off these may be.
fn counts() -> Vec<(Member, usize, f64)> {
    let short = Member::Worm { length_m: 0.5, radius_m: 0.06 };
    vec![
        (Member::Jellyfish, 854, 0.02),
        (Member::Jellyfish, 315, 0.02),
        (Member::Jellyfish, 3000, 0.02),
        (Member::WORM, 470, 0.02),
        (short, 73, 0.042),
        (short, 300, 0.05),
        (Member::Snail, 1000, 0.1),
        (Member::Snail, 600, 0.1),
    ]
}

#[test]
fn flesh_has_the_asked_count_and_sound_tets() {
    for (member, wanted, within) in counts() {
        let mesh = member.flesh(wanted).unwrap();
        let off = mesh.positions.len() as f64 / wanted as f64 - 1.0;
        let (low, high) = mesh.dihedral_range_deg();
        println!("{} {wanted}: {} vertices, {low:.1} to {high:.1} degrees", member.name(), mesh.positions.len());
        assert!(off.abs() <= within, "{} {wanted}: {} vertices", member.name(), mesh.positions.len());
        let checked = TetMesh::new(mesh.positions.clone(), mesh.tets.clone());
        assert!(checked.is_ok(), "{} {wanted}: {:?}", member.name(), checked.err());
        assert_eq!(adjacency::component_count(mesh.positions.len(), &mesh.tets), 1, "{}", member.name());
        assert!(manifold::faults(&mesh.boundary()).is_empty(), "{} {wanted}", member.name());
        assert!(low > 4.0 && high < 170.0, "{} {wanted}: {low} to {high}", member.name());
    }
}
