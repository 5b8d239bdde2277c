//! Pictures of meshes, made on the CPU without a display, the same bytes every run.
//!
//! [`render()`] turns a [`Frame`] (meshes in world space, perhaps a ground) seen by a [`Camera`] under a [`Light`] into
//! an [`Image`]; [`write_png`], [`ApngWriter`] and [`GifWriter`] put images into files. [`ColourMap`] colours scalar
//! fields as the studio does.
//!
//! How a picture is made: triangles are projected and clipped (`project`), corner normals are smoothed up to a crease
//! angle (`normals`), depth maps from many directions answer what light reaches a point (`occlusion`), then each tile
//! of pixels is rasterised at several samples per pixel (`raster`) and every visible surface in a pixel is lit once
//! (`shade`, `ground`). Reading starts at `render.rs`.

mod camera;
mod colour;
mod colour_map;
mod frame;
mod frame_rate;
mod gif_file;
mod ground;
mod image;
mod lines;
mod normals;
mod occlusion;
mod palette;
mod png_file;
mod project;
mod raster;
mod render;
mod shade;
mod solid;

pub use camera::Camera;
pub use colour::{Linear, Rgb};
pub use colour_map::ColourMap;
pub use frame::{Frame, Ground, Light, OBSTACLE_COLOUR, Options, Paint, RenderError, Shown, Style, body_colour};
pub use frame_rate::FrameRate;
pub use gif_file::GifWriter;
pub use image::{Image, WriteError};
pub use png_file::{ApngWriter, write_png, write_small_png};
pub use render::render;
