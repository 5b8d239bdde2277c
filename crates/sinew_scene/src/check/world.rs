//! Time, obstacles, camera and light.

use super::place::{Found, Place, check_unique};
use crate::model::{Camera, Channel3, Light, Obstacle, Shot};
use sinew_math::{DVec3, Number};

/// Eleven hours at 24 frames a second; more is a slip of the keyboard.
const MOST_FRAMES: i64 = 1_000_000;

pub(super) fn check_shot(shot: &Shot, at: &Place, found: &mut Found) {
    let [first, last] = shot.frames.map(i64::from);
    let at = at.key("frames");
    if last == first {
        at.wrong(found, format!("frames {first} to {last} hold no motion"), "the last frame lies after the first");
    } else if last < first {
        let help = format!("both ends are included: did you mean [{last}, {first}]?");
        at.wrong(found, format!("frames run backwards, from {first} to {last}"), help);
    } else if last - first >= MOST_FRAMES {
        let help = format!("at most {MOST_FRAMES} frames");
        at.wrong(found, format!("{} frames are too many", last - first + 1), help);
    }
}

pub(super) fn check_obstacles(obstacles: &[Obstacle], at: &Place, found: &mut Found) {
    let names = obstacles.iter().enumerate().filter_map(|(i, obstacle)| Some((i, obstacle.name.as_deref()?)));
    check_unique(names, "obstacle", at, found);
}

pub(super) fn check_camera(camera: &Camera, at: &Place, found: &mut Found) {
    if camera.fov_deg.is_some() && camera.lens_mm.is_some() {
        let help = "keep one of them: both set the angle of view";
        at.key("lens_mm").wrong(found, "`fov_deg` and `lens_mm` are both given", help);
    }
    let (eye, look_at) = (constant(&camera.eye), constant(&camera.look_at));
    if eye.is_some() && eye == look_at {
        at.key("look_at").wrong(found, "the camera looks at itself", "move `eye` or `look_at`");
    }
}

pub(super) fn check_light(light: &Light, at: &Place, found: &mut Found) {
    if constant(&light.from) == Some(DVec3::ZERO) {
        at.key("from").wrong(found, "the light comes from nowhere", "give a direction such as [0.5, 1.0, 0.7]");
    }
}

fn constant(channel: &Channel3) -> Option<DVec3> {
    let mut value = DVec3::ZERO;
    for (axis, channel) in channel.0.iter().enumerate() {
        let Number::Constant(number) = channel.0 else { return None };
        value[axis] = number;
    }
    Some(value)
}
