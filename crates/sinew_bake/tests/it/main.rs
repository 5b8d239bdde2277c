//! All tests that look at this crate from outside, as one program: they link once.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

#[macro_use]
mod fixtures;

#[path = "../../../sinew_io/tests/it/beside/mod.rs"]
mod beside;
mod carried;
mod contact;
mod contract;
mod copies;
mod creatures;
mod curves;
mod damage;
mod damping;
mod dump;
mod edges;
mod effects;
mod equilibrium;
mod events;
mod fake;
mod faults;
mod folds;
mod heap;
mod impacts;
mod incline;
mod inside;
mod key_searches;
mod keys;
mod kill;
mod measures;
mod mesh_obstacle;
mod metaphor_goals;
mod metaphor_scenes;
mod metaphors;
mod midpoint;
mod painted;
mod painted_material;
mod painted_models;
mod penetration;
mod pile;
mod plans;
mod preview;
mod recovery;
mod redirect;
mod refine;
mod replay;
mod respond;
mod sculpt;
mod sheets;
mod spin;
mod stack;
mod stopped;
mod take_edit;
mod takes;
mod torture;
#[path = "../../../sinew_io/tests/it/watching/mod.rs"]
mod watching;
mod weight;
