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
    assert_eq!(looks.missing.iter().map(|file| file.name.as_str()).collect::<Vec<_>>(), ["none.png"]);
    std::fs::remove_file(folder.path().join("two.mtl")).unwrap();
    let looks = read_surface(folder.path().join("two.obj")).unwrap().looks;
    assert!(looks.materials.is_empty() && looks.of_triangle.is_empty());
    assert_eq!(looks.missing.iter().map(|file| file.name.as_str()).collect::<Vec<_>>(), ["two.mtl"]);
}

/// A picture of megabytes that a thousand lines name must not become gigabytes.
#[test]
fn what_is_named_many_times_is_read_once() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).unwrap();
    write("skin.png", b"\x89PNG\r\n\x1a\nrest");
    let library: String = (0..1000).map(|n| format!("newmtl m{n}\nmap_Kd skin.png\n")).collect();
    let faces: String = (0..1000).map(|n| format!("usemtl m{n}\nf 1 2 3\n")).collect();
    write("a.mtl", library.as_bytes());
    write("a.obj", format!("{}v 0 0 0\nv 1 0 0\nv 0 1 0\n{faces}", "mtllib a.mtl\n".repeat(1000)).as_bytes());
    let looks = read_surface(folder.path().join("a.obj")).unwrap().looks;
    assert_eq!((looks.materials.len(), looks.images.len(), looks.missing.len()), (1000, 1, 0));
    assert_eq!(mesh_files(&folder.path().join("a.obj")).len(), 3);

    let bytes: Vec<u8> =
        [0.0f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0].iter().flat_map(|x| x.to_le_bytes()).collect();
    write("a.bin", &bytes);
    let buffers = vec![r#"{"uri":"a.bin","byteLength":36}"#; 1000].join(",");
    let images = [vec![r#"{"uri":"skin.png"}"#; 1000], vec![r#"{"uri":"none.png"}"#; 1000]].concat().join(",");
    let gltf = format!(
        r#"{{"asset":{{"version":"2.0"}},"buffers":[{buffers}],"images":[{images}],"bufferViews":[{{"buffer":999,"byteLength":36}}],
        "accessors":[{{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"}}],"meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},"material":0}}]}}],
        "materials":[{{"pbrMetallicRoughness":{{"baseColorTexture":{{"index":0}}}}}}],"textures":[{{"source":999}}],
        "nodes":[{{"mesh":0}}],"scenes":[{{"nodes":[0]}}]}}"#
    );
    write("a.gltf", gltf.as_bytes());
    let read = read_surface(folder.path().join("a.gltf")).unwrap();
    assert_eq!((read.triangles.len(), read.looks.images.len(), read.looks.missing.len()), (1, 1, 1));
}

#[test]
fn a_project_takes_them_along() {
    let folder = folder(LIBRARY);
    let names: Vec<_> = mesh_files(&folder.path().join("two.obj"));
    let named = |name: &str| names.contains(&folder.path().join(name));
    assert!(names.len() == 3 && named("two.obj") && named("two.mtl") && named("my skin.png"), "{names:?}");
}
