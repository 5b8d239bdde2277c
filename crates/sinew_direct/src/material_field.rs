//! What a body is made of, from place to place: factors on its stiffness, damping and density, and its Poisson ratio.
//!
//! Painted as muscles are ([`PaintedScalar`]), with one difference: where nothing was painted and no formula says otherwise, the
//! body is as its material is. Stiffness and density are spread by their logarithms: halfway between 0.1 and 10 lies 1. No field
//! leaves the range of the numbers it was given, however a smooth solve overshoots.

use crate::muscle::{Canvas, Method, PaintedScalar, Scalar};
use sinew_math::libm::{exp, log};
use sinew_math::sparse::FactorError;
use sinew_solve::{CueError, CueWriter, Director, DirectorState, FieldQuery, FieldValues, Now, Seen};
use std::sync::Arc;

/// What was said of a material from place to place; none where it is the same everywhere.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MaterialPainting {
    /// Factor on stiffness, greater than 0.
    pub stiffness: Option<PaintedScalar>,
    /// Factor on damping, 0 or more.
    pub damping: Option<PaintedScalar>,
    /// Factor on density, greater than 0.
    pub density: Option<PaintedScalar>,
    /// The Poisson ratio itself.
    pub poisson: Option<PaintedScalar>,
    /// The Poisson ratio where nothing is painted.
    pub even_poisson: f64,
    pub method: Method,
    /// How far from paint the material is as it was; none: a fifth of the body's size.
    pub reach_m: Option<f64>,
}

/// One number per point; empty where the material is the same everywhere.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MaterialFields {
    pub stiffness: Vec<f64>,
    pub damping: Vec<f64>,
    pub density: Vec<f64>,
    pub poisson: Vec<f64>,
}

impl MaterialPainting {
    /// The fields on a canvas's flesh.
    pub fn on(&self, canvas: &Canvas) -> Result<MaterialFields, FactorError> {
        Ok(MaterialFields {
            stiffness: self.by_logarithms(self.stiffness.as_ref(), canvas)?,
            damping: self.spread(self.damping.as_ref(), 1.0, canvas)?,
            density: self.by_logarithms(self.density.as_ref(), canvas)?,
            poisson: self.spread(self.poisson.as_ref(), self.even_poisson, canvas)?,
        })
    }

    /// A painting of density alone, for who only weighs the body.
    pub fn density_alone(&self) -> Self {
        Self { stiffness: None, damping: None, poisson: None, ..self.clone() }
    }

    fn by_logarithms(&self, painted: Option<&PaintedScalar>, canvas: &Canvas) -> Result<Vec<f64>, FactorError> {
        let logarithms = painted.map(|painted| painted.mapped(log));
        let mut field = self.spread(logarithms.as_ref(), 0.0, canvas)?;
        field.iter_mut().for_each(|value| *value = exp(*value));
        Ok(field)
    }

    fn spread(&self, painted: Option<&PaintedScalar>, even: f64, canvas: &Canvas) -> Result<Vec<f64>, FactorError> {
        let Some(painted) = painted else { return Ok(Vec::new()) };
        let formula = painted.formula.clone().unwrap_or(Scalar::Constant(even));
        let painted = PaintedScalar { formula: Some(formula), actions: painted.actions.clone() };
        let [low, high] = painted.range().unwrap_or([even; 2]);
        let mut field = painted.on(canvas, self.method, self.reach_m)?;
        field.iter_mut().for_each(|value| *value = value.clamp(low, high));
        Ok(field)
    }
}

/// Asks for the fields of a material. Density is no matter of cues: flesh is weighed once, when it is made.
#[derive(Debug)]
pub struct MaterialPaint {
    fields: Arc<MaterialFields>,
    poisson_offset: Vec<f64>,
}

impl MaterialPaint {
    /// Fields on a body whose material has this Poisson ratio.
    pub fn new(fields: Arc<MaterialFields>, even_poisson: f64) -> Self {
        let poisson_offset = fields.poisson.iter().map(|poisson| poisson - even_poisson).collect();
        Self { fields, poisson_offset }
    }
}

impl Director for MaterialPaint {
    fn cue(&self, _: Now, _: &Seen<'_>, _: &mut DirectorState, out: &mut CueWriter<'_>) -> Result<(), CueError> {
        let MaterialFields { stiffness, damping, .. } = &*self.fields;
        if !stiffness.is_empty() {
            out.stiffnesses(stiffness);
        }
        if !damping.is_empty() {
            out.dampings(damping);
        }
        if !self.poisson_offset.is_empty() {
            out.poisson_offsets(&self.poisson_offset);
        }
        Ok(())
    }

    fn field(&self, query: FieldQuery, _: Now, _: &DirectorState) -> Option<FieldValues> {
        let field = match query {
            FieldQuery::Stiffness => &self.fields.stiffness,
            FieldQuery::Damping => &self.fields.damping,
            FieldQuery::Density => &self.fields.density,
            FieldQuery::Poisson => &self.fields.poisson,
            _ => return None,
        };
        (!field.is_empty()).then(|| FieldValues::Numbers(field.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::muscle::{Action, Axis, Tool};
    use sinew_geom::structured::bar;
    use sinew_math::{DVec3, dvec3};
    use sinew_solve::Flesh;

    fn canvas() -> Canvas {
        let mesh = bar(dvec3(2.0, 0.4, 0.4), [20, 4, 4]);
        Canvas::new(Arc::new(Flesh::from_tets(mesh, 1000.0).unwrap()))
    }

    /// A ring of paint around the bar at a place.
    fn ring(x: f64, value: f64) -> Action {
        let corner = |y: f64, z: f64| dvec3(x, y, z);
        let along = vec![corner(0.2, 0.2), corner(0.2, -0.2), corner(-0.2, -0.2), corner(-0.2, 0.2), corner(0.2, 0.2)];
        Action { tool: Tool::Stroke { along, end_value: None }, value }
    }

    fn near(canvas: &Canvas, field: &[f64], x: f64) -> f64 {
        let points = canvas.flesh().rest.iter().zip(field).filter(|(rest, _)| (rest.x - x).abs() < 1e-6);
        let (sum, count) = points.fold((0.0, 0.0), |(sum, count), (_, value)| (sum + value, count + 1.0));
        sum / count
    }

    #[test]
    fn paint_holds_where_it_is_and_the_material_beyond_its_reach() {
        let canvas = canvas();
        for method in [Method::Mesh, Method::Rbf] {
            let stiffness = Some(PaintedScalar { formula: None, actions: vec![ring(0.0, 0.1)] });
            let painting = MaterialPainting { stiffness, method, ..MaterialPainting::default() };
            let MaterialFields { stiffness, damping, density, poisson } = painting.on(&canvas).unwrap();
            assert!(damping.is_empty() && density.is_empty() && poisson.is_empty());
            assert!((near(&canvas, &stiffness, 0.0) - 0.1).abs() < 0.01, "{}", near(&canvas, &stiffness, 0.0));
            assert!((near(&canvas, &stiffness, 0.9) - 1.0).abs() < 0.02, "{}", near(&canvas, &stiffness, 0.9));
            assert!(stiffness.iter().all(|factor| (0.1 - 1e-12..=1.0 + 1e-12).contains(factor)), "{method:?}");
            let between = near(&canvas, &stiffness, 0.2);
            assert!(between > 0.12 && between < 0.9, "{method:?} {between}");
        }
    }

    #[test]
    fn stiffness_runs_by_factors_and_poisson_by_differences() {
        let canvas = canvas();
        let along = |from: f64, to: f64| Some(Scalar::Along { axis: Axis(DVec3::X), from, to }.into());
        let painting = MaterialPainting {
            stiffness: along(0.1, 10.0),
            density: along(1.0, 4.0),
            damping: along(0.0, 3.0),
            poisson: along(0.1, 0.4),
            even_poisson: 0.45,
            ..MaterialPainting::default()
        };
        let fields = painting.on(&canvas).unwrap();
        let middle = |field: &[f64]| near(&canvas, field, 0.0);
        assert!((middle(&fields.stiffness) - 1.0).abs() < 1e-9);
        assert!((middle(&fields.density) - 2.0).abs() < 1e-9);
        assert!((middle(&fields.damping) - 1.5).abs() < 1e-9);
        assert!((middle(&fields.poisson) - 0.25).abs() < 1e-9);
        let director = MaterialPaint::new(Arc::new(fields), 0.45);
        assert!((near(&canvas, &director.poisson_offset, 0.0) + 0.2).abs() < 1e-9);
    }

    #[test]
    fn flesh_that_weighs_otherwise_shares_what_was_made() {
        let canvas = canvas();
        let stiffness = Some(PaintedScalar { formula: None, actions: vec![ring(0.0, 0.1)] });
        let painting = MaterialPainting { stiffness, ..MaterialPainting::default() };
        let made = canvas.paint_material(&painting).unwrap();
        let heavier = canvas.reweighed(Arc::new(canvas.flesh().with_density(|_| 2000.0)));
        assert!(Arc::ptr_eq(&made, &heavier.paint_material(&painting).unwrap()));
        assert!((heavier.flesh().total_mass_kg() - 640.0).abs() < 1e-6);
    }
}
