//! One file per command.

pub(crate) mod apply;
pub(crate) mod bake;
pub(crate) mod bake_again;
pub(crate) mod bench;
pub(crate) mod check;
pub(crate) mod export;
pub(crate) mod info;
pub(crate) mod key;
pub(crate) mod list;
pub(crate) mod mesh;
pub(crate) mod new;
pub(crate) mod refine;
pub(crate) mod render;
pub(crate) mod schema;
pub(crate) mod studio;
pub(crate) mod tidy;
