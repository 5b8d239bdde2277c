//! What had to be done to fill a body, or was left out: counts, places, and words for them.

use sinew_math::DVec3;

#[derive(Debug, Clone, PartialEq, Default)]
pub struct StuffingReport {
    pub cell_m: f64,
    /// Times the body was stuffed again because of faults.
    pub rounds: usize,
    /// Where the boundary touched itself in a vertex or an edge, and was taken apart.
    pub pinches: Places,
    /// Where a lattice point was sent back because of bad angles.
    pub blunted: Places,
    /// Landmarks of the surface that lie outside the mesh by about a cell or more: the body is too thin there.
    pub lost: Places,
    /// Landmarks of the surface that lie inside the mesh by as much: a gap or hollow too narrow for the cells.
    pub filled: Places,
    /// Pieces of the surface, as far as it has landmarks.
    pub pieces: usize,
    /// Pieces of the surface that have no landmark left.
    pub lost_pieces: usize,
    /// Crumbs of a few tets that hung on nothing, and were left out.
    pub crumbs: Places,
    /// Parts of the mesh that do not hang together.
    pub components: usize,
}

/// How often something happened, and where first.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Places {
    pub count: usize,
    pub first: Vec<DVec3>,
}

impl Places {
    const SHOWN: usize = 8;

    pub(crate) fn note(&mut self, place: DVec3) {
        self.count += 1;
        if self.first.len() < Self::SHOWN {
            self.first.push(place);
        }
    }
}

/// Something that the one who asked for the mesh should know.
#[derive(Debug, Clone, PartialEq)]
pub struct StuffingNote {
    /// A word for programs.
    pub kind: &'static str,
    /// Whether something of the body was lost, rather than only repaired.
    pub is_loss: bool,
    pub what: String,
    /// Where first, if anywhere.
    pub first: Option<DVec3>,
}

impl StuffingReport {
    /// In words, losses first.
    pub fn notes(&self) -> Vec<StuffingNote> {
        // A body of one piece should not fall apart; several may touch, so that fewer parts are no fault.
        let parts = if self.components > self.pieces.max(1) { self.components } else { 0 };
        let thin = "features thinner than a cell were lost; more vertices or smaller cells keep them";
        let narrow = "gaps narrower than a cell were filled; more vertices or smaller cells keep them open";
        let at = |count: usize| if count == 1 { "place of the surface" } else { "places of the surface" };
        let told = |count: usize, one: &str, many: &str| format!("{count} {}", if count == 1 { one } else { many });
        let (lost, pieces, crumbs) = (self.lost.count, self.lost_pieces, self.crumbs.count);
        let (filled, pinches) = (self.filled.count, self.pinches.count);
        let counts: [(&str, bool, usize, String, Option<&Places>); 6] = [
            ("thin", true, lost, format!("{lost} {}: {thin}", at(lost)), Some(&self.lost)),
            (
                "lost_pieces",
                true,
                pieces,
                told(pieces, "piece of the surface was lost whole", "pieces of the surface were lost whole"),
                None,
            ),
            (
                "crumbs",
                true,
                crumbs,
                told(
                    crumbs,
                    "crumb of a thin feature hung on nothing and was left out",
                    "crumbs of thin features hung on nothing and were left out",
                ),
                Some(&self.crumbs),
            ),
            ("filled", true, filled, format!("{filled} {}: {narrow}", at(filled)), Some(&self.filled)),
            ("parts", true, parts, format!("{parts} parts do not hang together"), None),
            (
                "pinches",
                false,
                pinches,
                told(
                    pinches,
                    "place where the mesh touched itself was taken apart",
                    "places where the mesh touched itself were taken apart",
                ),
                Some(&self.pinches),
            ),
        ];
        let note = |(kind, is_loss, count, what, places): (&'static str, bool, usize, String, Option<&Places>)| {
            let first = places.and_then(|places| places.first.first().copied());
            (count > 0).then_some(StuffingNote { kind, is_loss, what, first })
        };
        counts.into_iter().filter_map(note).collect()
    }
}
