//! Numbers on a skin that `sinew render --field` paints: how fast it moves, how far it is stretched, what its muscles ask for.

use crate::args::RenderField;
use crate::failure::Failure;
use sinew::bake::{Playback, Stage};
use sinew::geom::TriangleMesh;
use sinew::math::DVec3;
use sinew::render::ColourMap;
use sinew::solve::{BodyId, Look, Shown};
use std::ops::RangeInclusive;

/// A field with the two ends of its colours, the same in every frame of a film.
pub(super) struct SkinField {
    kind: RenderField,
    pub map: ColourMap,
    pub range: [f64; 2],
}

impl SkinField {
    /// Looks through all frames for the largest value.
    pub(super) fn over(
        kind: RenderField,
        playback: &mut Playback,
        frames: RangeInclusive<i32>,
    ) -> Result<Self, Failure> {
        let mut field = Self { kind, map: ColourMap::Viridis, range: [0.0, 1.0] };
        let mut largest = 0.0f64;
        for frame in frames {
            for values in field.values(playback, frame)? {
                largest = values.iter().fold(largest, |largest, value| match kind {
                    RenderField::Speed => largest.max(*value),
                    RenderField::Stretch => largest.max((value - 1.0).abs()),
                    _ => largest.max(value.abs()),
                });
            }
        }
        let largest = if largest > 0.0 { largest } else { 1.0 };
        (field.map, field.range) = match kind {
            RenderField::Speed => (ColourMap::Viridis, [0.0, largest]),
            RenderField::Stretch => (ColourMap::Signed, [1.0 - largest, 1.0 + largest]),
            RenderField::Contraction => (ColourMap::Contraction, [-largest, largest]),
            RenderField::Excitation => (ColourMap::Inferno, [0.0, 1.0]),
            RenderField::Layer => (ColourMap::Layer, [0.0, 1.0]),
            RenderField::Amplitude => (ColourMap::Amplitude, [-1.0, 1.0]),
            RenderField::Phase => (ColourMap::Phase, [0.0, 1.0]),
            RenderField::Fibre | RenderField::Second | RenderField::Third => (ColourMap::Viridis, [0.0, 1.0]),
        };
        Ok(field)
    }

    /// A value for each vertex of each body's skin. The frame is shown afterwards.
    pub(super) fn values(&self, playback: &mut Playback, frame: i32) -> Result<Vec<Vec<f64>>, Failure> {
        let bodies = playback.built.stage.bodies().len();
        if let Some(look) = look_of(self.kind) {
            playback.show(frame)?;
            let stage = &playback.built.stage;
            let on_skin =
                |body: usize| stage.bodies()[body].skin.embedding.rows.values(&muscle_values(stage, body, look, frame));
            return Ok((0..bodies).map(on_skin).collect());
        }
        match self.kind {
            RenderField::Speed => {
                let (then, now, per_sec) = around(playback, frame, |playback, body| playback.skin(body))?;
                Ok(speeds(&then, &now, per_sec))
            }
            _ => {
                playback.show(frame)?;
                let stretch = |body: usize| {
                    let rest = &playback.built.stage.bodies()[body].skin.mesh;
                    let now = TriangleMesh { positions: playback.skin(body), triangles: rest.triangles.clone() };
                    let ratio = |(now, rest): (&f64, &f64)| if *rest > 0.0 { (now / rest).sqrt() } else { 1.0 };
                    now.vertex_areas().iter().zip(&rest.vertex_areas()).map(ratio).collect()
                };
                Ok((0..bodies).map(stretch).collect())
            }
        }
    }

    /// A value for each point of each body's flesh; none where only skins have the field.
    pub(super) fn flesh_values(&self, playback: &mut Playback, frame: i32) -> Result<Option<Vec<Vec<f64>>>, Failure> {
        let bodies = playback.built.stage.bodies().len();
        if let Some(look) = look_of(self.kind) {
            let stage = &playback.built.stage;
            return Ok(Some((0..bodies).map(|body| muscle_values(stage, body, look, frame)).collect()));
        }
        match self.kind {
            RenderField::Speed => {
                let (then, now, per_sec) = around(playback, frame, |playback, body| playback.flesh(body))?;
                Ok(Some(speeds(&then, &now, per_sec)))
            }
            _ => Ok(None),
        }
    }
}

/// What a field shows of muscles; none for what it shows of motion.
fn look_of(kind: RenderField) -> Option<Look> {
    match kind {
        RenderField::Speed | RenderField::Stretch => None,
        RenderField::Contraction => Some(Look::Contraction),
        RenderField::Excitation => Some(Look::Excitation),
        RenderField::Layer => Some(Look::Layer),
        RenderField::Amplitude => Some(Look::Amplitude),
        RenderField::Phase => Some(Look::Phase),
        RenderField::Fibre => Some(Look::Primary),
        RenderField::Second => Some(Look::Secondary),
        RenderField::Third => Some(Look::Tertiary),
    }
}

/// What a body's muscles look like at the points of its flesh; zero where it has none.
fn muscle_values(stage: &Stage, body: usize, look: Look, frame: i32) -> Vec<f64> {
    match stage.look(BodyId(body as u32), look, stage.clock().tick_of(frame), None) {
        Some(Shown::Numbers(numbers)) => numbers,
        _ => vec![0.0; stage.bodies()[body].flesh.point_count()],
    }
}

type Places = Vec<Vec<DVec3>>;

/// Where all bodies are a frame before and now, and how many such ways a second has; for the first frame, now and a frame later.
fn around(
    playback: &mut Playback,
    frame: i32,
    places: impl Fn(&Playback, usize) -> Vec<DVec3>,
) -> Result<(Places, Places, f64), Failure> {
    let recorded = playback.frames()?;
    let other = if frame > *recorded.start() { frame - 1 } else { (frame + 1).min(*recorded.end()) };
    let (frames, secs) = playback.built.stage.clock().fps;
    let mut at = |frame: i32| -> Result<Places, Failure> {
        playback.show(frame)?;
        Ok((0..playback.built.stage.bodies().len()).map(|body| places(playback, body)).collect())
    };
    Ok((at(other)?, at(frame)?, f64::from(frames) / f64::from(secs)))
}

/// Metres per second of each point from one frame to the next.
fn speeds(then: &[Vec<DVec3>], now: &[Vec<DVec3>], per_sec: f64) -> Vec<Vec<f64>> {
    let of_body = |(then, now): (&Vec<DVec3>, &Vec<DVec3>)| {
        then.iter().zip(now).map(|(then, now)| now.distance(*then) * per_sec).collect()
    };
    then.iter().zip(now).map(of_body).collect()
}
