//! Why a body has no meshless functions.

use sinew_math::DVec3;

#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum MeshlessError {
    #[error(
        "{asked} nodes cannot move a body of {pieces} pieces: linear functions need at least 4 nodes a piece, {needed} in all"
    )]
    TooFewNodes { asked: usize, pieces: usize, needed: usize },
    #[error("the body has {places} places for nodes, and {asked} nodes were asked for; ask for {places} at most")]
    TooFewPlaces { asked: usize, places: usize },
    #[error("the body has no volume ({volume_m3:e} m³): meshless functions need a body of tets with an inside")]
    NoVolume { volume_m3: f64 },
    #[error(
        "the body is too thin at {place}: of {tried} nodes, those within {radius_m} m lie within {thickness_m:e} m of one \
         plane or line; ask for more than {asked} nodes, or thicken the flesh"
    )]
    Flat { place: DVec3, radius_m: f64, thickness_m: f64, asked: usize, tried: usize },
    #[error(
        "point {point} at {place} has {nodes} nodes within {radius_m} m, and no shape functions there; \
         it must lie on or near the body"
    )]
    NotCovered { point: usize, place: DVec3, nodes: usize, radius_m: f64 },
    #[error("point {point} is not a finite number")]
    NotFinite { point: usize },
}
