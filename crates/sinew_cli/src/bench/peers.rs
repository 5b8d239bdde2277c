//! The peers that `cargo xtask peers` builds under `target/peers`, and what they print.

use serde::Deserialize;
use sinew::geom::TetMesh;
use sinew::io::npz::NpzWriter;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Programs to measure against, where they are there.
pub(crate) struct Peers {
    folder: PathBuf,
    scripts: PathBuf,
    /// Why they could not be built, if they could not.
    problem: Option<String>,
}

/// A line that a peer prints.
#[derive(Deserialize)]
struct Printed {
    median_ms: f64,
}

impl Peers {
    /// Finds the peers in the checkout that this program was built in; builds them where they are missing.
    pub(crate) fn find(may_build: bool) -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let folder = root.join("target/peers");
        let mut peers = Self { folder, scripts: root.join("benches/peers/python"), problem: None };
        if may_build && !(peers.rapier().exists() && peers.python().exists()) {
            eprintln!("building the peers first (cargo xtask peers)");
            let built = Command::new("cargo").args(["xtask", "peers"]).current_dir(&root).output();
            peers.problem = match built {
                Ok(output) if output.status.success() => None,
                Ok(output) => Some(last_line(&output.stderr)),
                Err(error) => Some(error.to_string()),
            };
        }
        peers
    }

    fn rapier(&self) -> PathBuf {
        self.folder.join("rapier/release/rapier_peer")
    }

    fn python(&self) -> PathBuf {
        self.folder.join("python/bin/python")
    }

    /// Milliseconds of one step of a rapier3d soft body: the corotational bar of about `vertices` points.
    pub(crate) fn rapier_ms(&self, vertices: usize, steps: usize, threads: usize) -> Result<f64, String> {
        let words =
            ["--vertices", &vertices.to_string(), "--steps", &steps.to_string(), "--threads", &threads.to_string()];
        self.run(&self.rapier(), &words)
    }

    /// Milliseconds of one step of pyPBD's shape matching with one region per vertex, `iterations` passes. One body hangs
    /// from its end; several lie in a pile, where they collide.
    pub(crate) fn pypbd_ms(
        &self,
        mesh: &TetMesh,
        steps: usize,
        iterations: usize,
        bodies: usize,
    ) -> Result<f64, String> {
        let bar = self.folder.join(format!("bar-{}.npz", mesh.positions.len()));
        write_bar(mesh, &bar).map_err(|error| error.to_string())?;
        let script = self.scripts.join("shape_matching_pypbd.py");
        let (script, bar) = (script.to_string_lossy().into_owned(), bar.to_string_lossy().into_owned());
        let [steps, iterations, bodies] = [steps, iterations, bodies].map(|count| count.to_string());
        let counts = ["--steps", &steps, "--iterations", &iterations, "--bodies", &bodies, "--threads", "1"];
        self.run(&self.python(), &[&[script.as_str(), bar.as_str()], &counts[..]].concat())
    }

    fn run(&self, program: &Path, words: &[&str]) -> Result<f64, String> {
        if !program.exists() {
            return Err(self.problem.clone().unwrap_or_else(|| "not built: run cargo xtask peers".to_owned()));
        }
        let output = Command::new(program).args(words).output().map_err(|error| error.to_string())?;
        if !output.status.success() {
            return Err(last_line(&output.stderr));
        }
        let text = String::from_utf8_lossy(&output.stdout);
        let printed = text.lines().find_map(|line| line.strip_prefix("RESULT "));
        let printed = printed.and_then(|line| serde_json::from_str::<Printed>(line).ok());
        printed.map(|printed| printed.median_ms).ok_or_else(|| "it printed no result".to_owned())
    }
}

fn write_bar(mesh: &TetMesh, path: &Path) -> Result<(), sinew::io::npz::NpzError> {
    let positions: Vec<f64> = mesh.positions.iter().flat_map(sinew::math::DVec3::to_array).collect();
    let tets: Vec<u32> = mesh.tets.iter().flatten().copied().collect();
    let mut npz = NpzWriter::create(path)?;
    npz.f8("positions", &[mesh.positions.len(), 3], &positions)?;
    npz.u4("tets", &[mesh.tets.len(), 4], &tets)?;
    npz.finish()
}

fn last_line(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("it failed without a word").trim().to_owned()
}
