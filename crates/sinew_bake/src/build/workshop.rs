//! Flesh and skins that were made lately, so that a scene edited elsewhere gets the same ones again.

use super::flesh::{self, Made};
use super::mesh_file::{LARGEST_MESH_BYTES, Meshes, Watch, unwatched};
use super::obstacles::MeshShapes;
use super::painting::density_factors;
use super::{BuildError, BuildWarning};
use crate::keys::KeyShelf;
use sinew_direct::muscle::Canvas;
use sinew_io::Dir;
use sinew_scene::Body;
use sinew_scene::model::{self, Grown};
use sinew_solve::Flesh;
use sinew_stage::Skin;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Remembers what bodies were made of. A body whose skin, flesh, scale and colour are as they were, and whose mesh files hold
/// what they held, is not made again; what was painted on it stays too. Where only its density changed it is weighed anew.
pub struct Workshop {
    /// The last one used is last.
    pieces: Vec<Piece>,
    pub(super) obstacles: MeshShapes,
    watch: Watch,
}

impl Default for Workshop {
    fn default() -> Self {
        Self { pieces: Vec::new(), obstacles: MeshShapes::default(), watch: unwatched() }
    }
}

/// What was made of one `[[body]]`, and from what.
#[derive(Clone)]
pub(super) struct Piece {
    asked: String,
    weight: String,
    folder: PathBuf,
    name: String,
    pub mesh_hashes: BTreeMap<String, [u8; 32]>,
    pub warnings: Vec<BuildWarning>,
    pub flesh: Arc<Flesh>,
    pub skin: Arc<Skin>,
    pub canvas: Arc<Canvas>,
    pub shelf: Arc<KeyShelf>,
}

impl Workshop {
    /// Pieces that are kept beyond those of the scene that was built last, for who goes back and forth.
    const KEPT: usize = 8;

    /// Who is told how far flesh is that is grown inside a surface: numbers from 0 to 1. The build fails soon after it breaks.
    pub fn watch(&mut self, watch: impl Fn(f64) -> ControlFlow<()> + Send + Sync + 'static) {
        self.watch = Arc::new(watch);
    }

    pub(super) fn piece(&mut self, body: &Body, folder: &Path) -> Result<Piece, BuildError> {
        let (asked, weight) = (asked_of(body), weight_of(body));
        let has_shape = |piece: &&Piece| piece.asked == asked && piece.folder == folder && piece.serves(body);
        let same = |piece: &Piece| piece.weight == weight && has_shape(&piece);
        let piece = match self.pieces.iter().position(same) {
            Some(known) => self.pieces.remove(known),
            None => match self.pieces.iter().find(has_shape) {
                Some(shape) => shape.weighed(body)?,
                None => Piece::make(body, folder, asked, &self.watch)?,
            },
        };
        self.pieces.push(piece.clone());
        Ok(piece)
    }

    /// Forgets all but the last few pieces, of which `in_use` are the scene's.
    pub(super) fn tidy(&mut self, in_use: usize) {
        let too_many = self.pieces.len().saturating_sub(in_use + Self::KEPT);
        self.pieces.drain(..too_many);
    }
}

impl Piece {
    fn make(body: &Body, folder: &Path, asked: String, watch: &Watch) -> Result<Self, BuildError> {
        let mut meshes = Meshes::in_folder(folder, watch.clone());
        let Made { flesh, skin } = flesh::make(body, &mut meshes)?;
        let (mesh_hashes, warnings) = meshes.into_parts();
        let flesh = Arc::new(flesh);
        let made = Self {
            asked,
            weight: weight_of(body),
            folder: folder.to_owned(),
            name: body.name.clone(),
            mesh_hashes,
            warnings,
            canvas: Arc::new(Canvas::new(flesh.clone())),
            shelf: Arc::new(KeyShelf::new(folder)),
            flesh,
            skin: Arc::new(skin),
        };
        if body.material.fields.density.is_some() { made.weighed(body) } else { Ok(made) }
    }

    /// The same flesh at the body's density, which may differ from place to place.
    fn weighed(&self, body: &Body) -> Result<Self, BuildError> {
        let even = match body.flesh {
            model::Flesh::Grown(Grown::Shell { thickness, .. }) => body.material.values().density_kg_m3 * thickness,
            _ => body.material.values().density_kg_m3,
        };
        let flesh = Arc::new(match density_factors(body, &self.canvas)? {
            Some(factors) => self.flesh.with_density(|point| even * factors[point]),
            None => self.flesh.with_density(|_| even),
        });
        let canvas = Arc::new(self.canvas.reweighed(flesh.clone()));
        // Fits of shapes go by mass.
        let shelf = Arc::new(KeyShelf::new(&self.folder));
        Ok(Self { weight: weight_of(body), flesh, canvas, shelf, ..self.clone() })
    }

    /// Warnings name their body, and files may have been written anew.
    fn serves(&self, body: &Body) -> bool {
        let unchanged = |(file, hash): (&String, &[u8; 32])| {
            let bytes = Dir::open(&self.folder).and_then(|folder| folder.read_named(file, LARGEST_MESH_BYTES));
            bytes.is_ok_and(|bytes| blake3::hash(&bytes).as_bytes() == hash)
        };
        (self.warnings.is_empty() || self.name == body.name) && self.mesh_hashes.iter().all(unchanged)
    }
}

/// Everything of a body that the shape of its flesh and skin depend on.
fn asked_of(body: &Body) -> String {
    format!("{:?} {:?} {:?} {:?}", body.skin, body.flesh, body.scale, body.colour)
}

/// Everything of a body that the weight of its flesh depends on besides.
fn weight_of(body: &Body) -> String {
    let (values, fields) = (body.material.values(), &body.material.fields);
    format!("{:?} {:?} {:?}", values.density_kg_m3, fields.density, fields.density.as_ref().map(|_| fields.paint))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::build_with;
    use sinew_scene::Scene;

    fn scene(change: &str, to: &str) -> Scene {
        let text = sinew_scene::builtin::find("bar-pin").unwrap().toml;
        assert!(change.is_empty() || text.contains(change), "{change} is in the scene");
        Scene::from_toml(&text.replace(change, to), "bar-pin").unwrap()
    }

    #[test]
    fn an_edit_elsewhere_keeps_flesh_and_skin_and_one_of_the_flesh_does_not() {
        let mut workshop = Workshop::default();
        let mut flesh = |scene: &Scene| {
            let built = build_with(scene, Path::new("."), 1, &mut workshop).unwrap();
            built.stage.bodies()[0].flesh.clone()
        };
        let before = flesh(&scene("", ""));
        let other_solver = Scene { obstacles: Vec::new(), ..scene("", "") };
        assert!(Arc::ptr_eq(&before, &flesh(&other_solver)));
        let mut larger = scene("", "");
        larger.bodies[0].scale.0 = [2.0; 3];
        assert!(!Arc::ptr_eq(&before, &flesh(&larger)));
        assert!(Arc::ptr_eq(&before, &flesh(&scene("", ""))), "going back finds the old one");
    }

    #[test]
    fn flesh_that_grows_says_how_far_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
        std::fs::write(folder.path().join("tet.obj"), obj).unwrap();
        let text = "sinew = 1\n[[body]]\nname = \"b\"\nskin = { mesh = \"tet.obj\" }\nflesh = { kind = \"tets\", vertices = 400 }";
        let scene = Scene::from_toml(text, "b").unwrap();
        let (told, hear) = std::sync::mpsc::channel();
        let mut workshop = Workshop::default();
        workshop.watch(move |share| {
            told.send(share).unwrap();
            ControlFlow::Continue(())
        });
        build_with(&scene, folder.path(), 1, &mut workshop).unwrap();
        let heard: Vec<f64> = hear.try_iter().collect();
        assert!(heard.len() > 5 && heard.is_sorted() && heard[0] == 0.0 && heard[heard.len() - 1] == 1.0, "{heard:?}");
        assert!(heard.iter().any(|share| *share > 0.2 && *share < 0.8), "{heard:?}");
        build_with(&scene, folder.path(), 1, &mut workshop).unwrap();
        assert_eq!(hear.try_iter().count(), 0, "nothing is grown again");
    }

    #[test]
    fn flesh_that_nobody_wants_any_more_is_not_grown_to_the_end() {
        let text = "sinew = 1\n[[body]]\nname = \"b\"\nskin = { model = \"snail\" }\nflesh = { kind = \"tets\", vertices = 200000 }";
        let scene = Scene::from_toml(text, "b").unwrap();
        let mut workshop = Workshop::default();
        workshop.watch(|share| if share > 0.0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) });
        let Err(error) = build_with(&scene, Path::new("."), 1, &mut workshop) else { panic!("it was built") };
        assert!(error.to_string().contains("it was stopped"), "{error}");
    }

    #[test]
    fn another_density_weighs_the_flesh_anew_as_a_fresh_build_would() {
        let mut workshop = Workshop::default();
        let mut flesh = |scene: &Scene| {
            let built = build_with(scene, Path::new("."), 1, &mut workshop).unwrap();
            built.stage.bodies()[0].flesh.clone()
        };
        let even = flesh(&scene("", ""));
        let mut heavy = scene("", "");
        heavy.bodies[0].material.density_kg_m3 = Some(1777.0);
        heavy.bodies[0].material.fields.density =
            Some(sinew_scene::Field::Along { along: sinew_scene::Axis::X, from: 1.0, to: 4.0, paint: Vec::new() });
        let ours = flesh(&heavy);
        let theirs = crate::build::build(&heavy, Path::new("."), 1).unwrap();
        assert_eq!(*ours, *theirs.stage.bodies()[0].flesh);
        assert!(ours.has_points_of(&even));
        let [light_end, heavy_end] = [f64::min, f64::max].map(|pick| {
            let x = ours.rest.iter().map(|x| x.x).reduce(pick).unwrap();
            let at_end = |(i, _): &(usize, &sinew_math::DVec3)| (ours.rest[*i].x - x).abs() < 1e-9;
            let ratio = |(i, _): (usize, &sinew_math::DVec3)| ours.mass_kg[i] / even.mass_kg[i];
            ours.rest.iter().enumerate().filter(at_end).map(ratio).sum::<f64>()
        });
        assert!((heavy_end / light_end - 4.0).abs() < 1e-9, "{light_end} {heavy_end}");
    }
}
