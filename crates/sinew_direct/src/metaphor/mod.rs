//! Control metaphors: stretch, compress, twist and bend by outer forces on regions of a body.
//!
//! Transue, Choi: "Interactive Control of Deformable-object Animations through Control Metaphor Pattern Adherence" (2014) call a metaphor (R, O, V, F): regions
//! ([`Region`]), directions in them ([`Orientation`]), a widget that carries both ([`Widget`]) and a curve of magnitudes. A node in a region gets
//! `f(t) · o(x)` (CM-20). Regions are chosen at rest and keep to their material; directions are those of the widget's frame as the body is now.
//!
//! Departures. The magnitude is the force on a whole region, shared by mass, so that it does not depend on the mesh ([`Sharing::PerNode`] is the
//! paper's). Forces may be balanced ([`balance`]) and bounded by what the material bears, which the paper leaves to the user (CM-36).

mod act;
mod balance;
mod bound;
mod goal;
mod inside;
mod measured;
mod orientation;
mod region;
mod section;
mod trouble;
mod turns;
mod widget;

pub use act::{Cylinders, Joint, Part, bend, compress, stretch, twist};
pub use balance::{Net, balancing};
pub use bound::{Bound, Strength, bound};
pub use goal::Goal;
pub use measured::Measured;
pub use orientation::{Growth, Orientation, blend_arrows};
pub use region::Region;
pub use trouble::{Trouble, troubles};
pub use widget::Widget;

use inside::Inside;
use sinew_math::{DVec3, Number};
use sinew_solve::{CueError, CueWriter, Director, DirectorState, Flesh, Measures, Now, Row, Seen};
use turns::Turns;
use widget::Frame;

/// Forces on regions of a body, by a widget welded to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Metaphor {
    pub widget: Widget,
    /// Magnitude over frames, N. Zero outside the interval it acts in; reversed where it is negative.
    pub newton: Number,
    pub sharing: Sharing,
    /// Takes off what would move or turn the body as a whole.
    pub is_balanced: bool,
    /// No magnitude beyond this, the director's weight included.
    pub bound: Bound,
    pub measured: Measured,
    pub goal: Option<Goal>,
    /// How far the rest shape goes over frames to meet the goal from inside; without it, as far as is wanted.
    pub contraction: Option<Number>,
    /// Meets the goal by its rest shape, without forces.
    inside: Option<Inside>,
    groups: Vec<Group>,
}

/// Points this share of the body's size outside a region are on its face: coordinates of files have six digits.
const ON_FACE: f64 = 1e-6;

/// How far off a goal may be when it is to be reached, as a share of it, before it is told.
const MISSED: f64 = 0.05;

/// How a region's force is shared among its points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sharing {
    /// By mass: all of the region together get the magnitude.
    #[default]
    ByMass,
    /// Every point gets the magnitude, however fine the mesh: the paper's way.
    PerNode,
}

/// The points of one region.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Group {
    points: Vec<u32>,
    /// Of each point in the region's force.
    share: Vec<f64>,
    orientation: Orientation,
}

impl Metaphor {
    pub fn new(flesh: &Flesh, widget: Widget, parts: Vec<Part>, newton: Number, measured: Measured) -> Self {
        let (frame, slack_m) = (widget.at_rest(), ON_FACE * flesh.size_m());
        let group = |part: Part| {
            let all = 0..flesh.point_count() as u32;
            let holds = |&point: &u32| part.region.holds(point, frame.place(flesh.rest[point as usize]), slack_m);
            Group { points: all.filter(holds).collect(), share: Vec::new(), orientation: part.orientation }
        };
        let groups = parts.into_iter().map(group).collect();
        let made = Self {
            widget,
            newton,
            sharing: Sharing::ByMass,
            is_balanced: false,
            bound: Bound::NONE,
            measured,
            goal: None,
            contraction: None,
            inside: None,
            groups,
        };
        made.shared(flesh, Sharing::ByMass)
    }

    /// Shares forces in another way.
    #[must_use]
    pub fn shared(mut self, flesh: &Flesh, sharing: Sharing) -> Self {
        self.sharing = sharing;
        let frame = self.widget.at_rest();
        for group in &mut self.groups {
            let counts = |&point: &u32| match sharing {
                Sharing::ByMass => flesh.mass_kg[point as usize],
                Sharing::PerNode => 1.0,
            };
            // Where directions are as long as distances, shares make up for it: the region's forces sum up to the magnitude, whatever its radius.
            let length = |&point: &u32| match group.orientation {
                Orientation::Around { grows: Growth::ByRadius, .. } => {
                    group.orientation.at(point, frame.place(flesh.rest[point as usize])).length()
                }
                _ => 1.0,
            };
            let total: f64 = group.points.iter().map(|point| counts(point) * length(point)).sum();
            let all = if sharing == Sharing::PerNode { group.points.len() as f64 } else { 1.0 };
            let share = |point: &u32| if total > 0.0 { all * counts(point) / total } else { 0.0 };
            group.share = group.points.iter().map(share).collect();
        }
        self
    }

    /// Meets a goal from inside: by its rest shape instead of forces. As it was where the two ends cannot be told apart.
    #[must_use]
    pub fn from_inside(mut self, flesh: &Flesh, goal: Goal) -> Self {
        self.goal = Some(goal);
        self.inside = Inside::new(&self, flesh);
        self
    }

    /// The points of each region.
    pub fn regions(&self) -> impl Iterator<Item = &[u32]> {
        self.groups.iter().map(|group| &*group.points)
    }

    /// A region that holds something.
    fn region(&self, number: usize) -> Option<&Group> {
        self.groups.get(number).filter(|group| !group.points.is_empty())
    }

    /// The magnitude that acts at a frame under a director of this weight, as it is bounded.
    pub fn magnitude_n(&self, frame: f64, weight: f64) -> f64 {
        if self.inside.is_some() { 0.0 } else { self.bound.clamp(weight * self.newton.value(frame)) }
    }

    /// What one newton of magnitude pushes each region with: the sum of its forces' lengths.
    pub fn newton_by_region(&self, flesh: &Flesh) -> impl Iterator<Item = f64> {
        let frame = self.widget.at_rest();
        self.groups.iter().map(move |group| {
            let force = |(&point, share): (&u32, &f64)| {
                group.orientation.at(point, frame.place(flesh.rest[point as usize])).length() * share
            };
            group.points.iter().zip(&group.share).map(force).sum()
        })
    }

    /// What one newton of magnitude is measured as: a metaphor of one's own may push with a factor.
    fn newton_measured(&self, flesh: &Flesh) -> f64 {
        let is_own = self.measured == Measured::Nothing && self.sharing == Sharing::ByMass;
        if is_own { self.newton_by_region(flesh).fold(0.0, f64::max) } else { 1.0 }
    }

    /// Forces of one newton, unbalanced, on points at `x` with the widget at `frame`.
    fn unit_forces<'a>(&'a self, frame: Frame, x: &'a [DVec3]) -> impl Iterator<Item = (usize, DVec3)> + Clone + 'a {
        self.groups.iter().flat_map(move |group| {
            group.points.iter().zip(&group.share).map(move |(&point, share)| {
                let way = group.orientation.at(point, frame.place(x[point as usize]));
                (point as usize, frame.direction(way) * *share)
            })
        })
    }

    /// Says so where the goal is to be reached as this interval begins, and is not.
    fn missed(&self, now: Now, seen: &Seen<'_>, before: Option<Turns>) -> Option<String> {
        let goal = self.goal.filter(|goal| goal.amount != 0.0)?;
        let per_interval = now.h_secs * now.frames_per_sec;
        let since = now.end_frame - per_interval - goal.at;
        // Where a run begins, nothing has had time to move.
        if now.tick == 0 || !(-0.25 * per_interval..0.75 * per_interval).contains(&since) {
            return None;
        }
        let (name, unit, value) = self.measured.now(self, seen, before)?;
        let off = (value / goal.amount - 1.0).abs();
        let unit = if unit == "deg" { "°" } else { " %" };
        (off > MISSED).then(|| {
            format!(
                "its goal is missed: a {name} of {value:.1}{unit} at frame {}, where {}{unit} are wanted; solve it again (sinew refine goal)",
                goal.at, goal.amount
            )
        })
    }

    /// Net force and torque of one newton on the body at rest.
    pub fn net_at_rest(&self, flesh: &Flesh) -> Net {
        Net::of(&flesh.rest, &flesh.mass_kg, self.unit_forces(self.widget.at_rest(), &flesh.rest))
    }
}

impl Director for Metaphor {
    fn cue(
        &self,
        now: Now,
        seen: &Seen<'_>,
        memory: &mut DirectorState,
        out: &mut CueWriter<'_>,
    ) -> Result<(), CueError> {
        let frame = self.widget.now(seen.flesh, seen.state);
        let before = Turns::remembered(memory, now);
        if let Some(turns) = self.measured.turns(self, seen.flesh, frame, &seen.state.x) {
            turns.after(before).remember(memory, now);
        }
        if let Some(what) = self.missed(now, seen, before) {
            out.warn(what);
        }
        if let (Some(inside), Some(goal)) = (&self.inside, &self.goal) {
            let far =
                self.contraction.as_ref().map_or_else(|| goal.wanted(now.end_frame), |of| of.value(now.end_frame));
            if far != 0.0 && far.is_finite() {
                let shape = inside.shape(self, seen.flesh, far);
                let moved = shape.iter().zip(&seen.flesh.rest).map(|(to, from)| *to - *from);
                moved.enumerate().for_each(|(point, by)| out.rest_offset(point, by));
            }
            return Ok(());
        }
        // The writer applies the weight, which is within the bound.
        let newton = self.magnitude_n(now.end_frame, out.weight()) / out.weight();
        if newton == 0.0 || !newton.is_finite() {
            return Ok(());
        }
        let (flesh, x) = (seen.flesh, &seen.state.x);
        let forces = self.unit_forces(frame, x);
        if !self.is_balanced {
            forces.for_each(|(point, force)| out.force(Row(point as u32), force * newton));
            return Ok(());
        }
        // A force turns a body by the arms that its solver has in the interval, not by those at its beginning. What is expected of them wrongly the
        // solver takes back.
        let coasting = |(x, v): (&DVec3, &DVec3)| *x + *v * (seen.force_arm * now.h_secs);
        let x: Vec<DVec3> = x.iter().zip(&seen.state.v).map(coasting).collect();
        let net = Net::of(&x, &flesh.mass_kg, forces.clone());
        forces.for_each(|(point, force)| out.balanced_force(Row(point as u32), force * newton));
        for (point, force) in balancing(&x, &flesh.mass_kg, &net).into_iter().enumerate() {
            out.balanced_force(Row(point as u32), force * newton);
        }
        Ok(())
    }

    fn measure(&self, now: Now, seen: &Seen<'_>, memory: &DirectorState, out: &mut Measures<'_>) {
        let newton = self.magnitude_n(now.end_frame, out.weight());
        out.number("force", "N", newton * self.newton_measured(seen.flesh));
        if let Some((name, unit, value)) = self.measured.now(self, seen, Turns::remembered(memory, now)) {
            out.number(name, unit, value);
            if let Some(goal) = &self.goal {
                out.number("wanted", unit, goal.wanted(now.end_frame));
            }
        }
    }
}

#[cfg(test)]
mod tests;
