//! Directions of tissue: secondary across the layers, primary along strokes drawn on them, tertiary across both.
//!
//! Ijiri et al. 2009, §3.1 (PD-15 … PD-19). Departures, because `T` knows only `d dᵀ` and a stroke drawn backwards means the same:
//! what is interpolated has no sign. On layers these are lines within them ([`super::lines`]); without layers, and for radial basis
//! functions, tensors `t tᵀ`, of which the primary direction is the main one of what remains across the secondary. Frames are orthonormal
//! to rounding.
//!
//! Where a direction is not defined (no slope at the middle of layers, no one direction where strokes cross, no paint at all) it comes from the points
//! around that have one, ring by ring; where there is none, from the body's principal axes.

use super::canvas::Canvas;
use super::constraints::{Dab, later_wins, samples, spacing, with_formula};
use super::lines::{Asked, on_layers};
use super::paint::{Method, PaintedFibres};
use sinew_geom::adjacency::one_rings;
use sinew_math::libm::{atan2, cos, sin};
use sinew_math::sparse::FactorError;
use sinew_math::{DMat3, DVec3, PrincipalFrame, Sym3};
use sinew_solve::{Cells, Flesh};

/// Strokes and how they become a field.
pub(super) struct Stroked<'a> {
    pub fibres: &'a PaintedFibres,
    pub method: Method,
    pub reach_m: f64,
}

/// A slope below this share of the mean one says nothing about a direction.
const NO_SLOPE: f64 = 0.05;
/// A tensor whose two largest directions differ by less than this share has no main one.
const NO_MAIN: f64 = 0.02;

/// One orthonormal frame per point: columns are the primary, secondary and tertiary direction.
pub(super) fn frames(
    canvas: &Canvas,
    layer_slopes: Option<&[DVec3]>,
    stroked: &Stroked<'_>,
) -> Result<Vec<DMat3>, FactorError> {
    let flesh = canvas.flesh();
    let formula = stroked.fibres.formula.as_ref().map(|formula| formula.on(flesh));
    let strokes = tangents(canvas, &stroked.fibres.strokes);
    if let (None, true, Some(frames)) = (layer_slopes, strokes.is_empty(), &formula) {
        return Ok(frames.clone());
    }
    let axes = principal_axes(flesh);
    let rings = rings(flesh);
    let (primary, secondary) = match layer_slopes {
        Some(slopes) => {
            let secondary = filled(with_slope(slopes), &rings, axes.z_axis);
            let lines = match stroked.method {
                Method::Mesh if !strokes.is_empty() => {
                    let asked = asked(canvas, &strokes, formula.as_deref(), stroked.reach_m)?;
                    on_layers(canvas, &secondary, &asked)?
                }
                Method::Mesh | Method::Rbf => {
                    let tensors = tensors(canvas, stroked, &strokes, formula.as_deref())?;
                    let main = |i: usize| main_across(tensors.as_ref()?[i], secondary[i]);
                    (0..flesh.point_count()).map(main).collect()
                }
            };
            (filled(lines, &rings, axes.x_axis), secondary)
        }
        None => {
            let tensors = tensors(canvas, stroked, &strokes, formula.as_deref())?;
            let main = |i: usize| main_of(tensors.as_ref()?[i]);
            let primary = filled((0..flesh.point_count()).map(main).collect(), &rings, axes.x_axis);
            let across = |i: usize| formula.as_ref().map_or(axes.z_axis, |frames| frames[i].y_axis);
            let secondary = (0..flesh.point_count()).map(|i| across_to(across(i), primary[i], &axes)).collect();
            (primary, secondary)
        }
    };
    let primary = with_one_sign(primary, &rings, &strokes, flesh);
    let keeps_secondary = layer_slopes.is_some();
    Ok(primary.iter().zip(&secondary).map(|(d1, d2)| orthonormal(*d1, *d2, keeps_secondary, &axes)).collect())
}

/// Tangents of strokes at their samples; later strokes cover earlier ones.
fn tangents(canvas: &Canvas, strokes: &[Vec<DVec3>]) -> Vec<Dab<3>> {
    let of_stroke = |stroke: &Vec<DVec3>| {
        let samples = samples(stroke, spacing(canvas)).into_iter().filter(|s| s.tangent != DVec3::ZERO);
        samples.map(|s| Dab { at: s.at, value: s.tangent.to_array() }).collect()
    };
    later_wins(strokes.iter().map(of_stroke), canvas)
}

/// Lines at the corners of the cells that strokes run through, and those of the formula where no stroke is near.
fn asked(
    canvas: &Canvas,
    strokes: &[Dab<3>],
    formula: Option<&[DMat3]>,
    reach_m: f64,
) -> Result<Vec<Asked>, FactorError> {
    let places: Vec<DVec3> = strokes.iter().map(|dab| dab.at).collect();
    let mut asked = Vec::new();
    for (place, dab) in canvas.material_points(&places)?.iter().zip(strokes) {
        let along = DVec3::from_array(dab.value);
        asked.extend(place.terms().map(|(point, weight)| Asked { point, along, weight }));
    }
    if let Some(frames) = formula {
        let far = canvas.beyond(Method::Mesh, &places, reach_m)?.into_iter().map(|point| point as usize);
        asked.extend(far.map(|point| Asked { point, along: frames[point].x_axis, weight: 1.0 }));
    }
    Ok(asked)
}

/// The field of `t tᵀ`: through strokes, of the formula, or through strokes on top of it.
fn tensors(
    canvas: &Canvas,
    stroked: &Stroked<'_>,
    strokes: &[Dab<3>],
    formula: Option<&[DMat3]>,
) -> Result<Option<Vec<Sym3>>, FactorError> {
    let tensor = |d: DVec3| {
        let t = Sym3::along(d, 1.0);
        [t.xx, t.yy, t.zz, t.xy, t.yz, t.zx]
    };
    let formula: Option<Vec<[f64; 6]>> = formula.map(|frames| frames.iter().map(|f| tensor(f.x_axis)).collect());
    let from = |[xx, yy, zz, xy, yz, zx]: [f64; 6]| Sym3 { xx, yy, zz, xy, yz, zx };
    if strokes.is_empty() {
        return Ok(formula.map(|values| values.into_iter().map(from).collect()));
    }
    let drawn = strokes.iter().map(|dab| Dab { at: dab.at, value: tensor(DVec3::from_array(dab.value)) }).collect();
    let wanted = with_formula(drawn, formula.as_deref(), canvas, stroked.method, stroked.reach_m)?;
    let fields: [Vec<f64>; 6] = canvas.fields(stroked.method, &wanted)?;
    let at = |i: usize| from(std::array::from_fn(|n| fields[n][i]));
    Ok(Some((0..canvas.flesh().point_count()).map(at).collect()))
}

/// Unit slopes where there is one.
fn with_slope(slopes: &[DVec3]) -> Vec<Option<DVec3>> {
    let mean = slopes.iter().map(|s| s.length()).sum::<f64>() / slopes.len().max(1) as f64;
    slopes.iter().map(|s| s.try_normalize().filter(|_| s.length() > NO_SLOPE * mean)).collect()
}

/// The main direction of a tensor, if it has one.
fn main_of(tensor: Sym3) -> Option<DVec3> {
    let (values, vectors) = tensor.eigen();
    let mut order = [0, 1, 2];
    order.sort_by(|&a: &usize, &b: &usize| values[b].total_cmp(&values[a]));
    let (first, second) = (values[order[0]], values[order[1]]);
    (first > 0.0 && first - second > NO_MAIN * first).then(|| vectors.col(order[0]))
}

/// The main direction of what a tensor is in the plane across `d`, if it has one.
fn main_across(tensor: Sym3, d: DVec3) -> Option<DVec3> {
    let u = d.any_orthonormal_vector();
    let v = d.cross(u);
    let (uu, uv, vv) = ((tensor * u).dot(u), (tensor * u).dot(v), (tensor * v).dot(v));
    let gap = ((uu - vv) * (uu - vv) + 4.0 * uv * uv).sqrt();
    let whole = tensor.trace().abs().max((uu + vv).abs());
    (gap > NO_MAIN * whole).then(|| {
        let angle = 0.5 * atan2(2.0 * uv, uu - vv);
        u * cos(angle) + v * sin(angle)
    })
}

/// Directions everywhere: where there is none, the main one of the points around that have one, ring by ring.
fn filled(mut lines: Vec<Option<DVec3>>, rings: &[Vec<u32>], otherwise: DVec3) -> Vec<DVec3> {
    let mut open: Vec<usize> = (0..lines.len()).filter(|&i| lines[i].is_none()).collect();
    while !open.is_empty() {
        let around = |i: usize| {
            let known = rings[i].iter().filter_map(|n| lines[*n as usize]);
            let sum = known.clone().fold(Sym3::ZERO, |sum, d| sum + Sym3::along(d, 1.0));
            // Neighbours that cancel out still leave one of them.
            main_of(sum).or_else(|| known.clone().next())
        };
        let found: Vec<(usize, DVec3)> = open.iter().filter_map(|&i| Some((i, around(i)?))).collect();
        if found.is_empty() {
            break;
        }
        found.iter().for_each(|(i, d)| lines[*i] = Some(*d));
        open.retain(|&i| lines[i].is_none());
    }
    lines.into_iter().map(|line| line.unwrap_or(otherwise)).collect()
}

/// Turns directions about so that neighbours agree, and the first stroke points the way it was drawn: friction along
/// fibres has a forward.
fn with_one_sign(mut lines: Vec<DVec3>, rings: &[Vec<u32>], strokes: &[Dab<3>], flesh: &Flesh) -> Vec<DVec3> {
    let Some(first) = strokes.first() else { return lines };
    let away = |i: &usize| flesh.rest[*i].distance_squared(first.at);
    let Some(start) = (0..lines.len()).min_by(|a, b| away(a).total_cmp(&away(b))) else { return lines };
    if lines[start].dot(DVec3::from_array(first.value)) < 0.0 {
        lines[start] = -lines[start];
    }
    let mut is_turned = vec![false; lines.len()];
    for root in std::iter::once(start).chain(0..lines.len()) {
        if is_turned[root] {
            continue;
        }
        is_turned[root] = true;
        let mut reached = vec![root];
        let mut next = 0;
        while next < reached.len() {
            let from = lines[reached[next]];
            for &n in &rings[reached[next]] {
                let n = n as usize;
                if !is_turned[n] {
                    is_turned[n] = true;
                    if lines[n].dot(from) < 0.0 {
                        lines[n] = -lines[n];
                    }
                    reached.push(n);
                }
            }
            next += 1;
        }
    }
    lines
}

/// A unit vector across `to`, as near to `d` as can be.
fn across_to(d: DVec3, to: DVec3, axes: &DMat3) -> DVec3 {
    /// Sine of the angle below which two directions count as one.
    const PARALLEL: f64 = 1e-3;
    let across = |d: DVec3| (d - to * d.dot(to)).try_normalize().filter(|_| d.cross(to).length() > PARALLEL);
    let own = [d, axes.x_axis, axes.y_axis, axes.z_axis].into_iter().find_map(across);
    own.unwrap_or_else(|| to.any_orthonormal_vector())
}

/// A frame of two directions that need not be perpendicular; one of them is kept as it is.
fn orthonormal(primary: DVec3, secondary: DVec3, keeps_secondary: bool, axes: &DMat3) -> DMat3 {
    let (d1, d2) = if keeps_secondary {
        (across_to(primary, secondary, axes), secondary)
    } else {
        (primary, across_to(secondary, primary, axes))
    };
    DMat3::from_cols(d1, d2, d1.cross(d2))
}

fn principal_axes(flesh: &Flesh) -> DMat3 {
    PrincipalFrame::of(&flesh.rest, &flesh.mass_kg).map_or(DMat3::IDENTITY, |frame| frame.axes)
}

fn rings(flesh: &Flesh) -> Vec<Vec<u32>> {
    match &flesh.cells {
        Cells::Tets(tets) => one_rings(flesh.point_count(), tets),
        Cells::Shell(triangles) => one_rings(flesh.point_count(), triangles),
    }
}
