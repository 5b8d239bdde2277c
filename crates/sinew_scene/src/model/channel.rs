//! A number of a scene that may change over time, and the cyclic charts of muscles: how they stand in files.
//!
//! | file | meaning |
//! |------|---------|
//! | `0.5` | constant |
//! | `[[1, 0.0], [12, 1.0]]` | keys of [frame, value], straight lines, held before and after |
//! | `[[1, 0.0, "smooth"], [12, 1.0]]` | how it runs from that key to the next: linear, smooth, step |
//! | `[[1, 0.0, { leave = [3, 0], arrive = [-3, 0] }], [12, 1.0]]` | a Bézier: offsets of its handles |
//! | `{ keys = [...], shape = "smooth", outside = { cycle = 12 } }` | one shape for all keys; outside hold, zero, cycle |
//! | `{ keys = [...], wiggle = { period = 12, damping = 0.2 } }` | a wiggly spline: swings about zero through its keys |

use super::channel_form::{chart_to_json, number_from_json, number_to_json};
use crate::problem::Step;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use sinew_math::{Curve, DVec3, Number, Outside, dvec3};
use std::borrow::Cow;
use std::ops::Deref;

/// A number, or a curve over frames.
#[derive(Debug, Clone, PartialEq)]
pub struct Channel(pub Number);

/// Three channels: x, y, z.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Channel3(pub [Channel; 3]);

/// A cyclic curve over the phase 0 to 1 of a period.
#[derive(Debug, Clone, PartialEq)]
pub struct Chart(pub Curve);

/// Why a value is not a channel or chart, and where inside it.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct ChannelError {
    pub at: Vec<Step>,
    pub message: String,
    pub help: Option<String>,
}

/// What a chart's keys may lie in.
pub(crate) const CHART_PERIOD: Outside = Outside::Cycle { period: 1.0 };

impl Channel {
    pub const fn constant(value: f64) -> Self {
        Self(Number::Constant(value))
    }

    pub fn from_json(value: &Value) -> Result<Self, ChannelError> {
        number_from_json(value, None).map(Self)
    }

    pub fn to_json(&self) -> Value {
        number_to_json(&self.0)
    }

    /// Whether it is zero before its first and after its last key.
    pub fn is_cut_off(&self) -> bool {
        matches!(&self.0, Number::Curve(curve) if curve.outside() == Outside::Zero)
    }

    /// Every value that is written in it: the constant, or those of its keys.
    pub fn written_values(&self) -> Vec<f64> {
        match &self.0 {
            Number::Constant(value) => vec![*value],
            Number::Curve(curve) => curve.keys().iter().map(|key| key.value).collect(),
        }
    }
}

/// Three constants.
pub const fn constant3([x, y, z]: [f64; 3]) -> Channel3 {
    Channel3([Channel::constant(x), Channel::constant(y), Channel::constant(z)])
}

impl Channel3 {
    pub fn value(&self, frame: f64) -> DVec3 {
        let [x, y, z] = &self.0;
        dvec3(x.value(frame), y.value(frame), z.value(frame))
    }

    /// The value and its derivative per frame.
    pub fn value_and_slope(&self, frame: f64) -> (DVec3, DVec3) {
        let [x, y, z] = self.0.each_ref().map(|channel| channel.value_and_slope(frame));
        (dvec3(x.0, y.0, z.0), dvec3(x.1, y.1, z.1))
    }
}

impl Chart {
    pub fn from_json(value: &Value) -> Result<Self, ChannelError> {
        match number_from_json(value, Some(CHART_PERIOD))? {
            Number::Curve(curve) => Ok(Self(curve)),
            Number::Constant(_) => Err(ChannelError {
                at: Vec::new(),
                message: "a chart is a list of keys".into(),
                help: Some("write [[phase, rate], …] with phases from 0 to 1, such as [[0.0, 1.0], [0.5, 0.7]]".into()),
            }),
        }
    }

    pub fn to_json(&self) -> Value {
        chart_to_json(&self.0)
    }
}

impl Default for Channel {
    fn default() -> Self {
        Self::constant(0.0)
    }
}

impl From<f64> for Channel {
    fn from(value: f64) -> Self {
        Self::constant(value)
    }
}

impl Deref for Channel {
    type Target = Number;

    fn deref(&self) -> &Number {
        &self.0
    }
}

impl Deref for Chart {
    type Target = Curve;

    fn deref(&self) -> &Curve {
        &self.0
    }
}

impl Serialize for Channel {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_json().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Channel {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::from_json(&Value::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

impl Serialize for Chart {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_json().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Chart {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::from_json(&Value::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

/// Marks a place of the schema whose value has a reader of its own.
pub(crate) const READER: &str = "x-sinew-reader";

impl JsonSchema for Channel {
    fn schema_name() -> Cow<'static, str> {
        "Channel".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let keys = generator.subschema_for::<KeysForm>();
        let table = json_schema!({
            "type": "object",
            "properties": {
                "keys": keys,
                "shape": { "description": "How it runs between keys that do not say.", "enum": ["linear", "smooth", "step"] },
                "outside": {
                    "description": "What it is before the first and after the last key.",
                    "anyOf": [
                        { "enum": ["hold", "zero"] },
                        { "type": "object", "properties": { "cycle": { "type": "number", "exclusiveMinimum": 0 } },
                          "required": ["cycle"], "additionalProperties": false }
                    ]
                },
                "wiggle": {
                    "description": "Swings about zero through its keys (a wiggly spline), whatever their shapes; held after the last key, it swings on.",
                    "type": "object",
                    "properties": {
                        "period": { "description": "Frames of one undamped swing.", "type": "number", "exclusiveMinimum": 0 },
                        "damping": { "description": "0 swings for ever, 1 comes back without a swing; left out, 0.2.", "type": "number", "minimum": 0, "maximum": 10 }
                    },
                    "required": ["period"],
                    "additionalProperties": false
                }
            },
            "required": ["keys"],
            "additionalProperties": false
        });
        json_schema!({
            "description": "A number, or a curve of [frame, value] keys.",
            READER: "channel",
            "anyOf": [{ "type": "number" }, keys, table]
        })
    }
}

impl JsonSchema for Channel3 {
    fn schema_name() -> Cow<'static, str> {
        "Channel3".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let channel = generator.subschema_for::<Channel>();
        json_schema!({
            "description": "x, y and z, each a number or a curve of [frame, value] keys.",
            "type": "array", "items": channel, "minItems": 3, "maxItems": 3
        })
    }
}

impl JsonSchema for Chart {
    fn schema_name() -> Cow<'static, str> {
        "Chart".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let keys = generator.subschema_for::<KeysForm>();
        json_schema!({
            "description": "Keys of [phase, rate] over one cycle, phases from 0 to 1; its ends are joined.",
            READER: "chart",
            "anyOf": [
                keys,
                { "type": "object", "properties": { "keys": keys, "shape": { "enum": ["linear", "smooth", "step"] } },
                  "required": ["keys"], "additionalProperties": false }
            ]
        })
    }
}

/// The list of keys as the schema shows it.
struct KeysForm;

impl JsonSchema for KeysForm {
    fn schema_name() -> Cow<'static, str> {
        "Keys".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let pair = json_schema!({ "type": "array", "items": { "type": "number" }, "minItems": 2, "maxItems": 2 });
        json_schema!({
            "description": "Keys in rising order: [at, value], or with how it runs to the next key: \"linear\", \"smooth\", \
                            \"step\", or Bézier handles { leave, arrive } as offsets (along the axis, in value).",
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "array",
                "prefixItems": [
                    { "type": "number" },
                    { "type": "number" },
                    { "anyOf": [
                        { "enum": ["linear", "smooth", "step"] },
                        { "type": "object", "properties": { "leave": pair, "arrive": pair },
                          "required": ["leave", "arrive"], "additionalProperties": false }
                    ] }
                ],
                "minItems": 2,
                "maxItems": 3
            }
        })
    }
}
