//! Plans of the scene become running ones: the motion that was found, or what keys show where none was.

use super::copies::{Copied, Extent, copies};
use super::key_shapes::shape_of;
use super::{BuildError, BuildWarning, Placed, Workshop, clock, obstacles};
use crate::keys::KeyShelf;
use crate::plans::{self, PlanFrames, PlanGroup, PlanTrouble, Planned, plan_stamp};
use crate::refine::UNSOUND;
use sinew_direct::PlannedFlesh;
use sinew_math::rotation::mass_centre;
use sinew_math::{DQuat, DVec3};
use sinew_scene::{Body, Direction, Plan, PlanKey, Scene};
use sinew_solve::Flesh;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// A body or a copy of it, as its plan sees it.
#[derive(Clone, Copy)]
pub(crate) struct PlanSeat<'a> {
    pub body: &'a Body,
    pub flesh: &'a Flesh,
    pub shelf: &'a KeyShelf,
    pub placed: Placed,
    /// Which copy, from 0.
    pub copy: usize,
    /// The plan's place in the scene.
    pub at: &'a str,
}

impl PlanSeat<'_> {
    /// Whether a key is of this copy.
    pub(crate) fn has(&self, key: &PlanKey) -> bool {
        key.copy.is_none_or(|copy| copy as usize == self.copy + 1)
    }

    /// A place or turn of a key that is of all copies, carried to this one.
    fn carried(&self, key: &PlanKey) -> (DVec3, DQuat, DVec3) {
        if key.copy.is_some() || self.body.copies.is_none() {
            return (DVec3::ZERO, DQuat::IDENTITY, DVec3::ZERO);
        }
        let own = sinew_direct::Turn::from_degrees(DVec3::from_array(self.body.turn));
        (DVec3::from_array(self.body.at), self.placed.turn * own.inverse(), self.placed.at)
    }

    /// A place that a key names, in the world.
    pub(crate) fn place(&self, key: &PlanKey, at: [f64; 3]) -> DVec3 {
        let (from, turn, to) = self.carried(key);
        to + turn * (DVec3::from_array(at) - from)
    }

    /// A direction of the rest frame, in the world where the body starts.
    pub(crate) fn turned(&self, by: DVec3) -> DVec3 {
        self.placed.turn * by
    }

    /// Centre of mass and turn of a whole pose.
    pub(crate) fn rigid_part(&self, key: &PlanKey) -> (DVec3, DQuat) {
        let start = self.placed.world(mass_centre(&self.flesh.rest, &self.flesh.mass_kg));
        let centre = key.at.map_or(start, |at| self.place(key, at));
        let (_, carried, _) = self.carried(key);
        let turn = key.turn.map_or(self.placed.turn, |turn| carried * DQuat::from_array(turn).normalize());
        (centre, turn)
    }

    /// The shape of a pose, before it is turned and placed; none for the shape at rest.
    pub(crate) fn shape(&self, key: &PlanKey, number: usize) -> Result<Option<Arc<Vec<DVec3>>>, BuildError> {
        if key.shape() == PlanKey::at_frame(key.frame).shape() {
            return Ok(None);
        }
        shape_of(&key.shape(), self.flesh, self.shelf, &format!("{}.keys[{number}]", self.at))
    }

    /// Where a whole pose has every point.
    pub(crate) fn pose(&self, key: &PlanKey, number: usize) -> Result<Vec<DVec3>, BuildError> {
        let shape = self.shape(key, number)?;
        let shape = shape.as_deref().unwrap_or(&self.flesh.rest);
        let (centre, turn) = self.rigid_part(key);
        let from = mass_centre(shape, &self.flesh.mass_kg);
        Ok(shape.iter().map(|x| centre + turn * (*x - from)).collect())
    }

    /// The plan over time.
    pub(crate) fn planned(&self, scene: &Scene, plan: &Plan) -> Result<PlannedFlesh, BuildError> {
        let found = match &plan.plan {
            Some(file) => self.found(file)?,
            None => self.interpolated(plan)?,
        };
        let parts = self.parts(plan, &found);
        let frames_per_sec = clock(scene).frames_per_sec();
        PlannedFlesh::new(self.flesh, &found.frames, &found.breaks, parts, frames_per_sec).map_err(|error| {
            BuildError::new(self.at, error.to_string(), "solve it anew with `sinew refine plan`, or change its keys")
        })
    }

    /// What was found for this copy.
    fn found(&self, file: &str) -> Result<PlanFrames, BuildError> {
        let at = || format!("{}.plan", self.at);
        let plan = self.shelf.plan(file, self.flesh);
        let plan = plan.map_err(|problem| BuildError::new(at(), problem.what, problem.help))?;
        plan.copies.get(self.copy).cloned().ok_or_else(|| {
            let what =
                format!("{file} holds plans of {} bodies, and this is number {}", plan.copies.len(), self.copy + 1);
            BuildError::new(at(), what, "solve it anew with `sinew refine plan`")
        })
    }

    /// Without a plan that was found: the whole poses, interpolated.
    fn interpolated(&self, plan: &Plan) -> Result<PlanFrames, BuildError> {
        let mut poses: Vec<(f64, Vec<DVec3>, bool)> = Vec::new();
        for (number, key) in plan.keys.iter().enumerate().filter(|(_, key)| key.is_pose() && self.has(key)) {
            let places = self.pose(key, number)?;
            let last = key.to.filter(|to| *to > key.frame);
            poses.extend(last.map(|to| (to, places.clone(), false)));
            poses.push((key.frame, places, key.bounce));
        }
        poses.sort_by(|a, b| a.0.total_cmp(&b.0));
        poses.dedup_by(|later, earlier| later.0 == earlier.0);
        if poses.is_empty() {
            let help = "key a whole pose (without `on`), or solve the plan with `sinew refine plan`";
            return Err(BuildError::new(format!("{}.keys", self.at), "no key is a pose of the whole body", help));
        }
        let breaks = (0..poses.len()).filter(|&number| poses[number].2).collect();
        Ok(PlanFrames { frames: poses.into_iter().map(|(frame, places, _)| (frame, places)).collect(), breaks })
    }

    fn parts(&self, plan: &Plan, found: &PlanFrames) -> Vec<[f64; 2]> {
        if !plan.parts.is_empty() {
            return plan.parts.iter().map(|part| part.map(f64::from)).collect();
        }
        let ends = found.frames.first().zip(found.frames.last());
        ends.map(|(first, last)| [first.0, last.0]).into_iter().collect()
    }
}

/// Plans that were not solved, or for something else.
pub(super) fn warnings(scene: &Scene, mesh_hashes: &BTreeMap<String, [u8; 32]>, body: &Body) -> Vec<BuildWarning> {
    let mut found = Vec::new();
    for (number, director) in body.directors.iter().enumerate().filter(|(_, director)| !director.mute) {
        let Direction::Plan(plan) = &director.direction else { continue };
        let holds = |own: &&sinew_scene::Director| {
            !own.mute && matches!(own.direction, Direction::Pin(_) | Direction::Path(_) | Direction::TakeEdit(_))
        };
        let at = || director.name.as_ref().map_or_else(|| format!("[{number}]"), |name| format!(".{name}"));
        if let Some(other) = body.directors.iter().position(|own| holds(&own)) {
            let other = body.directors[other].name_at(other);
            found.push(BuildWarning {
                at: format!("body.{}.director{}", body.name, at()),
                what: format!("{other:?} leads or holds the body too, and tears it where it contradicts the plan"),
                help: "hold points by keys of the plan (`on`), or let the other's weight be 0 while the plan acts"
                    .to_owned(),
            });
        }
        let place = director.name.as_ref().map_or_else(|| format!("[{number}]"), |name| format!(".{name}"));
        let groups = plans::groups(scene);
        let is_of = |members: &&Vec<(usize, usize)>| {
            members.iter().any(|&(at, own)| std::ptr::eq(&scene.bodies[at], body) && own == number)
        };
        let stamp = groups.iter().map(|group| &group.members).find(is_of).map(|of| plan_stamp(scene, mesh_hashes, of));
        let what = match (&plan.plan, &plan.solved_for) {
            (None, _) => "this plan is not solved: its poses are interpolated, through whatever is in the way",
            (Some(_), Some(of)) if of == UNSOUND => {
                "this plan is not sound: it did not converge, misses a key, or runs into something"
            }
            (Some(_), None) => "it is not said what this plan was solved for",
            (Some(_), Some(of)) if stamp.is_some_and(|stamp| stamp != *of) => {
                "this plan was solved for other keys, obstacles or bodies"
            }
            _ => continue,
        };
        found.push(BuildWarning {
            at: format!("body.{}.director{place}", body.name),
            what: what.to_owned(),
            help: "solve it with `sinew refine plan` or *Plan*".to_owned(),
        });
    }
    found
}

/// Where the points of a body begin whose plan is under way at the first frame, in its rest frame, and how
/// fast it moves as a whole.
pub(super) fn start(scene: &Scene, seat: &PlanSeat<'_>) -> Result<Option<(Vec<DVec3>, DVec3)>, BuildError> {
    let first = f64::from(clock(scene).first_frame);
    for (number, director) in seat.body.directors.iter().enumerate().filter(|(_, director)| !director.mute) {
        let Direction::Plan(plan) = &director.direction else { continue };
        let at = format!("body.{}.director[{number}]", seat.body.name);
        let planned = PlanSeat { at: &at, ..*seat }.planned(scene, plan)?;
        if planned.is_designed(first) {
            let back = |x: &DVec3| seat.placed.turn.inverse() * (*x - seat.placed.at);
            let (places, velocities) = planned.at(first);
            let mass: f64 = seat.flesh.mass_kg.iter().sum();
            let momentum: DVec3 = velocities.iter().zip(&seat.flesh.mass_kg).map(|(v, m)| *v * *m).sum();
            return Ok(Some((places.iter().map(back).collect(), momentum / mass)));
        }
    }
    Ok(None)
}

/// Makes the plans of a group ready to be solved. Flesh comes from the workshop where it has it.
pub(crate) fn prepare(
    scene: &Scene,
    folder: &Path,
    workshop: &mut Workshop,
    group: &PlanGroup,
) -> Result<(Planned, String), PlanTrouble> {
    let mut mesh_hashes = BTreeMap::new();
    let tracks = obstacles::tracks(scene, folder, workshop, &mut mesh_hashes)?;
    let mut pieces = Vec::new();
    let mut places = Vec::new();
    for body in &scene.bodies {
        let piece = workshop.piece(body, folder)?;
        mesh_hashes.extend(piece.mesh_hashes.clone());
        places.push(copies(body, Extent::of(&piece.flesh, &piece.skin.mesh.positions))?);
        pieces.push(piece);
    }
    let names: Vec<String> = group
        .members
        .iter()
        .map(|&(body, director)| format!("body.{}.director[{director}]", scene.bodies[body].name))
        .collect();
    let seats: Vec<Vec<PlanSeat<'_>>> = (scene.bodies.iter().zip(&pieces).zip(&places).enumerate())
        .map(|(number, ((body, piece), copied))| {
            let member = group.members.iter().position(|(own, _)| *own == number);
            let at = member.map_or("", |member| names[member].as_str());
            let seat = |copy: &Copied| {
                let (flesh, shelf, placed) = (&*piece.flesh, &*piece.shelf, copy.placed);
                PlanSeat { body, flesh, shelf, placed, copy: copy.number, at }
            };
            copied.iter().map(seat).collect()
        })
        .collect();
    let fleshes: Vec<Arc<Flesh>> = pieces.iter().map(|piece| piece.flesh.clone()).collect();
    let planned = plans::prepare(scene, group, &seats, &fleshes, &tracks)?;
    Ok((planned, plan_stamp(scene, &mesh_hashes, &group.members)))
}
