//! Fields that a user paints: the actions, and what becomes of them on a piece of flesh.
//!
//! Ijiri et al. 2009, §3.1–3.3 (PD-8 … PD-19, PD-29, PD-32). Actions are kept as they were done, in rest coordinates, so that a field can be
//! made anew for any flesh of the shape. [`Painting::on`] is a pure function of actions and [`Canvas`]; it may run on any thread while
//! the old field is still in use.
//!
//! Departures: a later action takes the place of earlier ones beneath it. Strokes on top of a formula leave the formula as it is
//! beyond [`Painting::reach_m`] of them. The paper's radial basis functions are [`Method::Rbf`]; by default fields are solved on the mesh.

use super::canvas::Canvas;
use super::constraints::{Dab, dabs, with_formula};
use super::orient::{self, Stroked};
use super::{Fibres, Scalar};
use sinew_math::sparse::FactorError;
use sinew_math::{DMat3, DVec3};

/// How constraints become a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Method {
    /// Solved on the mesh: limbs that lie side by side do not see each other.
    #[default]
    Mesh,
    /// Radial basis functions of space, as in the paper.
    Rbf,
}

/// Something a user painted. Places are rest coordinates, on the surface or inside (on a cut or a layer).
#[derive(Debug, Clone, PartialEq)]
pub struct Action {
    pub tool: Tool,
    pub value: f64,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Tool {
    /// The surface triangle at a place.
    Face { at: DVec3 },
    /// The part of the surface around a place that no crease bounds: neighbours differ by less than the angle.
    Flat { at: DVec3, angle_rad: f64 },
    /// A line. With an end value, the value runs to it along the line.
    Stroke { along: Vec<DVec3>, end_value: Option<f64> },
}

/// A number per point: a formula, paint, or paint on top of a formula.
#[derive(Debug, Clone, PartialEq)]
pub struct PaintedScalar {
    pub formula: Option<Scalar>,
    pub actions: Vec<Action>,
}

/// Directions: a formula, strokes, or strokes on top of a formula.
#[derive(Debug, Clone, PartialEq)]
pub struct PaintedFibres {
    pub formula: Option<Fibres>,
    pub strokes: Vec<Vec<DVec3>>,
}

/// Everything about a muscle that may be painted.
#[derive(Debug, Clone, PartialEq)]
pub struct Painting {
    /// From 0 outermost to 1 innermost; its slope is the secondary direction. Empty: the formula of the fibres has one.
    pub layer: Vec<Action>,
    pub fibres: PaintedFibres,
    pub amplitude: PaintedScalar,
    pub phase: PaintedScalar,
    pub method: Method,
    /// How far from paint a formula beneath it holds; none: a fifth of the body's size.
    pub reach_m: Option<f64>,
}

/// A layer field per point, and its slope.
type LevelsAndSlopes = (Vec<f64>, Vec<DVec3>);

/// Fields as numbers per point.
#[derive(Debug, Clone, PartialEq)]
pub struct Fields {
    /// 0 outermost to 1 innermost; none without painted layers.
    pub layer: Option<Vec<f64>>,
    pub frames: Vec<DMat3>,
    pub amplitude: Vec<f64>,
    pub phase_shift: Vec<f64>,
}

impl From<Scalar> for PaintedScalar {
    fn from(formula: Scalar) -> Self {
        Self { formula: Some(formula), actions: Vec::new() }
    }
}

impl From<Fibres> for PaintedFibres {
    fn from(formula: Fibres) -> Self {
        Self { formula: Some(formula), strokes: Vec::new() }
    }
}

impl Painting {
    /// Formulas alone.
    pub fn of_formulas(fibres: Fibres, amplitude: Scalar, phase: Scalar) -> Self {
        let (amplitude, phase) = (amplitude.into(), phase.into());
        Self { layer: Vec::new(), fibres: fibres.into(), amplitude, phase, method: Method::Mesh, reach_m: None }
    }

    /// The fields on a canvas's flesh.
    pub fn on(&self, canvas: &Canvas) -> Result<Fields, FactorError> {
        let layer = self.layer_on(canvas)?;
        let (levels, slopes) = layer.unzip();
        let strokes = Stroked { fibres: &self.fibres, method: self.method, reach_m: self.reach_on(canvas) };
        Ok(Fields {
            layer: levels.map(|levels| clamped(levels, 0.0, 1.0)),
            frames: orient::frames(canvas, slopes.as_deref(), &strokes)?,
            amplitude: self.amplitude.within_range(canvas, self.method, self.reach_m, [-1.0, 1.0])?,
            phase_shift: self.phase.within_range(canvas, self.method, self.reach_m, [0.0, 1.0])?,
        })
    }

    /// The layer field and its slope (PD-8 … PD-15).
    fn layer_on(&self, canvas: &Canvas) -> Result<Option<LevelsAndSlopes>, FactorError> {
        let dabs = dabs(&self.layer, canvas);
        if dabs.is_empty() {
            return Ok(None);
        }
        canvas.field_and_slope(self.method, dabs).map(Some)
    }

    fn reach_on(&self, canvas: &Canvas) -> f64 {
        reach_on(self.reach_m, canvas)
    }
}

impl PaintedScalar {
    /// The field at every point of a canvas's flesh; nothing at all is 0 everywhere.
    pub fn on(&self, canvas: &Canvas, method: Method, reach_m: Option<f64>) -> Result<Vec<f64>, FactorError> {
        let formula = self.formula.as_ref().map(|formula| formula.on(canvas.flesh()));
        let painted: Vec<Dab<1>> = dabs(&self.actions, canvas);
        match (formula, painted.is_empty()) {
            (Some(values), true) => Ok(values),
            (None, true) => Ok(vec![0.0; canvas.flesh().point_count()]),
            (formula, false) => {
                let values = formula.map(|values| values.into_iter().map(|value| [value]).collect::<Vec<_>>());
                let wanted = with_formula(painted, values.as_deref(), canvas, method, reach_on(reach_m, canvas))?;
                canvas.fields(method, &wanted).map(|[field]| field)
            }
        }
    }

    /// The same, between the smallest and the largest number it was given: two strokes do not run on beyond their values.
    fn within_range(
        &self,
        canvas: &Canvas,
        method: Method,
        reach_m: Option<f64>,
        [least, most]: [f64; 2],
    ) -> Result<Vec<f64>, FactorError> {
        let [low, high] = self.range().unwrap_or([least, most]);
        let (low, high) = (low.clamp(least, most), high.clamp(least, most));
        Ok(clamped(self.on(canvas, method, reach_m)?, low, high))
    }

    /// Every number it was given, in another measure.
    pub fn mapped(&self, map: impl Fn(f64) -> f64) -> Self {
        let action = |action: &Action| Action {
            value: map(action.value),
            tool: match &action.tool {
                Tool::Stroke { along, end_value } => {
                    Tool::Stroke { along: along.clone(), end_value: end_value.map(&map) }
                }
                fill => fill.clone(),
            },
        };
        Self {
            formula: self.formula.as_ref().map(|formula| formula.mapped(&map)),
            actions: self.actions.iter().map(action).collect(),
        }
    }

    /// The smallest and largest of the numbers it was given; none without any.
    pub fn range(&self) -> Option<[f64; 2]> {
        let painted = self.actions.iter().flat_map(|action| match action.tool {
            Tool::Stroke { end_value: Some(end), .. } => [action.value, end],
            _ => [action.value; 2],
        });
        let all = painted.chain(self.formula.iter().flat_map(Scalar::range));
        all.fold(None, |range, value| {
            let [low, high] = range.unwrap_or([value; 2]);
            Some([low.min(value), high.max(value)])
        })
    }
}

fn reach_on(reach_m: Option<f64>, canvas: &Canvas) -> f64 {
    const SHARE: f64 = 0.2;
    reach_m.unwrap_or_else(|| SHARE * canvas.size_m())
}

fn clamped(mut values: Vec<f64>, low: f64, high: f64) -> Vec<f64> {
    values.iter_mut().for_each(|value| *value = value.clamp(low, high));
    values
}
