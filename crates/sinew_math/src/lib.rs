//! Small dense maths that the rest of sinew agrees on: vectors, rotations, symmetric matrices, curves.
//!
//! Vectors and matrices are `glam`'s, compiled against `libm` so that `sin` and friends give the same bits
//! everywhere. What is ours: nearest rotations ([`rotation`]), logarithms of stretches ([`symmetric`]), the one curve type of
//! the timeline ([`curve`], which also swings: [`Wiggle`]), turns over time ([`rotation_curve`]) and principal axes ([`PrincipalFrame`]). [`sparse`] and [`dense`] solve symmetric systems.

pub mod curve;
pub mod dense;
mod principal;
pub mod rotation;
pub mod rotation_curve;
mod shown;
pub mod sparse;
pub mod symmetric;
mod wiggly;

pub use curve::{Curve, Interpolation, Key, Number, Outside};
pub use glam::{DMat3, DQuat, DVec2, DVec3, Vec3A, dvec2, dvec3};
pub use libm;
pub use principal::PrincipalFrame;
pub use rotation_curve::RotationCurve;
pub use shown::shown;
pub use symmetric::Sym3;
pub use wiggly::{Pulse, Wiggle};
