//! Many bodies of one flesh on a stage, and how deep they are in each other.

use sinew_bake::{BodySetup, Clock, DirectorSetup, FrictionTrack, Method, ObstacleTrack, Skin, Stage, World};
use sinew_direct::muscle::Canvas;
use sinew_direct::{Gravity, Track3};
use sinew_geom::TetMesh;
use sinew_geom::distance::Shape;
use sinew_geom::structured::bar;
use sinew_geom::stuffing::{Fineness, stuff};
use sinew_math::{DQuat, DVec3, dvec3};
use sinew_solve::{Damping, Flesh, Material, StageState};
use std::sync::Arc;

pub(crate) struct Heap {
    pub(crate) flesh: Arc<Flesh>,
    pub(crate) methods: Vec<Method>,
    pub(crate) places: Vec<DVec3>,
    pub(crate) turns: Vec<DQuat>,
    pub(crate) velocities: Vec<DVec3>,
    pub(crate) gravity: bool,
    pub(crate) material: Material,
    pub(crate) obstacles: Vec<ObstacleTrack>,
    pub(crate) threads: usize,
    pub(crate) restitution: f64,
}

impl Heap {
    /// Round blobs of about this diameter.
    pub(crate) fn blobs(method: Method, count: usize, diameter_m: f64) -> Self {
        let ball = stuff(&Shape::sphere(0.5 * diameter_m), Fineness::Vertices(120)).unwrap();
        Self::new(method, count, ball.mesh)
    }

    /// Cubes of this edge.
    pub(crate) fn cubes(method: Method, count: usize, edge_m: f64) -> Self {
        Self::new(method, count, bar(DVec3::splat(edge_m), [3, 3, 3]))
    }

    /// Worms of about 73 vertices, 0.4 m long and 8 cm thick, along x.
    pub(crate) fn worms(method: Method, count: usize) -> Self {
        let worm = Shape::capsule(dvec3(-0.16, 0.0, 0.0), dvec3(0.16, 0.0, 0.0), 0.04);
        Self::new(method, count, stuff(&worm, Fineness::Vertices(73)).unwrap().mesh)
    }

    pub(crate) fn new(method: Method, count: usize, mesh: TetMesh) -> Self {
        let material = Material {
            young_pa: 1.0e5,
            poisson: 0.3,
            damping: Damping { wobble_per_sec: 4.0, ..Damping::default() },
            ..Material::default()
        };
        Self {
            flesh: Arc::new(Flesh::from_tets(mesh, material.density_kg_m3).unwrap()),
            methods: vec![method; count],
            places: vec![DVec3::ZERO; count],
            turns: vec![DQuat::IDENTITY; count],
            velocities: vec![DVec3::ZERO; count],
            gravity: true,
            material,
            obstacles: Vec::new(),
            threads: 1,
            restitution: 0.0,
        }
    }

    /// Places bodies in square layers above the ground, each layer turned against the one below.
    pub(crate) fn drop_in_layers(&mut self, across: usize, spacing: DVec3) {
        for i in 0..self.places.len() {
            let (layer, row, column) = (i / (across * across), i / across % across, i % across);
            self.places[i] = dvec3(column as f64, layer as f64 + 1.0, row as f64) * spacing;
            self.turns[i] = DQuat::from_rotation_y(2.4 * layer as f64 + 0.3 * (i % 7) as f64);
        }
    }

    pub(crate) fn stage(&self) -> Stage {
        let skin = Arc::new(Skin::of_flesh(&self.flesh, None));
        let canvas = Arc::new(Canvas::new(self.flesh.clone()));
        let down = Track3::constant(dvec3(0.0, -9.81, 0.0));
        let setup = |i: usize| BodySetup {
            name: format!("body-{i}"),
            flesh: self.flesh.clone(),
            canvas: canvas.clone(),
            skin: skin.clone(),
            colour: None,
            material: self.material,
            method: self.methods[i],
            at: self.places[i],
            turn: self.turns[i],
            velocity: self.velocities[i],
            directors: if self.gravity {
                vec![DirectorSetup::new("gravity", Gravity { metres_per_sec2: down.clone() })]
            } else {
                Vec::new()
            },
            friction: FrictionTrack::default(),
            friction_along: Arc::default(),
            restitution: self.restitution,
            start: Vec::new(),
            touches_itself: false,
        };
        let clock = Clock { fps: (24, 1), substeps: 4, first_frame: 1, last_frame: 1000 };
        let world = World { clock, obstacles: self.obstacles.clone(), threads: self.threads };
        Stage::new(world, (0..self.places.len()).map(setup).collect()).unwrap()
    }
}

/// How deep the deepest surface vertex of any body lies in another, metres.
pub(crate) fn deepest_penetration(stage: &Stage, state: &StageState) -> f64 {
    sinew_bake::deepest_penetration(stage, state).map_or(0.0, |deepest| deepest.depth_m)
}
