//! OBJ, PLY and PVD sequences come back by our own readers, at their first, a middle and their last frame.

use crate::wobble::{Wobble, largest_gap, write};
use sinew_io::{Clip, read_surface, read_tets};
use std::path::Path;
use std::process::Command;
use tempfile::tempdir;

const FRAMES: usize = 30;

/// All bodies of a frame, one after the other, with their triangles.
fn together(clip: &Wobble, frame: usize) -> (Vec<[f32; 3]>, Vec<[u32; 3]>) {
    let (mut points, mut triangles) = (Vec::new(), Vec::new());
    for (body, info) in clip.info().bodies.iter().enumerate() {
        let before = points.len() as u32;
        triangles.extend(info.triangles.iter().map(|corners| corners.map(|corner| corner + before)));
        points.extend(clip.points(body, frame));
    }
    (points, triangles)
}

#[test]
fn obj_and_ply_files_hold_every_frame_exactly() {
    let folder = tempdir().unwrap();
    for extension in ["obj", "ply"] {
        let mut clip = Wobble::new(FRAMES);
        let written = write(&mut clip, &folder.path().join(format!("a.{extension}")));
        assert_eq!(written.files.len(), FRAMES);
        for frame in [0, FRAMES / 2, FRAMES - 1] {
            let path = folder.path().join(format!("a.{:04}.{extension}", frame + 1));
            let file = read_surface(&path).unwrap();
            let (points, triangles) = together(&clip, frame);
            let found: Vec<[f32; 3]> = file.positions.iter().map(|x| x.to_array().map(|x| x as f32)).collect();
            assert_eq!(largest_gap(&found, &points), 0.0);
            assert_eq!(file.triangles, triangles);
            if extension == "obj" {
                assert_eq!(file.sets.iter().map(|set| set.name.as_str()).collect::<Vec<_>>(), ["ball-1", "sheet"]);
            }
        }
    }
}

#[test]
fn pvd_lists_grids_of_tetrahedra_and_triangles() {
    let folder = tempdir().unwrap();
    let mut clip = Wobble::new(FRAMES);
    write(&mut clip, &folder.path().join("a.pvd"));
    let list = std::fs::read_to_string(folder.path().join("a.pvd")).unwrap();
    assert_eq!(list.matches("<DataSet ").count(), 2 * FRAMES);
    for frame in [0, FRAMES / 2, FRAMES - 1] {
        for body in 0..2 {
            let name = format!("a/{}.{:04}.vtu", clip.info().bodies[body].name, frame + 1);
            assert!(list.contains(&format!("file=\"{name}\"")));
            let file = read_tets(folder.path().join(name)).unwrap();
            let found: Vec<[f32; 3]> = file.positions.iter().map(|x| x.to_array().map(|x| x as f32)).collect();
            let mut points = Vec::new();
            match clip.info().bodies[body].flesh.clone() {
                Some(flesh) => {
                    clip.flesh(body, frame, &mut points).unwrap();
                    assert_eq!(file.tets, flesh.tets);
                }
                None => {
                    clip.skin(body, frame, &mut points).unwrap();
                    assert_eq!(file.triangles, clip.info().bodies[body].triangles);
                }
            }
            assert_eq!(largest_gap(&found, &points), 0.0);
        }
    }
}

#[test]
fn a_glb_is_read_as_a_surface_with_its_seams() {
    let folder = tempdir().unwrap();
    let mut clip = Wobble::new(1).only(1);
    let path = folder.path().join("a.glb");
    write(&mut clip, &path);
    let file = read_surface(&path).unwrap();
    let body = &clip.info().bodies[0];
    // Eleven vertices lie on the seam.
    assert_eq!((file.positions.len(), file.triangles.len()), (body.vertex_count + 11, body.triangles.len()));
    let same = |a: &[[f32; 2]; 3], b: &[[f32; 2]; 3]| {
        a.as_flattened().iter().zip(b.as_flattened()).all(|(a, b)| (a - b).abs() < 1e-6)
    };
    assert!(file.corner_uvs.iter().zip(&body.corner_uvs).all(|(a, b)| same(a, b)));
    assert_eq!(file.sets[0].name, "sheet");
}

#[test]
fn a_file_under_the_wrong_extension_is_named_for_what_it_is() {
    let folder = tempdir().unwrap();
    let mut clip = Wobble::new(2);
    for extension in ["glb", "ply", "usda", "pc2", "pvd"] {
        write(&mut clip, &folder.path().join(format!("a.{extension}")));
    }
    let said = |from: &str, to: &str, read: &dyn Fn(&Path) -> String| {
        let path = folder.path().join(to);
        std::fs::copy(folder.path().join(from), &path).unwrap();
        read(&path)
    };
    let surface = |path: &Path| read_surface(path).unwrap_err().to_string();
    let tets = |path: &Path| read_tets(path).unwrap_err().to_string();
    let cache = |path: &Path| sinew_io::read_cache(path).unwrap_err().to_string();
    assert!(said("a.glb", "b.obj", &surface).contains("looks like a GLB file"));
    assert!(said("a.0001.ply", "b.stl", &surface).contains("give it the extension ply"));
    assert!(said("a.usda", "b.off", &surface).contains("looks like a USDA file"));
    assert!(said("a.0001.ply", "b.vtk", &tets).contains("looks like a PLY file"));
    assert!(said("a-sheet.pc2", "b.mdd", &cache).contains("looks like a PC2 vertex cache"));
    assert!(said("a.pvd", "b.vtu", &tets).contains("UnstructuredGrid is read"));
}

#[test]
fn meshio_reads_the_same() {
    let Some(python) = crate::beside::python("meshio, numpy") else { return };
    let folder = tempdir().unwrap();
    // Without seams: meshio takes texture coordinates for data of the vertices.
    let mut clip = Wobble::new(3).only(0);
    for extension in ["obj", "ply", "pvd"] {
        write(&mut clip, &folder.path().join(format!("a.{extension}")));
    }
    let (points, triangles) = together(&clip, 2);
    let mut flesh = Vec::new();
    clip.flesh(0, 2, &mut flesh).unwrap();
    let script = format!(
        "import meshio, numpy as np\n\
         points, triangles = np.array({points:?}), np.array({triangles:?})\n\
         for name in ['a.0003.obj', 'a.0003.ply']:\n\
         \x20   mesh = meshio.read(name)\n\
         \x20   assert abs(mesh.points - points).max() < 1e-6, name\n\
         \x20   assert (np.concatenate([c.data for c in mesh.cells]) == triangles).all(), name\n\
         mesh = meshio.read('a/ball-1.0003.vtu')\n\
         assert abs(mesh.points - np.array({flesh:?})).max() < 1e-6\n\
         assert (mesh.cells_dict['tetra'] == np.array({tets:?})).all()\n",
        tets = clip.info().bodies[0].flesh.as_ref().unwrap().tets
    );
    let script_path = folder.path().join("check.py");
    std::fs::write(&script_path, script).unwrap();
    let status = Command::new(python).arg(&script_path).current_dir(folder.path()).status().unwrap();
    assert!(status.success(), "meshio does not agree: {status}");
}
