//! Keeping bodies clear of obstacles and of each other, at frames and between them.
//!
//! Adams et al. 2009, Eq. 23 and 24. Departures: contacts also act between frames, because bodies otherwise
//! pass through between two; the penalty `k g³/3h` of the depth `g` below the clearance grows from zero
//! smoothly; between bodies, inner spheres stand for the printed test of nodes through the inverse map, which
//! misses everything between nodes. Time shares weight every contact time.

use super::points::{ContactTime, PointLoad, penalty, places_by_frame};
use super::problem::PlanObstacle;
use crate::shape::PlanShape;
use rayon::prelude::*;
use sinew_math::DVec3;

/// Clearance and stiffness.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clearance {
    pub margin_m: f64,
    /// Weight over the square of the size.
    pub stiffness: f64,
    pub obstacle_stiffness: f64,
}

/// Loads of obstacles on the samples of a body, and their energy.
pub(super) fn obstacle_loads(
    shape: &PlanShape,
    times: &[ContactTime],
    obstacles: &[PlanObstacle],
    y: &[Vec<DVec3>],
    clearance: Clearance,
    stretch: &dyn Fn(usize) -> f64,
) -> (f64, Vec<PointLoad>) {
    if obstacles.is_empty() || times.is_empty() || shape.samples.is_empty() {
        return (0.0, Vec::new());
    }
    let places = places_by_frame(&shape.samples, y);
    let share = 1.0 / shape.samples.len() as f64;
    let lifts: Vec<f64> = (0..obstacles.len()).map(stretch).collect();
    let by_time: Vec<(f64, Vec<PointLoad>)> = (times.par_iter().enumerate())
        .map(|(number, time)| {
            let (mut energy, mut loads) = (0.0, Vec::new());
            let weight = clearance.obstacle_stiffness * share * time.share_secs;
            for point in 0..shape.samples.len() {
                let place = time.place(&places, point);
                for (obstacle, lift) in obstacles.iter().zip(&lifts) {
                    let (distance, slope) = obstacle.distance.distance(place, time.secs);
                    let depth = clearance.margin_m + lift - distance;
                    if depth <= 0.0 || !slope.is_finite() {
                        continue;
                    }
                    let [value, first, second] = penalty(depth, clearance.margin_m);
                    energy += weight * value;
                    loads.push(PointLoad {
                        time: number as u32,
                        point: point as u32,
                        force: slope * (-weight * first),
                        stiffness: weight * second,
                        normal: slope,
                    });
                }
            }
            (energy, loads)
        })
        .collect();
    let energy = by_time.iter().map(|(energy, _)| energy).sum();
    (energy, by_time.into_iter().flat_map(|(_, loads)| loads).collect())
}

/// A contact of two inner spheres at a time.
#[derive(Debug, Clone, Copy)]
pub(super) struct SphereContact {
    pub time: u32,
    pub bodies: [u32; 2],
    pub spheres: [u32; 2],
    /// From the first to the second.
    pub normal: DVec3,
    /// First and second derivative of the energy by the depth.
    pub force: f64,
    pub stiffness: f64,
}

/// Sphere contacts of all pairs of bodies, and their energy. `times` is one list a body, of the same seconds.
pub(super) fn sphere_contacts(
    shapes: &[&PlanShape],
    times: &[Vec<ContactTime>],
    y: &[Vec<Vec<DVec3>>],
    clearance: Clearance,
) -> (f64, Vec<SphereContact>) {
    if shapes.len() < 2 {
        return (0.0, Vec::new());
    }
    let by_frame: Vec<Vec<Vec<DVec3>>> =
        shapes.par_iter().zip(y).map(|(shape, y)| places_by_frame(&shape.spheres, y)).collect();
    let count = times.first().map_or(0, Vec::len);
    let by_time: Vec<(f64, Vec<SphereContact>)> =
        (0..count).into_par_iter().map(|time| contacts_at(shapes, times, &by_frame, time, clearance)).collect();
    let energy = by_time.iter().map(|(energy, _)| energy).sum();
    (energy, by_time.into_iter().flat_map(|(_, contacts)| contacts).collect())
}

fn contacts_at(
    shapes: &[&PlanShape],
    times: &[Vec<ContactTime>],
    by_frame: &[Vec<Vec<DVec3>>],
    time: usize,
    clearance: Clearance,
) -> (f64, Vec<SphereContact>) {
    let places: Vec<Vec<DVec3>> = (shapes.iter().zip(times).zip(by_frame))
        .map(|((shape, times), by_frame)| {
            (0..shape.spheres.len()).map(|sphere| times[time].place(by_frame, sphere)).collect()
        })
        .collect();
    let bounds: Vec<(DVec3, f64)> =
        shapes.iter().zip(&places).map(|(shape, places)| bounding_sphere(shape, places)).collect();
    let mut order: Vec<usize> = (0..shapes.len()).collect();
    let low = |body: usize| bounds[body].0.x - bounds[body].1;
    order.sort_by(|a, b| low(*a).total_cmp(&low(*b)));
    let (mut energy, mut contacts) = (0.0, Vec::new());
    for (n, first) in order.iter().enumerate() {
        for second in &order[n + 1..] {
            let (a, b) = (*first.min(second), *first.max(second));
            if low(*second) > bounds[*first].0.x + bounds[*first].1 + clearance.margin_m {
                break;
            }
            let reach = bounds[a].1 + bounds[b].1 + clearance.margin_m;
            if bounds[a].0.distance_squared(bounds[b].0) < reach * reach {
                energy += pair_contacts(shapes, &places, &bounds, times, time, [a, b], clearance, &mut contacts);
            }
        }
    }
    (energy, contacts)
}

#[expect(clippy::too_many_arguments, reason = "one inner loop of contacts_at")]
fn pair_contacts(
    shapes: &[&PlanShape],
    places: &[Vec<DVec3>],
    bounds: &[(DVec3, f64)],
    times: &[Vec<ContactTime>],
    time: usize,
    [a, b]: [usize; 2],
    clearance: Clearance,
    contacts: &mut Vec<SphereContact>,
) -> f64 {
    let near = |body: usize, other: usize| -> Vec<usize> {
        let (centre, radius) = bounds[other];
        (0..places[body].len())
            .filter(|s| {
                let reach = radius + shapes[body].spheres.radius_m[*s] + clearance.margin_m;
                places[body][*s].distance_squared(centre) < reach * reach
            })
            .collect()
    };
    let (own, others) = (near(a, b), near(b, a));
    let count = (shapes[a].spheres.len() + shapes[b].spheres.len()) as f64;
    let weight = clearance.stiffness * times[a][time].share_secs * 2.0 / count;
    let mut energy = 0.0;
    for p in &own {
        for q in &others {
            let reach = shapes[a].spheres.radius_m[*p] + shapes[b].spheres.radius_m[*q] + clearance.margin_m;
            let way = places[b][*q] - places[a][*p];
            let square = way.length_squared();
            if square >= reach * reach {
                continue;
            }
            let distance = square.sqrt();
            let [value, first, second] = penalty(reach - distance, clearance.margin_m);
            energy += weight * value;
            contacts.push(SphereContact {
                time: time as u32,
                bodies: [a as u32, b as u32],
                spheres: [*p as u32, *q as u32],
                normal: if distance > 1e-12 { way / distance } else { DVec3::Y },
                force: weight * first,
                stiffness: weight * second,
            });
        }
    }
    energy
}

fn bounding_sphere(shape: &PlanShape, places: &[DVec3]) -> (DVec3, f64) {
    let centre = places.iter().fold(DVec3::ZERO, |sum, x| sum + *x) / places.len().max(1) as f64;
    let radii = places.iter().zip(&shape.spheres.radius_m);
    (centre, radii.map(|(x, r)| x.distance(centre) + r).fold(0.0, f64::max))
}

/// Loads that sphere contacts put on one body.
pub(super) fn loads_of(contacts: &[SphereContact], body: usize) -> Vec<PointLoad> {
    let touching = contacts.iter().flat_map(|contact| (0..2).map(move |side| (contact, side)));
    touching
        .filter(|(contact, side)| contact.bodies[*side] as usize == body)
        .map(|(contact, side)| PointLoad {
            time: contact.time,
            point: contact.spheres[side],
            // Moving the second along the normal lowers the depth.
            force: contact.normal * if side == 0 { contact.force } else { -contact.force },
            stiffness: contact.stiffness,
            normal: contact.normal,
        })
        .collect()
}
