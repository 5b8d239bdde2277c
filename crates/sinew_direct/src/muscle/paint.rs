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
            amplitude: clamped(self.scalar_on(&self.amplitude, canvas)?, -1.0, 1.0),
            phase_shift: clamped(self.scalar_on(&self.phase, canvas)?, 0.0, 1.0),
        })
    }

    /// The layer field and its slope (PD-8 … PD-15).
    fn layer_on(&self, canvas: &Canvas) -> Result<Option<LevelsAndSlopes>, FactorError> {
        let dabs = dabs(&self.layer, canvas);
        if dabs.is_empty() {
            return Ok(None);
        }
        canvas.field_and_slope(self.method, &dabs).map(Some)
    }

    fn scalar_on(&self, field: &PaintedScalar, canvas: &Canvas) -> Result<Vec<f64>, FactorError> {
        let formula = field.formula.as_ref().map(|formula| formula.on(canvas.flesh()));
        let painted: Vec<Dab<1>> = dabs(&field.actions, canvas);
        match (formula, painted.is_empty()) {
            (Some(values), true) => Ok(values),
            (None, true) => Ok(vec![0.0; canvas.flesh().point_count()]),
            (formula, false) => {
                let values = formula.map(|values| values.into_iter().map(|value| [value]).collect::<Vec<_>>());
                let dabs = with_formula(painted, values.as_deref(), canvas, self.method, self.reach_on(canvas));
                canvas.fields(self.method, &dabs).map(|[field]| field)
            }
        }
    }

    fn reach_on(&self, canvas: &Canvas) -> f64 {
        const SHARE: f64 = 0.2;
        self.reach_m.unwrap_or_else(|| SHARE * canvas.size_m())
    }
}

fn clamped(mut values: Vec<f64>, low: f64, high: f64) -> Vec<f64> {
    values.iter_mut().for_each(|value| *value = value.clamp(low, high));
    values
}
