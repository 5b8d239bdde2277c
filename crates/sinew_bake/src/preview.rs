//! What comes next: a second stage, on a thread of its own and of low priority, that plays on from any state
//! of a run.
//!
//! The run is never touched: a preview gets a copy of a state and has its own stage, so that it may be asked
//! as often as a slider moves. A new question takes the place of the one under way at once: the step under
//! way is abandoned. Ghosts come one after the other, the nearest first, and that one is told after every
//! frame on its way: who drags sees the body answer at once, however far apart the ghosts are.

use sinew_solve::{Input, StageState, StepError, StopFlag};
use sinew_stage::{DirectorSetup, Script, Stage, StageOutline};
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread::JoinHandle;

/// What is asked of a preview.
#[derive(Debug, Clone)]
pub struct PreviewAsk {
    /// The state to go on from, and the outline of the stage that it is of.
    pub state: Arc<StageState>,
    pub of: Arc<StageOutline>,
    /// The gesture in hand: inputs that act on the first substep.
    pub input: Vec<Input>,
    /// How many ghosts, and how many frames there are from one to the next.
    pub ghosts: u32,
    pub every: u32,
}

/// A state that the run would come to.
#[derive(Debug, Clone, PartialEq)]
pub struct Ghost {
    /// The number of the question, as [`Preview::ask`] gave it.
    pub asked: u64,
    pub frame: i32,
    /// The first ghost is still on its way to its frame: the next one takes its place.
    pub is_on_its_way: bool,
    pub state: StageState,
}

/// What a preview says.
#[derive(Debug, Clone, PartialEq)]
pub enum Previewed {
    Ghost(Box<Ghost>),
    /// The question is answered, or cannot be: the state is of other bodies, or a step failed.
    Over {
        asked: u64,
        failed: Option<String>,
    },
}

enum Order {
    Ask { asked: u64, ask: PreviewAsk },
    Direct(Vec<Vec<DirectorSetup>>),
    Script(Script),
    Restage(Box<Stage>),
}

/// A stage that shows what comes next. Dropping it ends its thread.
pub struct Preview {
    orders: Option<Sender<(StopFlag, Order)>>,
    /// Abandons the step under way when something else is asked.
    stop: StopFlag,
    asked: u64,
    thread: Option<JoinHandle<()>>,
}

impl Preview {
    /// Starts with a stage of its own, whose threads get the lowest priority. `tell` hears every ghost, on the
    /// preview's thread.
    pub fn start(stage: Stage, tell: impl FnMut(Previewed) + Send + 'static) -> io::Result<Self> {
        let (orders, inbox) = channel();
        let stop = StopFlag::default();
        let work = {
            let stop = stop.clone();
            move || Worker { stage, stop, inbox, tell }.run()
        };
        let thread = std::thread::Builder::new().name("preview".into()).spawn(work)?;
        Ok(Self { orders: Some(orders), stop, asked: 0, thread: Some(thread) })
    }

    /// Asks what comes after a state; what was asked before is given up. The number of the question.
    pub fn ask(&mut self, ask: PreviewAsk) -> u64 {
        self.asked += 1;
        self.send(Order::Ask { asked: self.asked, ask });
        self.asked
    }

    /// Other directors for the bodies on its stage. The last question is asked again.
    pub fn direct(&mut self, directors: Vec<Vec<DirectorSetup>>) {
        self.send(Order::Direct(directors));
    }

    /// Other inputs of the scene itself. The last question is asked again.
    pub fn set_script(&mut self, script: Script) {
        self.send(Order::Script(script));
    }

    /// Another stage. The last question is asked again.
    pub fn restage(&mut self, stage: Stage) {
        self.send(Order::Restage(Box::new(stage)));
    }

    fn send(&mut self, order: Order) {
        if let Some(orders) = &self.orders {
            let next = StopFlag::default();
            // A thread that is gone has panicked and told so; there is nothing to show then.
            let _ = orders.send((next.clone(), order));
            // Only now: who is stopped finds the order.
            std::mem::replace(&mut self.stop, next).set();
        }
    }
}

impl Drop for Preview {
    fn drop(&mut self) {
        self.orders = None;
        self.stop.set();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

struct Worker<T> {
    stage: Stage,
    stop: StopFlag,
    inbox: Receiver<(StopFlag, Order)>,
    tell: T,
}

/// Nobody can ask any more.
struct Gone;

impl<T: FnMut(Previewed)> Worker<T> {
    fn run(mut self) {
        lower_priority(&self.stage);
        self.stage.stop_by(self.stop.clone());
        let mut question: Option<(u64, PreviewAsk)> = None;
        loop {
            let Ok(order) = self.inbox.recv() else { return };
            self.take(order, &mut question);
            // Answered anew as long as something is asked meanwhile.
            while let Some((asked, ask)) = question.clone() {
                match self.answer(asked, &ask, &mut question) {
                    Err(Gone) => return,
                    Ok(true) => break,
                    Ok(false) => {}
                }
            }
        }
    }

    fn take(&mut self, (stop, order): (StopFlag, Order), question: &mut Option<(u64, PreviewAsk)>) {
        self.stop = stop;
        match order {
            Order::Ask { asked, ask } => *question = Some((asked, ask)),
            Order::Direct(directors) => self.stage.redirect([], directors),
            Order::Script(script) => self.stage.set_script(script),
            Order::Restage(stage) => {
                self.stage = *stage;
                lower_priority(&self.stage);
            }
        }
        self.stage.stop_by(self.stop.clone());
    }

    /// Whether anything has been asked since.
    fn is_outdated(&mut self, question: &mut Option<(u64, PreviewAsk)>) -> Result<bool, Gone> {
        let mut is_outdated = false;
        loop {
            match self.inbox.try_recv() {
                Ok(order) => {
                    self.take(order, question);
                    is_outdated = true;
                }
                Err(TryRecvError::Empty) => return Ok(is_outdated),
                Err(TryRecvError::Disconnected) => return Err(Gone),
            }
        }
    }

    /// Plays on and tells every ghost. Whether it got to the end: false where something else is asked
    /// meanwhile.
    fn answer(&mut self, asked: u64, ask: &PreviewAsk, question: &mut Option<(u64, PreviewAsk)>) -> Result<bool, Gone> {
        if self.is_outdated(question)? {
            return Ok(false);
        }
        let Some(mut state) = self.stage.transfer_from(&ask.of, &ask.state) else {
            self.end(asked, Some("the state is of other bodies than those on the preview's stage".to_owned()));
            return Ok(true);
        };
        let clock = self.stage.clock();
        let first_tick = state.tick;
        for ghost in 1..=u64::from(ask.ghosts) {
            let until = first_tick + ghost * u64::from(ask.every.max(1)) * u64::from(clock.substeps);
            while state.tick < until {
                let input = if state.tick == first_tick { &ask.input[..] } else { &[] };
                let stepped = self.stage.step(&mut state, input).err();
                if let Some(error) = stepped.filter(|error| *error != StepError::Stopped) {
                    self.end(asked, Some(error.to_string()));
                    return Ok(true);
                }
                if self.is_outdated(question)? {
                    return Ok(false);
                }
                let is_frame = (state.tick - first_tick).is_multiple_of(u64::from(clock.substeps));
                if state.tick == until || ghost == 1 && is_frame {
                    let frame = clock.frame_at(state.tick).unwrap_or(clock.first_frame);
                    let told = Ghost { asked, frame, is_on_its_way: state.tick < until, state: state.clone() };
                    (self.tell)(Previewed::Ghost(Box::new(told)));
                }
            }
        }
        self.end(asked, None);
        Ok(true)
    }

    fn end(&mut self, asked: u64, failed: Option<String>) {
        (self.tell)(Previewed::Over { asked, failed });
    }
}

/// The run has the machine first. Where priorities cannot be lowered, previews are as important as anything
/// else.
fn lower_priority(stage: &Stage) {
    #[cfg(target_os = "linux")]
    {
        /// The weakest claim there is.
        const NICE: i32 = 19;
        // On Linux this is the calling thread's own. Steps run on the threads of the stage's pool.
        let lower = || {
            let _ = rustix::process::setpriority_process(None, NICE);
        };
        stage.pool().broadcast(|_| lower());
        lower();
    }
    #[cfg(not(target_os = "linux"))]
    let _ = stage;
}
