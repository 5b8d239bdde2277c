//! A cut through a body that one page looks at. It is made once, where the body is, and moves with the flesh.

use crate::protocol::{Plane, SectionStroke};
use crate::welcome::Welcome;
use crate::wire::{self, SectionParts};
use axum::body::Bytes;
use sinew_geom::TetMesh;
use sinew_geom::section::{Cut, Section, Sweep};
use sinew_math::DVec3;
use sinew_solve::Cells;

pub(crate) struct BodyCut {
    pub(crate) body: u32,
    section: Section,
    rest: Vec<DVec3>,
    /// Per flesh point: what is positive is taken away.
    side: Vec<f64>,
}

impl BodyCut {
    /// The cut of a body as it is in `frame`. None where neither plane nor stroke is given; the error is a sentence for the page.
    pub(crate) fn new(
        welcome: &Welcome,
        frame: &[u8],
        body: u32,
        plane: Option<Plane>,
        stroke: Option<&SectionStroke>,
    ) -> Result<Option<Self>, String> {
        if plane.is_none() && stroke.is_none() {
            return Ok(None);
        }
        let Some(now) = wire::flesh_of(frame, body as usize) else {
            return Err(format!("there is no body {body} to cut"));
        };
        let side = match (plane, stroke) {
            (Some(plane), _) => Cut::plane(&now, plane.through.into(), plane.normal.into()),
            (None, Some(stroke)) => {
                let points: Vec<DVec3> = stroke.points.iter().copied().map(DVec3::from_array).collect();
                Cut::stroke(&now, &points, Sweep::Along(stroke.direction.into()))
                    .ok_or("a cut needs a stroke with some length")?
            }
            (None, None) => return Ok(None),
        };
        Self::where_side_is_zero(welcome, body, side).map(Some)
    }

    /// Along the surface where a message of layers has the value `level`; what lies outside of it is taken away.
    pub(crate) fn along_layer(welcome: &Welcome, body: u32, layers: &[u8], level: f64) -> Result<Self, String> {
        let depths = wire::field_values(layers).ok_or("layers are numbers")?;
        Self::where_side_is_zero(welcome, body, depths.iter().map(|depth| level - depth).collect())
    }

    fn where_side_is_zero(welcome: &Welcome, body: u32, side: Vec<f64>) -> Result<Self, String> {
        let flesh = welcome.bodies.get(body as usize).map(|body| &body.flesh);
        let Some(flesh) = flesh.filter(|flesh| flesh.rest.len() == side.len()) else {
            return Err(format!("there is no body {body} to cut"));
        };
        let Cells::Tets(tets) = &flesh.cells else {
            return Err("a sheet has no inside to cut open".to_owned());
        };
        let mesh = TetMesh { positions: flesh.rest.clone(), tets: tets.clone() };
        let section = cap_only(&Section::new(&mesh, &side));
        let rest = section.positions(&flesh.rest);
        Ok(Self { body, section, rest, side })
    }

    /// The cut as it is in a frame, with the values of a field message where there is one.
    pub(crate) fn message(&self, frame: &[u8], field: Option<&[u8]>) -> Option<Bytes> {
        let flesh = wire::flesh_of(frame, self.body as usize)?;
        if flesh.len() != self.side.len() {
            return None;
        }
        let values = field.and_then(wire::field_values).filter(|values| values.len() == flesh.len());
        let values = values.map(|values| self.section.values(&values));
        let parts = SectionParts {
            body: self.body,
            frame: wire::frame_number(frame),
            world: &self.section.positions(&flesh),
            rest: &self.rest,
            values: values.as_deref(),
            triangles: &self.section.cap,
            side: &self.side,
        };
        Some(wire::section_message(&parts))
    }
}

/// The cut itself, without what is left of the body's surface: pages draw that with its skin.
fn cap_only(section: &Section) -> Section {
    let mut places = vec![u32::MAX; section.points.len()];
    let mut points = Vec::new();
    let mut place = |point: u32| {
        let slot = &mut places[point as usize];
        if *slot == u32::MAX {
            *slot = points.len() as u32;
            points.push(section.points[point as usize]);
        }
        *slot
    };
    let cap = section.cap.iter().map(|triangle| triangle.map(&mut place)).collect();
    Section { points, skin: Vec::new(), cap }
}
