//! The payload of a frame record: what a viewer, renderer or exporter reads.
//!
//! Per body: origin (3 × f64), step (f64; 0 = positions are f32, else 16-bit multiples of it), positions about the
//! origin (3 × f32 or 3 × i16 per point), and, if the header says so, velocities (3 × f32 per point).

use super::record::array;
use super::{BodyHeader, Digest, TakeError, TakeHeader, TakeOptions, quantise};
use sinew_math::DVec3;
use sinew_solve::{BodyState, StageState};

const PLACE_BYTES: usize = 32;

/// One frame as recorded. Reuse it: its buffers are kept from frame to frame.
#[derive(Debug, Clone, Default)]
pub struct FrameView {
    pub frame: i32,
    pub tick: u64,
    /// Digest of the exact state this frame shows.
    pub digest: Digest,
    /// In the header's order.
    pub bodies: Vec<BodyView>,
    pub(super) raw: Vec<u8>,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct BodyView {
    /// World metres.
    pub origin: DVec3,
    /// Metres about the origin.
    pub offsets: Vec<[f32; 3]>,
    /// Metres per second; empty if the take was recorded without.
    pub velocities: Vec<[f32; 3]>,
}

impl BodyView {
    /// World positions in f64: exact to the rounding of the offset.
    pub fn positions(&self) -> impl ExactSizeIterator<Item = DVec3> + '_ {
        self.offsets.iter().map(|&d| self.origin + DVec3::from_array(d.map(f64::from)))
    }
}

/// Appends the payload of `state` to `out`.
pub(super) fn encode_frame(
    header: &TakeHeader,
    options: &TakeOptions,
    frame: i32,
    state: &StageState,
    out: &mut Vec<u8>,
) -> Result<(), TakeError> {
    if state.bodies.len() != header.bodies.len() {
        return Err(TakeError::BodyCount { found: state.bodies.len(), expected: header.bodies.len() });
    }
    for (body, about) in state.bodies.iter().zip(&header.bodies) {
        check(body, about)?;
        encode_body(body, options, out).map_err(|point| TakeError::NotFinite {
            body: about.name.clone(),
            frame,
            point,
        })?;
    }
    Ok(())
}

fn check(body: &BodyState, about: &BodyHeader) -> Result<(), TakeError> {
    let (found, velocities, expected) = (body.x.len(), body.v.len(), about.point_count);
    if found != expected as usize || velocities != found {
        return Err(TakeError::PointCount { body: about.name.clone(), found, velocities, expected });
    }
    Ok(())
}

/// Fails with the first point that has no finite f32.
fn encode_body(body: &BodyState, options: &TakeOptions, out: &mut Vec<u8>) -> Result<(), usize> {
    let extent_m = extent(body)?;
    let step_m = options.bound_m.and_then(|bound_m| quantise::step_for(extent_m, bound_m));
    for number in body.origin.to_array().into_iter().chain([step_m.unwrap_or(0.0)]) {
        out.extend_from_slice(&number.to_le_bytes());
    }
    for x in &body.x {
        let d = (*x - body.origin).to_array();
        match step_m {
            Some(step_m) => d.iter().for_each(|c| out.extend_from_slice(&quantise::to_steps(*c, step_m).to_le_bytes())),
            None => push_f32(d, out),
        }
    }
    if options.velocities {
        body.v.iter().for_each(|v| push_f32(v.to_array(), out));
    }
    Ok(())
}

fn push_f32(numbers: [f64; 3], out: &mut Vec<u8>) {
    for number in numbers {
        out.extend_from_slice(&(number as f32).to_le_bytes());
    }
}

/// The largest coordinate about the origin.
fn extent(body: &BodyState) -> Result<f64, usize> {
    let storable = |v: DVec3| v.to_array().iter().all(|c| (*c as f32).is_finite());
    let mut extent_m = 0.0f64;
    for (point, (x, v)) in body.x.iter().zip(&body.v).enumerate() {
        let d = *x - body.origin;
        if !(storable(d) && storable(*v)) {
            return Err(point);
        }
        extent_m = extent_m.max(d.abs().max_element());
    }
    Ok(extent_m)
}

/// Reads a payload into `bodies`. Its length was checked against the file, so memory is bounded by that.
pub(super) fn decode_frame(
    header: &TakeHeader,
    options: &TakeOptions,
    payload: &[u8],
    bodies: &mut Vec<BodyView>,
) -> Result<(), String> {
    let mut rest = payload;
    bodies.resize_with(header.bodies.len(), BodyView::default);
    for (body, about) in bodies.iter_mut().zip(&header.bodies) {
        decode_body(&mut rest, about.point_count as usize, options.velocities, body)
            .ok_or_else(|| format!("the frame ends within body {:?}", about.name))?;
    }
    if rest.is_empty() { Ok(()) } else { Err(format!("the frame is {} bytes too long", rest.len())) }
}

fn decode_body(rest: &mut &[u8], point_count: usize, velocities: bool, body: &mut BodyView) -> Option<()> {
    let place = split_off(rest, PLACE_BYTES)?;
    let number = |i: usize| f64::from_le_bytes(array(&place[8 * i..8 * i + 8]));
    body.origin = DVec3::new(number(0), number(1), number(2));
    let step_m = number(3);
    body.offsets.clear();
    if step_m == 0.0 {
        read_f32(split_off(rest, point_count.checked_mul(12)?)?, &mut body.offsets);
    } else {
        let steps = split_off(rest, point_count.checked_mul(6)?)?;
        let coordinate = |b: &[u8]| quantise::from_steps(i16::from_le_bytes(array(b)), step_m);
        let points = steps.chunks_exact(6).map(|b| [coordinate(&b[0..2]), coordinate(&b[2..4]), coordinate(&b[4..6])]);
        body.offsets.extend(points);
    }
    body.velocities.clear();
    if velocities {
        read_f32(split_off(rest, point_count.checked_mul(12)?)?, &mut body.velocities);
    }
    Some(())
}

fn read_f32(bytes: &[u8], out: &mut Vec<[f32; 3]>) {
    let number = |b: &[u8]| f32::from_le_bytes(array(b));
    out.extend(bytes.chunks_exact(12).map(|b| [number(&b[0..4]), number(&b[4..8]), number(&b[8..12])]));
}

fn split_off<'a>(rest: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
    let (taken, left) = rest.split_at_checked(count)?;
    *rest = left;
    Some(taken)
}
