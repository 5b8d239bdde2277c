//! One picture of a take: its skins, obstacles and ground, with the scene's camera and light.

use crate::FilmError;
use crate::skin_field::SkinField;
use sinew_bake::Playback;
use sinew_geom::{TriangleMesh, primitive};
use sinew_math::DVec3;
use sinew_render::{
    Camera, Frame, Ground, Image, Light, OBSTACLE_COLOUR, Options, Paint, Rgb, Shown, body_colour, render,
};
use sinew_solve::{Obstacle, Shape};

/// What stays the same from frame to frame.
pub(crate) struct Drawer {
    pub(crate) options: Options,
    ground: Option<Ground>,
    obstacles: Vec<Shape>,
    field: Option<SkinField>,
}

impl Drawer {
    pub(crate) fn new(options: Options, field: Option<SkinField>, playback: &mut Playback) -> Result<Self, FilmError> {
        let first = *playback.frames()?.start();
        playback.show(first)?;
        let bodies = playback.built.stage.bodies().len();
        let points: Vec<DVec3> = (0..bodies).flat_map(|body| playback.skin(body)).collect();
        let low = points.iter().fold(DVec3::INFINITY, |low, x| low.min(*x));
        let high = points.iter().fold(DVec3::NEG_INFINITY, |high, x| high.max(*x));
        let obstacles = playback.built.stage.obstacles_at(0);
        let plane = obstacles.iter().find(|o| o.shape == Shape::Plane).map(|o| o.at.y);
        // Without a ground in the scene, what stands above zero is shown above it.
        let height_m = plane.or((low.y >= 0.0).then_some(0.0));
        let ground = height_m.map(|height_m| Ground::for_size(height_m, (high - low).length()));
        Ok(Self { options, ground, obstacles: obstacles.iter().map(|o| o.shape).collect(), field })
    }

    pub(crate) fn picture(&self, playback: &mut Playback, frame: i32) -> Result<Image, FilmError> {
        let values = self.field.as_ref().map(|field| field.values(playback, frame)).transpose()?;
        playback.show(frame)?;
        let bodies = playback.built.stage.bodies();
        let skins: Vec<Vec<DVec3>> = (0..bodies.len()).map(|body| playback.skin(body)).collect();
        let rgb = |colour: &[f32; 3]| Rgb::from_unit(colour.map(f64::from));
        let colours: Vec<Vec<Rgb>> =
            bodies.iter().map(|body| body.skin.vertex_colours_on(body.colour).iter().map(rgb).collect()).collect();
        let mut meshes: Vec<Shown<'_>> = bodies
            .iter()
            .zip(&skins)
            .enumerate()
            .map(|(i, (body, skin))| {
                let paint = match (&self.field, &values, &colours[i][..]) {
                    (Some(SkinField { map, range, .. }), Some(values), _) => {
                        Paint::Field { values: &values[i], map: *map, range: *range }
                    }
                    (_, _, []) => Paint::Flat(body.colour.map_or(body_colour(i), |colour| rgb(&colour))),
                    (_, _, each) => Paint::Vertices(each),
                };
                Shown::new(skin, &body.skin.mesh.triangles, paint)
            })
            .collect();
        let obstacles = self.obstacle_meshes(playback, frame);
        meshes.extend(obstacles.iter().map(|mesh| Shown::mesh(mesh, Paint::Flat(OBSTACLE_COLOUR))));
        let shown = Frame { meshes, ground: self.ground };
        let at = f64::from(frame);
        let camera = &playback.scene.camera;
        let camera = Camera {
            eye: camera.eye.value(at),
            look_at: camera.look_at.value(at),
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

    fn obstacle_meshes(&self, playback: &Playback, frame: i32) -> Vec<TriangleMesh> {
        let stage = &playback.built.stage;
        let placed = stage.obstacles_at(stage.clock().tick_of(frame));
        let mesh = |(shape, at): (&Shape, &Obstacle)| {
            let mut mesh = match *shape {
                Shape::Plane => return None,
                Shape::Sphere { radius_m } => primitive::capsule(radius_m, 0.0, 64),
                Shape::Capsule { half_length_m, radius_m } => primitive::capsule(radius_m, half_length_m, 64),
                Shape::Box { half_m } => primitive::cuboid(half_m),
            };
            mesh.positions.iter_mut().for_each(|x| *x = at.at + at.turn * *x);
            Some(mesh)
        };
        self.obstacles.iter().zip(&placed).filter_map(mesh).collect()
    }
}
