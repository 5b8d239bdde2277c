//! What a scene would take of the machine, before it is built: a typo in a number of vertices is asked about, not built.

use super::Desk;
use super::build::Builder;
use crate::protocol::{Command, Level, Notice, NoticeAction};
use sinew_scene::model::{Copies, Flesh, Grown};
use sinew_scene::{Body, Scene};

/// Per flesh vertex, all told: mesh, solver, skin, recorded frames and what making them takes (measured: two million vertices of a
/// mesh file filled 16 GB).
const BYTES_PER_VERTEX: u64 = 8 << 10;
/// Vertices that a build makes in a second, to the order of magnitude.
const VERTICES_PER_SEC: u64 = 20_000;
/// What may be built without a question, of the machine's memory.
const SHARE: u64 = 4;
/// Where the system does not say how much memory there is.
const USUAL_BYTES: u64 = 8 << 30;

/// What a build would take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Estimate {
    vertices: u64,
    bytes: u64,
    secs: u64,
}

impl Estimate {
    fn of(scene: &Scene) -> Self {
        let made: u64 = scene.bodies.iter().map(vertices_of).sum();
        let shown: u64 = scene.bodies.iter().map(shown_vertices).sum();
        Self { vertices: shown, bytes: BYTES_PER_VERTEX * shown, secs: made / VERTICES_PER_SEC }
    }
}

/// Vertices that are made of a body; files bring their own.
fn vertices_of(body: &Body) -> u64 {
    match body.flesh {
        Flesh::Grown(Grown::Tets { vertices, .. } | Grown::Shell { vertices, .. }) => u64::from(vertices),
        _ => 0,
    }
}

fn shown_vertices(body: &Body) -> u64 {
    vertices_of(body) * body.copies.as_ref().map_or(1, count_of)
}

/// How many bodies copies are.
fn count_of(copies: &Copies) -> u64 {
    let grid = copies.grid.map_or(1, |grid| grid.iter().map(|n| u64::from(*n)).product());
    let places = copies.places.as_ref().map_or(1, |places| places.len() as u64);
    let counted = copies.count.map_or(1, u64::from);
    grid.max(places).max(counted)
}

impl Builder {
    /// Asks about a scene that would take more than its share of the machine; none where it may be built.
    pub(super) fn question(&self, scene: &Scene) -> Option<Notice> {
        let (estimate, machine) = (Estimate::of(scene), memory_bytes());
        if estimate.bytes <= (machine / SHARE).max(self.allowed_bytes) {
            return None;
        }
        let largest = scene.bodies.iter().max_by_key(|body| shown_vertices(body));
        let text = format!(
            "{} vertices of flesh would take about {} of this machine's {}, and {} to make",
            grouped(estimate.vertices),
            gigabytes(estimate.bytes),
            gigabytes(machine),
            duration(estimate.secs)
        );
        Some(Notice {
            level: Level::Problem,
            path: largest.map(|body| format!("body.{}.flesh", body.name)),
            text,
            help: Some("ask for fewer vertices, or build it all the same".to_owned()),
            actions: vec![NoticeAction { name: "Build it anyway".to_owned(), command: Command::BuildAnyway }],
        })
    }
}

impl Desk {
    /// The user wants the scene as it is.
    pub(super) fn build_anyway(&mut self) {
        self.builder.allowed_bytes = Estimate::of(self.document.scene()).bytes;
        self.follow();
    }
}

/// All memory of the machine.
fn memory_bytes() -> u64 {
    let kilobytes = |text: String| {
        let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?.to_owned();
        line.split_whitespace().next()?.parse::<u64>().ok()
    };
    std::fs::read_to_string("/proc/meminfo").ok().and_then(kilobytes).map_or(USUAL_BYTES, |kilobytes| kilobytes << 10)
}

fn gigabytes(bytes: u64) -> String {
    format!("{:.1} GB", bytes as f64 / 1e9)
}

fn duration(secs: u64) -> String {
    match secs {
        0..90 => format!("{} seconds", secs.max(1)),
        _ => format!("{} minutes", secs.div_ceil(60)),
    }
}

pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let (head, rest) = digits.split_at((digits.len() - 1) % 3 + 1);
    let rest = rest.as_bytes().chunks(3).map(|three| String::from_utf8_lossy(three).into_owned());
    std::iter::once(head.to_owned()).chain(rest).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(vertices: u32, allowed_bytes: u64) -> Option<Notice> {
        let text = format!(
            "sinew = 1\n[[body]]\nname = \"b\"\nskin = {{ model = \"bar\" }}\nflesh = {{ kind = \"tets\", vertices = {vertices} }}"
        );
        let mut builder = Builder::new();
        builder.allowed_bytes = allowed_bytes;
        builder.question(&Scene::from_toml(&text, "b").unwrap())
    }

    #[test]
    fn a_usual_body_is_built_and_a_typo_is_asked_about() {
        assert_eq!(question(30_000, 0), None);
        let asked = question(2_000_000, 0);
        if memory_bytes() < 60 << 30 {
            let asked = asked.unwrap();
            assert!(asked.text.contains("2,000,000 vertices") && asked.text.contains("16.4 GB"), "{}", asked.text);
            assert_eq!(asked.path.as_deref(), Some("body.b.flesh"));
            assert_eq!(question(2_000_000, 17 << 30), None, "who was asked is not asked again");
        }
        assert_eq!([grouped(7), grouped(1234), grouped(1_234_567)], ["7", "1,234", "1,234,567"]);
    }
}
