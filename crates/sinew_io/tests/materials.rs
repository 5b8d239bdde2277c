//! Materials of OBJ files: colours and pictures of the library beside them.

use sinew_io::{NO_MATERIAL, TextureUse, mesh_files, read_surface};

#[allow(clippy::unwrap_used, reason = "a test's own folder")]
fn folder(mtl: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let obj = "mtllib two.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nusemtl red\nf 1 2 4\nusemtl skin\nf 2 3 4\nf 1 3 4\n";
    std::fs::write(folder.path().join("two.obj"), obj).unwrap();
    std::fs::write(folder.path().join("two.mtl"), mtl).unwrap();
    // What counts is how it begins.
    std::fs::write(folder.path().join("my skin.png"), b"\x89PNG\r\n\x1a\nrest").unwrap();
    folder
}

const LIBRARY: &str =
    "newmtl red\nKd 1 0 0\nd 0.5\nnewmtl skin\nKd 0.1 0.1 0.1\nmap_Kd -s 1 1 1 -clamp on my skin.png\n";

#[test]
fn colours_and_pictures_come_with_the_file() {
    let folder = folder(LIBRARY);
    let looks = read_surface(folder.path().join("two.obj")).unwrap().looks;
    assert_eq!(looks.of_triangle, [NO_MATERIAL, 0, 1, 1]);
    assert_eq!((looks.materials[0].name.as_str(), looks.materials[0].base_colour), ("red", [1.0, 0.0, 0.0, 0.5]));
    assert_eq!(looks.materials[1].textures, [(TextureUse::BaseColour, 0)]);
    assert_eq!(looks.materials[1].base_colour, [1.0; 4], "the picture has the colour");
    assert_eq!(looks.images.len(), 1);
}

#[test]
fn what_is_missing_costs_its_looks_only() {
    let folder = folder("newmtl red\nmap_Kd none.png\n");
    let looks = read_surface(folder.path().join("two.obj")).unwrap().looks;
    assert!(looks.images.is_empty() && looks.materials.iter().all(|m| m.textures.is_empty()));
    std::fs::remove_file(folder.path().join("two.mtl")).unwrap();
    let looks = read_surface(folder.path().join("two.obj")).unwrap().looks;
    assert!(looks.materials.is_empty() && looks.of_triangle.is_empty());
}

#[test]
fn a_project_takes_them_along() {
    let folder = folder(LIBRARY);
    let names: Vec<_> = mesh_files(&folder.path().join("two.obj"));
    let named = |name: &str| names.contains(&folder.path().join(name));
    assert!(names.len() == 3 && named("two.obj") && named("two.mtl") && named("my skin.png"), "{names:?}");
}
