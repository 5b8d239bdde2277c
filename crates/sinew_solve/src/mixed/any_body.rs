//! One body of any implicit method, and its step.

use super::MixedError;
use crate::fem::{FemBody, FemScratch};
use crate::implicit::{BodyModel, Implicit, InitialGuess, Interval, NewtonParams, Stiffness, Unknowns};
use crate::springs::{Prepared, SpringsBody, SpringsError, SpringsScratch};
use crate::{BodyState, Cues, Flesh};

pub(super) enum AnyBody {
    Fem(FemBody),
    Springs(Box<Prepared>),
}

impl AnyBody {
    pub(super) fn springs(body: SpringsBody) -> Result<Self, SpringsError> {
        Ok(Self::Springs(Box::new(Prepared::new(body)?)))
    }

    pub(super) fn flesh(&self) -> &Flesh {
        match self {
            Self::Fem(body) => &body.flesh,
            Self::Springs(body) => body.flesh(),
        }
    }
}

/// What a body's step works in. Always of the kind of its body.
pub(super) enum AnyScratch {
    Fem(Box<FemScratch>),
    Springs(Box<SpringsScratch>),
}

impl AnyScratch {
    pub(super) fn new(body: &AnyBody) -> Result<Self, MixedError> {
        Ok(match body {
            AnyBody::Fem(body) => Self::Fem(Box::new(FemScratch::new(body)?)),
            AnyBody::Springs(body) => Self::Springs(Box::new(SpringsScratch::new(body))),
        })
    }
}

impl AnyScratch {
    /// Whether a midpoint step was refused since this was last asked.
    pub(super) fn take_refusal(&mut self) -> bool {
        match self {
            Self::Fem(own) => own.take_refusal(),
            Self::Springs(_) => false,
        }
    }
}

type At<'a> = Interval<'a, AnyBody>;

/// The interval of a body as its own method sees it.
fn of<'a, B>(at: &At<'a>, body: &'a B) -> Interval<'a, B> {
    Interval {
        body,
        start: at.start,
        cues: at.cues,
        contacts: at.contacts,
        number: at.number,
        touching: at.touching,
        h: at.h,
    }
}

/// Calls a method of the scratch with the interval of its own body.
macro_rules! with_own {
    ($scratch:expr, $at:expr, |$own:ident, $interval:ident| $call:expr) => {
        match ($scratch, $at.body) {
            (AnyScratch::Fem($own), AnyBody::Fem(body)) => {
                let $interval = &of($at, body);
                Some($call)
            }
            (AnyScratch::Springs($own), AnyBody::Springs(body)) => {
                let $interval = &of($at, &**body);
                Some($call)
            }
            _ => None,
        }
    };
}

impl Implicit for AnyScratch {
    type Body = AnyBody;

    fn params(body: &AnyBody) -> NewtonParams {
        match body {
            AnyBody::Fem(body) => FemScratch::params(body),
            AnyBody::Springs(body) => SpringsScratch::params(body),
        }
    }

    fn contact_stiffness(at: &At<'_>, terms: impl Iterator<Item = (usize, f64)>) -> Stiffness {
        match at.body {
            AnyBody::Fem(body) => FemScratch::contact_stiffness(&of(at, body), terms),
            AnyBody::Springs(body) => SpringsScratch::contact_stiffness(&of(at, &**body), terms),
        }
    }

    fn begin(&mut self, at: &At<'_>) {
        with_own!(self, at, |own, at| own.begin(at));
    }

    fn evaluate(&mut self, at: &At<'_>) {
        with_own!(self, at, |own, at| own.evaluate(at));
    }

    fn evaluate_at_pins(&mut self, at: &At<'_>) {
        with_own!(self, at, |own, at| own.evaluate_at_pins(at));
    }

    fn assemble(&mut self, at: &At<'_>) {
        with_own!(self, at, |own, at| own.assemble(at));
    }

    fn objective(&mut self, at: &At<'_>) -> f64 {
        with_own!(self, at, |own, at| own.objective(at)).unwrap_or(f64::NAN)
    }

    fn trial_objective(&mut self, at: &At<'_>) -> f64 {
        with_own!(self, at, |own, at| own.trial_objective(at)).unwrap_or(f64::NAN)
    }

    fn finish(&mut self, body: &AnyBody, state: &mut BodyState, cues: &Cues, h: f64) {
        match (self, body) {
            (Self::Fem(own), AnyBody::Fem(body)) => own.finish(body, state, cues, h),
            (Self::Springs(own), AnyBody::Springs(body)) => own.finish_among_others(body, state, cues, h),
            _ => {}
        }
    }

    fn finish_midpoint(&mut self, at: &At<'_>, state: &mut BodyState, cues: &Cues) -> bool {
        with_own!(self, at, |own, at| own.finish_midpoint(at, state, cues)).unwrap_or(true)
    }

    fn is_midpoint(body: &AnyBody) -> bool {
        match body {
            AnyBody::Fem(body) => FemScratch::is_midpoint(body),
            AnyBody::Springs(body) => SpringsScratch::is_midpoint(body),
        }
    }

    fn model(body: &AnyBody) -> BodyModel<'_> {
        match body {
            AnyBody::Fem(body) => FemScratch::model(body),
            AnyBody::Springs(body) => SpringsScratch::model(body),
        }
    }

    fn unknowns(&self) -> &Unknowns {
        match self {
            Self::Fem(own) => own.unknowns(),
            Self::Springs(own) => own.unknowns(),
        }
    }

    fn unknowns_mut(&mut self) -> &mut Unknowns {
        match self {
            Self::Fem(own) => own.unknowns_mut(),
            Self::Springs(own) => own.unknowns_mut(),
        }
    }

    fn initial_guesses(at: &At<'_>) -> &'static [InitialGuess] {
        match at.body {
            AnyBody::Fem(body) => FemScratch::initial_guesses(&of(at, body)),
            AnyBody::Springs(body) => SpringsScratch::initial_guesses(&of(at, &**body)),
        }
    }

    fn has_moved(&mut self) {
        match self {
            Self::Fem(own) => own.has_moved(),
            Self::Springs(own) => own.has_moved(),
        }
    }

    fn needs_no_line_search(body: &AnyBody) -> bool {
        match body {
            AnyBody::Fem(body) => FemScratch::needs_no_line_search(body),
            AnyBody::Springs(body) => SpringsScratch::needs_no_line_search(body),
        }
    }
}
