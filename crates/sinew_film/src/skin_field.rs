//! Numbers on a skin that pictures are coloured by: how fast it moves, how far it is stretched, what its muscles ask for.

use crate::FilmError;
use sinew_bake::{Playback, Stage};
use sinew_math::DVec3;
use sinew_render::ColourMap;
use sinew_solve::{BodyId, FieldQuery, FieldValues};
use std::ops::RangeInclusive;

/// What skins can be coloured by; [`FieldKind::about`] says what each is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldKind {
    Speed,
    Stretch,
    Contraction,
    Excitation,
    Layer,
    Amplitude,
    Phase,
    Fibre,
    Second,
    Third,
    Stiffness,
    Damping,
    Density,
    Poisson,
}

impl FieldKind {
    pub const ALL: [Self; 14] = [
        Self::Speed,
        Self::Stretch,
        Self::Contraction,
        Self::Excitation,
        Self::Layer,
        Self::Amplitude,
        Self::Phase,
        Self::Fibre,
        Self::Second,
        Self::Third,
        Self::Stiffness,
        Self::Damping,
        Self::Density,
        Self::Poisson,
    ];

    /// The word for it.
    pub const fn name(self) -> &'static str {
        self.words().0
    }

    /// What pictures show of it, for people who choose.
    pub const fn about(self) -> &'static str {
        self.words().1
    }

    const fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Speed => ("speed", "How fast they move"),
            Self::Stretch => {
                ("stretch", "How far they are stretched: the length of edges in the flesh over that at rest")
            }
            Self::Contraction => (
                "contraction",
                "How much shorter (red) or longer (light blue) muscles ask tissue to be along its fibres",
            ),
            Self::Excitation => ("excitation", "How strongly muscles act"),
            Self::Layer => ("layer", "Painted layers, from outermost (blue) to innermost (red)"),
            Self::Amplitude => ("amplitude", "How strongly each place may act, or the opposite way"),
            Self::Phase => ("phase", "When each place acts"),
            Self::Fibre => ("fibre", "Lines along the fibres: the first direction of muscles"),
            Self::Second => ("second", "Lines across the layers: the second direction"),
            Self::Third => ("third", "Lines across both: the third direction"),
            Self::Stiffness => {
                ("stiffness", "Factors on the material's stiffness, painted and keyed: softer and stiffer than it")
            }
            Self::Damping => ("damping", "Factors on the material's damping"),
            Self::Density => ("density", "Factors on the material's density"),
            Self::Poisson => ("poisson", "Poisson's ratio"),
        }
    }
}

/// A field with the two ends of its colours, the same in every frame of a film.
pub(crate) struct SkinField {
    kind: FieldKind,
    pub map: ColourMap,
    pub range: [f64; 2],
}

impl SkinField {
    /// Looks through all frames for the largest value.
    pub(crate) fn over(
        kind: FieldKind,
        playback: &mut Playback,
        frames: RangeInclusive<i32>,
    ) -> Result<Self, FilmError> {
        let mut field = Self { kind, map: ColourMap::Viridis, range: [0.0, 1.0] };
        let mut largest = 0.0f64;
        for frame in frames {
            for values in field.values(playback, frame)? {
                largest = values.iter().fold(largest, |largest, value| match kind {
                    FieldKind::Speed => largest.max(*value),
                    FieldKind::Stretch => largest.max((value - 1.0).abs()),
                    _ => largest.max(value.abs()),
                });
            }
        }
        let largest = if largest > 0.0 { largest } else { 1.0 };
        (field.map, field.range) = match kind {
            FieldKind::Speed => (ColourMap::Viridis, [0.0, largest]),
            FieldKind::Stretch => (ColourMap::Signed, [1.0 - largest, 1.0 + largest]),
            FieldKind::Contraction => (ColourMap::Contraction, [-largest, largest]),
            FieldKind::Excitation => (ColourMap::Inferno, [0.0, 1.0]),
            FieldKind::Layer => (ColourMap::Layer, [0.0, 1.0]),
            FieldKind::Amplitude => (ColourMap::Amplitude, [-1.0, 1.0]),
            FieldKind::Phase => (ColourMap::Phase, [0.0, 1.0]),
            FieldKind::Stiffness | FieldKind::Density => (ColourMap::Signed, [-largest, largest]),
            FieldKind::Damping => (ColourMap::Viridis, [0.0, largest]),
            FieldKind::Poisson => (ColourMap::Viridis, [0.0, 0.5]),
            FieldKind::Fibre | FieldKind::Second | FieldKind::Third => (ColourMap::Viridis, [0.0, 1.0]),
        };
        Ok(field)
    }

    /// The two ends of its colours in its own measure.
    pub(crate) fn ends(&self) -> [f64; 2] {
        let is_power = matches!(self.kind, FieldKind::Stiffness | FieldKind::Density);
        if is_power { self.range.map(|power| 10f64.powf(power)) } else { self.range }
    }

    /// A value for each vertex of each body's skin. The frame is shown afterwards.
    pub(crate) fn values(&self, playback: &mut Playback, frame: i32) -> Result<Vec<Vec<f64>>, FilmError> {
        let bodies = playback.built.stage.bodies().len();
        if let Some(query) = look_of(self.kind) {
            playback.show(frame)?;
            let stage = &playback.built.stage;
            let on_skin =
                |body: usize| stage.bodies()[body].skin.embedding.rows.values(&looked_at(stage, body, query, frame));
            return Ok((0..bodies).map(on_skin).collect());
        }
        match self.kind {
            FieldKind::Speed => {
                let (then, now, per_sec) = around(playback, frame, Playback::skin)?;
                Ok(speeds(&then, &now, per_sec))
            }
            _ => {
                playback.show(frame)?;
                let on_skin = |body: usize| {
                    playback.built.stage.bodies()[body].skin.embedding.rows.values(&stretched(playback, body))
                };
                Ok((0..bodies).map(on_skin).collect())
            }
        }
    }

    /// A value for each point of each body's flesh; none where only skins have the field.
    pub(crate) fn flesh_values(&self, playback: &mut Playback, frame: i32) -> Result<Option<Vec<Vec<f64>>>, FilmError> {
        let bodies = playback.built.stage.bodies().len();
        if let Some(query) = look_of(self.kind) {
            let stage = &playback.built.stage;
            return Ok(Some((0..bodies).map(|body| looked_at(stage, body, query, frame)).collect()));
        }
        match self.kind {
            FieldKind::Speed => {
                let (then, now, per_sec) = around(playback, frame, Playback::flesh)?;
                Ok(Some(speeds(&then, &now, per_sec)))
            }
            _ => {
                playback.show(frame)?;
                Ok(Some((0..bodies).map(|body| stretched(playback, body)).collect()))
            }
        }
    }
}

/// How far flesh is stretched in the frame that was shown last, as the studio shows it.
fn stretched(playback: &Playback, body: usize) -> Vec<f64> {
    playback.built.stage.bodies()[body].flesh.stretch(&playback.flesh(body))
}

/// What a field shows of muscles and materials; none for what it shows of motion.
fn look_of(kind: FieldKind) -> Option<FieldQuery> {
    match kind {
        FieldKind::Speed | FieldKind::Stretch => None,
        FieldKind::Contraction => Some(FieldQuery::Contraction),
        FieldKind::Excitation => Some(FieldQuery::Excitation),
        FieldKind::Layer => Some(FieldQuery::Layer),
        FieldKind::Amplitude => Some(FieldQuery::Amplitude),
        FieldKind::Phase => Some(FieldQuery::Phase),
        FieldKind::Fibre => Some(FieldQuery::Primary),
        FieldKind::Second => Some(FieldQuery::Secondary),
        FieldKind::Third => Some(FieldQuery::Tertiary),
        FieldKind::Stiffness => Some(FieldQuery::Stiffness),
        FieldKind::Damping => Some(FieldQuery::Damping),
        FieldKind::Density => Some(FieldQuery::Density),
        FieldKind::Poisson => Some(FieldQuery::Poisson),
    }
}

/// What a body looks like at the points of its flesh; zero where it has nothing of the kind. Factors as powers of ten.
fn looked_at(stage: &Stage, body: usize, query: FieldQuery, frame: i32) -> Vec<f64> {
    match stage.field(BodyId(body as u32), query, stage.clock().tick_of(frame), None) {
        Some(FieldValues::Numbers(factors)) if matches!(query, FieldQuery::Stiffness | FieldQuery::Density) => {
            factors.into_iter().map(|factor| factor.max(f64::MIN_POSITIVE).log10()).collect()
        }
        Some(FieldValues::Numbers(numbers)) => numbers,
        _ => vec![0.0; stage.bodies()[body].flesh.point_count()],
    }
}

type Places = Vec<Vec<DVec3>>;

/// Where all bodies are a frame before and now, and how many such ways a second has; for the first frame, now and a frame later.
fn around(
    playback: &mut Playback,
    frame: i32,
    places: impl Fn(&Playback, usize) -> Vec<DVec3>,
) -> Result<(Places, Places, f64), FilmError> {
    let recorded = playback.frames()?;
    let other = if frame > *recorded.start() { frame - 1 } else { (frame + 1).min(*recorded.end()) };
    let (frames, secs) = playback.built.stage.clock().fps;
    let mut at = |frame: i32| -> Result<Places, FilmError> {
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
