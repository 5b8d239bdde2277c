//! A jellyfish: a smooth crown whose wall falls in soft lobes to a scalloped rim, folded arms around the mouth, any number of
//! tentacles.
//!
//! The rim lies about y = 0 and the apex at 0.5; tentacles hang down to −0.8. The flesh of the bell is a disk of rings
//! pulled over the dome in two layers; arms and tentacles are columns that grow out of its boundary. Tentacles are strands
//! of the skin: many of them are thinner than a cell of its grid.

use super::Figure;
use super::limb::extrude;
use super::strand::Strand;
use crate::TetMesh;
use crate::distance::{Shape, smooth_path};
use crate::structured::{disk_vertices, round_block};
use sinew_math::libm::{cos, pow, sin};
use sinew_math::{DQuat, DVec2, DVec3, dvec2, dvec3};
use std::f64::consts::TAU;

const RADIUS: f64 = 0.5;
/// From the apex to the rim as seen from the dome's centre: a little past the equator, so that the rim turns in.
const RIM_ANGLE: f64 = 1.78;
const HEIGHT: f64 = 0.5;
/// Half the wall at the apex and at the rim.
const HALF_WALL: [f64; 2] = [0.05, 0.02];
const TENTACLE_LENGTH: f64 = 0.8;
/// Up to so many tentacles are alike; more of them are thinner, and of three lengths in turn.
const FEW: u32 = 8;
/// Lobes of the wall, which end as the rim's scallops.
const LOBES: u32 = 16;
/// Arms around the mouth.
const ARMS: u32 = 8;
const ARM_LENGTH: f64 = 0.78;
/// The middle of the arms, which is one column of flesh.
const MOUTH_RADIUS: f64 = 0.12;

/// The middle of the wall `rho` of the way from apex to rim: distance from the axis, height; and half its thickness.
fn wall(rho: f64) -> (DVec2, f64) {
    let polar = rho * RIM_ANGLE;
    let rise = HEIGHT / (1.0 - cos(RIM_ANGLE));
    let half = HALF_WALL[0] + (HALF_WALL[1] - HALF_WALL[0]) * pow(rho, 1.5);
    let middle = dvec2((RADIUS - half) * sin(polar), (rise - half) * cos(polar) + HEIGHT - rise);
    (middle, half)
}

/// Out of the dome, in the plane of the axis.
fn outward(rho: f64) -> DVec2 {
    let polar = rho * RIM_ANGLE;
    let rise = HEIGHT / (1.0 - cos(RIM_ANGLE));
    dvec2(sin(polar) * rise, cos(polar) * RADIUS).normalize_or(DVec2::Y)
}

/// One of `count` tentacles around the rim, in the plane through it and the axis.
#[derive(Debug, Clone, Copy)]
struct Tentacle {
    /// Where it hangs, as seen from above.
    angle: f64,
    length: f64,
    /// Against that of few tentacles.
    thickness: f64,
    /// Of its waves; neighbours do not hang in step.
    phase: f64,
}

impl Tentacle {
    fn all(count: u32) -> impl Iterator<Item = Self> {
        // Lengths in turn keep a jellyfish symmetric, so that it swims straight.
        let turns = count > FEW && count.is_multiple_of(3);
        let thickness = if count > FEW { pow(f64::from(FEW) / f64::from(count), 0.35) } else { 1.0 };
        (0..count).map(move |n| {
            let [share, phase] =
                if turns { [[1.0, 0.0], [0.66, 1.7], [0.84, 3.4]][n as usize % 3] } else { [1.0, 0.0] };
            let angle = f64::from(n) * TAU / f64::from(count);
            Self { angle, length: share * TENTACLE_LENGTH, thickness, phase }
        })
    }

    /// Where it is `along` of the way down, in the plane of the axis, and its radius.
    fn at(self, along: f64) -> (DVec2, f64) {
        let (rim, _) = wall(0.985);
        let sway = 0.05 * sin(2.6 * along) + 0.03 * sin(9.0 * along + self.phase) * along;
        (rim + dvec2(sway, -0.02 - along * self.length), (0.024 - 0.014 * along) * self.thickness)
    }

    fn out(self) -> DVec3 {
        dvec3(cos(self.angle), 0.0, sin(self.angle))
    }

    /// From within the rim to the tip.
    fn strand(self) -> Strand {
        const SPANS: u32 = 24;
        let span = |n: u32| {
            let along = f64::from(n) / f64::from(SPANS);
            let (at, radius) = self.at(along);
            // Round at the tip.
            (at, radius * (1.0 - pow(along, 8.0)).sqrt().max(0.1))
        };
        let path = std::iter::once((wall(0.985).0, self.at(0.0).1))
            .chain((0..=SPANS).map(span))
            .map(|(at, radius)| (self.out() * at.x + DVec3::Y * at.y, radius));
        Strand::new(path, 0xc9a3dc)
    }
}

pub(super) fn figure(tentacles: u32) -> Figure {
    let dome: Vec<_> = (0..=40).map(|n| wall(f64::from(n) / 40.0)).collect();
    // Ribs within the wall at first, so that lobes begin nowhere.
    let ribs = meridian(0.35, |share, half| 0.004 + share * share * (3.0 - 2.0 * share) * (half + 0.007));
    let bell = Shape::revolve(dome).union(Shape::sweep(ribs).around(LOBES), 0.05);
    let arms = arms();
    let shape = bell.union(arms.clone(), 0.05);
    // Between the lobes.
    let folds = Shape::sweep(meridian(0.5, |share, _| 0.075 * share - 0.045))
        .around(LOBES)
        .turned(DQuat::from_rotation_y(0.5 * TAU / f64::from(LOBES)));
    let below = |y: f64| Shape::cuboid(DVec3::ONE).moved(dvec3(0.0, y - 1.0, 0.0));
    // Pearl at the crown, pink down the wall, deeper in its folds and at the rim; the arms as flesh.
    Figure::plain(shape, 0xe2d3ea)
        .marked(below(0.12), 0xd3a0d6, 0.46)
        .marked(folds, 0xb765b4, 0.11)
        .marked(below(-0.015), 0xad5fb0, 0.16)
        .marked(arms.clone().grow(0.012), 0xf8a4a4, 0.03)
        .with_strands(Tentacle::all(tentacles).map(Tentacle::strand))
}

/// The middle of the wall from `from` of the way to the rim, with a radius by how far along it is and by half the wall there.
fn meridian(from: f64, radius: impl Fn(f64, f64) -> f64) -> Vec<(DVec3, f64)> {
    const SPANS: u32 = 16;
    let at = |n: u32| {
        let share = f64::from(n) / f64::from(SPANS);
        let (middle, half) = wall(from + (1.0 - from) * share);
        (dvec3(middle.x, middle.y, 0.0), radius(share, half))
    };
    (0..=SPANS).map(at).collect()
}

/// Thick at the mouth, then ever more folded.
fn arms() -> Shape {
    /// Below the middle of the crown, which is to stay smooth.
    const ROOT: f64 = 0.06;
    let top = wall(0.0).0.y - ROOT;
    let arm = |number: u32| {
        let start = f64::from(number) * TAU / f64::from(ARMS);
        let path: Vec<_> = (0..=24)
            .map(|n| {
                let along = f64::from(n) / 24.0;
                let fold = sin(TAU * 3.5 * along + 1.3 * start);
                let turn = start + 0.7 * along + 0.24 * fold * (0.3 + along);
                let out = MOUTH_RADIUS * (0.62 - 0.05 * along) + 0.014 * sin(TAU * 4.0 * along + start);
                let length = ARM_LENGTH * (1.0 - 0.05 * f64::from(number * 3 % 4)) - ROOT;
                let radius = 0.034 - 0.011 * along + 0.006 * sin(TAU * 5.0 * along + 2.0 * start);
                (dvec3(out * cos(turn), top - length * along, out * sin(turn)), radius)
            })
            .collect();
        Shape::sweep(smooth_path(&path, 2))
    };
    (1..ARMS).fold(arm(0), |arms, number| arms.union(arm(number), 0.008))
}

pub(super) fn flesh(tentacles: u32, vertices: usize) -> TetMesh {
    let Layout { rings, tentacle_layers, arm_layers, .. } = Layout::for_count(tentacles, vertices);
    let mut mesh = round_block(rings, Layout::WALL, |disk, out| {
        let rho = disk.length();
        let around = disk.try_normalize().unwrap_or(DVec2::X);
        let (middle, half) = wall(rho);
        let at = middle + outward(rho) * half * (2.0 * out - 1.0);
        dvec3(around.x * at.x, at.y, around.y * at.x)
    });
    let boundary = mesh.boundary();
    grow_arms(&mut mesh, &boundary, rings, arm_layers);
    for tentacle in Tentacle::all(tentacles) {
        grow_tentacle(&mut mesh, &boundary, tentacle, tentacle_layers);
    }
    mesh
}

/// How the vertices are shared out.
#[derive(Debug, Clone, Copy)]
struct Layout {
    tentacles: usize,
    rings: usize,
    tentacle_layers: usize,
    arm_layers: usize,
}

impl Layout {
    /// Layers of tets in the wall.
    const WALL: usize = 2;

    fn count(self) -> usize {
        disk_vertices(self.rings) * (Self::WALL + 1)
            + 3 * self.tentacles * self.tentacle_layers
            + disk_vertices(mouth_rings(self.rings)) * self.arm_layers
    }

    /// About four fifths go to the bell, three fifths where there are many tentacles; what is left over makes tentacles and
    /// arms, about as long per layer as each other.
    fn for_count(tentacles: u32, vertices: usize) -> Self {
        /// Layers below which many tentacles would be stiff sticks.
        const SUPPLE: usize = 5;
        let bell = |rings: usize| disk_vertices(rings) * (Self::WALL + 1);
        let fifths = if tentacles > FEW { 3 } else { 4 };
        let needed = if tentacles > FEW { 3 * SUPPLE * tentacles as usize } else { 0 };
        let fits = |rings: &usize| bell(*rings) * 5 <= vertices * fifths && bell(*rings) + needed <= vertices;
        let rings = (3..).take_while(fits).last().unwrap_or(3);
        let tentacles = tentacles as usize;
        let choices = (2..200).flat_map(|tentacle_layers| {
            [0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0].map(|share| {
                let arm_layers = ((tentacle_layers as f64 * share).round() as usize).max(2);
                Self { tentacles, rings, tentacle_layers, arm_layers }
            })
        });
        let off = |layout: &Self| (layout.count().abs_diff(vertices), layout.arm_layers);
        choices.min_by_key(off).unwrap_or(Self { tentacles, rings, tentacle_layers: 3, arm_layers: 2 })
    }
}

/// Rings of the bell's middle that the arms hang on.
fn mouth_rings(rings: usize) -> usize {
    let wide = (MOUTH_RADIUS / RADIUS / RIM_ANGLE * 1.2 * rings as f64).round() as usize;
    wide.max(1)
}

fn grow_arms(mesh: &mut TetMesh, boundary: &[[u32; 3]], rings: usize, layers: usize) {
    let inner = disk_vertices(mouth_rings(rings)) as u32;
    // The first layer of the disk's points is the underside, numbered from the middle outwards.
    let patch: Vec<[u32; 3]> = boundary.iter().filter(|t| t.iter().all(|v| *v < inner)).copied().collect();
    let foot: Vec<DVec3> = mesh.positions[..inner as usize].to_vec();
    let reach = foot.iter().map(|x| dvec2(x.x, x.z).length()).fold(f64::MIN_POSITIVE, f64::max);
    let top = wall(0.0).0.y;
    extrude(mesh, &patch, layers, |layer, vertex| {
        let along = (layer + 1) as f64 / layers as f64;
        let from = foot[vertex as usize];
        let wide = MOUTH_RADIUS * (1.05 - 0.35 * along) / reach;
        let bottom = top - ARM_LENGTH - 0.01;
        dvec3(from.x * wide, from.y + (bottom - from.y) * along, from.z * wide)
    });
}

fn grow_tentacle(mesh: &mut TetMesh, boundary: &[[u32; 3]], tentacle: Tentacle, layers: usize) {
    /// Flesh thinner than this would be slivers.
    const RADIUS_MIN: f64 = 0.01;
    let out = tentacle.out();
    let (rim, half) = wall(1.0);
    let root = out * rim.x + DVec3::Y * (rim.y - half);
    let middle = |t: &[u32; 3]| t.iter().map(|v| mesh.positions[*v as usize]).sum::<DVec3>() / 3.0;
    let faces_down = |t: &&[u32; 3]| {
        let [a, b, c] = t.map(|v| mesh.positions[v as usize]);
        (b - a).cross(c - a).normalize_or_zero().y < -0.5
    };
    let nearest = boundary
        .iter()
        .filter(faces_down)
        .min_by(|s, t| middle(s).distance_squared(root).total_cmp(&middle(t).distance_squared(root)));
    let Some(&face) = nearest else { return };
    // Each corner keeps its direction from the face's middle, so that the column does not twist.
    let centre = middle(&face);
    let corners = face.map(|v| mesh.positions[v as usize]);
    let around = out.cross(DVec3::Y);
    let mut angles: Vec<(usize, f64)> = corners
        .iter()
        .enumerate()
        .map(|(n, x)| (n, sinew_math::libm::atan2((*x - centre).dot(around), (*x - centre).dot(out))))
        .collect();
    angles.sort_by(|a, b| a.1.total_cmp(&b.1));
    extrude(mesh, &[face], layers, |layer, vertex| {
        let along = (layer + 1) as f64 / layers as f64;
        let (at, radius) = tentacle.at(along);
        let corner = face.iter().position(|v| *v == vertex).unwrap_or(0);
        let place = angles.iter().position(|(n, _)| *n == corner).unwrap_or(0);
        // A third of a turn from corner to corner; the triangle holds the skin's circle.
        let turn = angles[0].1 + place as f64 * TAU / 3.0;
        let wide = 1.7 * radius.max(RADIUS_MIN);
        out * (at.x + wide * cos(turn)) + around * (wide * sin(turn)) + DVec3::Y * at.y
    });
}
