//! What a user did becomes values at places.

use super::canvas::Canvas;
use super::paint::{Action, Method, Tool};
use sinew_math::DVec3;
use sinew_math::sparse::FactorError;
use std::collections::HashMap;

/// Values that a field must have at a place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Dab<const N: usize> {
    pub at: DVec3,
    pub value: [f64; N],
}

/// What fields must be: at places, and at points of the flesh themselves, which need not be looked for.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Wanted<const N: usize> {
    pub dabs: Vec<Dab<N>>,
    pub points: Vec<(u32, [f64; N])>,
}

/// Samples of a line, at most: a stroke drawn over and over must not make solves slow.
const SAMPLES_MAX: usize = 4000;

/// Places and values of all actions; where a later one lies on an earlier one, only the later counts.
pub(super) fn dabs(actions: &[Action], canvas: &Canvas) -> Vec<Dab<1>> {
    let of_action = |action: &Action| match &action.tool {
        Tool::Face { at } => vertices(canvas, &face(canvas, *at), action.value),
        Tool::Flat { at, angle_rad } => vertices(canvas, &flat(canvas, *at, *angle_rad), action.value),
        Tool::Stroke { along, end_value } => {
            let end = end_value.unwrap_or(action.value);
            let value = |share: f64| [action.value + (end - action.value) * share];
            samples(along, spacing(canvas)).into_iter().map(|s| Dab { at: s.at, value: value(s.share) }).collect()
        }
    };
    later_wins(actions.iter().map(of_action), canvas)
}

/// The distance between samples of a line: several in one cell would ask it for more than it can give.
pub(super) fn spacing(canvas: &Canvas) -> f64 {
    canvas.edge_m()
}

/// Groups of dabs, the earlier ones without those that later ones cover.
pub(super) fn later_wins<const N: usize>(
    groups: impl DoubleEndedIterator<Item = Vec<Dab<N>>>,
    canvas: &Canvas,
) -> Vec<Dab<N>> {
    /// Dabs closer than this share of an edge would ask the same cells for two values.
    const COVER: f64 = 0.75;
    let radius = (COVER * canvas.edge_m()).max(f64::MIN_POSITIVE);
    let cell = |x: DVec3| (x / radius).floor().to_array().map(|c| c as i64);
    let mut taken: HashMap<[i64; 3], Vec<DVec3>> = HashMap::new();
    let mut kept: Vec<Vec<Dab<N>>> = Vec::new();
    for group in groups.rev() {
        let is_free = |x: DVec3| {
            let [i, j, k] = cell(x);
            let mut around =
                (-1..=1).flat_map(|a| (-1..=1).flat_map(move |b| (-1..=1).map(move |c| [i + a, j + b, k + c])));
            !around.any(|c| taken.get(&c).is_some_and(|others| others.iter().any(|o| o.distance(x) < radius)))
        };
        let free: Vec<Dab<N>> = group.into_iter().filter(|dab| is_free(dab.at)).collect();
        for dab in &free {
            taken.entry(cell(dab.at)).or_default().push(dab.at);
        }
        kept.push(free);
    }
    kept.into_iter().rev().flatten().collect()
}

/// Paint on top of a formula: the formula's values hold at points farther than `reach_m` from the paint.
pub(super) fn with_formula<const N: usize>(
    dabs: Vec<Dab<N>>,
    formula: Option<&[[f64; N]]>,
    canvas: &Canvas,
    method: Method,
    reach_m: f64,
) -> Result<Wanted<N>, FactorError> {
    /// Radial functions of more points than this are slow; these stand for all.
    const RBF_SAMPLES: usize = 300;
    let Some(formula) = formula else { return Ok(Wanted { dabs, points: Vec::new() }) };
    let painted: Vec<DVec3> = dabs.iter().map(|dab| dab.at).collect();
    let far = canvas.beyond(method, &painted, reach_m)?;
    let every = match method {
        Method::Mesh => 1,
        Method::Rbf => far.len().div_ceil(RBF_SAMPLES).max(1),
    };
    let points = far.into_iter().step_by(every).map(|point| (point, formula[point as usize])).collect();
    Ok(Wanted { dabs, points })
}

/// A place on a line, the line's direction there, and the share of its length up to there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Sample {
    pub at: DVec3,
    pub tangent: DVec3,
    pub share: f64,
}

/// Places along a line at about `spacing_m`, both ends included. A line without length is one place without direction.
pub(super) fn samples(line: &[DVec3], spacing_m: f64) -> Vec<Sample> {
    let mut lengths = vec![0.0];
    for ends in line.windows(2) {
        lengths.push(lengths[lengths.len() - 1] + ends[0].distance(ends[1]));
    }
    let total = lengths[lengths.len() - 1];
    if total <= 0.0 {
        let one = |at: &DVec3| Sample { at: *at, tangent: DVec3::ZERO, share: 0.0 };
        return line.first().map(one).into_iter().collect();
    }
    let count = (total / spacing_m.max(f64::MIN_POSITIVE)).ceil().clamp(1.0, SAMPLES_MAX as f64) as usize;
    let place = |share: f64| {
        let way = share * total;
        let end = lengths.partition_point(|length| *length < way).clamp(1, line.len() - 1);
        let length = lengths[end] - lengths[end - 1];
        let within = if length > 0.0 { (way - lengths[end - 1]) / length } else { 0.0 };
        line[end - 1].lerp(line[end], within)
    };
    let sample = |n: usize| {
        let share = |n: f64| (n / count as f64).clamp(0.0, 1.0);
        // Over the samples to both sides, so that a line of few points turns evenly.
        let chord = place(share(n as f64 + 1.0)) - place(share(n as f64 - 1.0));
        Sample { at: place(share(n as f64)), tangent: chord.normalize_or_zero(), share: share(n as f64) }
    };
    (0..=count).map(sample).collect()
}

/// Dabs on the corners of surface triangles.
fn vertices(canvas: &Canvas, triangles: &[u32], value: f64) -> Vec<Dab<1>> {
    let mut corners: Vec<u32> = triangles.iter().flat_map(|t| canvas.triangles()[*t as usize]).collect();
    corners.sort_unstable();
    corners.dedup();
    corners.iter().map(|v| Dab { at: canvas.flesh().rest[*v as usize], value: [value] }).collect()
}

fn face(canvas: &Canvas, at: DVec3) -> Vec<u32> {
    canvas.triangle_at(at).into_iter().collect()
}

/// The triangles that can be reached from the one at a place without crossing an edge that bends by more than the angle.
fn flat(canvas: &Canvas, at: DVec3, angle_rad: f64) -> Vec<u32> {
    let triangles = canvas.triangles();
    let normal = |t: u32| {
        let [a, b, c] = triangles[t as usize].map(|v| canvas.flesh().rest[v as usize]);
        (b - a).cross(c - a).normalize_or_zero()
    };
    let mut at_edge: HashMap<[u32; 2], Vec<u32>> = HashMap::new();
    for (t, [a, b, c]) in triangles.iter().enumerate() {
        for (p, q) in [(a, b), (b, c), (c, a)] {
            at_edge.entry([*p.min(q), *p.max(q)]).or_default().push(t as u32);
        }
    }
    let least = sinew_math::libm::cos(angle_rad);
    let mut found: Vec<u32> = face(canvas, at);
    let mut is_found = vec![false; triangles.len()];
    found.iter().for_each(|t| is_found[*t as usize] = true);
    let mut next = 0;
    while next < found.len() {
        let t = found[next];
        let [a, b, c] = triangles[t as usize];
        for (p, q) in [(a, b), (b, c), (c, a)] {
            for &other in at_edge.get(&[p.min(q), p.max(q)]).into_iter().flatten() {
                if !is_found[other as usize] && normal(t).dot(normal(other)) >= least {
                    is_found[other as usize] = true;
                    found.push(other);
                }
            }
        }
        next += 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_geom::structured::bar;
    use sinew_math::dvec3;
    use sinew_solve::Flesh;
    use std::sync::Arc;

    fn canvas() -> Canvas {
        let mesh = bar(dvec3(2.0, 0.4, 0.4), [20, 4, 4]);
        Canvas::new(Arc::new(Flesh::from_tets(mesh, 1000.0).unwrap()))
    }

    #[test]
    fn a_face_has_three_corners_and_a_flat_fill_stops_at_creases() {
        let canvas = canvas();
        let fill = |tool: Tool| dabs(&[Action { tool, value: 0.3 }], &canvas);
        let at = dvec3(0.31, 0.2, 0.02);
        assert_eq!(fill(Tool::Face { at }).len(), 3);
        let top = fill(Tool::Flat { at, angle_rad: 0.5 });
        assert_eq!(top.len(), 21 * 5);
        assert!(top.iter().all(|dab| dab.at.y == 0.2 && dab.value == [0.3]));
        // With an angle beyond the bar's edges, the whole surface.
        assert_eq!(fill(Tool::Flat { at, angle_rad: 1.6 }).len(), 21 * 25 - 19 * 9);
    }

    #[test]
    fn lines_are_sampled_evenly_from_end_to_end() {
        let line = [DVec3::ZERO, DVec3::X, DVec3::X, dvec3(1.0, 0.5, 0.0)];
        let samples = samples(&line, 0.1);
        assert_eq!(samples.len(), 16);
        assert_eq!((samples[0].at, samples[15].at), (line[0], line[3]));
        assert!(samples.windows(2).all(|pair| (pair[0].at.distance(pair[1].at) - 0.1).abs() < 1e-12));
        assert!(samples[3].tangent.distance(DVec3::X) < 1e-12 && samples[14].tangent.distance(DVec3::Y) < 1e-12);
        assert_eq!(super::samples(&[DVec3::ONE; 2], 0.1).len(), 1);
        assert!(super::samples(&[], 0.1).is_empty());
    }

    #[test]
    fn later_paint_covers_earlier_paint() {
        let canvas = canvas();
        let fill = Action { tool: Tool::Flat { at: dvec3(0.0, 0.2, 0.0), angle_rad: 0.5 }, value: 0.0 };
        let along = vec![dvec3(-0.5, 0.2, 0.0), dvec3(0.5, 0.2, 0.0)];
        let stroke = Action { tool: Tool::Stroke { along, end_value: None }, value: 1.0 };
        let both = dabs(&[fill.clone(), stroke.clone()], &canvas);
        let on_line = |dab: &&Dab<1>| dab.at.z.abs() < 1e-9 && dab.at.x.abs() <= 0.5;
        assert!(both.iter().filter(on_line).all(|dab| dab.value == [1.0]));
        assert!(both.iter().any(|dab| dab.value == [0.0]));
        // The other way round the fill covers the stroke's places, of which it leaves none within reach of a vertex.
        let fill_last = dabs(&[stroke, fill], &canvas);
        assert!(fill_last.iter().filter(|dab| dab.value == [1.0]).count() * 10 < both.iter().filter(on_line).count());
    }
}
