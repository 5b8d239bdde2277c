//! Camera and obstacles of a USDA file: an `Xform` with samples of its matrix for each.

use super::Out;
use super::usda::{List, Tuple, identifiers, linear_of_screen};
use crate::clip::{ClipCamera, ClipInfo, ClipPose, WriteError};

/// The prim that holds them.
pub(crate) const USD_SURROUNDINGS: &str = "Surroundings";

/// Height of the film that focal lengths are for, millimetres: as a scene's `lens_mm`.
const APERTURE_MM: f64 = 24.0;

/// `bodies` are the names that are taken.
pub(super) fn write(info: &ClipInfo, bodies: &[String], out: &mut Out) -> Result<(), WriteError> {
    let props = info.props.iter().map(|prop| prop.name.as_str());
    let all = identifiers(bodies.iter().map(String::as_str).chain(props).chain(["camera"]));
    let names = &all[bodies.len()..];
    if info.props.is_empty() && info.camera.is_none() {
        return Ok(());
    }
    out.text(format_args!("    def Scope \"{USD_SURROUNDINGS}\"\n    {{\n"))?;
    for (prop, name) in info.props.iter().zip(names) {
        out.text(format_args!("    def Mesh \"{name}\"\n    {{\n        uniform bool doubleSided = 1\n"))?;
        let count = prop.triangles.len();
        out.text(format_args!("        int[] faceVertexCounts = [{}]\n", List((0..count).map(|_| 3))))?;
        out.text(format_args!("        int[] faceVertexIndices = [{}]\n", List(prop.triangles.iter().flatten())))?;
        let points = prop.positions.iter().map(|x| Tuple(*x));
        out.text(format_args!("        point3f[] points = [{}]\n", List(points)))?;
        out.text(format_args!("        uniform token subdivisionScheme = \"none\"\n"))?;
        let colour = Tuple(prop.colour.map(linear_of_screen));
        out.text(format_args!("        color3f[] primvars:displayColor = [{colour}]\n"))?;
        write_motion(info, &prop.poses, out)?;
        out.text(format_args!("    }}\n"))?;
    }
    if let (Some(camera), Some(name)) = (&info.camera, names.last()) {
        write_camera(info, camera, name, out)?;
    }
    out.text(format_args!("    }}\n"))
}

fn write_camera(info: &ClipInfo, camera: &ClipCamera, name: &str, out: &mut Out) -> Result<(), WriteError> {
    out.text(format_args!("    def Camera \"{name}\"\n    {{\n        float2 clippingRange = (0.01, 10000)\n"))?;
    // The film is as high as a full frame; USD gives lengths of lenses in tenths of the stage's unit.
    out.text(format_args!("        float verticalAperture = {APERTURE_MM:?}\n"))?;
    out.text(format_args!("        float horizontalAperture = {:?}\n", APERTURE_MM * 16.0 / 9.0))?;
    out.text(format_args!("        float focalLength.timeSamples = {{\n"))?;
    for (frame, fov) in camera.fov_y_deg.iter().enumerate() {
        let focal = 0.5 * APERTURE_MM / (0.5 * f64::from(*fov).to_radians()).tan();
        out.text(format_args!("            {}: {focal:?},\n", info.number(frame)))?;
    }
    out.text(format_args!("        }}\n"))?;
    write_motion(info, &camera.poses, out)?;
    out.text(format_args!("    }}\n"))
}

/// What stands still has one sample.
fn write_motion(info: &ClipInfo, poses: &[ClipPose], out: &mut Out) -> Result<(), WriteError> {
    out.text(format_args!("        matrix4d xformOp:transform.timeSamples = {{\n"))?;
    let stands = poses.windows(2).all(|pair| pair[0] == pair[1]);
    for (frame, pose) in poses.iter().enumerate().take(if stands { 1 } else { poses.len() }) {
        let [a, b, c] = axes(pose.turn);
        let row = |x: [f32; 3], w: f32| Tuple([x[0], x[1], x[2], w]);
        let rows = List([row(a, 0.0), row(b, 0.0), row(c, 0.0), row(pose.at, 1.0)].into_iter());
        out.text(format_args!("            {}: ({rows}),\n", info.number(frame)))?;
    }
    out.text(format_args!("        }}\n        uniform token[] xformOpOrder = [\"xformOp:transform\"]\n"))
}

/// Where a rotation takes the three axes.
fn axes([x, y, z, w]: [f32; 4]) -> [[f32; 3]; 3] {
    [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + z * w), 2.0 * (x * z - y * w)],
        [2.0 * (x * y - z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + x * w)],
        [2.0 * (x * z + y * w), 2.0 * (y * z - x * w), 1.0 - 2.0 * (x * x + y * y)],
    ]
}
