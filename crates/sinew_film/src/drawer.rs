//! One picture of a take: bodies with their paint, cut open or with lines on them, obstacles, ground, camera and light.

use crate::cutaway::{Cutaway, Plane};
use crate::drawn::{Drawn, DrawnPaint};
use crate::glyphs::{self, Glyphs};
use crate::skin_field::SkinField;
use crate::texture::SkinTexture;
use crate::{FilmAsked, FilmError};
use sinew_bake::{Playback, StageBody};
use sinew_geom::{TriangleMesh, primitive};
use sinew_math::DVec3;
use sinew_render::{Camera, Frame, Ground, Image, Light, OBSTACLE_COLOUR, Options, Rgb, Shown, body_colour, render};
use sinew_solve::{Obstacle, Shape};
use std::ops::RangeInclusive;
use std::sync::Arc;

/// Skins touch obstacles with their vertices. Drawn this much smaller, a ball does not show through the flat triangles
/// between them.
const DRAWN: f64 = 0.99;

/// What stays the same from frame to frame.
pub(crate) struct Drawer {
    pub options: Options,
    ground: Option<Ground>,
    obstacles: Vec<Shape>,
    pub field: Option<SkinField>,
    glyphs: Option<Glyphs>,
    cut: Option<Plane>,
    eye: Option<DVec3>,
    look_at: Option<DVec3>,
    /// What skins' files have for colours, by body.
    pictures: Vec<Option<Arc<SkinTexture>>>,
}

/// How high the first plane is.
fn plane_m(obstacles: &[Obstacle]) -> Option<f64> {
    obstacles.iter().find(|obstacle| obstacle.shape == Shape::Plane).map(|obstacle| obstacle.at.y)
}

impl Drawer {
    /// Looks through all recorded frames for the ends of the field's colours.
    pub(crate) fn new(
        asked: &FilmAsked,
        playback: &mut Playback,
        recorded: RangeInclusive<i32>,
    ) -> Result<Self, FilmError> {
        let glyphs = asked.field.and_then(|field| Glyphs::new(field, playback));
        let numbers = asked.field.filter(|_| glyphs.is_none());
        let field = numbers.map(|field| SkinField::over(field, playback, recorded.clone())).transpose()?;
        playback.show(*recorded.start())?;
        let bodies = playback.built.stage.bodies().len();
        let points: Vec<DVec3> = (0..bodies).flat_map(|body| playback.skin(body)).collect();
        let low = points.iter().fold(DVec3::INFINITY, |low, x| low.min(*x));
        let high = points.iter().fold(DVec3::NEG_INFINITY, |high, x| high.max(*x));
        let obstacles = playback.built.stage.obstacles_at(0);
        let plane = plane_m(&obstacles);
        // Without a ground in the scene, what stands above zero is shown above it.
        let height_m = plane.or((low.y >= 0.0).then_some(0.0));
        // A colour that the scene gives is stronger than the file's.
        let picture = |body: &StageBody| SkinTexture::of(&body.skin).filter(|_| body.colour.is_none()).map(Arc::new);
        let pictures = playback.built.stage.bodies().iter().map(picture).collect();
        Ok(Self {
            pictures,
            options: Options { size: asked.size, style: asked.style, ..Options::default() },
            ground: height_m.map(|height_m| Ground::for_size(height_m, (high - low).length())),
            obstacles: obstacles.iter().map(|o| o.shape.clone()).collect(),
            field,
            glyphs,
            cut: asked.cut,
            eye: asked.eye,
            look_at: asked.look_at,
        })
    }

    pub(crate) fn picture(&self, playback: &mut Playback, frame: i32) -> Result<Image, FilmError> {
        let drawn = self.surfaces(playback, frame)?;
        let meshes: Vec<Shown<'_>> = drawn.iter().map(|drawn| drawn.shown(self.field.as_ref())).collect();
        let stage = &playback.built.stage;
        // A plane may move: keys lift it.
        let plane = plane_m(&stage.obstacles_at(stage.clock().tick_of(frame)));
        let at_height = |ground: Ground| Ground { height_m: plane.unwrap_or(ground.height_m), ..ground };
        let shown = Frame { meshes, ground: self.ground.map(at_height) };
        let at = f64::from(frame);
        let camera = &playback.scene.camera;
        let camera = Camera {
            eye: self.eye.unwrap_or(camera.eye.value(at)),
            look_at: self.look_at.unwrap_or(camera.look_at.value(at)),
            up: DVec3::Y,
            fov_y_deg: camera.fov_deg_at(at),
        };
        let light = &playback.scene.light;
        let light = Light {
            direction: light.from.value(at),
            strength: light.strength.value(at),
            ambient: light.ambient.value(at),
            colour: light.colour.map(|colour| Rgb::from_unit(colour.0)),
            ..Light::default()
        };
        Ok(render(&shown, &camera, &light, &self.options)?)
    }

    fn surfaces(&self, playback: &mut Playback, frame: i32) -> Result<Vec<Drawn>, FilmError> {
        let values = self.field.as_ref().map(|field| field.values(playback, frame)).transpose()?;
        let inside = match (&self.field, self.cut) {
            (Some(field), Some(_)) => field.flesh_values(playback, frame)?,
            _ => None,
        };
        playback.show(frame)?;
        let mut drawn = Vec::new();
        for (number, body) in playback.built.stage.bodies().iter().enumerate() {
            let flesh = playback.flesh(number);
            let colour = rgb(body.colour).unwrap_or(body_colour(number));
            let mesh = TriangleMesh { positions: playback.skin(number), triangles: body.skin.mesh.triangles.clone() };
            let paint = match &values {
                Some(values) => DrawnPaint::Values(values[number].clone()),
                None => match &self.pictures[number] {
                    Some(picture) if self.glyphs.is_none() => DrawnPaint::Picture(picture.clone()),
                    _ => self.own_colours(&body.skin.vertex_colours_on(body.colour), colour),
                },
            };
            let skin = Drawn { mesh, paint };
            let side = self.cut.map(|plane| plane.side(&skin.mesh.positions));
            if let Some(glyphs) = &self.glyphs {
                drawn.extend(glyphs.on_skin(number, body, &skin.mesh.positions, &flesh, side.as_deref()));
            }
            let Some(plane) = self.cut else {
                drawn.push(skin);
                continue;
            };
            let inside = inside.as_ref().map(|inside| &inside[number][..]);
            let Cutaway { skin, cap, cap_rows } = plane.cut(body, &skin, &flesh, inside, self.quiet(colour));
            if let Some(glyphs) = &self.glyphs {
                drawn.extend(glyphs.on_cap(number, &cap.mesh.positions, &cap_rows, &flesh));
            }
            drawn.extend([skin, cap]);
        }
        drawn.extend(self.obstacle_meshes(playback, frame).into_iter().map(|mesh| Drawn::flat(mesh, OBSTACLE_COLOUR)));
        Ok(drawn)
    }

    /// The colours of a skin without a field, quiet beneath lines.
    fn own_colours(&self, vertices: &[[f32; 3]], colour: Rgb) -> DrawnPaint {
        match vertices {
            [] => DrawnPaint::Flat(self.quiet(colour)),
            each => DrawnPaint::Vertices(each.iter().filter_map(|c| rgb(Some(*c))).map(|c| self.quiet(c)).collect()),
        }
    }

    fn quiet(&self, colour: Rgb) -> Rgb {
        self.glyphs.as_ref().map_or(colour, |_| colour.mix(glyphs::MUTED.0, glyphs::MUTED.1))
    }

    fn obstacle_meshes(&self, playback: &Playback, frame: i32) -> Vec<TriangleMesh> {
        let stage = &playback.built.stage;
        let placed = stage.obstacles_at(stage.clock().tick_of(frame));
        let mesh = |(shape, at): (&Shape, &Obstacle)| {
            let mut mesh = match *shape {
                Shape::Plane => return None,
                Shape::Sphere { radius_m } => primitive::capsule(DRAWN * radius_m, 0.0, 64),
                Shape::Capsule { half_length_m, radius_m } => primitive::capsule(DRAWN * radius_m, half_length_m, 64),
                Shape::Box { half_m } => primitive::cuboid(half_m - (1.0 - DRAWN) * half_m.min_element()),
                Shape::Mesh(ref mesh) => mesh.mesh().clone(),
            };
            mesh.positions.iter_mut().for_each(|x| *x = at.at + at.turn * *x);
            Some(mesh)
        };
        self.obstacles.iter().zip(&placed).filter_map(mesh).collect()
    }
}

fn rgb(colour: Option<[f32; 3]>) -> Option<Rgb> {
    colour.map(|colour| Rgb::from_unit(colour.map(f64::from)))
}
