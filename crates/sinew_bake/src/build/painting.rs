//! Fields of muscles and materials: what the scene says, and what it comes to on the flesh of a body.

use super::BuildError;
use sinew_direct::muscle::{
    Action, Axis, Canvas, Fibres, Fields, Method, PaintedFibres, PaintedScalar, Painting, PathLine, Scalar, Tool,
};
use sinew_direct::{MaterialFields, MaterialPainting};
use sinew_math::DVec3;
use sinew_math::sparse::FactorError;
use sinew_scene::model::{self, Line, PaintMethod};
use sinew_scene::{Amplitude, Body, Direction, Field, FillTool, Paint};
use std::sync::Arc;

/// Degrees by which faces of a flat part may differ where the scene does not say.
const FLAT_DEG: f64 = 30.0;

/// The fields of a muscle, which stands `at` this place of the scene. Copies of a body share them through its canvas.
pub(super) fn fields(muscle: &model::Muscle, canvas: &Canvas, at: &str) -> Result<Arc<Fields>, BuildError> {
    canvas.paint(&painting(muscle)).map_err(|error| no_answer(at, error))
}

/// The fields of a body's first muscle, also of a muted one: directed friction may follow its fibres.
pub(super) fn first_fields(body: &Body, canvas: &Canvas) -> Option<Result<Arc<Fields>, BuildError>> {
    body.directors.iter().enumerate().find_map(|(number, director)| match &director.direction {
        Direction::Muscle(muscle) => Some(fields(muscle, canvas, &format!("body.{}.director[{number}]", body.name))),
        _ => None,
    })
}

/// What a muscle of the scene asks of its fields.
pub fn painting(muscle: &model::Muscle) -> Painting {
    Painting {
        layer: actions(&muscle.layer),
        fibres: fibres(&muscle.fibres),
        amplitude: match &muscle.amplitude {
            Amplitude::Even(_) => Scalar::Constant(1.0).into(),
            Amplitude::Field(field) => scalar(field),
        },
        phase: muscle.phase.as_ref().map_or(Scalar::Constant(0.0).into(), scalar),
        method: method(muscle.paint.method),
        reach_m: muscle.paint.reach,
    }
}

/// What a body's material asks of its fields; none where it is the same everywhere.
pub fn material_painting(material: &model::Material) -> Option<MaterialPainting> {
    let model::MaterialFields { stiffness, damping, density, poisson, paint } = &material.fields;
    let field = |field: &Option<Field>| field.as_ref().map(scalar);
    let painting = MaterialPainting {
        stiffness: field(stiffness),
        damping: field(damping),
        density: field(density),
        poisson: field(poisson),
        even_poisson: material.values().poisson,
        method: method(paint.method),
        reach_m: paint.reach,
    };
    let is_even = [stiffness, damping, density, poisson].iter().all(|field| field.is_none());
    (!is_even).then_some(painting)
}

/// The fields of a body's material; none where it is the same everywhere.
pub(super) fn material_fields(body: &Body, canvas: &Canvas) -> Result<Option<Arc<MaterialFields>>, BuildError> {
    let painted = material_painting(&body.material).map(|painting| canvas.paint_material(&painting));
    painted.transpose().map_err(|error| no_answer(format!("body.{}.material.fields", body.name), error))
}

/// Factors on the density at every point; none where it is even.
pub(super) fn density_factors(body: &Body, canvas: &Canvas) -> Result<Option<Vec<f64>>, BuildError> {
    let Some(painting) = material_painting(&body.material).filter(|painting| painting.density.is_some()) else {
        return Ok(None);
    };
    let fields = painting.density_alone().on(canvas);
    let at = format!("body.{}.material.fields.density", body.name);
    fields.map(|fields| Some(fields.density)).map_err(|error| no_answer(at, error))
}

pub(super) fn no_answer(at: impl Into<String>, error: FactorError) -> BuildError {
    let what = format!("the painted fields have no answer on this flesh: {error}");
    BuildError::new(at, what, "paint = { method = \"rbf\" } does without the mesh")
}

fn method(method: PaintMethod) -> Method {
    match method {
        PaintMethod::Mesh => Method::Mesh,
        PaintMethod::Rbf => Method::Rbf,
    }
}

fn actions(paint: &[Paint]) -> Vec<Action> {
    let action = |paint: &Paint| match paint {
        Paint::Fill { fill, at, angle, value } => {
            let at = DVec3::from_array(*at);
            let tool = match fill {
                FillTool::Face => Tool::Face { at },
                FillTool::Flat => Tool::Flat { at, angle_rad: angle.unwrap_or(FLAT_DEG).to_radians() },
            };
            Action { tool, value: *value }
        }
        Paint::Stroke { stroke, value, to } => {
            Action { tool: Tool::Stroke { along: points(stroke), end_value: *to }, value: *value }
        }
    };
    paint.iter().map(action).collect()
}

fn points(line: &Line) -> Vec<DVec3> {
    line.0.iter().map(|point| DVec3::from_array(*point)).collect()
}

/// None without points.
pub(super) fn path_line(points: &[[f64; 3]]) -> Option<PathLine> {
    PathLine::new(points.iter().copied().map(DVec3::from_array).collect())
}

fn fibres(fibres: &model::Fibres) -> PaintedFibres {
    let formula = match fibres {
        model::Fibres::Rings { rings, .. } => path_line(rings).map(Fibres::Rings),
        model::Fibres::Painted { .. } => None,
        model::Fibres::Along { along, .. } => Some(Fibres::Along(Axis(along.direction()))),
        model::Fibres::Around { around, .. } => Some(Fibres::Around(Axis(around.direction()))),
        model::Fibres::Spiral { spiral, .. } => {
            Some(Fibres::Spiral { about: Axis(spiral.about.direction()), pitch_rad: spiral.pitch_deg.to_radians() })
        }
    };
    PaintedFibres { formula, strokes: fibres.strokes().iter().map(points).collect() }
}

fn scalar(field: &Field) -> PaintedScalar {
    let formula = match *field {
        // A path without points is refused when the scene is read.
        Field::Path { ref path, from, to, .. } => path_line(path).map(|path| Scalar::Path { path, from, to }),
        Field::Painted { .. } => None,
        Field::Along { along, from, to, .. } => Some(Scalar::Along { axis: Axis(along.direction()), from, to }),
        Field::Around { around, from, to, .. } => Some(Scalar::Around { axis: Axis(around.direction()), from, to }),
        Field::Distance { distance, from, to, .. } => {
            Some(Scalar::Distance { of: DVec3::from_array(distance), from, to })
        }
    };
    PaintedScalar { formula, actions: actions(field.paint()) }
}
