//! Files that meshio wrote are read as they were meant.

use sinew_io::{read_surface, read_tets};
use std::process::Command;
use tempfile::tempdir;

const SCRIPT: &str = "
import meshio, numpy as np
points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1.5]])
tets = meshio.Mesh(points, [('tetra', np.array([[0, 1, 2, 3], [1, 2, 3, 4]]))])
skin = meshio.Mesh(points, [('triangle', np.array([[0, 2, 1], [1, 2, 4], [0, 1, 3]]))])
meshio.write('old-ascii.msh', tets, file_format='gmsh22', binary=False)
meshio.write('old-binary.msh', tets, file_format='gmsh22', binary=True)
meshio.write('new-ascii.msh', tets, file_format='gmsh', binary=False)
meshio.write('new-binary.msh', tets, file_format='gmsh', binary=True)
meshio.write('medit.mesh', tets)
meshio.write('tetgen.node', tets, file_format='tetgen')
meshio.write('five.vtk', tets, file_format='vtk51', binary=False)
meshio.write('four.vtk', tets, file_format='vtk42', binary=False)
meshio.write('ascii.vtu', tets, binary=False)
meshio.write('binary.vtu', tets, binary=True, compression=None)
meshio.write('ascii.stl', skin, binary=False)
meshio.write('binary.stl', skin, binary=True)
meshio.write('ascii.ply', skin, binary=False)
meshio.write('binary.ply', skin, binary=True)
meshio.write('surface.obj', skin)
meshio.write('surface.off', skin)
";

#[test]
fn meshes_that_meshio_wrote_are_read() {
    let Some(python) = crate::beside::python("meshio, numpy") else { return };
    let folder = tempdir().unwrap();
    let status = Command::new(&python).args(["-c", SCRIPT]).current_dir(folder.path()).status().unwrap();
    assert!(status.success());
    let tets = [
        "old-ascii.msh",
        "old-binary.msh",
        "new-ascii.msh",
        "new-binary.msh",
        "medit.mesh",
        "tetgen.node",
        "tetgen.ele",
        "five.vtk",
        "four.vtk",
        "ascii.vtu",
        "binary.vtu",
    ];
    for name in tets {
        let file = read_tets(folder.path().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(file.positions.len(), 5, "{name}");
        assert_eq!(file.positions[4].to_array(), [1.0, 1.0, 1.5], "{name}");
        assert_eq!(file.tets, [[0, 1, 2, 3], [1, 2, 3, 4]], "{name}");
    }
    for name in ["ascii.stl", "binary.stl", "ascii.ply", "binary.ply", "surface.obj", "surface.off"] {
        let file = read_surface(folder.path().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!((file.positions.len(), file.triangles.len()), (5, 3), "{name}");
        let last = file.triangles[1][2] as usize;
        assert_eq!(file.positions[last].to_array(), [1.0, 1.0, 1.5], "{name}");
    }
}
