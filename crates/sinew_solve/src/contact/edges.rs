//! Edges of two bodies that cross: what vertices against faces see only when a vertex gets in, from the side and late.
//!
//! Two edges meet as the faces of a Minkowski difference do: the plane that both span has all of one body's flesh around its edge on one side and
//! all of the other's on the other (the test on Gauss maps of Gregorius, "The separating axis test between convex polyhedra", GDC 2013, without normals: the
//! corners opposite the edges tell the sides). The gap along that plane's normal goes below 0 when the edges have crossed, and no sign has to be guessed.
//! Only edges that can hide something are looked at: convex ones between whose ends a body stands out far enough (see [`sharp_edges`]).
//!
//! Limits: edges that have crossed by more than `CONTACT.edges.max_depth` edges are taken for the far sides of both bodies; vertices and faces must then do.

use super::boxes::{Bounds, BoxLanes, LANES};
use super::ccd::nearest_on_lines;
use super::pair::Spot;
use super::placed::Placed;
use super::surface::{ContactSurface, NO_FACE};
use super::swept_bounds::Moving;
use super::tuning::CONTACT;
use crate::BodyId;
use crate::simd::gather::{Gather, Numbers, Point};
use crate::simd::{Lanes, Path, Slot, dispatched, three};
use sinew_math::{DVec3, Vec3A};

/// An edge of a surface: its ends, and the corners opposite it in its two faces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Edge {
    pub(super) ends: [u32; 2],
    opposite: [u32; 2],
}

impl Edge {
    #[cfg(test)]
    pub(super) fn new(ends: [u32; 2], opposite: [u32; 2]) -> Self {
        Self { ends, opposite }
    }

    /// Its faces, the corner opposite last; only one at the border of a sheet.
    #[inline(always)]
    pub(super) fn faces(&self) -> impl Iterator<Item = [u32; 3]> + use<> {
        let Self { ends: [a, b], opposite: [first, second] } = *self;
        let both = if first == second { 1 } else { 2 };
        [[a, b, first], [a, b, second]].into_iter().take(both)
    }
}

/// All edges of a sheet, its border among them, which has the same corner opposite twice.
pub(super) fn all_edges(rest: &[DVec3], faces: &[[u32; 3]], across: &[[u32; 3]]) -> Vec<Edge> {
    let mut edges = Vec::new();
    for (number, (face, across)) in faces.iter().zip(across).enumerate() {
        for corner in 0..3 {
            let other = across[corner];
            if other != NO_FACE && (other as usize) < number {
                continue;
            }
            let ends = [face[(corner + 1) % 3], face[(corner + 2) % 3]];
            let beyond = faces.get(other as usize).and_then(|face| face.iter().copied().find(|v| !ends.contains(v)));
            edges.push(Edge { ends, opposite: [face[corner], beyond.unwrap_or(face[corner])] });
        }
    }
    near_each_other(rest, &edges)
}

/// Edges in an order in which neighbours stand together.
fn near_each_other(rest: &[DVec3], edges: &[Edge]) -> Vec<Edge> {
    let middle = |edge: &Edge| 0.5 * (rest[edge.ends[0] as usize] + rest[edge.ends[1] as usize]);
    let middles: Vec<DVec3> = edges.iter().map(middle).collect();
    sinew_geom::order::morton(&middles).into_iter().map(|old| edges[old as usize]).collect()
}

/// Convex edges that stand out: half the edge times the sine of half the angle between its faces' normals is how deep the edge of another body may
/// lie across it before a vertex of either is inside.
pub(super) fn sharp_edges(rest: &[DVec3], faces: &[[u32; 3]], across: &[[u32; 3]], size_m: f64) -> Vec<Edge> {
    let at = |v: u32| rest[v as usize];
    let normal = |face: &[u32; 3]| (at(face[1]) - at(face[0])).cross(at(face[2]) - at(face[0])).normalize_or_zero();
    let mut edges = Vec::new();
    for (number, face) in faces.iter().enumerate() {
        for corner in 0..3 {
            let other = across[number][corner];
            if other == NO_FACE || (other as usize) < number {
                continue;
            }
            let ends = [face[(corner + 1) % 3], face[(corner + 2) % 3]];
            let beyond = faces[other as usize];
            let Some(&far) = beyond.iter().find(|v| !ends.contains(v)) else { continue };
            let [n, m] = [normal(face), normal(&beyond)];
            let is_convex = n.dot(at(far) - at(ends[0])) < 0.0;
            let rise = 0.5 * at(ends[0]).distance(at(ends[1])) * (0.5 * (1.0 - n.dot(m))).max(0.0).sqrt();
            if is_convex && rise > CONTACT.edges.min_rise * size_m {
                edges.push(Edge { ends, opposite: [face[corner], far] });
            }
        }
    }
    near_each_other(rest, &edges)
}

/// The edges of one body over one interval.
#[derive(Debug)]
pub(super) struct PlacedEdges {
    /// Boxes around chunks of edges and around each, with the margin and the way they may have come through the other's; nothing where no other body is
    /// near.
    chunks: Vec<Bounds>,
    boxes: Vec<BoxLanes>,
    lines: Vec<LineLanes>,
    /// The same as `chunks`, sixteen together.
    groups: Vec<BoxLanes>,
}

/// Sixteen edges, axis by axis: where they begin, from there to their ends, and the square of that. Lanes without an edge have no length.
#[derive(Debug, Clone, Copy)]
pub(super) struct LineLanes {
    from: [Slot; 3],
    along: [Slot; 3],
    square: Slot,
}

impl LineLanes {
    const NONE: Self = Self { from: [Slot::ZERO; 3], along: [Slot::ZERO; 3], square: Slot::ZERO };

    /// Which of the sixteen an edge from `p` to `p_end` does not pass by, as [`nearest_along`] finds it: one bit each. Without its divisions,
    /// which could only make nothing of what is above 0.
    #[inline(always)]
    fn crossing<L: Lanes>(&self, p: Vec3A, p_end: Vec3A) -> u32 {
        let d = p_end - p;
        let (dx, dy, dz) = (L::splat(d.x), L::splat(d.y), L::splat(d.z));
        let (px, py, pz) = (L::splat(p.x), L::splat(p.y), L::splat(p.z));
        let (dd, zero) = (L::splat(d.length_squared()), L::splat(0.0));
        let parallel = L::splat(CONTACT.edges.parallel_sine * CONTACT.edges.parallel_sine) * dd;
        let mut bits = 0;
        for at in (0..LANES).step_by(L::WIDTH) {
            let (ex, ey, ez) = (L::load(&self.along[0], at), L::load(&self.along[1], at), L::load(&self.along[2], at));
            let rx = px - L::load(&self.from[0], at);
            let ry = py - L::load(&self.from[1], at);
            let rz = pz - L::load(&self.from[2], at);
            let (cx, cy, cz) = (dy * ez - dz * ey, dz * ex - dx * ez, dx * ey - dy * ex);
            let size = cx * cx + cy * cy + cz * cz;
            let (ee, de) = (L::load(&self.square, at), dx * ex + dy * ey + dz * ez);
            let (dr, er) = (dx * rx + dy * ry + dz * rz, ex * rx + ey * ry + ez * rz);
            let (s, t) = (de * er - ee * dr, dd * er - de * dr);
            let within = L::both(L::both(zero.below(s), s.below(size)), L::both(zero.below(t), t.below(size)));
            bits |= L::bits(L::both(within, (parallel * ee).below(size))) << at;
        }
        bits
    }
}

impl PlacedEdges {
    pub(super) fn new(surface: &ContactSurface) -> Self {
        let chunks = surface.edges.len().div_ceil(LANES);
        Self {
            chunks: vec![Bounds::NOTHING; chunks],
            groups: vec![BoxLanes::NOTHING; chunks.div_ceil(LANES)],
            boxes: vec![BoxLanes::NOTHING; chunks],
            lines: vec![LineLanes::NONE; chunks],
        }
    }

    /// Prepares the chunks that come near `others`.
    pub(super) fn prepare<'a>(
        &mut self,
        path: Path,
        surface: &ContactSurface,
        placed: &Placed,
        others: &(impl Iterator<Item = &'a Placed> + Clone),
    ) {
        let grown_m = placed.margin_m + placed.way_m;
        let points = placed.for_lanes(surface);
        for (number, ends) in surface.edge_ends.iter().enumerate() {
            let whole = placed.edge_boxes[number];
            if !others.clone().any(|other| whole.meets(&other.bounds)) {
                self.chunks[number] = Bounds::NOTHING;
                continue;
            }
            self.chunks[number] = whole;
            fill(path, points, ends, grown_m, &mut self.boxes[number], &mut self.lines[number]);
        }
        for (number, whole) in self.chunks.iter().enumerate() {
            self.groups[number / LANES].set(number % LANES, whole);
        }
    }
}

dispatched! {
    /// Sixteen edges with boxes around them that are `grown_m` larger. The points are all that the surface names.
    fill = fill_in(points: &[Point], ends: &[Numbers; 2], grown_m: f32, boxes: &mut BoxLanes, lines: &mut LineLanes)
}

#[inline(always)]
fn fill_in<L: Gather>(
    points: &[Point],
    ends: &[Numbers; 2],
    grown_m: f32,
    boxes: &mut BoxLanes,
    lines: &mut LineLanes,
) {
    for at in (0..LANES).step_by(L::WIDTH) {
        // SAFETY: a surface names points that it has.
        let (from, to) = unsafe { (L::gather(points, &ends[0], at), L::gather(points, &ends[1], at)) };
        let along = three!(K => to[K] - from[K]);
        three!(K => from[K].store(&mut lines.from[K], at));
        three!(K => along[K].store(&mut lines.along[K], at));
        (along[0] * along[0] + along[1] * along[1] + along[2] * along[2]).store(&mut lines.square, at);
        boxes.set_around::<L>(at, from, to, L::splat(grown_m));
    }
}

#[inline(always)]
fn ends(placed: &Placed, edge: &Edge) -> [Vec3A; 2] {
    let [a, b] = edge.ends;
    [placed.points[a as usize], placed.points[b as usize]]
}

/// A body's edges with where they are.
#[derive(Clone, Copy)]
pub(super) struct Edges<'a> {
    pub(super) surface: &'a ContactSurface,
    pub(super) placed: &'a Placed,
    pub(super) edges: &'a PlacedEdges,
}

/// Two edges that meet: their numbers, how far along each, the normal out of the second and the gap.
#[derive(Debug, Clone, Copy)]
pub(super) struct Crossing {
    pub(super) edges: [Edge; 2],
    pub(super) along: [f32; 2],
    pub(super) normal: Vec3A,
    pub(super) gap_m: f32,
}

impl Crossing {
    /// Where they are nearest to each other, on edges of these bodies.
    pub(super) fn spots(&self, bodies: [usize; 2]) -> [Spot; 2] {
        [0, 1].map(|side| {
            let along = f64::from(self.along[side]);
            Spot::on_edge(BodyId(bodies[side] as u32), self.edges[side].ends, along)
        })
    }

    /// The gap where all points are at other places; `at` gives them by side.
    pub(super) fn gap_of(&self, at: impl Fn(usize, u32) -> Vec3A) -> f32 {
        let [p, q] = [0, 1].map(|side| {
            let [a, b] = self.edges[side].ends.map(|v| at(side, v));
            a + (b - a) * self.along[side]
        });
        self.normal.dot(p - q)
    }

    /// No gap below this is one of edges that just crossed.
    pub(super) fn least_gap_m(mine: &ContactSurface, theirs: &ContactSurface) -> f32 {
        -CONTACT.edges.max_depth * mine.edge_m.min(theirs.edge_m) as f32
    }
}

/// The edge of a sheet and one of a solid body, which tells the side: the flesh around its edge lies behind the plane of both.
pub(super) fn on_solid(sheet: &Moving<'_>, edge: &Edge, solid: &Moving<'_>, other: &Edge) -> Option<Crossing> {
    let [was_sheet, [p, p_end]] = sheet.ends(edge.ends);
    let [was_solid, [q, q_end]] = solid.ends(other.ends);
    let cross = (p_end - p).cross(q_end - q);
    let size = cross.length_squared();
    let behind = other.opposite.map(|v| height(cross, size, solid.placed.points[v as usize] - q));
    let side = if behind[0].0 + behind[1].0 < 0.0 { 1.0 } else { -1.0 };
    if behind.iter().any(|seen| is_beyond(side, seen)) {
        return None;
    }
    let along = nearest_along([p, p_end], [q, q_end])?;
    let normal = cross * (side / size.sqrt());
    let crossing = Crossing { edges: [*edge, *other], along, normal, gap_m: normal.dot(p - q) };
    let before = crossing.gap_of(|side, v| {
        let (ends, was) = if side == 0 { (edge.ends, was_sheet) } else { (other.ends, was_solid) };
        was[usize::from(v == ends[1])]
    });
    (before >= Crossing::least_gap_m(sheet.surface, solid.surface)).then_some(crossing)
}

dispatched! {
    /// Edges of `mine` that meet edges of `theirs`, in the order of both. `is_self` takes each pair once and leaves out what lies side by side at rest.
    cross = cross_in(mine: Edges<'_>, theirs: Edges<'_>, is_self: bool, found: &mut Vec<Crossing>)
}

#[inline(always)]
fn cross_in<L: Lanes>(mine: Edges<'_>, theirs: Edges<'_>, is_self: bool, found: &mut Vec<Crossing>) {
    found.clear();
    // Where both bodies are.
    let [reach, other_reach] = [&mine, &theirs].map(|of| of.placed.bounds.grown(of.placed.margin_m + of.placed.way_m));
    let both = Bounds { low: reach.low.max(other_reach.low), high: reach.high.min(other_reach.high) };
    for (first, near) in mine.edges.chunks.iter().enumerate() {
        if !near.meets(&both) {
            continue;
        }
        let among_both = mine.edges.boxes[first].meeting::<L>(&both);
        if among_both == 0 {
            continue;
        }
        for (group, boxes) in theirs.edges.groups.iter().enumerate() {
            let mut chunks = boxes.meeting::<L>(near);
            while chunks != 0 {
                let second = group * LANES + chunks.trailing_zeros() as usize;
                chunks &= chunks - 1;
                if theirs.edges.chunks[second].meets(&both) && !(is_self && second < first) {
                    cross_chunks::<L>([&mine, &theirs], [first, second], among_both, is_self, found);
                }
            }
        }
    }
}

/// The same for two chunks; of the first only the edges with these bits, where both bodies are.
#[inline(always)]
fn cross_chunks<L: Lanes>(
    [mine, theirs]: [&Edges<'_>; 2],
    [first, second]: [usize; 2],
    among_both: u32,
    is_self: bool,
    found: &mut Vec<Crossing>,
) {
    let (chunk, boxes, lines) =
        (&theirs.edges.chunks[second], &theirs.edges.boxes[second], &theirs.edges.lines[second]);
    let mut lanes = among_both & mine.edges.boxes[first].meeting::<L>(chunk);
    while lanes != 0 {
        let lane = lanes.trailing_zeros() as usize;
        lanes &= lanes - 1;
        let Some(edge) = mine.surface.edges.get(first * LANES + lane) else { continue };
        let [from, to] = ends(mine.placed, edge);
        let bounds = Bounds { low: from.min(to), high: from.max(to) }.grown(mine.placed.way_m);
        let mut hits = boxes.meeting::<L>(&bounds);
        if hits != 0 {
            // Most edges pass by each other.
            hits &= lines.crossing::<L>(from, to);
        }
        while hits != 0 {
            let number = hits.trailing_zeros() as usize;
            hits &= hits - 1;
            let Some(other) = theirs.surface.edges.get(second * LANES + number) else { continue };
            let is_own = is_self
                && (first == second && number <= lane
                    || edge.ends.iter().any(|&v| mine.surface.is_beside(v, &other.ends)));
            if !is_own && let Some(crossing) = meet(mine, edge, theirs, other) {
                found.push(crossing);
            }
        }
    }
}

/// Whether and how two edges meet.
fn meet(mine: &Edges<'_>, edge: &Edge, theirs: &Edges<'_>, other: &Edge) -> Option<Crossing> {
    let [p, p_end] = ends(mine.placed, edge);
    let [q, q_end] = ends(theirs.placed, other);
    let along = nearest_along([p, p_end], [q, q_end])?;
    let cross = (p_end - p).cross(q_end - q);
    // Flesh around the second edge lies behind the plane of both, that around the first before it.
    let size = cross.length_squared();
    let behind = other.opposite.map(|v| height(cross, size, theirs.placed.points[v as usize] - q));
    let before = edge.opposite.map(|v| height(cross, size, mine.placed.points[v as usize] - p));
    let side = if behind[0].0 + behind[1].0 < before[0].0 + before[1].0 { 1.0 } else { -1.0 };
    if behind.iter().any(|seen| is_beyond(side, seen)) || before.iter().any(|seen| is_beyond(-side, seen)) {
        return None;
    }
    let normal = cross * (side / size.sqrt());
    let gap_m = normal.dot(p - q);
    (gap_m <= theirs.placed.margin_m.max(mine.placed.margin_m)).then_some(Crossing {
        edges: [*edge, *other],
        along,
        normal,
        gap_m,
    })
}

/// How far a corner that lies `away` from an edge is beyond the plane with this cross product for its normal, times the product's length; and the square of what counts as level.
#[inline(always)]
fn height(cross: Vec3A, size: f32, away: Vec3A) -> (f32, f32) {
    (cross.dot(away), CONTACT.edges.flat_sine * CONTACT.edges.flat_sine * size * away.length_squared())
}

#[inline(always)]
fn is_beyond(side: f32, &(height, level): &(f32, f32)) -> bool {
    side * height > 0.0 && height * height > level
}

/// How far along two edges they are nearest to each other, where that is within both and they are not parallel.
#[inline(always)]
fn nearest_along([p, p_end]: [Vec3A; 2], [q, q_end]: [Vec3A; 2]) -> Option<[f32; 2]> {
    let (along, _) = nearest_on_lines(&[p, p_end, q, q_end], CONTACT.edges.parallel_sine)?;
    along.iter().all(|s| *s > 0.0 && *s < 1.0).then_some(along)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Flesh;
    use sinew_geom::structured::bar;
    use sinew_math::dvec3;

    /// Every path fills lanes with the edges and boxes that they stand for, and lanes without an edge with none that anything crosses.
    #[test]
    fn lanes_hold_the_edges_they_stand_for_on_every_path() {
        let flesh = Flesh::from_tets(bar(dvec3(1.0, 0.3, 0.2), [4, 1, 1]), 1000.0).unwrap();
        let surface = ContactSurface::new(&flesh).unwrap();
        let at = |v: u32| Vec3A::from(flesh.rest[v as usize].to_array().map(|x| x as f32));
        let points: Vec<Point> = (0..flesh.rest.len() as u32)
            .map(|v| {
                let [x, y, z] = at(v).to_array();
                Point([x, y, z, 0.0])
            })
            .collect();
        let edges: Vec<_> = surface.edges.chunks(LANES).zip(&surface.edge_ends).collect();
        assert!(edges.iter().any(|(chunk, _)| chunk.len() < LANES) && !edges.is_empty());
        for path in Path::all() {
            for (chunk, ends) in &edges {
                let (mut boxes, mut lines) = (BoxLanes::NOTHING, LineLanes::NONE);
                fill(path, &points, ends, 0.01, &mut boxes, &mut lines);
                for (lane, edge) in chunk.iter().enumerate() {
                    let [from, to] = edge.ends.map(at);
                    let around = Bounds { low: from.min(to), high: from.max(to) }.grown(0.01);
                    assert_eq!(boxes.get(lane), around, "{path:?}");
                    let seen = |of: &[Slot; 3]| Vec3A::new(of[0].0[lane], of[1].0[lane], of[2].0[lane]);
                    assert_eq!([seen(&lines.from), seen(&lines.along)], [from, to - from], "{path:?}");
                    assert_eq!(lines.square.0[lane], (to - from).length_squared(), "{path:?}");
                }
                assert!(lines.square.0[chunk.len()..].iter().all(|square| *square == 0.0), "{path:?}");
            }
        }
    }
}
