//! Recorded shapes with elements inside out, such as a fast solver leaves in a hard landing, made into shapes that a body can have.
//!
//! Local–global projection (Bouaziz et al., "Projective Dynamics", SIGGRAPH 2014): broken elements wish for the nearest gradient with stretches of at least a
//! quarter, all others for the one they have, and the shape is the one whose gradients come closest. Where that does not suffice all stretches are drawn
//! towards rest, more with every round.

use super::{KeyTrouble, ShapeCells, check_shape};
use sinew_math::rotation::nearest_rotation;
use sinew_math::{DMat3, DVec3, Sym3};

/// Stretches of broken elements are brought to this at least.
const LEAST_STRETCH: f64 = 0.25;
/// A share of its volume below which an element is mended: well above what is refused.
const MENDED: f64 = 0.03;
/// Rounds in which only broken elements wish for something else, and those in which all are drawn towards rest.
const LOCAL_ROUNDS: usize = 30;
const ROUNDS: usize = 120;
/// With more broken elements than this share, a shape is crushed and not folded.
const MOST_BROKEN: f64 = 0.4;
/// A shape that is changed by more than this share of the body's size is another one.
const FAR: f64 = 0.2;

/// What was mended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Unfolded {
    /// Elements that were broken, and how many there are.
    pub count: usize,
    pub of: usize,
    /// How far the shape is from the recorded one, per cent of the body's size.
    pub moved_percent: f64,
}

/// A shape that a body can have next to a recorded one; none is mended where that is one already. Shapes that are flat, crushed or inside out as a
/// whole, or would have to change too much, are refused.
pub fn unfold(cells: &ShapeCells, shape: &[DVec3]) -> Result<(Vec<DVec3>, Option<Unfolded>), KeyTrouble> {
    let trouble = match check_shape(cells, shape) {
        Ok(()) => return Ok((shape.to_vec(), None)),
        Err(trouble) => trouble,
    };
    let KeyTrouble::Broken { count, of, .. } = trouble else { return Err(trouble) };
    if count as f64 > MOST_BROKEN * of as f64 {
        return Err(trouble);
    }
    let mut now = shape.to_vec();
    for round in 0..ROUNDS {
        let towards_rest = round.saturating_sub(LOCAL_ROUNDS) as f64 / (ROUNDS - LOCAL_ROUNDS) as f64;
        let wished: Vec<DMat3> = cells.gradients(&now).into_iter().map(|f| wish(f, towards_rest)).collect();
        now = cells.shape(&wished, &now);
        if cells.volume_shares(&now).all(|share| share > MENDED) {
            break;
        }
    }
    let moved = cells.distance(&now, shape) / cells.size_m;
    if check_shape(cells, &now).is_err() || moved > FAR {
        return Err(trouble);
    }
    Ok((now, Some(Unfolded { count, of, moved_percent: 100.0 * moved })))
}

fn wish(gradient: DMat3, towards_rest: f64) -> DMat3 {
    if towards_rest == 0.0 && gradient.determinant() > MENDED {
        return gradient;
    }
    let turn = DMat3::from_quat(nearest_rotation(gradient));
    let (stretches, axes) = Sym3::from_mat(turn.transpose() * gradient).eigen();
    let stretch = |i: usize| {
        let least = stretches[i].max(LEAST_STRETCH);
        Sym3::along(axes.col(i), least + (1.0 - least) * towards_rest)
    };
    turn * (stretch(0) + stretch(1) + stretch(2)).to_mat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_geom::structured::bar;
    use sinew_math::dvec3;
    use sinew_solve::Flesh;

    fn cells() -> ShapeCells {
        ShapeCells::new(&Flesh::from_tets(bar(dvec3(1.0, 0.4, 0.4), [10, 4, 4]), 1000.0).unwrap()).unwrap()
    }

    /// Inner points pushed through the bottom, as shape matching leaves them in a landing: mended, while the skin stays about where it is.
    #[test]
    fn points_that_were_pushed_through_the_skin_come_back() {
        let cells = cells();
        let is_inner = |x: &DVec3| x.y.abs() < 0.15 && x.z.abs() < 0.15 && x.x.abs() < 0.45;
        let push = |x: &DVec3| if is_inner(x) { *x - dvec3(0.0, 0.16, 0.0) } else { *x };
        let folded: Vec<DVec3> = cells.rest.iter().map(push).collect();
        assert!(matches!(check_shape(&cells, &folded), Err(KeyTrouble::Broken { .. })));
        let (shape, mended) = unfold(&cells, &folded).unwrap();
        check_shape(&cells, &shape).unwrap();
        let mended = mended.unwrap();
        assert!(mended.count > 10 && mended.moved_percent < 8.0, "{mended:?}");
    }

    #[test]
    fn whole_shapes_keep_their_bits_and_shapes_that_are_none_are_refused() {
        let cells = cells();
        let bent: Vec<DVec3> = cells.rest.iter().map(|x| *x + dvec3(0.0, 0.3 * x.x * x.x, 0.0)).collect();
        assert_eq!(unfold(&cells, &bent).unwrap(), (bent, None));
        let flat: Vec<DVec3> = cells.rest.iter().map(|x| dvec3(x.x, 0.0, x.z)).collect();
        assert_eq!(unfold(&cells, &flat).unwrap_err(), KeyTrouble::Flat);
        let mirrored: Vec<DVec3> = cells.rest.iter().map(|x| dvec3(-x.x, x.y, x.z)).collect();
        assert_eq!(unfold(&cells, &mirrored).unwrap_err(), KeyTrouble::InsideOut);
        let mut lost = cells.rest.clone();
        lost[3].x = f64::NAN;
        assert_eq!(unfold(&cells, &lost).unwrap_err(), KeyTrouble::NotFinite { point: 3 });
    }
}
