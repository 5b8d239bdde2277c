//! What a place of a scene may hold, in words.

use super::shape::{Range, Reader, Shape};
use crate::model::{COLOUR_PATTERN, NAME_PATTERN};
use sinew_math::shown;

/// The shapes in words: "a whole number from 1 to 1000", "a number or a list of 3".
pub(super) fn expected(shapes: &[Shape<'_>]) -> String {
    let words: Vec<&str> = shapes.iter().filter_map(Shape::word).collect();
    let mut parts: Vec<String> = Vec::new();
    if !words.is_empty() {
        parts.push(words.iter().map(|word| format!("{word:?}")).collect::<Vec<_>>().join(" or "));
    }
    for shape in shapes {
        let part = match shape {
            Shape::Null | Shape::Word(_) => continue,
            Shape::Bool => "true or false".into(),
            Shape::Number { range, integer } => number(*range, *integer),
            Shape::Text { pattern: Some(NAME_PATTERN), .. } => "a name of letters, digits, _ and -".into(),
            Shape::Text { pattern: Some(COLOUR_PATTERN), .. } => "a colour such as \"#e08040\"".into(),
            Shape::Text { not_empty: true, .. } => "a text that is not empty".into(),
            Shape::Text { .. } => "a text".into(),
            Shape::List { min, max, .. } if min == max => format!("a list of {min}"),
            Shape::List { min: 0, .. } => "a list".into(),
            Shape::List { min, max: usize::MAX, .. } => format!("a list of at least {min}"),
            Shape::List { min, max, .. } => format!("a list of {min} to {max}"),
            Shape::Table(_) => "a table { … }".into(),
            Shape::Reader(Reader::Channel, _) => "a number or keys".into(),
            Shape::Reader(Reader::Chart, _) => "a chart [[phase, rate], …]".into(),
        };
        if !parts.contains(&part) {
            parts.push(part);
        }
    }
    parts.join(" or ")
}

fn number(range: Range, integer: bool) -> String {
    let what = if integer { "a whole number" } else { "a number" };
    // 32 bits of room is no rule that a user needs to know.
    let top = range.max >= f64::from(i32::MAX);
    match (range.min > f64::from(i32::MIN), top) {
        (true, false) => format!("{what} from {} to {}", shown(range.min), shown(range.max)),
        (true, true) => format!("{what} of at least {}", shown(range.min)),
        (false, false) => format!("{what} of at most {}", shown(range.max)),
        (false, true) => what.into(),
    }
}
