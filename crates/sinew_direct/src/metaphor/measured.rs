//! What came of a metaphor: how far its regions are apart, turned or bent now, against how they are at rest.

use super::turns::Turns;
use super::widget::Frame;
use super::{Group, Metaphor};
use sinew_math::libm::atan2;
use sinew_math::rotation::best_fit_rotation;
use sinew_math::{DQuat, DVec3};
use sinew_solve::{Flesh, Seen};

/// Which number tells how far a metaphor has got.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Measured {
    /// How much farther the first two regions are apart than at rest, per cent.
    Stretch,
    /// How much nearer, per cent.
    Compression,
    /// How far the second region is turned against the first about the widget's x axis, degrees.
    Twist,
    /// How far the first two regions are raised towards the widget's y, seen from the third, against how they are at rest, degrees: by how much the
    /// angle between them is smaller, with a sign.
    Bend,
    #[default]
    Nothing,
}

impl Measured {
    /// Name, unit and value as the body is now, beyond half a turn as `before` has it; nothing where a region is empty or has no turn.
    pub(super) fn now(
        self,
        of: &Metaphor,
        seen: &Seen<'_>,
        before: Option<Turns>,
    ) -> Option<(&'static str, &'static str, f64)> {
        self.value(of, seen.flesh, of.widget.now(seen.flesh, seen.state), &seen.state.x, before)
    }

    /// The same for points at `x`, with the widget at `frame`.
    pub(super) fn value(
        self,
        of: &Metaphor,
        flesh: &Flesh,
        frame: Frame,
        x: &[DVec3],
        before: Option<Turns>,
    ) -> Option<(&'static str, &'static str, f64)> {
        let turned = || Some(self.turns(of, flesh, frame, x)?.after(before).degrees());
        Some(match self {
            Self::Nothing => return None,
            Self::Stretch | Self::Compression => {
                let (left, right) = (of.region(0)?, of.region(1)?);
                let apart = |x: &[DVec3]| left.centre(flesh, x).distance(right.centre(flesh, x));
                let longer = 100.0 * (apart(x) / apart(&flesh.rest) - 1.0);
                if self == Self::Stretch { ("stretch", "%", longer) } else { ("compression", "%", -longer) }
            }
            Self::Bend => ("bend", "deg", turned()?),
            Self::Twist => ("twist", "deg", turned()?),
        })
    }

    /// How far regions are turned, within half a turn; nothing for what is no angle.
    pub(super) fn turns(self, of: &Metaphor, flesh: &Flesh, frame: Frame, x: &[DVec3]) -> Option<Turns> {
        match self {
            Self::Nothing | Self::Stretch | Self::Compression => None,
            Self::Bend => {
                let (ends, pivot) = ([of.region(0)?, of.region(1)?], of.region(2)?);
                // How far both ends are raised towards y, seen from the pivot.
                let raised = |frame: Frame, x: &[DVec3]| {
                    let arm = |end: &Group| frame.place(end.centre(flesh, x)) - frame.place(pivot.centre(flesh, x));
                    let [a, b] = ends.map(arm);
                    [atan2(a.y, -a.x), atan2(b.y, b.x)]
                };
                let (now, rest) = (raised(frame, x), raised(of.widget.at_rest(), &flesh.rest));
                Some(Turns::new([now[0] - rest[0], now[1] - rest[1]]))
            }
            Self::Twist => {
                let turn = of.region(0)?.turn(flesh, x)?.inverse() * of.region(1)?.turn(flesh, x)?;
                Some(Turns::new([angle_about(turn, of.widget.turn * DVec3::X), 0.0]))
            }
        }
    }
}

impl Group {
    pub(super) fn centre(&self, flesh: &Flesh, x: &[DVec3]) -> DVec3 {
        let mass = |&point: &u32| flesh.mass_kg[point as usize];
        let sum: DVec3 = self.points.iter().map(|point| x[*point as usize] * mass(point)).sum();
        sum / self.points.iter().map(mass).sum::<f64>()
    }

    /// Four points at least have a turn.
    fn turn(&self, flesh: &Flesh, x: &[DVec3]) -> Option<DQuat> {
        let of = |all: &[DVec3]| self.points.iter().map(|&point| all[point as usize]).collect::<Vec<_>>();
        let mass: Vec<f64> = self.points.iter().map(|&point| flesh.mass_kg[point as usize]).collect();
        (mass.len() > 3).then(|| best_fit_rotation(&of(&flesh.rest), &of(x), &mass))
    }
}

/// The part of a turn that is about an axis (the twist of its swing-twist decomposition), radians within ±π.
fn angle_about(turn: DQuat, axis: DVec3) -> f64 {
    let turn = if turn.w < 0.0 { -turn } else { turn };
    2.0 * atan2(turn.xyz().dot(axis), turn.w)
}
