//! Bodies without what lies beyond a plane, and what is inside them on the cut.

use crate::drawn::{Drawn, DrawnPaint};
use sinew_bake::StageBody;
use sinew_geom::section::{Cut, plane_cap};
use sinew_geom::{Embedding, Rows, TetMesh};
use sinew_math::{DVec3, dvec3};
use sinew_render::Rgb;
use sinew_solve::Cells;
use std::str::FromStr;

/// A plane in the world; what lies beyond it, where its normal points, is taken away.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plane {
    pub through: DVec3,
    pub normal: DVec3,
}

/// A body that was cut.
pub(crate) struct Cutaway {
    pub skin: Drawn,
    pub cap: Drawn,
    /// The cap's points as sums of the flesh's.
    pub cap_rows: Rows,
}

/// Cells across a cut.
const CELLS: usize = 160;
/// How much of the inside's dark red a cut without a field has.
const INSIDE: (Rgb, f64) = (Rgb::hex(0x6e2a32), 0.45);

impl Plane {
    /// Negative for what stays.
    pub(crate) fn side(&self, positions: &[DVec3]) -> Vec<f64> {
        Cut::plane(positions, self.through, self.normal)
    }

    /// Cuts a body whose flesh is at `flesh`; `values` are of the field on its points.
    pub(crate) fn cut(
        &self,
        body: &StageBody,
        skin: &Drawn,
        flesh: &[DVec3],
        values: Option<&[f64]>,
        colour: Rgb,
    ) -> Cutaway {
        let cap = match &body.flesh.cells {
            Cells::Tets(_) => plane_cap(&skin.mesh, self.through, self.normal, CELLS),
            // A sheet has no inside.
            Cells::Shell(_) => Default::default(),
        };
        let cap_rows = match &body.flesh.cells {
            Cells::Tets(tets) => {
                let now = TetMesh { positions: flesh.to_vec(), tets: tets.clone() };
                Embedding::rows_in_tets(&cap.positions, &now)
            }
            Cells::Shell(_) => Rows::default(),
        };
        let paint = match values {
            Some(values) => DrawnPaint::Values(cap_rows.values(values)),
            None => DrawnPaint::Flat(colour.mix(INSIDE.0, INSIDE.1)),
        };
        Cutaway { skin: skin.clipped(&self.side(&skin.mesh.positions)), cap: Drawn { mesh: cap, paint }, cap_rows }
    }
}

/// Three numbers such as `0,1.5,3`.
pub fn read_point(text: &str) -> Result<DVec3, String> {
    let wrong = || format!("{text:?} is not a point such as 0,1.5,3");
    let numbers: Vec<f64> =
        text.split(',').map_while(|n| n.trim().parse().ok()).filter(|n: &f64| n.is_finite()).collect();
    match (&numbers[..], text.split(',').count()) {
        (&[x, y, z], 3) => Ok(dvec3(x, y, z)),
        _ => Err(wrong()),
    }
}

impl FromStr for Plane {
    type Err = String;

    /// `y=0.8` (what lies above goes), `-y=0.8` (what lies below goes), or `0,0.8,0:1,1,0`: a point and the direction of what goes.
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("{text:?} is not a plane such as y=0.8, -y=0.8 or 0,0.8,0:1,1,0 (point:direction)");
        if let Some((point, direction)) = text.split_once(':') {
            let [through, normal] = [point, direction].map(read_point).map(Result::ok);
            let (through, normal) = (through.ok_or_else(wrong)?, normal.ok_or_else(wrong)?);
            return if normal.length() > 0.0 { Ok(Self { through, normal }) } else { Err(wrong()) };
        }
        let (axis, place) = text.split_once('=').ok_or_else(wrong)?;
        let place: f64 = place.trim().parse().ok().filter(|place: &f64| place.is_finite()).ok_or_else(wrong)?;
        let (sign, axis) = axis.trim().strip_prefix('-').map_or((1.0, axis.trim()), |axis| (-1.0, axis));
        let along = match axis {
            "x" => DVec3::X,
            "y" => DVec3::Y,
            "z" => DVec3::Z,
            _ => return Err(wrong()),
        };
        Ok(Self { through: along * place, normal: along * sign })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planes_are_read_as_people_write_them() {
        let read = |text: &str| text.parse::<Plane>();
        assert_eq!(read("y=0.8"), Ok(Plane { through: dvec3(0.0, 0.8, 0.0), normal: DVec3::Y }));
        assert_eq!(read("-z=-2"), Ok(Plane { through: dvec3(0.0, 0.0, -2.0), normal: DVec3::NEG_Z }));
        assert_eq!(read("1,2,3:0,1,1"), Ok(Plane { through: dvec3(1.0, 2.0, 3.0), normal: dvec3(0.0, 1.0, 1.0) }));
        for wrong in ["", "y", "w=1", "y=high", "1,2:0,1,0", "1,2,3:0,0,0", "y=nan"] {
            assert!(read(wrong).unwrap_err().contains("is not a plane"), "{wrong:?}");
        }
    }
}
