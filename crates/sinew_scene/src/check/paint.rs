//! Fields of muscles and materials: formulas and paint within bounds, strokes that have a direction.

use super::place::{Found, Place};
use crate::model::{Amplitude, Field, FillTool, MaterialFields, Muscle, Paint};
use sinew_math::shown;

/// Depth and phase run from 0 to 1, amplitudes to both sides.
const SHARE: [f64; 2] = [0.0, 1.0];
const SIGNED: [f64; 2] = [-1.0, 1.0];
/// Factors that are spread by their logarithm are greater than 0.
const SCALE: [f64; 2] = [1e-3, 1e3];
const FACTOR: [f64; 2] = [0.0, 1e3];
const POISSON: [f64; 2] = [-0.9, 0.4999];

pub(super) fn check_fields(muscle: &Muscle, at: &Place, found: &mut Found) {
    check_paint(&muscle.layer, SHARE, &at.key("layer"), found);
    if let Some(phase) = &muscle.phase {
        check_field(phase, SHARE, &at.key("phase"), found);
    }
    if let Amplitude::Field(field) = &muscle.amplitude {
        check_field(field, SIGNED, &at.key("amplitude"), found);
    }
    for (index, line) in muscle.fibres.strokes().iter().enumerate() {
        if line.0.iter().all(|point| *point == line.0[0]) {
            let help = "give at least two different points: [[0.0, 0.2, 0.0], [0.5, 0.2, 0.0]]";
            at.key("fibres").key("strokes").index(index).wrong(found, "this stroke has no direction", help);
        }
    }
}

pub(super) fn check_material(fields: &MaterialFields, at: &Place, found: &mut Found) {
    let all = [
        (&fields.stiffness, SCALE, "stiffness"),
        (&fields.damping, FACTOR, "damping"),
        (&fields.density, SCALE, "density"),
        (&fields.poisson, POISSON, "poisson"),
    ];
    for (field, bounds, key) in all {
        if let Some(field) = field {
            check_field(field, bounds, &at.key(key), found);
        }
    }
}

fn check_field(field: &Field, bounds: [f64; 2], at: &Place, found: &mut Found) {
    if let Some(range) = field.range() {
        for (key, value) in ["from", "to"].into_iter().zip(range) {
            check_bounds(value, bounds, &at.key(key), found);
        }
    }
    check_paint(field.paint(), bounds, &at.key("paint"), found);
}

fn check_paint(paint: &[Paint], bounds: [f64; 2], at: &Place, found: &mut Found) {
    for (index, act) in paint.iter().enumerate() {
        let at = at.index(index);
        for (key, value) in act.values() {
            check_bounds(value, bounds, &at.key(key), found);
        }
        if let Paint::Fill { fill: FillTool::Face, angle: Some(_), .. } = act {
            at.key("angle").wrong(found, "one face has no angle", "leave out `angle`, or write fill = \"flat\"");
        }
    }
}

fn check_bounds(value: f64, [low, high]: [f64; 2], at: &Place, found: &mut Found) {
    if !(low..=high).contains(&value) {
        at.wrong(
            found,
            format!("{} is out of bounds", shown(value)),
            format!("from {} to {}", shown(low), shown(high)),
        );
    }
}
