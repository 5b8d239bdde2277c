//! A hundred random scenes and every kept one obey the laws, but for the faults that are known.

use sinew_laws::generate::generate;
use sinew_laws::survey::{in_parallel, kept};
use sinew_laws::{Case, Verdict, judge, known};
use std::path::{Path, PathBuf};

/// Seeds 1 to this.
const SEEDS: u64 = 100;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

fn known() -> Vec<known::Known> {
    known::read(&std::fs::read_to_string(folder().join("known.toml")).unwrap()).unwrap()
}

fn complain_about(judged: &[(String, Verdict)], is_ours: impl Fn(&str) -> bool) {
    let known: Vec<_> = known().into_iter().filter(|known| is_ours(&known.scene)).collect();
    let complaints = known::complaints(&known, judged);
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

#[test]
fn a_hundred_random_scenes_obey_the_laws() {
    let one = |seed: &u64| (format!("seed {seed}"), judge(&generate(*seed, &[]), &folder()).unwrap());
    let judged = in_parallel(&(1..=SEEDS).collect::<Vec<_>>(), 0, one);
    complain_about(&judged, |scene| scene.starts_with("seed "));
}

/// Real meshes that the repository does not have, where they lie beside it or where `SINEW_MODELS` says.
fn models() -> Option<PathBuf> {
    let path = std::env::var_os("SINEW_MODELS").map_or_else(|| folder().join("../../../shared/models"), PathBuf::from);
    let is_there = path.is_dir();
    assert!(is_there || std::env::var_os("SINEW_STRICT").is_none(), "{} is not there", path.display());
    is_there.then_some(path)
}

#[test]
fn kept_scenes_obey_the_laws() {
    let (models, folder) = (models(), folder());
    let mut scenes = kept(&folder.join("scenes")).unwrap();
    let needs_meshes: Vec<String> =
        scenes.iter().filter(|(_, case)| case.has_meshes()).map(|(name, _)| name.clone()).collect();
    if models.is_none() {
        println!("skipped for want of their meshes: {}", needs_meshes.join(", "));
        scenes.retain(|(_, case)| !case.has_meshes());
    }
    let meshes = models.as_deref().unwrap_or(&folder);
    let one = |(name, case): &(String, Case)| {
        let verdict = judge(case, if case.has_meshes() { meshes } else { &folder }).unwrap();
        (name.clone(), verdict)
    };
    let judged = in_parallel(&scenes, 0, one);
    assert!(judged.len() >= 10);
    complain_about(&judged, |scene| {
        !scene.starts_with("seed ") && (models.is_some() || !needs_meshes.iter().any(|name| name == scene))
    });
}
