//! Memory stays flat however long the studio runs: plays, edits, undoes, shows ghosts, keeps and
//! drops takes, rebuilds, opens scenes, loses pages. Some rounds here;
//! `cargo xtask soak` runs it for an hour.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[allow(dead_code, reason = "shared with the other tests of the studio")]
#[path = "../studio/house.rs"]
mod house;

use house::{Heard, House, Page};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// Memory of this process that is in use; none where the system does not say.
fn resident_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|kib| kib << 10)
}

/// The run is kept as a take (unless it is too long by now) and the take deleted again.
fn keep_and_drop(page: &mut Page) {
    let mut is_kept = |command: Value| {
        page.ask(&command);
        page.until(|heard| match heard {
            Heard::Event(event) if event["event"] == "refused" => Some(false),
            Heard::Event(event) if event["event"] == "takes" => Some(event["names"] != json!([])),
            _ => None,
        })
    };
    if is_kept(json!({ "do": "keep_take", "name": "soak" })) {
        assert!(!is_kept(json!({ "do": "drop_take", "name": "soak", "sure": true })), "the take is still there");
    }
}

/// How many rounds the suite asks for, and a long run at least.
const ROUNDS: usize = 9;

/// A round of everything.
fn round(house: &House, number: u32) {
    let mut page = house.page();
    page.ask(&json!({ "do": "look", "body": 0, "look": "contraction" }));
    page.ask(&json!({ "do": "cut", "body": 0, "plane": { "through": [0.0, 1.0, 0.0], "normal": [0.0, 0.0, 1.0] } }));
    for step in 0..10 {
        let value = json!(1.0 + 0.05 * f64::from((number + step) % 10));
        page.set("body.jelly.director.swim.period", &value);
        for _ in 0..6 {
            page.until(|heard| matches!(heard, Heard::Frame { .. }).then_some(()));
        }
    }
    for _ in 0..5 {
        page.ask(&json!({ "do": "undo" }));
    }
    page.ask(&json!({ "do": "ghosts", "count": 3, "every": 2 }));
    page.ask(&json!({ "do": "touch", "body": 0, "at_rest": [0.0, 1.2, 0.0] }));
    keep_and_drop(&mut page);
    page.set("body.jelly.solver.iterations", &json!(3 + number % 2));
    page.event("welcome");
    if number.is_multiple_of(3) {
        page.ask(&json!({ "do": "open", "scene": "bar-pin" }));
        page.until(|heard| {
            matches!(heard, Heard::Event(event) if event["event"] == "welcome" && event["scene"]["name"] == "bar-pin")
                .then_some(())
        });
        page.ask(&json!({ "do": "open", "scene": "jellyfish" }));
        page.until(|heard| {
            matches!(heard, Heard::Event(event) if event["event"] == "welcome" && event["scene"]["name"] == "jellyfish")
                .then_some(())
        });
    }
}

#[test]
fn memory_stays_flat() {
    let secs: Option<u64> = std::env::var("SINEW_SOAK_SECS").ok().and_then(|secs| secs.parse().ok());
    let folder = tempfile::tempdir().unwrap();
    let house = House::builtin("jellyfish", folder.path());
    let began = Instant::now();
    let mut seen = Vec::new();
    let mut number = 0;
    while seen.len() < ROUNDS || secs.is_some_and(|secs| began.elapsed() < Duration::from_secs(secs)) {
        number += 1;
        round(&house, number);
        let Some(bytes) = resident_bytes() else {
            eprintln!("skipped: this system does not say how much memory is in use");
            return;
        };
        seen.push(bytes);
    }
    // The first third fills caches and recordings; after it the highest mark must stay where it is.
    let highest = |marks: &[u64]| marks.iter().copied().max().unwrap_or(0) >> 20;
    let third = seen.len() / 3;
    let (early, late) = (highest(&seen[..2 * third]), highest(&seen[2 * third..]));
    println!("{} rounds in {:?}: at most {early} MB before, {late} MB after", seen.len(), began.elapsed());
    assert!(late <= early + early / 10 + 16, "{early} MB grew to {late} MB: {seen:?}");
}
