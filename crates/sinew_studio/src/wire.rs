//! Binary messages to the page: models once, then flesh positions each frame. Little-endian, 8-byte aligned.
//!
//! ```text
//! every message   u8 version, u8 kind, u16 0 (1 of a ghost that is on its way: the next takes its place)
//! model (kind 1)  u32 model, u32 points, u32 skin vertices, u32 terms, u32 triangles, u32 colours (0 or skin vertices),
//!                 u32 width, u32 height  of the picture on it, 0 where it has none, u32 slopes  0 where rows alone carry the skin
//!                 u32 row_start[skin vertices + 1], u32 point[terms], f32 weight[terms],
//!                 u32 triangle[3 · triangles], f32 rest[3 · points],
//!                 u32 number[points]  what sets of a scene call each point
//!                 u8 colour[4 · colours]  red, green, blue as a screen shows them, 255
//!                 with slopes: u32 start[points + 1], u32 neighbour[slopes], f32 slope[3 · slopes], f32 rest_skin[3 · skin vertices]
//!                 with a picture: f32 uv[6 · triangles]  of each triangle's corners, from 0 to 1 to the right and from the top down,
//!                 u8 pixel[4 · width · height]  from the top, as colours
//! frame (kind 2)  i32 frame, u64 tick, f32 step_ms, u32 bodies, u32 obstacles, u32 0,
//!                 obstacles × ( f64 at[3], f64 turn[4] ),  turn is a quaternion (x, y, z, w)
//!                 bodies    × ( f64 origin[3], u32 points, u32 0, f32 about_origin[3 · points], 0 to 8 bytes )
//! field (kind 3)  u32 body, u32 look (place in LOOKS), i32 frame, u32 components (1 or 3), u32 points,
//!                 f32 low, f32 high, f32 values[components · points]  one entry per flesh point
//! section (kind 4)  u32 body, i32 frame, u32 points, u32 triangles, u32 sides,
//!                 points × ( f32 world[3], f32 rest[3], f32 value ),  the value is NaN where no look is on
//!                 u32 triangle[3 · triangles],
//!                 f32 side[sides]  per flesh point, metres from the cut; what is positive is taken away
//! take (kind 5)   as a frame: the shown take's
//! ghost (kind 6)  as a frame, of a time to come, without obstacles; step_ms is the number of the preview, and a new one takes all
//!                 ghosts before away
//! key (kind 7)    u32 place, u32 count  among the key shapes that are shown; with a count of 0 that is all. Else:
//!                 u32 body, u32 director, u32 key  their places in the scene's lists, f32 residual  per cent, NaN where it is not known,
//!                 f64 frame, f64 origin[3], f64 turn[4]  how it is turned from its own axes, a quaternion (x, y, z, w)
//!                 u32 points, u32 0, f32 about_origin[3 · points]
//! ```
//!
//! A skin vertex hangs on the weighted sum of its row's points; where there are slopes, these make its motion smooth
//! ([`sinew_geom::embedding`]). The page makes skin and normals of them on the GPU.

use crate::ShownBody;
use axum::body::Bytes;
use sinew_bake::Ghost;
use sinew_bake::take::FrameView;
use sinew_film::SkinTexture;
use sinew_math::{DQuat, DVec3, dvec3};
use sinew_solve::{FieldValues, Obstacle, StageState};

/// Of both the binary layout and the JSON words: a page of another version does not try.
pub const WIRE_VERSION: u8 = 7;

const MODEL: u8 = 1;
const FRAME: u8 = 2;
const FIELD: u8 = 3;
const SECTION: u8 = 4;
const TAKE: u8 = 5;
const GHOST: u8 = 6;
const KEY: u8 = 7;
const FRAME_HEAD: usize = 32;
const OBSTACLE: usize = 56;
const BODY_HEAD: usize = 32;

/// The body's model: what the page needs once to make skin from flesh.
pub(crate) fn model_message(model: u32, body: &ShownBody) -> Bytes {
    let (row_start, dof, weight) = body.skin.embedding.rows.as_parts();
    let colours = &body.skin.vertex_colours;
    // A colour that the scene gives is stronger than the file's.
    let picture = SkinTexture::of(&body.skin).filter(|_| body.colour.is_none());
    let slopes = body.skin.embedding.smooth().map(|smooth| smooth.stretches.as_parts());
    let mut out = head(MODEL);
    for count in [
        model as usize,
        body.flesh.point_count(),
        row_start.len() - 1,
        dof.len(),
        body.skin.mesh.triangles.len(),
        colours.len(),
        picture.as_ref().map_or(0, |picture| picture.width),
        picture.as_ref().map_or(0, |picture| picture.height),
        slopes.map_or(0, |(_, _, slopes)| slopes.len()),
    ] {
        out.extend_from_slice(&(count as u32).to_le_bytes());
    }
    put_u32s(&mut out, row_start);
    put_u32s(&mut out, dof);
    out.extend(weight.iter().flat_map(|w| w.to_le_bytes()));
    put_u32s(&mut out, body.skin.mesh.triangles.as_flattened());
    out.extend(body.flesh.rest.iter().flat_map(|x| about(*x, DVec3::ZERO)));
    put_u32s(&mut out, &body.flesh.file_order);
    let byte = |c: f32| (c.clamp(0.0, 1.0) * 255.0).round() as u8;
    out.extend(colours.iter().flat_map(|[r, g, b]| [byte(*r), byte(*g), byte(*b), 255]));
    if let Some((start, neighbour, slope)) = slopes.filter(|(_, _, slopes)| !slopes.is_empty()) {
        let mut rest_skin = Vec::new();
        body.skin.embedding.apply(&body.flesh.rest, &mut rest_skin);
        put_u32s(&mut out, start);
        put_u32s(&mut out, neighbour);
        out.extend(slope.iter().chain(&rest_skin).flat_map(|v| about(*v, DVec3::ZERO)));
    }
    if let Some(picture) = picture {
        out.extend(picture.corner_uvs.as_flattened().as_flattened().iter().flat_map(|c| c.to_le_bytes()));
        out.extend(picture.pixels.iter().flat_map(|[r, g, b]| [*r, *g, *b, 255]));
    }
    out.into()
}

/// What a frame message says besides positions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct FrameHead {
    pub(crate) frame: i32,
    pub(crate) tick: u64,
    pub(crate) step_ms: f32,
}

/// All bodies' flesh as f32 about each body's origin.
pub(crate) fn frame_message(head_of: FrameHead, state: &StageState, obstacles: &[Obstacle]) -> Bytes {
    let points: usize = state.bodies.iter().map(|body| body.x.len()).sum();
    let mut out = frame_head(head_of, state.bodies.len(), points, obstacles);
    for body in &state.bodies {
        put_body(&mut out, body.origin, body.x.len(), body.x.iter().map(|x| about(*x, body.origin)));
    }
    out.into()
}

/// A recorded frame as a frame message. Where obstacles were is not recorded.
pub(crate) fn take_frame(view: &FrameView) -> Bytes {
    let head_of = FrameHead { frame: view.frame, tick: view.tick, step_ms: 0.0 };
    let points: usize = view.bodies.iter().map(|body| body.offsets.len()).sum();
    let mut out = frame_head(head_of, view.bodies.len(), points, &[]);
    for body in &view.bodies {
        let offsets = body.offsets.iter().map(|offset| about(DVec3::from_array(offset.map(f64::from)), DVec3::ZERO));
        put_body(&mut out, body.origin, body.offsets.len(), offsets);
    }
    out.into()
}

/// A frame message whose obstacles stand elsewhere; there are as many.
pub(crate) fn with_obstacles(frame: &[u8], obstacles: &[Obstacle]) -> Bytes {
    let had = read_u32(frame, FRAME_HEAD - 8).unwrap_or(0) as usize;
    let (Some(head), Some(bodies)) = (frame.get(..FRAME_HEAD - 8), frame.get(FRAME_HEAD + OBSTACLE * had..)) else {
        return Bytes::copy_from_slice(frame);
    };
    let mut out = head.to_vec();
    put_u32s(&mut out, &[obstacles.len() as u32, 0]);
    obstacles.iter().for_each(|obstacle| out.extend(pose_of(obstacle)));
    out.extend_from_slice(bodies);
    out.into()
}

/// What a step took at a frame, in milliseconds, and how high the origins of its bodies were, in metres.
pub(crate) fn numbers_of(frame: &[u8]) -> Option<(f32, Vec<f64>)> {
    let step_ms = f32::from_bits(read_u32(frame, FRAME_HEAD - 16)?);
    let mut at = FRAME_HEAD + OBSTACLE * read_u32(frame, FRAME_HEAD - 8)? as usize;
    let mut heights = Vec::new();
    for _ in 0..read_u32(frame, FRAME_HEAD - 12)? {
        let height = frame.get(at + 8..at + 16)?;
        heights.push(f64::from_le_bytes(height.try_into().ok()?));
        at = (at + BODY_HEAD + 12 * read_u32(frame, at + 24)? as usize).next_multiple_of(8);
    }
    Some((step_ms, heights))
}

fn pose_of(obstacle: &Obstacle) -> Vec<u8> {
    obstacle.at.to_array().into_iter().chain(obstacle.turn.to_array()).flat_map(f64::to_le_bytes).collect()
}

fn frame_head(head_of: FrameHead, bodies: usize, points: usize, obstacles: &[Obstacle]) -> Vec<u8> {
    let mut out = head(FRAME);
    out.reserve_exact(FRAME_HEAD + obstacles.len() * OBSTACLE + bodies * (BODY_HEAD + 8) + points * 12);
    out.extend_from_slice(&head_of.frame.to_le_bytes());
    out.extend_from_slice(&head_of.tick.to_le_bytes());
    out.extend_from_slice(&head_of.step_ms.to_le_bytes());
    put_u32s(&mut out, &[bodies as u32, obstacles.len() as u32, 0]);
    for obstacle in obstacles {
        out.extend(pose_of(obstacle));
    }
    out
}

fn put_body(out: &mut Vec<u8>, origin: DVec3, points: usize, offsets: impl Iterator<Item = [u8; 12]>) {
    out.extend(origin.to_array().iter().flat_map(|c| c.to_le_bytes()));
    put_u32s(out, &[points as u32, 0]);
    out.extend(offsets.flatten());
    out.resize(out.len().next_multiple_of(8), 0);
}

/// A state to come. The number of the question tells ghosts of one preview from those before.
pub(crate) fn ghost_message(ghost: &Ghost) -> Bytes {
    let head = FrameHead { frame: ghost.frame, tick: ghost.state.tick, step_ms: ghost.asked as f32 };
    let mut bytes = frame_message(head, &ghost.state, &[]).to_vec();
    (bytes[1], bytes[2]) = (GHOST, u8::from(ghost.is_on_its_way));
    bytes.into()
}

/// A key shape where it is drawn.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PlacedKey<'a> {
    pub(crate) body: u32,
    pub(crate) director: u32,
    pub(crate) key: u32,
    pub(crate) frame: f64,
    pub(crate) residual_percent: Option<f64>,
    /// Its mass centre in the world, and among the points of `shape`.
    pub(crate) origin: DVec3,
    pub(crate) centre: DVec3,
    pub(crate) turn: DQuat,
    pub(crate) shape: &'a [DVec3],
}

/// One of `count` key shapes; none says that there are none.
pub(crate) fn key_message(place: usize, count: usize, key: Option<&PlacedKey<'_>>) -> Bytes {
    let mut out = head(KEY);
    put_u32s(&mut out, &[place as u32, count as u32]);
    let Some(key) = key else { return out.into() };
    put_u32s(&mut out, &[key.body, key.director, key.key]);
    out.extend((key.residual_percent.unwrap_or(f64::NAN) as f32).to_le_bytes());
    out.extend(key.frame.to_le_bytes());
    out.extend(key.origin.to_array().into_iter().chain(key.turn.to_array()).flat_map(f64::to_le_bytes));
    put_u32s(&mut out, &[key.shape.len() as u32, 0]);
    out.extend(key.shape.iter().flat_map(|x| about(key.turn * (*x - key.centre), DVec3::ZERO)));
    out.into()
}

/// A frame message as that of a take which is shown beside the live bodies.
pub(crate) fn as_take(frame: &[u8]) -> Bytes {
    let mut bytes = frame.to_vec();
    bytes[1] = TAKE;
    bytes.into()
}

/// Values at a body's flesh points, with the range that colours should span.
pub(crate) fn field_message([body, look]: [u32; 2], frame: i32, shown: &FieldValues, range: [f64; 2]) -> Bytes {
    let (components, points) = match shown {
        FieldValues::Numbers(numbers) => (1, numbers.len()),
        FieldValues::Directions(directions) => (3, directions.len()),
    };
    let mut out = head(FIELD);
    put_u32s(&mut out, &[body, look]);
    out.extend_from_slice(&frame.to_le_bytes());
    put_u32s(&mut out, &[components, points as u32]);
    out.extend(range.iter().flat_map(|v| (*v as f32).to_le_bytes()));
    match shown {
        FieldValues::Numbers(numbers) => out.extend(numbers.iter().flat_map(|v| (*v as f32).to_le_bytes())),
        FieldValues::Directions(directions) => out.extend(directions.iter().flat_map(|d| about(*d, DVec3::ZERO))),
    }
    out.into()
}

/// The numbers of a field message of ours; none where it holds directions.
pub(crate) fn field_values(field: &[u8]) -> Option<Vec<f64>> {
    let values = field.get(32..)?.as_chunks::<4>().0;
    (read_u32(field, 16)? == 1).then(|| values.iter().map(|bytes| f64::from(f32::from_le_bytes(*bytes))).collect())
}

/// The number of a frame message of ours.
pub(crate) fn frame_number(frame: &[u8]) -> i32 {
    read_u32(frame, 4).map_or(0, u32::cast_signed)
}

/// A cut through a body as it is now.
pub(crate) struct SectionParts<'a> {
    pub(crate) body: u32,
    pub(crate) frame: i32,
    pub(crate) world: &'a [DVec3],
    pub(crate) rest: &'a [DVec3],
    pub(crate) values: Option<&'a [f64]>,
    pub(crate) triangles: &'a [[u32; 3]],
    pub(crate) side: &'a [f64],
}

pub(crate) fn section_message(section: &SectionParts<'_>) -> Bytes {
    let mut out = head(SECTION);
    put_u32s(&mut out, &[section.body]);
    out.extend_from_slice(&section.frame.to_le_bytes());
    put_u32s(&mut out, &[section.world.len(), section.triangles.len(), section.side.len()].map(|count| count as u32));
    for (i, (world, rest)) in section.world.iter().zip(section.rest).enumerate() {
        out.extend(about(*world, DVec3::ZERO));
        out.extend(about(*rest, DVec3::ZERO));
        let value = section.values.and_then(|values| values.get(i)).map_or(f32::NAN, |value| *value as f32);
        out.extend(value.to_le_bytes());
    }
    put_u32s(&mut out, section.triangles.as_flattened());
    out.extend(section.side.iter().flat_map(|v| (*v as f32).to_le_bytes()));
    out.into()
}

/// World positions of one body's flesh, read back from a frame message of ours. None where there is no such body.
pub(crate) fn flesh_of(frame: &[u8], body: usize) -> Option<Vec<DVec3>> {
    let body_count = read_u32(frame, FRAME_HEAD - 12)? as usize;
    let mut at = FRAME_HEAD + OBSTACLE * read_u32(frame, FRAME_HEAD - 8)? as usize;
    for number in 0..body_count {
        let points = read_u32(frame, at + 24)? as usize;
        let positions = at + BODY_HEAD..at + BODY_HEAD + points * 12;
        if number == body {
            let coordinate = |i: usize| {
                let bytes = frame.get(at + 8 * i..at + 8 * i + 8)?;
                Some(f64::from_le_bytes(bytes.try_into().ok()?))
            };
            let origin = dvec3(coordinate(0)?, coordinate(1)?, coordinate(2)?);
            let floats: Vec<f64> = frame
                .get(positions)?
                .as_chunks::<4>()
                .0
                .iter()
                .map(|bytes| f64::from(f32::from_le_bytes(*bytes)))
                .collect();
            return Some(floats.as_chunks::<3>().0.iter().map(|x| origin + DVec3::from_array(*x)).collect());
        }
        at = positions.end.next_multiple_of(8);
    }
    None
}

fn head(kind: u8) -> Vec<u8> {
    vec![WIRE_VERSION, kind, 0, 0]
}

fn put_u32s(out: &mut Vec<u8>, values: &[u32]) {
    out.extend(values.iter().flat_map(|v| v.to_le_bytes()));
}

fn about(x: DVec3, origin: DVec3) -> [u8; 12] {
    let mut bytes = [0; 12];
    for (slot, c) in bytes.as_chunks_mut::<4>().0.iter_mut().zip((x - origin).to_array()) {
        *slot = (c as f32).to_le_bytes();
    }
    bytes
}

fn read_u32(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_math::DQuat;
    use sinew_solve::{BodyState, Friction, Memory, Shape};

    fn body(origin: DVec3, x: Vec<DVec3>) -> BodyState {
        let v = vec![DVec3::ZERO; x.len()];
        BodyState { origin, x, v, memory: Memory::ShapeMatching { rotation: Vec::new() } }
    }

    #[test]
    fn flesh_survives_the_wire_far_from_the_world_origin() {
        let far = dvec3(4.0e4, 1.0, -7.0e4);
        let bodies = vec![
            body(DVec3::ZERO, vec![dvec3(0.1, 0.2, 0.3)]),
            body(far, vec![far + dvec3(0.25, 0.0, 1e-4), far - dvec3(0.5, 0.125, 0.0)]),
        ];
        let state = StageState { tick: 8, bodies, director_states: Vec::new() };
        let obstacle = Obstacle {
            shape: Shape::Plane,
            at: far,
            turn: DQuat::IDENTITY,
            velocity: DVec3::ZERO,
            spin: DVec3::ZERO,
            friction: Friction::even(1.0),
        };
        let message = frame_message(FrameHead { frame: 3, tick: 8, step_ms: 0.25 }, &state, &[obstacle]);
        assert_eq!(message.len() % 8, 0);
        for (number, body) in state.bodies.iter().enumerate() {
            let back = flesh_of(&message, number).unwrap();
            // f32 about the origin keeps 1e-7 of the body's size, here 0.5 m.
            assert!(back.iter().zip(&body.x).all(|(a, b)| a.distance(*b) < 1e-7), "{back:?}");
        }
        assert_eq!(flesh_of(&message, 2), None);
        assert_eq!(flesh_of(&message[..40], 1), None);
    }
}
