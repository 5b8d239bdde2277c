//! The peers that `cargo xtask peers` builds under `target/peers`, and what they print.

use super::elastic::many::{Pile, Run};
use super::elastic::tries::Try;
use serde::Deserialize;
use sinew::geom::{TetMesh, TriangleMesh};
use sinew::io::npz::{NpzError, NpzWriter};
use sinew::math::DVec3;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Programs to measure against, where they are there.
/// One step from rest.
pub(crate) struct FirstStep {
    pub(crate) ms: f64,
    pub(crate) positions: Vec<DVec3>,
}

/// Which step of which pile.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PileStep {
    pub(crate) bodies: usize,
    pub(crate) h_secs: f64,
    /// Steps of falling before it.
    pub(crate) before: usize,
    /// Iterations that are tried at the most.
    pub(crate) most: u32,
}

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
    /// Of a pile, as a share of a body's size; none where it flew apart.
    #[serde(default)]
    penetration: Option<f64>,
}

/// Steps of a pile by more and more iterations.
#[derive(Deserialize)]
struct PrintedTries {
    tries: Vec<PrintedTry>,
}

#[derive(Deserialize)]
struct PrintedTry {
    ms: f64,
    error: f64,
}

impl Peers {
    /// Finds the peers in the checkout that this program was built in; builds them where they are missing.
    pub(crate) fn find(may_build: bool) -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let folder = root.join("target/peers");
        let mut peers = Self { folder, scripts: root.join("benches/peers/python"), problem: None };
        if may_build && !(peers.rapier().exists() && peers.is_installed()) {
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

    /// Whether the packages are the ones that are asked for now.
    fn is_installed(&self) -> bool {
        let asked = std::fs::read_to_string(self.scripts.join("requirements.txt"));
        let installed = std::fs::read_to_string(self.folder.join("python/installed.txt"));
        asked.ok().is_some_and(|asked| installed.is_ok_and(|installed| installed == asked))
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
        let bar = self.bar_file(mesh)?;
        let [steps, iterations, bodies] = [steps, iterations, bodies].map(|count| count.to_string());
        let counts = ["--steps", &steps, "--iterations", &iterations, "--bodies", &bodies, "--threads", "1"];
        self.script("shape_matching_pypbd.py", &[&[bar.as_str()], &counts[..]].concat())
    }

    /// Milliseconds of one step of Newton's vertex block descent: the clamped bar.
    pub(crate) fn newton_ms(&self, mesh: &TetMesh, steps: usize, iterations: u32) -> Result<f64, String> {
        let (steps, iterations) = (steps.to_string(), iterations.to_string());
        self.script("descent_newton.py", &[&self.bar_file(mesh)?, "--steps", &steps, "--iterations", &iterations])
    }

    /// Milliseconds of one implicit step of a rapier3d FEM body, its linear solve to `residual` or as the program comes.
    pub(crate) fn rapier_fem_ms(
        &self,
        vertices: usize,
        steps: usize,
        h_secs: f64,
        residual: Option<f64>,
    ) -> Result<f64, String> {
        let (vertices, steps, h) = (vertices.to_string(), steps.to_string(), h_secs.to_string());
        let mut words = vec!["--kind", "FEM", "--threads", "1", "--vertices", &vertices, "--steps", &steps, "--h", &h];
        let residual = residual.map(|residual| residual.to_string());
        words.extend(residual.iter().flat_map(|residual| ["--residual", residual]));
        self.run(&self.rapier(), &words)
    }

    /// Milliseconds of one step of a MuJoCo flex.
    pub(crate) fn mujoco_ms(&self, mesh: &TetMesh, steps: usize, h_secs: f64) -> Result<f64, String> {
        let (steps, h) = (steps.to_string(), h_secs.to_string());
        self.script("implicit_mujoco.py", &[&self.bar_file(mesh)?, "--steps", &steps, "--h", &h])
    }

    /// Milliseconds of one step of pyPBD's XPBD.
    pub(crate) fn xpbd_ms(&self, mesh: &TetMesh, steps: usize, iterations: usize) -> Result<f64, String> {
        let (steps, iterations) = (steps.to_string(), iterations.to_string());
        self.script("xpbd_pypbd.py", &[&self.bar_file(mesh)?, "--steps", &steps, "--iterations", &iterations])
    }

    /// The first step from rest of Newton's vertex block descent: the clamped bar.
    pub(crate) fn newton_first_step(
        &self,
        mesh: &TetMesh,
        young_pa: f64,
        h_secs: f64,
        iterations: u32,
    ) -> Result<FirstStep, String> {
        let (bar, iterations) = (self.bar_file(mesh)?, iterations.to_string());
        self.first_step(young_pa, h_secs, |words| {
            self.script("descent_newton.py", &[&[bar.as_str(), "--iterations", &iterations], words].concat())
        })
    }

    /// The same of a MuJoCo flex, without damping.
    pub(crate) fn mujoco_first_step(&self, mesh: &TetMesh, young_pa: f64, h_secs: f64) -> Result<FirstStep, String> {
        let bar = self.bar_file(mesh)?;
        self.first_step(young_pa, h_secs, |words| self.script("implicit_mujoco.py", &[&[bar.as_str()], words].concat()))
    }

    /// The same of a rapier3d FEM body, its linear solve to `residual`.
    pub(crate) fn rapier_first_step(
        &self,
        cells: [usize; 3],
        young_pa: f64,
        h_secs: f64,
        residual: f64,
    ) -> Result<FirstStep, String> {
        let cells = cells.map(|count| count.to_string()).join(",");
        let residual = residual.to_string();
        let own = ["--kind", "FEM", "--threads", "1", "--cells", &cells, "--residual", &residual];
        self.first_step(young_pa, h_secs, |words| self.run(&self.rapier(), &[&own, words].concat()))
    }

    /// Runs a peer that writes where points are after its first step: three numbers to a line, in the order of the mesh.
    fn first_step(
        &self,
        young_pa: f64,
        h_secs: f64,
        run: impl FnOnce(&[&str]) -> Result<f64, String>,
    ) -> Result<FirstStep, String> {
        let file = self.folder.join("first-step.txt");
        let (young, h) = (young_pa.to_string(), h_secs.to_string());
        let ms = run(&["--young", &young, "--h", &h, "--first", &file.to_string_lossy()])?;
        let text = std::fs::read_to_string(&file).map_err(|error| error.to_string())?;
        let numbers: Result<Vec<f64>, _> = text.split_whitespace().map(str::parse).collect();
        let numbers = numbers.map_err(|error| format!("its positions cannot be read: {error}"))?;
        let (points, []) = numbers.as_chunks::<3>() else { return Err("its positions are cut short".to_owned()) };
        Ok(FirstStep { ms, positions: points.iter().map(|x| DVec3::from_array(*x)).collect() })
    }

    /// The file of a bar, written anew.
    fn bar_file(&self, mesh: &TetMesh) -> Result<String, String> {
        let bar = self.folder.join(format!("bar-{}.npz", mesh.positions.len()));
        write_bar(mesh, &bar).map_err(|error| error.to_string())?;
        Ok(bar.to_string_lossy().into_owned())
    }

    /// A pile of copies of a mesh: milliseconds of a step, and how deep bodies get into each other.
    pub(crate) fn pile(&self, mesh: &TetMesh, peer: &str, pile: &Pile) -> Result<Run, String> {
        let bar = self.bar_file(mesh)?;
        let Pile { bodies, h_secs, secs, deepest, budget_secs } = *pile;
        let [bodies, h, secs] = [bodies.to_string(), h_secs.to_string(), secs.to_string()];
        let [deepest, budget] = [deepest, budget_secs].map(|number| number.to_string());
        let words = ["--bodies", &bodies, "--h", &h, "--secs", &secs, "--deepest", &deepest, "--budget", &budget];
        let words = [&[bar.as_str(), peer], &words[..]].concat();
        let Printed { median_ms, penetration } = printed(&self.output("many_bodies.py", &words)?)?;
        Ok(Run { h_secs, step_ms: median_ms, penetration: penetration.unwrap_or(f64::INFINITY) })
    }

    /// One step of a pile of copies of a mesh, by more and more iterations, each beside the program's own answer.
    pub(crate) fn pile_step(&self, mesh: &TetMesh, peer: &str, step: &PileStep) -> Result<Vec<Try>, String> {
        let bar = self.bar_file(mesh)?;
        let words =
            [("--bodies", step.bodies as f64), ("--before", step.before as f64), ("--most", f64::from(step.most))];
        let mut words: Vec<String> = words.iter().flat_map(|(name, n)| [(*name).to_owned(), n.to_string()]).collect();
        words.extend(["--h".to_owned(), step.h_secs.to_string()]);
        let words: Vec<&str> = [&*bar, peer].into_iter().chain(words.iter().map(String::as_str)).collect();
        tries(&self.output("pile_step.py", &words)?)
    }

    /// The same of rapier3d's FEM.
    pub(crate) fn rapier_pile_step(&self, cells: [usize; 3], step: &PileStep) -> Result<Vec<Try>, String> {
        let cells = cells.map(|count| count.to_string()).join(",");
        let [bodies, before, most] = [step.bodies.to_string(), step.before.to_string(), step.most.to_string()];
        let (h, residual) = (step.h_secs.to_string(), "1e-6");
        let own = ["--kind", "FEM", "--threads", "1", "--cells", &cells, "--residual", residual, "--h", &h];
        let pile = ["--pile", &bodies, "--before", &before, "--most", &most];
        tries(&self.output_of(&self.rapier(), &[&own[..], &pile[..]].concat())?)
    }

    /// Milliseconds per 1000 tets of a mesher.
    pub(crate) fn mesher_ms(&self, surface: &TriangleMesh, tool: &str, tets: usize) -> Result<f64, String> {
        let file = self.folder.join("surface.npz");
        write_meshes(Some(surface), None, &file).map_err(|error| error.to_string())?;
        self.script("mesher.py", &[&file.to_string_lossy(), tool, "--tets", &tets.to_string()])
    }

    /// Milliseconds of a picture by matplotlib.
    pub(crate) fn picture_ms(&self, surface: &TriangleMesh) -> Result<f64, String> {
        let (file, picture) = (self.folder.join("surface.npz"), self.folder.join("picture.png"));
        write_meshes(Some(surface), None, &file).map_err(|error| error.to_string())?;
        self.script("render.py", &[&file.to_string_lossy(), &picture.to_string_lossy()])
    }

    /// A folder with the two meshes in every format, as peers write them, and as `mesh.npz`.
    pub(crate) fn formats_folder(&self, surface: &TriangleMesh, tets: &TetMesh) -> Result<PathBuf, String> {
        let folder = self.folder.join("formats");
        std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        let file = folder.join("mesh.npz");
        write_meshes(Some(surface), Some(tets), &file).map_err(|error| error.to_string())?;
        self.output("formats.py", &["make", &file.to_string_lossy(), &folder.to_string_lossy()])?;
        Ok(folder)
    }

    pub(crate) fn read_ms(&self, file: &Path) -> Result<f64, String> {
        self.script("formats.py", &["read", &file.to_string_lossy()])
    }

    pub(crate) fn write_ms(&self, folder: &Path, file: &Path) -> Result<f64, String> {
        self.script("formats.py", &["write", &folder.join("mesh.npz").to_string_lossy(), &file.to_string_lossy()])
    }

    fn script(&self, script: &str, words: &[&str]) -> Result<f64, String> {
        result_ms(&self.output(script, words)?)
    }

    fn output(&self, script: &str, words: &[&str]) -> Result<Vec<u8>, String> {
        let script = self.scripts.join(script).to_string_lossy().into_owned();
        let words: Vec<&str> = std::iter::once(&*script).chain(words.iter().copied()).collect();
        self.output_of(&self.python(), &words)
    }

    fn run(&self, program: &Path, words: &[&str]) -> Result<f64, String> {
        result_ms(&self.output_of(program, words)?)
    }

    fn output_of(&self, program: &Path, words: &[&str]) -> Result<Vec<u8>, String> {
        if !program.exists() {
            return Err(self.problem.clone().unwrap_or_else(|| "not built: run cargo xtask peers".to_owned()));
        }
        let output =
            Command::new(program).args(words).current_dir(&self.folder).output().map_err(|error| error.to_string())?;
        if !output.status.success() {
            return Err(last_line(&output.stderr));
        }
        Ok(output.stdout)
    }
}

fn result_ms(output: &[u8]) -> Result<f64, String> {
    printed(output).map(|printed: Printed| printed.median_ms)
}

fn tries(output: &[u8]) -> Result<Vec<Try>, String> {
    let printed: PrintedTries = printed(output)?;
    Ok(printed.tries.iter().map(|each| Try { ms: each.ms, error: each.error }).collect())
}

fn printed<T: serde::de::DeserializeOwned>(output: &[u8]) -> Result<T, String> {
    let text = String::from_utf8_lossy(output);
    let line = text.lines().find_map(|line| line.strip_prefix("RESULT "));
    line.and_then(|line| serde_json::from_str(line).ok()).ok_or_else(|| "it printed no result".to_owned())
}

fn write_bar(mesh: &TetMesh, path: &Path) -> Result<(), NpzError> {
    let mut npz = NpzWriter::create(path)?;
    npz.f8("positions", &[mesh.positions.len(), 3], &flat(&mesh.positions))?;
    npz.u4("tets", &[mesh.tets.len(), 4], mesh.tets.as_flattened())?;
    npz.finish()
}

fn write_meshes(surface: Option<&TriangleMesh>, tets: Option<&TetMesh>, path: &Path) -> Result<(), NpzError> {
    let mut npz = NpzWriter::create(path)?;
    if let Some(surface) = surface {
        npz.f8("positions", &[surface.positions.len(), 3], &flat(&surface.positions))?;
        npz.u4("triangles", &[surface.triangles.len(), 3], surface.triangles.as_flattened())?;
    }
    if let Some(mesh) = tets {
        npz.f8("tet_positions", &[mesh.positions.len(), 3], &flat(&mesh.positions))?;
        npz.u4("tets", &[mesh.tets.len(), 4], mesh.tets.as_flattened())?;
    }
    npz.finish()
}

fn flat(positions: &[DVec3]) -> Vec<f64> {
    positions.iter().flat_map(DVec3::to_array).collect()
}

fn last_line(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("it failed without a word").trim().to_owned()
}
