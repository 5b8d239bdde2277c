//! Looks of an imported skin: what glTF files say of materials, images, normals and bones is read, and written back.

use crate::beside::model;
use sinew_io::clip::SourceError;
use sinew_io::{
    Alpha, Clip, ClipBody, ClipInfo, Image, Looks, Material, NO_MATERIAL, SurfaceFile, TextureUse, WriteOptions,
    read_surface, write_clip,
};
use sinew_math::DVec3;
use tempfile::tempdir;

/// A surface as a clip that sinks.
struct Sinking {
    info: ClipInfo,
    points: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
}

impl Sinking {
    fn of(file: &SurfaceFile, frame_count: usize) -> Self {
        let body = ClipBody {
            name: "skin".into(),
            vertex_count: file.positions.len(),
            triangles: file.triangles.clone(),
            corner_uvs: file.corner_uvs.clone(),
            looks: file.looks.clone(),
            has_normals: !file.normals.is_empty(),
            ..ClipBody::default()
        };
        let info = ClipInfo { fps: (24, 1), first_frame: 1, frame_count, bodies: vec![body], ..ClipInfo::default() };
        let points = file.positions.iter().map(|x| x.to_array().map(|c| c as f32)).collect();
        Self { info, points, normals: file.normals.clone() }
    }
}

impl Clip for Sinking {
    fn info(&self) -> &ClipInfo {
        &self.info
    }

    fn skin(&mut self, _: usize, frame: usize, out: &mut Vec<[f32; 3]>) -> Result<(), SourceError> {
        out.extend(self.points.iter().map(|[x, y, z]| [*x, *y - frame as f32, *z]));
        Ok(())
    }

    fn normals(&mut self, _: usize, _: usize, out: &mut Vec<[f32; 3]>) -> Result<(), SourceError> {
        out.extend_from_slice(&self.normals);
        Ok(())
    }
}

/// A tetrahedron of two materials, one with a picture.
fn painted() -> SurfaceFile {
    let png = [&b"\x89PNG\r\n\x1a\n"[..], &[7; 33]].concat();
    let glass = Material {
        name: "glass".into(),
        alpha: Alpha::Mask(0.25),
        base_colour: [0.1, 0.2, 0.3, 0.5],
        ..Default::default()
    };
    let wool = Material {
        name: "wool".into(),
        metallic: 0.0,
        roughness: 0.9,
        emissive: [0.0, 0.1, 0.0],
        is_double_sided: true,
        textures: vec![(TextureUse::BaseColour, 0), (TextureUse::Normal, 0)],
        ..Material::default()
    };
    let unit = |x: DVec3| (x - DVec3::splat(0.25)).normalize().to_array().map(|c| c as f32);
    let positions = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    SurfaceFile {
        normals: positions.iter().map(|x| unit(*x)).collect(),
        positions,
        triangles: vec![[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]],
        corner_uvs: vec![[[0.0, 0.0], [0.5, 0.25], [1.0, 1.0]]; 4],
        looks: Looks {
            materials: vec![glass, wool],
            images: vec![Image::new(png).unwrap()],
            of_triangle: vec![1, 0, 1, NO_MATERIAL],
            ..Looks::default()
        },
        ..SurfaceFile::default()
    }
}

#[test]
fn materials_images_and_normals_come_back_from_a_glb() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("a.glb");
    let given = painted();
    write_clip(&mut Sinking::of(&given, 3), &path, &WriteOptions::default()).unwrap();
    let found = read_surface(&path).unwrap();
    assert_eq!(found.looks.images, given.looks.images);
    assert_eq!(found.looks.materials[..2], given.looks.materials[..]);
    // Triangles stand by material, those without one last, under a plain one.
    assert_eq!(found.looks.of_triangle, [0, 1, 1, 2]);
    assert_eq!(found.looks.materials[2].name, "skin");
    for (place, normal) in found.positions.iter().zip(&found.normals) {
        let source = given.positions.iter().position(|x| x == place).unwrap();
        assert_eq!(normal, &given.normals[source], "the normals given, not those of the triangles");
    }
}

#[test]
fn usda_binds_materials_to_faces_and_keeps_pictures_beside_it() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("a.usda");
    let written = write_clip(&mut Sinking::of(&painted(), 2), &path, &WriteOptions::default()).unwrap();
    let picture = folder.path().join("a_textures").join("skin_0.png");
    assert!(written.files.contains(&picture), "{:?}", written.files);
    assert_eq!(&std::fs::read(picture).unwrap()[..], &painted().looks.images[0].bytes[..]);
    let text = std::fs::read_to_string(path).unwrap();
    for part in [
        "def GeomSubset \"skin_wool\"",
        "int[] indices = [0, 2]",
        "rel material:binding = </Take/Looks/skin_glass>",
        "asset inputs:file = @./a_textures/skin_0.png@",
        "float inputs:opacityThreshold = 0.25",
    ] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
}

#[test]
fn the_fox_keeps_its_picture_and_stands_as_its_bones_hold_it() {
    let Some(path) = model("Fox.glb") else { return };
    let fox = read_surface(path).unwrap();
    assert_eq!((fox.looks.materials.len(), fox.looks.images.len()), (1, 1));
    let material = &fox.looks.materials[0];
    assert_eq!((&*material.name, material.metallic, material.roughness), ("fox_material", 0.0, 0.58));
    assert_eq!(material.textures, [(TextureUse::BaseColour, 0)]);
    assert!(fox.looks.images[0].bytes.len() > 1000 && !fox.looks.images[0].is_jpeg);
    assert!(fox.looks.of_triangle.iter().all(|material| *material == 0));
    assert_eq!(fox.corner_uvs.len(), fox.triangles.len());
    let rig = fox.rig.as_ref().unwrap();
    assert_eq!((rig.joints.len(), rig.weights.len()), (24, fox.positions.len()));
    let sums = rig.weights.iter().map(|weights| weights.iter().map(|w| w.1).sum::<f32>());
    assert!(sums.into_iter().all(|sum| (sum - 1.0).abs() < 1e-5));
    assert!(rig.joints.iter().skip(1).all(|joint| joint.parent.is_some()), "one tree of bones");
    // It stands on the ground and is longer than it is high, in its file's centimetres.
    let low = fox.positions.iter().fold(DVec3::INFINITY, |low, x| low.min(*x));
    let high = fox.positions.iter().fold(DVec3::NEG_INFINITY, |high, x| high.max(*x));
    assert!(low.y.abs() < 5.0 && high.y > 50.0 && high.z - low.z > high.y, "{low} {high}");
}

#[test]
fn a_figure_modelled_with_z_up_stands_upright() {
    let Some(path) = model("RiggedFigure.glb") else { return };
    let figure = read_surface(path).unwrap();
    let low = figure.positions.iter().fold(DVec3::INFINITY, |low, x| low.min(*x));
    let high = figure.positions.iter().fold(DVec3::NEG_INFINITY, |high, x| high.max(*x));
    assert!(high.y - low.y > 2.0 * (high.z - low.z), "{low} {high}");
    // Its normals are the file's, turned along: nearly those of its triangles.
    let points: Vec<DVec3> = figure.positions.clone();
    let mesh = sinew_geom::TriangleMesh::new(points, figure.triangles.clone()).unwrap();
    let smooth = mesh.vertex_normals();
    let alike = smooth.iter().zip(&figure.normals).filter(|(a, b)| a.dot(DVec3::from_array(b.map(f64::from))) > 0.7);
    assert!(alike.count() * 10 > 9 * figure.positions.len());
}

#[test]
fn normals_of_an_obj_are_kept_where_each_vertex_has_one() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("a.obj");
    let read = |faces: &str| {
        let text = format!("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nvn 0 0 2\nvn 1 0 0\n{faces}");
        std::fs::write(&path, text).unwrap();
        read_surface(&path).unwrap().normals
    };
    assert_eq!(read("f 1//1 2//2 3//1\n"), [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]]);
    assert!(read("f 1//1 2//2 3//1\nf 2//1 4//1 3//1\n").is_empty(), "a hard edge");
    assert!(read("f 1 2 3\n").is_empty());
}
