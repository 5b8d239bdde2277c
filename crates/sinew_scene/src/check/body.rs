//! Bodies: names, sets, and whether flesh, skin and solver fit one another.

use super::copies::check_copies;
use super::director::check_directors;
use super::event::check_events;
use super::paint::check_material;
use super::place::{Found, Place, check_unique};
use crate::model::{ALL, Body, Direction, Flesh, FrictionAlong, Grown, Model, Skin};
use crate::model::{Solver, VertexSet, is_name};

pub(super) fn check_bodies(bodies: &[Body], at: &Place, found: &mut Found) {
    check_unique(bodies.iter().enumerate().map(|(i, body)| (i, body.name.as_str())), "body", at, found);
    for (index, body) in bodies.iter().enumerate() {
        let at = at.index(index);
        if let Some(copies) = &body.copies {
            check_copies(copies, &at.key("copies"), found);
        }
        check_fit(body, &at, found);
        check_friction(body, &at, found);
        check_material(&body.material.fields, &at.key("material").key("fields"), found);
        check_sets(body, &at.key("sets"), found);
        check_directors(body, &at.key("director"), found);
        check_events(body, &at.key("event"), found);
    }
}

/// More would take minutes a frame.
const MOST_LATTICE_POINTS: u64 = 200_000;

fn check_fit(body: &Body, at: &Place, found: &mut Found) {
    let is_cloth = matches!(body.skin, Skin::Model(Model::Cloth { .. }));
    let is_shell = matches!(body.flesh, Flesh::Grown(Grown::Shell { .. }));
    if is_cloth && matches!(body.flesh, Flesh::Grown(Grown::Lattice { .. })) {
        let help = "write flesh = { kind = \"shell\", vertices = 900 }";
        at.key("flesh").wrong(found, "a cloth is flat, and a lattice needs a box to fill", help);
    }
    if let Flesh::Grown(Grown::Lattice { size }) = body.flesh
        && size.iter().map(|n| u64::from(*n)).product::<u64>() > MOST_LATTICE_POINTS
    {
        let what = format!("a lattice of {} × {} × {} points is too large", size[0], size[1], size[2]);
        at.key("flesh").key("size").wrong(found, what, format!("at most {MOST_LATTICE_POINTS} points in all"));
    }
    if is_cloth && matches!(body.flesh, Flesh::Grown(Grown::Tets { .. })) {
        let help = "write flesh = { kind = \"shell\", vertices = 900 }";
        at.key("flesh").wrong(found, "a cloth has no inside to fill with tets", help);
    }
    if is_shell && matches!(body.solver, Solver::Fem { .. }) {
        let help = "write solver = { kind = \"springs\" } or { kind = \"shape_matching\" }, or give the body tets";
        at.key("solver").wrong(found, "fem needs flesh of tets, and this body is a shell", help);
    }
}

fn check_friction(body: &Body, at: &Place, found: &mut Found) {
    let wants_fibres = matches!(body.friction.along(), Some(FrictionAlong::Fibres(_)));
    let has_fibres = body.directors.iter().any(|director| matches!(director.direction, Direction::Muscle(_)));
    if wants_fibres && !has_fibres {
        let help = "add a muscle director, or name an axis such as along = \"x\"";
        at.key("friction").key("along").wrong(found, "this body has no fibres", help);
    }
}

fn check_sets(body: &Body, at: &Place, found: &mut Found) {
    for (name, set) in &body.sets {
        let at = at.key(name);
        if !is_name(name) {
            at.wrong(found, format!("{name:?} is no name for a set"), "use letters, digits, _ and -");
        }
        if name == ALL {
            at.wrong(found, "every body has the set \"all\" without saying so", "choose another name");
        }
        match set {
            VertexSet::All { all: false } => {
                at.wrong(found, "`all` is always true", "write { all = true }");
            }
            VertexSet::Box { bounds } if (0..3).any(|i| bounds.min[i] > bounds.max[i]) => {
                at.key("box").wrong(found, "the box is inside out", "each entry of `min` lies below that of `max`");
            }
            VertexSet::Strokes { strokes, .. } if strokes.iter().all(|line| line.0.is_empty()) => {
                at.key("strokes").wrong(found, "the set is empty", "give each stroke its points, [[x, y, z], …]");
            }
            VertexSet::Vertices { vertices } if vertices.is_empty() => {
                at.wrong(found, "the set is empty", "list vertices by number, from 0");
            }
            _ => {}
        }
    }
}
