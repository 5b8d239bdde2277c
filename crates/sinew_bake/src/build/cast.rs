//! Members of the cast as bodies of a scene.

use super::flesh::at;
use super::{BuildError, colour, mesh_file};
use sinew_geom::cast::{Member, PaintedSkin};
use sinew_geom::{TetMesh, cast};
use sinew_scene::Body;
use sinew_scene::model::Model;

/// The member that a model names; none for the structured ones.
pub(super) fn member(model: &Model) -> Option<Member> {
    Some(match *model {
        Model::Bar { .. } | Model::Cylinder { .. } | Model::Ball { .. } => return None,
        Model::Cloth { .. } | Model::Bell { .. } => return None,
        Model::Jellyfish { tentacles, .. } => Member::Jellyfish { tentacles },
        Model::Worm { length, radius, .. } => Member::Worm { length_m: length, radius_m: radius },
        Model::Snail { .. } => Member::Snail,
        Model::Snake { .. } => Member::Snake,
        Model::Heart { .. } => Member::Heart,
        Model::Bowel { .. } => Member::Bowel,
        Model::Rabbit { .. } => Member::Rabbit,
        Model::Dragon { .. } => Member::Dragon,
        Model::Biped { .. } => Member::Biped,
        Model::Arm { .. } => Member::Arm,
        Model::Head { .. } => Member::Head,
    })
}

pub(super) fn flesh(
    member: Member,
    vertices: usize,
    body: &Body,
    watch: &mesh_file::Watch,
) -> Result<TetMesh, BuildError> {
    member.flesh_watched(vertices, &**watch).map_err(|error| {
        let what = format!("{}: {error}", member.name());
        BuildError::new(at(body, "flesh.vertices"), what, "try another number of vertices")
    })
}

pub(super) fn skin(member: Member, vertices: usize, body: &Body) -> Result<PaintedSkin, BuildError> {
    member.skin(vertices, colour(body)).map_err(|error| {
        let what = format!("{}: {error}", member.name());
        BuildError::new(at(body, "skin.vertices"), what, "try another number of vertices")
    })
}

/// The colour of a member where the body has none of its own.
pub(super) fn own_colour(model: &Model, body: &Body) -> Option<cast::Colour> {
    colour(body).or_else(|| member(model).map(|member| member.figure().colour))
}
