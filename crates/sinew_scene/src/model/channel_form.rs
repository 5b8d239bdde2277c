//! Reading and writing the file forms of channels and charts (see [`super::channel`]).

use super::channel::ChannelError;
use crate::nearest::did_you_mean;
use crate::problem::Step;
use serde_json::{Map, Value, json};
use sinew_math::curve::CurveError;
use sinew_math::{Curve, Interpolation, Key, Number, Outside, Wiggle};

const SHAPES: [&str; 3] = ["linear", "smooth", "step"];

/// Reads a number or curve. A chart is read with the `outside` that it always has, which its file form cannot say.
pub(super) fn number_from_json(value: &Value, fixed_outside: Option<Outside>) -> Result<Number, ChannelError> {
    match value {
        Value::Number(number) => Ok(Number::Constant(number.as_f64().unwrap_or(f64::NAN))),
        Value::Array(keys) => {
            let outside = fixed_outside.unwrap_or_default();
            curve(keys, Interpolation::Linear, outside, &[]).map(Number::Curve)
        }
        Value::Object(table) => from_table(table, fixed_outside).map(Number::Curve),
        other => Err(wrong(&[], format!("expected a number or keys, found {}", describe(other)), EXAMPLE)),
    }
}

const EXAMPLE: &str = "write a number such as 0.5, or keys such as [[1, 0.0], [12, 1.0]]";

pub(super) fn number_to_json(number: &Number) -> Value {
    let curve = match number {
        Number::Constant(value) => return json!(value),
        Number::Curve(curve) => curve,
    };
    let keys: Vec<Value> = curve.keys().iter().map(|key| key_to_json(*key)).collect();
    let mut table = Map::from_iter([("keys".to_owned(), Value::Array(keys))]);
    match curve.outside() {
        Outside::Hold => None,
        Outside::Cycle { period } => table.insert("outside".into(), json!({ "cycle": period })),
        Outside::Zero => table.insert("outside".into(), "zero".into()),
    };
    if let Some(Wiggle { period, damping }) = curve.wiggle() {
        table.insert("wiggle".into(), json!({ "period": period, "damping": damping }));
    }
    if table.len() == 1 { table.remove("keys").unwrap_or_default() } else { Value::Object(table) }
}

/// A chart's keys alone: its period goes without saying.
pub(super) fn chart_to_json(curve: &Curve) -> Value {
    curve.keys().iter().map(|key| key_to_json(*key)).collect()
}

fn key_to_json(Key { at, value, to_next }: Key) -> Value {
    match to_next {
        Interpolation::Linear => json!([at, value]),
        Interpolation::Smooth => json!([at, value, "smooth"]),
        Interpolation::Step => json!([at, value, "step"]),
        Interpolation::Bezier { leave, arrive } => json!([at, value, { "leave": leave, "arrive": arrive }]),
    }
}

fn from_table(table: &Map<String, Value>, fixed_outside: Option<Outside>) -> Result<Curve, ChannelError> {
    let known: &[&str] =
        if fixed_outside.is_some() { &["keys", "shape"] } else { &["keys", "shape", "outside", "wiggle"] };
    if let Some(unknown) = table.keys().find(|key| !known.contains(&key.as_str())) {
        let at = [Step::Key(unknown.clone())];
        return Err(wrong(&at, format!("unknown key `{unknown}`"), &did_you_mean(unknown, known)));
    }
    let shape = match table.get("shape") {
        None => Interpolation::Linear,
        Some(word) => shape_from_json(word, &[Step::Key("shape".into())])?,
    };
    let outside = match (fixed_outside, table.get("outside")) {
        (Some(fixed), _) => fixed,
        (None, None) => Outside::Hold,
        (None, Some(word)) => outside_from_json(word)?,
    };
    let at = [Step::Key("keys".into())];
    let plain = match table.get("keys") {
        Some(Value::Array(keys)) => curve(keys, shape, outside, &at),
        Some(other) => Err(wrong(&at, format!("expected keys, found {}", describe(other)), EXAMPLE)),
        None => Err(wrong(&[], "a curve needs `keys`".into(), "write { keys = [[1, 0.0], [12, 1.0]] }")),
    }?;
    match table.get("wiggle") {
        None => Ok(plain),
        Some(word) => {
            let wiggle = wiggle_from_json(word)?;
            let refused = |error: CurveError| wrong(&[Step::Key("wiggle".into())], error.to_string(), WIGGLE);
            plain.with_wiggle(wiggle).map_err(refused)
        }
    }
}

const WIGGLE: &str = "write { period = 12, damping = 0.2 }: frames of a swing, and from 0 (for ever) to 1 (no swing)";

fn wiggle_from_json(value: &Value) -> Result<Wiggle, ChannelError> {
    let at = [Step::Key("wiggle".into())];
    let table =
        value.as_object().ok_or_else(|| wrong(&at, format!("expected a table, found {}", describe(value)), WIGGLE))?;
    const KNOWN: [&str; 2] = ["period", "damping"];
    if let Some(unknown) = table.keys().find(|key| !KNOWN.contains(&key.as_str())) {
        return Err(wrong(&at, format!("unknown key `{unknown}`"), &did_you_mean(unknown, &KNOWN)));
    }
    let number = |name: &str, left_out: Option<f64>| match (table.get(name), left_out) {
        (None, Some(value)) => Ok(value),
        (None, None) => Err(wrong(&at, format!("a wiggle needs its `{name}`"), WIGGLE)),
        (Some(value), _) => {
            let here = [at[0].clone(), Step::Key(name.into())];
            value.as_f64().ok_or_else(|| wrong(&here, format!("expected a number, found {}", describe(value)), WIGGLE))
        }
    };
    Ok(Wiggle { period: number("period", None)?, damping: number("damping", Some(0.2))? })
}

fn curve(keys: &[Value], shape: Interpolation, outside: Outside, at: &[Step]) -> Result<Curve, ChannelError> {
    let under = |index: usize| [at, &[Step::Index(index)]].concat();
    let read =
        keys.iter().enumerate().map(|(i, key)| key_from_json(key, shape, &under(i))).collect::<Result<_, _>>()?;
    Curve::new(read, outside).map_err(|error| {
        let (index, help) = match error {
            CurveError::Empty => (None, EXAMPLE),
            CurveError::NotFinite { key } => (Some(key), "give a finite number"),
            CurveError::NotRising { key } => (Some(key), "put keys in order, no two at the same place"),
            CurveError::OutsidePeriod { key, .. } => (Some(key), "move the key into the period"),
            CurveError::NoSwing { .. } => (None, WIGGLE),
        };
        wrong(&index.map_or_else(|| at.to_vec(), under), error.to_string(), help)
    })
}

fn key_from_json(key: &Value, shape: Interpolation, at: &[Step]) -> Result<Key, ChannelError> {
    const KEY: &str = "a key is [frame, value] (in a chart [phase, rate]), or [frame, value, \"smooth\"]";
    let entries = key.as_array().map_or(&[][..], Vec::as_slice);
    let (to_next, numbers) = match entries {
        [x, y] => (shape, [x, y]),
        [x, y, how] => (shape_from_json(how, &[at, &[Step::Index(2)]].concat())?, [x, y]),
        _ => return Err(wrong(at, format!("expected a key, found {}", describe(key)), KEY)),
    };
    let mut values = [0.0; 2];
    for (i, number) in numbers.into_iter().enumerate() {
        let here = || [at, &[Step::Index(i)]].concat();
        let value = number.as_f64();
        values[i] =
            value.ok_or_else(|| wrong(&here(), format!("expected a number, found {}", describe(number)), KEY))?;
    }
    Ok(Key { at: values[0], value: values[1], to_next })
}

fn shape_from_json(value: &Value, at: &[Step]) -> Result<Interpolation, ChannelError> {
    const BEZIER: &str = "write { leave = [frames, value], arrive = [-frames, value] } with offsets from the two keys";
    match value {
        Value::String(word) => match word.as_str() {
            "linear" => Ok(Interpolation::Linear),
            "smooth" => Ok(Interpolation::Smooth),
            "step" => Ok(Interpolation::Step),
            other => Err(wrong(at, format!("unknown shape {other:?}"), &did_you_mean(other, &SHAPES))),
        },
        Value::Object(handles) => {
            if let Some(unknown) = handles.keys().find(|key| !["leave", "arrive"].contains(&key.as_str())) {
                return Err(wrong(
                    at,
                    format!("unknown key `{unknown}`"),
                    &did_you_mean(unknown, &["leave", "arrive"]),
                ));
            }
            let handle = |name: &str| -> Result<[f64; 2], ChannelError> {
                let pair = handles.get(name).and_then(|pair| serde_json::from_value(pair.clone()).ok());
                pair.ok_or_else(|| wrong(at, format!("a Bézier needs the handle `{name}`, two numbers"), BEZIER))
            };
            let (leave, arrive) = (handle("leave")?, handle("arrive")?);
            if leave[0] < 0.0 || arrive[0] > 0.0 {
                return Err(wrong(
                    at,
                    "a handle points out of its segment, so time would run backwards".into(),
                    BEZIER,
                ));
            }
            Ok(Interpolation::Bezier { leave, arrive })
        }
        other => Err(wrong(at, format!("expected a shape, found {}", describe(other)), "linear, smooth or step")),
    }
}

fn outside_from_json(value: &Value) -> Result<Outside, ChannelError> {
    const WORDS: [&str; 2] = ["hold", "zero"];
    let at = [Step::Key("outside".into())];
    match value {
        Value::String(word) => match word.as_str() {
            "hold" => Ok(Outside::Hold),
            "zero" => Ok(Outside::Zero),
            other => Err(wrong(&at, format!("unknown word {other:?} for outside"), &did_you_mean(other, &WORDS))),
        },
        Value::Object(table) if table.len() == 1 && table.contains_key("cycle") => {
            let period = table["cycle"].as_f64().filter(|period| *period > 0.0 && period.is_finite());
            let period =
                period.ok_or_else(|| wrong(&at, "a cycle needs a positive length".into(), "{ cycle = 12 }"))?;
            Ok(Outside::Cycle { period })
        }
        _ => Err(wrong(&at, "expected hold, zero or a cycle".into(), "write \"hold\", \"zero\" or { cycle = 12 }")),
    }
}

fn wrong(at: &[Step], message: String, help: &str) -> ChannelError {
    ChannelError { at: at.to_vec(), message, help: Some(help.into()) }
}

/// A JSON value in a few words.
fn describe(value: &Value) -> String {
    match value {
        Value::Null => "nothing".into(),
        Value::Bool(value) => format!("{value}"),
        Value::Number(number) => format!("the number {number}"),
        Value::String(text) => format!("the text {text:?}"),
        Value::Array(items) => format!("a list of {}", items.len()),
        Value::Object(_) => "a table".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(value: &Value) -> Number {
        number_from_json(value, None).unwrap_or_else(|error| panic!("{value}: {error}"))
    }

    #[test]
    fn every_form_means_what_it_says() {
        assert_eq!(read(&json!(3)).value(7.0), 3.0);
        let line = read(&json!([[1, 0.0], [11, 1.0]]));
        assert_eq!((line.value(0.0), line.value(6.0), line.value(99.0)), (0.0, 0.5, 1.0));
        let step = read(&json!([[1, 0.0, "step"], [11, 1.0]]));
        assert_eq!((step.value(10.9), step.value(11.0)), (0.0, 1.0));
        let one_shape = read(&json!({ "keys": [[1, 0.0], [11, 1.0, "linear"], [21, 5.0]], "shape": "step" }));
        assert_eq!((one_shape.value(6.0), one_shape.value(16.0)), (0.0, 3.0));
        let zero = read(&json!({ "keys": [[1, 2.0], [11, 2.0]], "outside": "zero" }));
        assert_eq!((zero.value(0.5), zero.value(5.0), zero.value(11.0)), (0.0, 2.0, 0.0));
        let cycle = read(&json!({ "keys": [[0, 0.0], [6, 1.0]], "outside": { "cycle": 12 } }));
        assert_eq!((cycle.value(3.0), cycle.value(15.0), cycle.value(9.0)), (0.5, 0.5, 0.5));
        // Flat handles halfway: an S that is steepest in the middle and halfway up there.
        let bezier = read(&json!([[0, 0.0, { "leave": [5, 0], "arrive": [-5, 0] }], [10, 1.0]]));
        assert!((bezier.value(5.0) - 0.5).abs() < 1e-9 && bezier.value(1.0) < 0.05);
    }

    #[test]
    fn a_wiggle_swings_through_the_keys_and_is_written_as_it_was() {
        let form = json!({ "keys": [[1.0, 0.0], [11.0, 3.0], [31.0, 0.0]], "outside": "zero", "wiggle": { "period": 8.0, "damping": 0.1 } });
        let swings = read(&form);
        assert!((swings.value(11.0) - 3.0).abs() < 1e-9 && swings.value(31.0) == 0.0);
        let lowest = (1..31).map(|frame| swings.value(f64::from(frame))).fold(0.0, f64::min);
        assert!(lowest < -0.5, "it swings to the other side: {lowest}");
        assert_eq!(number_to_json(&swings), form);
        let held = read(&json!({ "keys": [[1, 0.0], [11, 3.0]], "wiggle": { "period": 8 } }));
        assert_eq!(number_to_json(&held)["wiggle"], json!({ "period": 8.0, "damping": 0.2 }));
    }

    #[test]
    fn what_is_no_wiggle_is_told_where() {
        let refused = |wiggle: Value| {
            let error = number_from_json(&json!({ "keys": [[1, 0.0], [9, 1.0]], "wiggle": wiggle }), None).unwrap_err();
            assert_eq!(error.at[0], Step::Key("wiggle".into()));
            error.message
        };
        assert!(refused(json!({ "period": 0 })).contains("period 0"));
        assert!(refused(json!({ "period": 5, "damping": -1 })).contains("damping -1"));
        assert!(refused(json!({ "damping": 0.1 })).contains("needs its `period`"));
        assert!(refused(json!({ "period": 5, "dampng": 1 })).contains("dampng"));
        assert!(refused(json!(5)).contains("expected a table"));
    }

    #[test]
    fn a_chart_is_cyclic_without_saying_so() {
        let period = Some(Outside::Cycle { period: 1.0 });
        let Number::Curve(chart) = number_from_json(&json!([[0.0, 1.0], [0.5, 0.5]]), period).unwrap() else {
            panic!("a chart is a curve");
        };
        assert_eq!((chart.value(0.25), chart.value(0.75), chart.value(1.75)), (0.75, 0.75, 0.75));
        assert_eq!(chart_to_json(&chart), json!([[0.0, 1.0], [0.5, 0.5]]));
        let said = json!({ "keys": [[0.0, 1.0]], "outside": "hold" });
        assert!(number_from_json(&said, period).unwrap_err().message.contains("unknown key `outside`"));
    }

    #[test]
    fn a_handle_that_points_out_of_its_segment_is_refused() {
        let back = json!([[0, 0.0, { "leave": [-1, 0], "arrive": [-5, 0] }], [10, 1.0]]);
        let error = number_from_json(&back, None).unwrap_err();
        assert!(error.message.contains("backwards"));
        assert_eq!(error.at, [Step::Index(0), Step::Index(2)]);
    }
}
