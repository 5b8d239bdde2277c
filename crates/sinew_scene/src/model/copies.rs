//! More bodies like one: on a grid, at places, or scattered; each may stand, beat and look a little different.

use super::Colour;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// More bodies like this one, which share its model. One of `grid`, `places`, `box` and `ring` says where they stand; they are called
/// after the body with a number: fish-1, fish-2 and so on.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Copies {
    /// A grid that starts at the body's own place: how many along x, y and z.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(inner(range(min = 1, max = 1000)))]
    pub grid: Option<[u32; 3]>,
    /// Metres from one place of the grid to the next.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub spacing: Option<f64>,
    /// Offsets from the body's own place, metres; one body stands at each.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub places: Option<Vec<[f64; 3]>>,
    /// Sides of a box about the body's own place, metres. Bodies are scattered with their middles in it, so that no two touch.
    #[serde(rename = "box", skip_serializing_if = "Option::is_none")]
    #[schemars(inner(range(min = 0)))]
    pub within_box: Option<[f64; 3]>,
    /// A ring about the body's own place; bodies are scattered with their middles in it, so that no two touch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ring: Option<Ring>,
    /// How many. Scattered bodies need it; a grid with more places than wanted is cut short.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub count: Option<u32>,
    /// Metres that are kept free between the boxes around scattered bodies.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub gap: Option<f64>,
    /// How far each is moved at random from its place of a grid or list, either way along x, y and z, metres.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(inner(range(min = 0)))]
    pub shift: Option<[f64; 3]>,
    /// How far each is turned at random, either way about x, then y, then z, degrees; left out, [0, 180, 0] where there is a `seed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(inner(range(min = 0, max = 180)))]
    pub turn: Option<[f64; 3]>,
    /// How far their muscles are out of step, as a share of the cycle: with 1 they are spread over all of it.
    #[serde(skip_serializing_if = "super::body::is_zero")]
    #[schemars(range(min = 0, max = 1))]
    pub phase: f64,
    /// Each takes a colour at random from this list, or between two neighbours of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub colours: Vec<Colour>,
    /// Which random numbers are meant: another seed, another crowd.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u32>,
}

/// A ring about the y axis.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ring {
    /// Distance from the axis at the least, metres.
    #[serde(default)]
    #[schemars(range(min = 0))]
    pub inner: f64,
    /// Distance from the axis at the most, metres.
    #[schemars(range(min = 0))]
    pub outer: f64,
    /// How high it is, metres; its middle is at the body's own height.
    #[serde(default)]
    #[schemars(range(min = 0))]
    pub height: f64,
}

/// Where copies stand.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Placing<'a> {
    /// At these offsets from the body's own place, or fewer of them.
    Grid {
        grid: [u32; 3],
        spacing: f64,
    },
    Places(&'a [[f64; 3]]),
    /// Scattered.
    Box([f64; 3]),
    Ring(Ring),
}

impl Copies {
    /// Where they stand; none where that is not said, or in two ways at once.
    pub fn placing(&self) -> Option<Placing<'_>> {
        match (&self.grid, &self.places, &self.within_box, &self.ring) {
            (Some(grid), None, None, None) => {
                Some(Placing::Grid { grid: *grid, spacing: self.spacing.unwrap_or_default() })
            }
            (None, Some(places), None, None) => Some(Placing::Places(places)),
            (None, None, Some(sides), None) => Some(Placing::Box(*sides)),
            (None, None, None, Some(ring)) => Some(Placing::Ring(*ring)),
            _ => None,
        }
    }

    /// How many bodies there are.
    pub fn body_count(&self) -> u64 {
        let most = match self.placing() {
            Some(Placing::Grid { grid, .. }) => grid.iter().map(|n| u64::from(*n)).product(),
            Some(Placing::Places(places)) => places.len() as u64,
            Some(Placing::Box(_) | Placing::Ring(_)) => return self.count.map_or(0, u64::from),
            None => 0,
        };
        self.count.map_or(most, |count| most.min(u64::from(count)))
    }

    /// The offset of each body from the body's own place, in the order of their numbers; none where they are scattered.
    pub fn offsets(&self) -> Vec<[f64; 3]> {
        let mut offsets = match self.placing() {
            Some(Placing::Places(places)) => places.to_vec(),
            Some(Placing::Grid { grid: [nx, ny, nz], spacing }) => {
                let rows = (0..nz).flat_map(|k| (0..ny).map(move |j| (j, k)));
                let row = |(j, k)| (0..nx).map(move |i| [i, j, k].map(|n| f64::from(n) * spacing));
                rows.flat_map(row).collect()
            }
            _ => Vec::new(),
        };
        offsets.truncate(self.body_count() as usize);
        offsets
    }

    /// How far each is turned at random, degrees.
    pub fn turn_deg(&self) -> [f64; 3] {
        self.turn.unwrap_or(if self.seed.is_some() { [0.0, 180.0, 0.0] } else { [0.0; 3] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grid_counts_x_first_and_starts_at_the_body() {
        let grid = Copies { grid: Some([2, 1, 2]), spacing: Some(0.5), ..Copies::default() };
        assert_eq!(grid.offsets(), [[0.0, 0.0, 0.0], [0.5, 0.0, 0.0], [0.0, 0.0, 0.5], [0.5, 0.0, 0.5]]);
        let three = Copies { count: Some(3), ..grid.clone() };
        assert_eq!(three.offsets(), grid.offsets()[..3]);
        assert_eq!((grid.body_count(), three.body_count()), (4, 3));
    }

    #[test]
    fn one_way_of_placing_only() {
        let both =
            Copies { grid: Some([2, 1, 1]), spacing: Some(1.0), places: Some(vec![[0.0; 3]]), ..Copies::default() };
        assert_eq!((both.placing(), Copies::default().placing()), (None, None));
    }
}
