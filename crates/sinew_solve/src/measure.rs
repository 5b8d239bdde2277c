//! Numbers that directors measure: how far a body is bent, how far it is from its path. They go to reports,
//! takes and pages.

use crate::BodyId;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// A measured number with its name and unit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measure {
    pub body: BodyId,
    /// The director that measured it; empty for what the stage itself measures.
    pub director: String,
    pub name: Cow<'static, str>,
    pub unit: Cow<'static, str>,
    pub value: f64,
}

/// How a director tells what it measures.
pub struct Measures<'a> {
    body: BodyId,
    director: &'a str,
    weight: f64,
    out: &'a mut Vec<Measure>,
}

impl<'a> Measures<'a> {
    /// `weight` is the director's at this moment.
    pub fn new(body: BodyId, director: &'a str, weight: f64, out: &'a mut Vec<Measure>) -> Self {
        Self { body, director, weight, out }
    }

    /// The director's weight: what it asks for acts times this.
    pub fn weight(&self) -> f64 {
        self.weight
    }

    /// A number that is not finite is left out.
    pub fn number(&mut self, name: &'static str, unit: &'static str, value: f64) {
        if value.is_finite() {
            let (body, director) = (self.body, self.director.to_owned());
            self.out.push(Measure { body, director, name: name.into(), unit: unit.into(), value });
        }
    }
}
