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
mod goal;
mod inside;
mod measured;
mod orientation;
mod region;
mod trouble;
mod widget;

pub use act::{Cylinders, Joint, Part, bend, compress, stretch, twist};
pub use balance::{Net, balancing};
pub use goal::Goal;
pub use measured::Measured;
pub use orientation::{Growth, Orientation, blend_arrows};
pub use region::Region;
pub use trouble::{Strength, Trouble, bears_n, troubles};
pub use widget::Widget;

use inside::Inside;
use sinew_math::{DVec3, Number};
use sinew_solve::{CueError, CueWriter, Director, DirectorState, Flesh, Measures, Now, Row, Seen};
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
    /// No magnitude beyond this, N.
    pub most_newton: f64,
    pub measured: Measured,
    pub goal: Option<Goal>,
    /// Meets the goal by its rest shape, without forces.
    inside: Option<Inside>,
    groups: Vec<Group>,
}

/// Share of the bound of a pull that a press may have.
const PRESSED: f64 = 0.3;

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
        let frame = widget.at_rest();
        let group = |part: Part| {
            let all = 0..flesh.point_count() as u32;
            let holds = |&point: &u32| part.region.holds(point, frame.place(flesh.rest[point as usize]));
            Group { points: all.filter(holds).collect(), share: Vec::new(), orientation: part.orientation }
        };
        let groups = parts.into_iter().map(group).collect();
        let made = Self {
            widget,
            newton,
            sharing: Sharing::ByMass,
            is_balanced: false,
            most_newton: f64::INFINITY,
            measured,
            goal: None,
            inside: None,
            groups,
        };
        made.shared(flesh, Sharing::ByMass)
    }

    /// Shares forces in another way.
    #[must_use]
    pub fn shared(mut self, flesh: &Flesh, sharing: Sharing) -> Self {
        self.sharing = sharing;
        for group in &mut self.groups {
            let total: f64 = group.points.iter().map(|&point| flesh.mass_kg[point as usize]).sum();
            let share = |&point: &u32| match sharing {
                Sharing::ByMass => flesh.mass_kg[point as usize] / total.max(f64::MIN_POSITIVE),
                Sharing::PerNode => 1.0,
            };
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

    /// The magnitude at a frame, as it is bounded.
    pub fn magnitude_n(&self, frame: f64) -> f64 {
        if self.inside.is_some() {
            return 0.0;
        }
        // What is pressed together bears less than what is pulled apart: it would turn inside out.
        let (least, most) = match self.measured {
            Measured::Stretch => (PRESSED * self.most_newton, self.most_newton),
            Measured::Compression => (self.most_newton, PRESSED * self.most_newton),
            _ => (self.most_newton, self.most_newton),
        };
        self.newton.value(frame).clamp(-least, most)
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

    /// Net force and torque of one newton on the body at rest.
    pub fn net_at_rest(&self, flesh: &Flesh) -> Net {
        Net::of(&flesh.rest, &flesh.mass_kg, self.unit_forces(self.widget.at_rest(), &flesh.rest))
    }
}

impl Director for Metaphor {
    fn cue(&self, now: Now, seen: &Seen<'_>, _: &mut DirectorState, out: &mut CueWriter<'_>) -> Result<(), CueError> {
        if let (Some(inside), Some(goal)) = (&self.inside, &self.goal) {
            let wanted = goal.wanted(now.end_frame);
            if wanted != 0.0 {
                let shape = inside.shape(self, seen.flesh, wanted);
                let moved = shape.iter().zip(&seen.flesh.rest).map(|(to, from)| *to - *from);
                moved.enumerate().for_each(|(point, by)| out.rest_offset(point, by));
            }
            return Ok(());
        }
        let newton = self.magnitude_n(now.end_frame);
        if newton == 0.0 {
            return Ok(());
        }
        let (flesh, x) = (seen.flesh, &seen.state.x);
        let frame = self.widget.now(flesh, seen.state);
        let forces = self.unit_forces(frame, x);
        for (point, force) in forces.clone() {
            out.force(Row(point as u32), force * newton);
        }
        if self.is_balanced {
            // A force turns a body about where its points get to in the interval, not where they were.
            let coasting = |(x, v): (&DVec3, &DVec3)| *x + *v * now.h_secs;
            let x: Vec<DVec3> = x.iter().zip(&seen.state.v).map(coasting).collect();
            let net = Net::of(&x, &flesh.mass_kg, forces);
            for (point, force) in balancing(&x, &flesh.mass_kg, &net).into_iter().enumerate() {
                out.force(Row(point as u32), force * newton);
            }
        }
        Ok(())
    }

    fn measure(&self, now: Now, seen: &Seen<'_>, _: &DirectorState, out: &mut Measures<'_>) {
        out.number("force", "N", self.magnitude_n(now.end_frame));
        if let Some((name, unit, value)) = self.measured.now(self, seen) {
            out.number(name, unit, value);
            if let Some(goal) = &self.goal {
                out.number("wanted", unit, goal.wanted(now.end_frame));
            }
        }
    }
}

#[cfg(test)]
mod tests;
