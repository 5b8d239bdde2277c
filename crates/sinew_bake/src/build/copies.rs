//! Copies of a body: where each stands, how far its muscles are out of step, and its colour.
//!
//! Scattered copies are thrown one after another; a throw whose box touches one that stands already is thrown again (random
//! sequential addition), so that no two start inside one another. Boxes are turned with their bodies and compared by the
//! separating axis test (Gottschalk, Lin, Manocha, "OBBTree", 1996, §5). Random numbers depend on seed and number alone
//! (SplitMix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014).

use super::flesh::at;
use super::{BuildError, BuildWarning, Placed};
use sinew_direct::Turn;
use sinew_geom::{Embedding, Row, TetMesh};
use sinew_math::libm::{cos, sin};
use sinew_math::{DMat3, DQuat, DVec3, dvec3};
use sinew_scene::{Body, Copies, Placing};
use sinew_solve::{Cells, Flesh};
use std::collections::HashMap;
use std::f64::consts::TAU;

/// Throws before a place is called full.
const THROWS: usize = 4000;
/// Of this sequence any stretch is spread evenly over 0..1.
const GOLDEN: f64 = 0.618_033_988_749_894_9;

/// One body of those that a `[[body]]` asks for.
#[derive(Debug, Clone)]
pub(super) struct Copied {
    pub name: String,
    /// Which copy, from 0.
    pub number: usize,
    pub placed: Placed,
    /// Cycles by which its muscles are ahead.
    pub ahead: f64,
    /// Its own colour; none leaves it the body's.
    pub colour: Option<[f32; 3]>,
}

/// Half sides and middle of a box that holds a body in its rest frame.
#[derive(Debug, Clone, Copy)]
pub(super) struct Extent {
    middle: DVec3,
    half: DVec3,
}

impl Extent {
    /// Around flesh and skin.
    pub(super) fn of(flesh: &Flesh, skin: &[DVec3]) -> Self {
        let points = || flesh.rest.iter().chain(skin);
        let low = points().fold(DVec3::INFINITY, |low, x| low.min(*x));
        let high = points().fold(DVec3::NEG_INFINITY, |high, x| high.max(*x));
        Self { middle: 0.5 * (low + high), half: 0.5 * (high - low) }
    }
}

/// The body itself, or its copies in the order of their numbers.
pub(super) fn copies(body: &Body, extent: Extent) -> Result<Vec<Copied>, BuildError> {
    let own = Placed { at: DVec3::from_array(body.at), turn: Turn::from_degrees(DVec3::from_array(body.turn)) };
    let Some(copies) = &body.copies else {
        return Ok(vec![Copied { name: body.name.clone(), number: 0, placed: own, ahead: 0.0, colour: None }]);
    };
    let placed = match copies.placing() {
        Some(Placing::Box(_) | Placing::Ring(_)) => scattered(body, copies, own, extent)?,
        _ => listed(copies, own),
    };
    let first_phase = Dice::new(copies, u64::MAX).throw();
    let copied = |(number, placed): (usize, Placed)| Copied {
        name: body.copy_name(number),
        number,
        placed,
        ahead: copies.phase * (first_phase + number as f64 * GOLDEN).fract(),
        colour: colour(copies, number),
    };
    Ok(placed.into_iter().enumerate().map(copied).collect())
}

/// On a grid or at places, moved and turned at random.
fn listed(copies: &Copies, own: Placed) -> Vec<Placed> {
    let place = |(number, offset): (usize, [f64; 3])| {
        let mut dice = Dice::new(copies, number as u64);
        let turn = dice.turn(copies) * own.turn;
        let shift = DVec3::from_array(copies.shift.unwrap_or_default()) * dice.signed3();
        Placed { at: own.at + DVec3::from_array(offset) + shift, turn }
    };
    copies.offsets().into_iter().enumerate().map(place).collect()
}

/// Thrown into a box or ring, none touching another.
fn scattered(body: &Body, copies: &Copies, own: Placed, extent: Extent) -> Result<Vec<Placed>, BuildError> {
    let count = copies.body_count() as usize;
    let mut standing = Standing::new(extent, 0.5 * copies.gap.unwrap_or_default());
    let mut placed = Vec::new();
    for number in 0..count {
        let mut dice = Dice::new(copies, number as u64);
        let throw = || {
            let turn = dice.turn(copies) * own.turn;
            // The middle is what lies in the box, not the origin.
            Placed { at: own.at + dice.place(copies) - turn * extent.middle, turn }
        };
        let Some(found) = std::iter::repeat_with(throw).take(THROWS).find(|throw| standing.has_room(throw)) else {
            return Err(BuildError::new(
                at(body, "copies"),
                format!("there is room for about {number} of {count} copies that do not touch"),
                "give them more room, a smaller `gap`, or ask for fewer",
            ));
        };
        standing.add(&found);
        placed.push(found);
    }
    Ok(placed)
}

fn colour(copies: &Copies, number: usize) -> Option<[f32; 3]> {
    let last = copies.colours.len().checked_sub(1)?;
    // Apart from where it stands: the same crowd can be painted anew.
    let along = Dice::new(copies, number as u64 ^ (1 << 32)).throw() * last as f64;
    let below = (along as usize).min(last);
    let (from, to) = (copies.colours[below].0, copies.colours[(below + 1).min(last)].0);
    Some(std::array::from_fn(|n| (from[n] + (to[n] - from[n]) * (along - below as f64)) as f32))
}

/// Copies of grids and lists that start inside one another; scattered ones never do.
pub(super) fn overlaps(body: &Body, copied: &[Copied], flesh: &Flesh, extent: Extent) -> Option<BuildWarning> {
    let Cells::Tets(tets) = &flesh.cells else { return None };
    if body.copies.as_ref()?.offsets().is_empty() {
        return None;
    }
    let mesh = TetMesh { positions: flesh.rest.clone(), tets: tets.clone() };
    let mut standing = Standing::new(extent, 0.0);
    for (number, copy) in copied.iter().enumerate() {
        let inside = |other: &usize| is_inside(&copy.placed, &copied[*other].placed, flesh, &mesh, extent);
        if let Some(other) = standing.touching(&copy.placed).into_iter().find(inside) {
            return Some(BuildWarning {
                at: at(body, "copies"),
                what: format!("{:?} starts inside {:?}", copied[number].name, copied[other].name),
                help: "put copies farther apart, or scatter them in a `box`, where they never do".into(),
            });
        }
        standing.add(&copy.placed);
    }
    None
}

/// Whether a surface point of one lies well within a tet of the other.
fn is_inside(one: &Placed, other: &Placed, flesh: &Flesh, mesh: &TetMesh, extent: Extent) -> bool {
    const WELL_WITHIN: f64 = 1e-3;
    let back = other.turn.conjugate();
    let seen = |row: &Row| back * (one.world(flesh.rest[row.0 as usize]) - other.at);
    let near = |x: &DVec3| (*x - extent.middle).abs().cmple(extent.half).all();
    let points: Vec<DVec3> = flesh.surface_rows.iter().map(seen).filter(near).collect();
    let bound = Embedding::rows_in_tets(&points, mesh);
    (0..bound.len()).any(|point| {
        let terms = bound.terms(Row(point as u32));
        terms.clone().count() == 4 && terms.clone().all(|(_, weight)| weight > WELL_WITHIN)
    })
}

/// Boxes that stand already, found by cells as wide as the ball around one.
struct Standing {
    extent: Extent,
    half: DVec3,
    cell_m: f64,
    boxes: Vec<(DVec3, DMat3)>,
    by_cell: HashMap<[i64; 3], Vec<usize>>,
}

impl Standing {
    fn new(extent: Extent, grown_m: f64) -> Self {
        let half = extent.half + DVec3::splat(grown_m);
        let cell_m = (2.0 * half.length()).max(f64::MIN_POSITIVE);
        Self { extent, half, cell_m, boxes: Vec::new(), by_cell: HashMap::new() }
    }

    fn cell(&self, middle: DVec3) -> [i64; 3] {
        (middle / self.cell_m).floor().to_array().map(|n| n as i64)
    }

    fn add(&mut self, placed: &Placed) {
        let middle = placed.world(self.extent.middle);
        self.by_cell.entry(self.cell(middle)).or_default().push(self.boxes.len());
        self.boxes.push((middle, DMat3::from_quat(placed.turn)));
    }

    fn has_room(&self, placed: &Placed) -> bool {
        self.touching(placed).is_empty()
    }

    /// Numbers of the boxes that this one would touch, in order.
    fn touching(&self, placed: &Placed) -> Vec<usize> {
        let own = (placed.world(self.extent.middle), DMat3::from_quat(placed.turn));
        let [x, y, z] = self.cell(own.0);
        let cells = (-1..=1).flat_map(|i| (-1..=1).flat_map(move |j| (-1..=1).map(move |k| [x + i, y + j, z + k])));
        let near = cells.filter_map(|cell| self.by_cell.get(&cell)).flatten().copied();
        let mut touching: Vec<usize> = near.filter(|n| boxes_touch(&own, &self.boxes[*n], self.half)).collect();
        touching.sort_unstable();
        touching
    }
}

/// Whether no axis separates two boxes of one size: the three of each, and the nine across two edges.
fn boxes_touch(a: &(DVec3, DMat3), b: &(DVec3, DMat3), half: DVec3) -> bool {
    let apart = b.0 - a.0;
    let axes_of = |turn: &DMat3| [turn.x_axis, turn.y_axis, turn.z_axis];
    let (of_a, of_b) = (axes_of(&a.1), axes_of(&b.1));
    let reach = |axes: &[DVec3; 3], on: DVec3| (0..3).map(|n| half[n] * axes[n].dot(on).abs()).sum::<f64>();
    let separates = |on: DVec3| apart.dot(on).abs() > reach(&of_a, on) + reach(&of_b, on);
    let across = of_a.iter().flat_map(|a| of_b.iter().map(move |b| a.cross(*b)));
    !of_a.iter().chain(&of_b).copied().chain(across).any(separates)
}

/// Random numbers of one copy.
pub(super) struct Dice(u64);

impl Dice {
    fn new(copies: &Copies, number: u64) -> Self {
        Self::seeded(copies.seed.unwrap_or_default(), number)
    }

    pub(super) fn seeded(seed: u32, number: u64) -> Self {
        let mut dice = Self(u64::from(seed).wrapping_mul(0xd134_2543_de82_ef95));
        dice.0 ^= dice.bits() ^ number.wrapping_mul(0xaf25_1af3_b0f0_25b5);
        dice
    }

    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let bits = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// From 0 up to 1.
    fn throw(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// From −1 up to 1 in each direction.
    pub(super) fn signed3(&mut self) -> DVec3 {
        let mut signed = || 2.0 * self.throw() - 1.0;
        dvec3(signed(), signed(), signed())
    }

    fn turn(&mut self, copies: &Copies) -> DQuat {
        Turn::from_degrees(DVec3::from_array(copies.turn_deg()) * self.signed3())
    }

    /// A place in the box or ring, about its middle.
    fn place(&mut self, copies: &Copies) -> DVec3 {
        match copies.placing() {
            Some(Placing::Ring(ring)) => {
                let [inner, outer] = [ring.inner, ring.outer].map(|radius| radius * radius);
                // Evenly over its area.
                let from_axis = (inner + (outer - inner) * self.throw()).sqrt();
                let angle = TAU * self.throw();
                dvec3(from_axis * cos(angle), (self.throw() - 0.5) * ring.height, from_axis * sin(angle))
            }
            Some(Placing::Box(sides)) => 0.5 * DVec3::from_array(sides) * self.signed3(),
            _ => DVec3::ZERO,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_math::dvec2;
    use sinew_scene::Scene;

    fn extent() -> Extent {
        Extent { middle: dvec3(0.0, 0.1, 0.0), half: dvec3(0.25, 0.05, 0.05) }
    }

    fn copied(copies: &str) -> Result<Vec<Copied>, BuildError> {
        let text = format!("sinew = 1\n[[body]]\nname = \"rod\"\nskin = {{ model = \"bar\" }}\ncopies = {copies}\n");
        super::copies(&Scene::from_toml(&text, "test").unwrap().bodies[0], extent())
    }

    #[test]
    fn scattered_copies_are_in_their_box_and_never_touch() {
        let rods = copied("{ count = 40, box = [2.0, 0.5, 1.0], gap = 0.02, turn = [20, 180, 20], seed = 4 }").unwrap();
        assert_eq!(rods.len(), 40);
        let solid = |rod: &Copied| (rod.placed.world(extent().middle), DMat3::from_quat(rod.placed.turn));
        for (n, rod) in rods.iter().enumerate() {
            let (middle, _) = solid(rod);
            assert!(middle.abs().cmple(dvec3(1.0, 0.25, 0.5) + 1e-12).all(), "{middle}");
            let grown = extent().half + 0.01;
            assert!(rods[..n].iter().all(|other| !boxes_touch(&solid(rod), &solid(other), grown)), "rod {n}");
        }
        assert_eq!(rods[39].name, "rod-40");
    }

    #[test]
    fn too_many_for_a_box_are_refused_with_how_many_fit() {
        let error = copied("{ count = 500, box = [0.5, 0.2, 0.5], seed = 1 }").unwrap_err();
        assert!(error.to_string().contains("of 500 copies"), "{error}");
        assert!(error.help().unwrap().contains("more room"));
    }

    #[test]
    fn a_ring_keeps_its_hole_free() {
        let rods = copied("{ count = 20, ring = { inner = 1.0, outer = 2.0, height = 0.4 } }").unwrap();
        for rod in &rods {
            let middle = rod.placed.world(extent().middle);
            let from_axis = dvec2(middle.x, middle.z).length();
            assert!((1.0..=2.0).contains(&from_axis) && middle.y.abs() <= 0.2, "{middle}");
        }
    }

    /// Thirty copies out of step leave no gap of the cycle wider than three of them evenly spread.
    #[test]
    fn phases_are_spread_over_the_cycle_and_colours_over_the_list() {
        let rods = copied("{ grid = [30, 1, 1], spacing = 1.0, phase = 1.0, colours = [\"#000000\", \"#ff0000\"] }");
        let rods = rods.unwrap();
        let mut ahead: Vec<f64> = rods.iter().map(|rod| rod.ahead).collect();
        ahead.sort_by(f64::total_cmp);
        assert!(ahead.windows(2).all(|pair| pair[1] - pair[0] < 0.1) && ahead[29] < 1.0 && ahead[29] > 0.9);
        let reds: Vec<f32> = rods.iter().map(|rod| rod.colour.unwrap()[0]).collect();
        let (least, most) = reds.iter().fold((1.0f32, 0.0f32), |(low, high), red| (low.min(*red), high.max(*red)));
        assert!(least < 0.2 && most > 0.8, "{least} to {most}");
        let turned = rods.iter().filter(|rod| rod.placed.turn != DQuat::IDENTITY).count();
        assert_eq!(turned, 0, "no seed and no turn leave them alike");
    }

    #[test]
    fn a_seed_means_the_same_crowd_every_time_and_another_seed_another() {
        let places = |seed: u32| -> Vec<DVec3> {
            let rods = copied(&format!("{{ count = 9, box = [3.0, 1.0, 3.0], seed = {seed} }}")).unwrap();
            rods.iter().map(|rod| rod.placed.at).collect()
        };
        assert_eq!(places(7), places(7));
        assert!(places(7).iter().zip(places(8)).all(|(a, b)| *a != b));
    }
}
