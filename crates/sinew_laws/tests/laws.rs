//! A hundred random scenes and every kept one obey the laws, but for the faults that are known.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use rayon::prelude::*;
use sinew_laws::generate::generate;
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
    let one = |seed: u64| (format!("seed {seed}"), judge(&generate(seed, &[]), &folder()).unwrap());
    let judged: Vec<_> = (1..=SEEDS).into_par_iter().map(one).collect();
    complain_about(&judged, |scene| scene.starts_with("seed "));
}

#[test]
fn kept_scenes_obey_the_laws() {
    let judged: Vec<_> = sinew_laws::survey::kept(&folder().join("scenes"))
        .unwrap()
        .into_par_iter()
        .map(|(name, case): (String, Case)| (name, judge(&case, &folder()).unwrap()))
        .collect();
    assert!(judged.len() >= 10);
    complain_about(&judged, |scene| !scene.starts_with("seed "));
}
