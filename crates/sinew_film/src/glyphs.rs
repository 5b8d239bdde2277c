//! Short lines on skins and cuts that lie as a muscle's directions do now.

use crate::FieldKind;
use crate::drawn::Drawn;
use sinew_bake::{Playback, StageBody};
use sinew_geom::{CarriedDirections, Row, Rows, primitive, spread};
use sinew_math::DVec3;
use sinew_render::Rgb;
use sinew_solve::{BodyId, FieldQuery, FieldValues};

/// About so many lines on a skin.
const LINES: f64 = 1400.0;
/// Length and thickness of a line, as shares of the way to its neighbours.
const LENGTH: f64 = 1.35;
const RADIUS: f64 = 0.085;
/// What skins under lines look like.
pub(crate) const MUTED: (Rgb, f64) = (Rgb::hex(0x3a4048), 0.6);

/// The lines of all bodies, prepared once for all frames.
pub(crate) struct Glyphs {
    colour: Rgb,
    bodies: Vec<Option<Lines>>,
}

/// The lines of one body, which stay at their places of the material.
struct Lines {
    directions: CarriedDirections,
    on_skin: Vec<u32>,
    apart_m: f64,
}

impl Glyphs {
    /// None where the field has no directions.
    pub(crate) fn new(field: FieldKind, playback: &Playback) -> Option<Self> {
        let (query, colour) = match field {
            FieldKind::Fibre => (FieldQuery::Primary, Rgb::hex(0xff7a59)),
            FieldKind::Second => (FieldQuery::Secondary, Rgb::hex(0x6cc4ff)),
            FieldKind::Third => (FieldQuery::Tertiary, Rgb::hex(0x9be27a)),
            _ => return None,
        };
        let stage = &playback.built.stage;
        let lines = |(number, body): (usize, &StageBody)| {
            let tick = stage.clock().tick_of(stage.clock().first_frame);
            match stage.field(BodyId(number as u32), query, tick, None)? {
                FieldValues::Directions(directions) => Some(Lines::new(body, directions)),
                FieldValues::Numbers(_) => None,
            }
        };
        Some(Self { colour, bodies: stage.bodies().iter().enumerate().map(lines).collect() })
    }

    /// The lines on a skin; only those where `side` is negative, if there is one.
    pub(crate) fn on_skin(
        &self,
        number: usize,
        body: &StageBody,
        skin: &[DVec3],
        flesh: &[DVec3],
        side: Option<&[f64]>,
    ) -> Option<Drawn> {
        let lines = self.bodies[number].as_ref()?;
        let stays = |vertex: &&u32| side.is_none_or(|side| side[**vertex as usize] < 0.0);
        let at: Vec<u32> = lines.on_skin.iter().filter(stays).copied().collect();
        Some(self.drawn(lines, &at, skin, &body.skin.embedding.rows, flesh))
    }

    /// The lines on a cut.
    pub(crate) fn on_cap(&self, number: usize, cap: &[DVec3], rows: &Rows, flesh: &[DVec3]) -> Option<Drawn> {
        let lines = self.bodies[number].as_ref()?;
        Some(self.drawn(lines, &spread(cap, lines.apart_m), cap, rows, flesh))
    }

    fn drawn(&self, lines: &Lines, at: &[u32], positions: &[DVec3], rows: &Rows, flesh: &[DVec3]) -> Drawn {
        let line = |point: &u32| {
            let half = lines.through(rows, Row(*point), flesh) * (0.5 * LENGTH * lines.apart_m);
            let middle = positions[*point as usize];
            [middle - half, middle + half]
        };
        let ends: Vec<[DVec3; 2]> = at.iter().map(line).collect();
        Drawn::flat(primitive::rods(&ends, RADIUS * lines.apart_m), self.colour)
    }
}

impl Lines {
    fn new(body: &StageBody, directions: Vec<DVec3>) -> Self {
        let apart_m = (body.skin.mesh.area() / LINES).sqrt();
        let directions = (0..).zip(directions);
        Self {
            directions: CarriedDirections::new(&body.flesh.rest, &body.flesh.one_rings(), directions),
            on_skin: spread(&body.skin.mesh.positions, apart_m),
            apart_m,
        }
    }

    /// The unit direction at a point that is a sum of the flesh's: signs mean nothing, so all follow the heaviest of them.
    fn through(&self, rows: &Rows, row: Row, flesh: &[DVec3]) -> DVec3 {
        let heaviest = rows.terms(row).max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()));
        let Some((heaviest, _)) = heaviest else { return DVec3::ZERO };
        let lead = self.directions.now(heaviest, flesh);
        let mixed = rows.terms(row).fold(DVec3::ZERO, |sum, (point, weight)| {
            let own = self.directions.now(point, flesh).normalize_or_zero();
            sum + own * (weight * if own.dot(lead) < 0.0 { -1.0 } else { 1.0 })
        });
        mixed.try_normalize().unwrap_or(lead.normalize_or_zero())
    }
}
