//! Reading and writing mesh files: each file by sinew and by meshio (GLB: trimesh) in the same run. Names give our rate.

use super::surface::bumpy_ball;
use super::{Peers, Row, in_turns, median_ms};
use crate::failure::Failure;
use sinew::geom::distance::SurfaceDistance;
use sinew::geom::stuffing::{Fineness, stuff};
use sinew::geom::{TetMesh, TriangleMesh};
use sinew::io::clip::{Clip, ClipBody, ClipInfo, SourceError};
use sinew::io::{WriteOptions, read_surface, read_tets, write_clip, write_tets};
use std::path::Path;

/// A surface of about 100,000 vertices, tets of about 50,000.
const AROUND: usize = 450;
const VERTICES: usize = 50_000;

pub(crate) fn measure(peers: &Peers) -> Result<Vec<Row>, Failure> {
    let surface = bumpy_ball(AROUND);
    let tets = stuff(&SurfaceDistance::new(&surface), Fineness::Vertices(VERTICES))?.mesh;
    let folder = peers.formats_folder(&surface, &tets);
    let mut rows = Vec::new();
    for (extension, peer) in [
        ("obj", "meshio"),
        ("off", "meshio"),
        ("stl", "meshio"),
        ("ply", "meshio"),
        ("glb", "trimesh"),
        ("msh", "meshio"),
        ("mesh", "meshio"),
        ("vtu", "meshio"),
    ] {
        let Ok(folder) = &folder else { break };
        rows.push(read_row(peers, &folder.join(format!("mesh.{extension}")), peer)?);
    }
    let place = folder.clone().unwrap_or_else(|_| std::env::temp_dir());
    for (extension, peer) in
        [("obj", "meshio"), ("ply", "meshio"), ("glb", "trimesh"), ("msh", "meshio"), ("mesh", "meshio")]
    {
        rows.push(write_row(peers, &place, extension, peer, &surface, &tets)?);
    }
    if let Err(problem) = folder {
        rows.iter_mut().for_each(|row| row.error = Some(problem.clone()));
    }
    Ok(rows)
}

fn read_row(peers: &Peers, path: &Path, peer: &str) -> Result<Row, Failure> {
    let read = |path: &Path| -> Result<usize, Failure> {
        if sinew::io::holds_tets(path) {
            Ok(read_tets(path)?.positions.len())
        } else {
            Ok(read_surface(path)?.positions.len())
        }
    };
    read(path)?;
    let row = in_turns(
        String::new(),
        peer,
        || median_ms(3, || drop(std::hint::black_box(read(path)))),
        || peers.read_ms(path),
    );
    Ok(named("read", row, path))
}

fn write_row(
    peers: &Peers,
    folder: &Path,
    extension: &str,
    peer: &str,
    surface: &TriangleMesh,
    tets: &TetMesh,
) -> Result<Row, Failure> {
    let path = folder.join(format!("ours.{extension}"));
    let made = match extension {
        "obj" | "ply" => folder.join(format!("ours.0001.{extension}")),
        _ => path.clone(),
    };
    let mut clip = Still::of(surface);
    let mut write = || -> Result<(), Failure> {
        if sinew::io::holds_tets(&path) {
            Ok(write_tets(&path, tets)?)
        } else {
            write_clip(&mut clip, &path, &WriteOptions::default())?;
            Ok(())
        }
    };
    write()?;
    let theirs = folder.join(format!("theirs.{extension}"));
    let row = in_turns(String::new(), peer, || median_ms(3, || drop(write())), || peers.write_ms(folder, &theirs));
    Ok(named("write", row, &made))
}

fn named(task: &str, row: Row, path: &Path) -> Row {
    let megabytes = std::fs::metadata(path).map_or(0.0, |meta| meta.len() as f64 / 1e6);
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    let name = format!("{task} .{extension}, {megabytes:.1} MB: {:.0} MB/s", megabytes / row.ours_ms * 1e3);
    Row { name, ..row }
}

/// A clip of one frame.
struct Still {
    info: ClipInfo,
    points: Vec<[f32; 3]>,
}

impl Still {
    fn of(surface: &TriangleMesh) -> Self {
        let body = ClipBody {
            name: "ball".to_owned(),
            vertex_count: surface.positions.len(),
            triangles: surface.triangles.clone(),
            ..ClipBody::default()
        };
        let info = ClipInfo { fps: (24, 1), first_frame: 1, frame_count: 1, bodies: vec![body], ..ClipInfo::default() };
        Self { info, points: surface.positions.iter().map(|x| x.to_array().map(|c| c as f32)).collect() }
    }
}

impl Clip for Still {
    fn info(&self) -> &ClipInfo {
        &self.info
    }

    fn skin(&mut self, _: usize, _: usize, out: &mut Vec<[f32; 3]>) -> Result<(), SourceError> {
        out.extend_from_slice(&self.points);
        Ok(())
    }
}
