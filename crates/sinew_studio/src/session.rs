//! One page's conversation: what it is told first, what it asks, what it sees. Newest frame wins.
//!
//! Pictures go out only as fast as the page says that it has drawn them, at most [`UNDER_WAY`] at a time, so that none pile up on
//! the way. Words travel ahead of pictures ([`Post`]), and what the page asks is read whatever is still on its way out.

use crate::board::Board;
use crate::desk::{Ask, DeskOrder};
use crate::post::{End, Post};
use crate::protocol::{Command, Event, JobInfo, Transport};
use crate::runner::{FieldOf, Numbers, Order, PageId, Picture};
use crate::section::BodyCut;
use crate::welcome::Welcome;
use crate::{LOOKS, Limits, WIRE_VERSION, picking};
use axum::body::Bytes;
use axum::extract::ws::{Message, WebSocket, close_code};
use futures_util::StreamExt;
use futures_util::stream::SplitStream;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, SyncSender, TrySendError};
use std::time::{Duration, Instant};
use tokio::sync::{Semaphore, mpsc, watch};

/// What all pages share.
pub(crate) struct House {
    pub(crate) limits: Limits,
    pub(crate) orders: SyncSender<Order>,
    /// None for a show without a document.
    pub(crate) desk: Option<Sender<DeskOrder>>,
    pub(crate) board: Arc<Board>,
    pub(crate) pictures: watch::Receiver<Picture>,
    pub(crate) transport: watch::Receiver<Transport>,
    /// Questions on their way to the desk; a page that asks faster waits.
    asking: Arc<Semaphore>,
    pages: AtomicUsize,
    next_page: AtomicU64,
}

/// A page's place among the connected ones; given back when dropped.
pub(crate) struct Seat {
    house: Arc<House>,
    page: PageId,
}

/// Pictures on their way to a page: one that it draws, and the next.
const UNDER_WAY: u32 = 2;

const STAGE_STOPPED: End = End::Closed(close_code::ERROR, "the stage stopped");

impl House {
    pub(crate) fn new(
        limits: Limits,
        orders: SyncSender<Order>,
        desk: Option<Sender<DeskOrder>>,
        board: Arc<Board>,
        (pictures, transport): (watch::Receiver<Picture>, watch::Receiver<Transport>),
    ) -> Self {
        /// More than all pages together have open questions at a time.
        const ASKING: usize = 256;
        let (pages, next_page) = (AtomicUsize::new(0), AtomicU64::new(0));
        let asking = Arc::new(Semaphore::new(ASKING));
        Self { limits, orders, desk, board, pictures, transport, asking, pages, next_page }
    }

    /// None when all places are taken.
    pub(crate) fn take_seat(self: &Arc<Self>) -> Option<Seat> {
        let more = |taken: usize| (taken < self.limits.pages).then_some(taken + 1);
        self.pages.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).ok()?;
        Some(Seat { house: self.clone(), page: self.next_page.fetch_add(1, Ordering::Relaxed) })
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.house.pages.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Talks with a page until it leaves, stalls or breaks the rules; its hands let go then.
pub(crate) async fn converse(socket: WebSocket, seat: Seat) {
    let (replies, answers) = mpsc::channel(32);
    let welcome = seat.house.pictures.borrow().welcome.clone();
    let (sink, mut socket) = socket.split();
    let mut talk = Talk {
        post: Post::open(sink, greeting(&welcome), seat.house.limits.stalled_after),
        seat,
        replies,
        welcome,
        sent: Sent::default(),
        under_way: 0,
        is_due: false,
        synced: Vec::new(),
        looks: BTreeMap::new(),
        cut: None,
        layer: None,
        cut_of: None,
    };
    let page = talk.seat.page;
    tracing::info!(?page, "a page came");
    let end = talk.run(&mut socket, answers).await;
    tracing::info!(?page, ?end, "a page left");
    let Talk { post, seat, .. } = talk;
    post.close(end.err().unwrap_or(End::Gone)).await;
    let Seat { house, page } = &seat;
    let _ = order(house, Order::Gone(*page)).await;
    if let Some(desk) = &house.desk {
        let _ = desk.send(DeskOrder::Gone(*page));
    }
}

struct Talk {
    post: Post,
    seat: Seat,
    /// Where the desk answers this page.
    replies: mpsc::Sender<Event>,
    /// The stage the page knows.
    welcome: Arc<Welcome>,
    sent: Sent,
    /// Pictures that were sent and not drawn yet.
    under_way: u32,
    /// Whether the newest picture goes out again, for another cut through it.
    is_due: bool,
    /// Numbers of what the page asked that is done: told after the picture of it.
    synced: Vec<u32>,
    /// What it wants to see, by body: what sections show first, then directions and what other views show.
    looks: BTreeMap<u32, Vec<Option<FieldOf>>>,
    cut: Option<BodyCut>,
    /// The body and layer that the cut follows, and the message of layers it was made of.
    layer: Option<(u32, f64)>,
    cut_of: Option<Bytes>,
}

/// What the page has already, so that it is not sent again.
#[derive(Default)]
struct Sent {
    fields: BTreeMap<FieldOf, Bytes>,
    ghosts: Vec<Bytes>,
    keys: Vec<Bytes>,
    jobs: BTreeMap<u32, JobInfo>,
}

impl Talk {
    async fn run(
        &mut self,
        socket: &mut SplitStream<WebSocket>,
        mut answers: mpsc::Receiver<Event>,
    ) -> Result<(), End> {
        let house = self.seat.house.clone();
        let (mut pictures, mut transport) = (house.pictures.clone(), house.transport.clone());
        let (mut document, mut gallery) = (house.board.document.subscribe(), house.board.gallery.subscribe());
        let (mut jobs, mut takes) = (house.board.jobs.subscribe(), house.board.takes.subscribe());
        pictures.mark_changed();
        transport.mark_changed();
        document.mark_changed();
        gallery.mark_changed();
        jobs.mark_changed();
        takes.mark_changed();
        let silent_after = house.limits.silent_after;
        let mut pings = tokio::time::interval(silent_after / 4);
        let mut heard = Instant::now();
        loop {
            let may_show = self.under_way < UNDER_WAY;
            tokio::select! {
                biased; // what the page asks comes first, what it sees last
                message = socket.next() => {
                    let message = message.ok_or(End::Gone)?.map_err(|_| End::Gone)?;
                    heard = Instant::now();
                    self.hear(message).await?;
                }
                end = self.post.ended() => return Err(end),
                _ = pings.tick() => {
                    // Browsers answer pings by themselves, whatever their page does.
                    if heard.elapsed() > silent_after {
                        return Err(End::Closed(close_code::AWAY, "the page fell silent"));
                    }
                    self.post.words(Message::Ping(Bytes::new())).await?;
                }
                changed = document.changed() => {
                    changed.map_err(|_| End::Gone)?;
                    let newest = document.borrow_and_update().clone();
                    if let Some(newest) = newest {
                        self.tell(&Event::Document((*newest).clone())).await?;
                    }
                }
                changed = gallery.changed() => {
                    changed.map_err(|_| End::Gone)?;
                    let newest = gallery.borrow_and_update().clone();
                    self.tell(&Event::Gallery(newest)).await?;
                }
                changed = jobs.changed() => {
                    changed.map_err(|_| End::Gone)?;
                    let newest = jobs.borrow_and_update().clone();
                    self.tell_jobs(newest).await?;
                }
                changed = takes.changed() => {
                    changed.map_err(|_| End::Gone)?;
                    let newest = takes.borrow_and_update().clone();
                    self.tell(&Event::Takes(newest)).await?;
                }
                changed = transport.changed() => {
                    changed.map_err(|_| STAGE_STOPPED)?;
                    let newest = transport.borrow_and_update().clone();
                    self.tell(&Event::Transport(newest)).await?;
                }
                // After what the desk and the stage told meanwhile, so that an answer is never ahead of what
                // it is about.
                Some(answer) = answers.recv() => match answer {
                    Event::Synced { id } => self.synced.push(id),
                    answer => self.tell(&answer).await?,
                },
                changed = pictures.changed(), if may_show => {
                    changed.map_err(|_| STAGE_STOPPED)?;
                    let newest = pictures.borrow_and_update().clone();
                    self.show(newest).await?;
                }
                () = std::future::ready(()), if !self.synced.is_empty() && !pictures.has_changed().unwrap_or(false) => {
                    let messages = self.take_synced()?;
                    self.post.picture(messages).await?;
                }
                () = std::future::ready(()), if may_show && self.is_due => {
                    let newest = pictures.borrow_and_update().clone();
                    self.show(newest).await?;
                }
            }
        }
    }

    /// The newest picture: what the page does not have of it.
    async fn show(&mut self, picture: Picture) -> Result<(), End> {
        let mut messages = Vec::new();
        if !Arc::ptr_eq(&self.welcome, &picture.welcome) {
            self.welcome = picture.welcome.clone();
            self.sent.fields.clear();
            self.sent.keys.clear();
            self.cut = None;
            messages = greeting(&self.welcome);
        }
        messages.push(Message::Binary(picture.frame.clone()));
        for (of, field) in &picture.fields {
            let is_new = self.sent.fields.get(of).is_none_or(|sent| !is_same(sent, field));
            let is_wanted = |looks: &Vec<Option<FieldOf>>| looks.iter().flatten().any(|wanted| wanted == of);
            if self.looks.get(&of.body).is_some_and(is_wanted) && is_new {
                self.sent.fields.insert(of.clone(), field.clone());
                messages.push(Message::Binary(field.clone()));
            }
        }
        self.follow_layer(&picture).await;
        messages.extend(self.section(&picture).map(Message::Binary));
        messages.extend(picture.take.map(Message::Binary));
        messages.extend(new_to_page(&mut self.sent.ghosts, picture.ghosts));
        messages.extend(new_to_page(&mut self.sent.keys, picture.keys));
        messages.extend(self.take_synced()?);
        (self.under_way, self.is_due) = (self.under_way + 1, false);
        self.post.picture(messages).await
    }

    /// What says that the page's wishes are done, to follow the pictures of them.
    fn take_synced(&mut self) -> Result<Vec<Message>, End> {
        std::mem::take(&mut self.synced).into_iter().map(|id| words_of(&Event::Synced { id })).collect()
    }

    /// Makes the cut along a layer when the layers have changed.
    async fn follow_layer(&mut self, picture: &Picture) {
        let Some((body, level)) = self.layer else { return };
        let is_layers = |look: u32| LOOKS.get(look as usize) == Some(&"layer");
        let wanted = self.looks.get(&body).into_iter().flatten().flatten().find(|of| is_layers(of.look));
        let layers = picture.fields.iter().find(|(of, _)| Some(of) == wanted);
        let Some((_, layers)) = layers.filter(|(_, new)| self.cut_of.as_ref().is_none_or(|old| !is_same(old, new)))
        else {
            return;
        };
        let (welcome, message) = (self.welcome.clone(), layers.clone());
        let cut = beside(move || BodyCut::along_layer(&welcome, body, &message, level)).await;
        self.cut = cut.and_then(Result::ok);
        self.cut_of = Some(layers.clone());
    }

    /// The cut that the page wants to see, through the body as it is in the picture.
    fn section(&self, picture: &Picture) -> Option<Bytes> {
        let cut = self.cut.as_ref()?;
        let look = self.looks.get(&cut.body).and_then(|looks| looks.first()?.as_ref());
        let field = picture.fields.iter().find(|(of, _)| Some(of) == look);
        cut.message(&picture.frame, field.map(|(_, field)| &field[..]))
    }

    async fn tell_jobs(&mut self, jobs: Vec<JobInfo>) -> Result<(), End> {
        for job in jobs {
            if self.sent.jobs.get(&job.id) != Some(&job) {
                self.sent.jobs.insert(job.id, job.clone());
                self.tell(&Event::Job(job)).await?;
            }
        }
        Ok(())
    }

    async fn hear(&mut self, message: Message) -> Result<(), End> {
        let text = match message {
            Message::Text(text) => text,
            Message::Binary(_) => return Err(End::Closed(close_code::UNSUPPORTED, "commands are JSON text")),
            Message::Close(_) => return Err(End::Gone),
            Message::Ping(_) | Message::Pong(_) => return Ok(()), // answered by the socket itself
        };
        match Command::parse(&text, self.welcome.bodies.len()) {
            Err(what) => self.refuse(what).await,
            Ok(command) => self.obey(command).await,
        }
    }

    async fn obey(&mut self, command: Command) -> Result<(), End> {
        match command {
            // Without a desk there is nothing to wait for but the stage.
            Command::Sync { id } if self.seat.house.desk.is_none() => {
                let replies = self.replies.clone();
                let answer = move || {
                    let _ = replies.try_send(Event::Synced { id });
                };
                order(&self.seat.house, Order::Sync(Box::new(answer))).await
            }
            Command::Seen => {
                self.under_way = self.under_way.saturating_sub(1);
                Ok(())
            }
            Command::Pick { id, origin, direction, clip } => {
                let picture = self.seat.house.pictures.borrow().clone();
                let pick = move || {
                    let ray = picking::Ray { origin: origin.into(), direction: direction.into(), clip };
                    picking::pick(&picture.welcome.bodies, &picture.frame, &ray)
                };
                let hit = beside(pick).await.flatten();
                self.tell(&Event::Picked { id, hit }).await
            }
            Command::History => {
                let replies = self.replies.clone();
                let answer = move |(first, frames): Numbers| {
                    let (step_ms, heights_m) = frames.into_iter().unzip();
                    let _ = replies.try_send(Event::History { first, step_ms, heights_m });
                };
                order(&self.seat.house, Order::Numbers(Box::new(answer))).await
            }
            Command::Cut { body, layer: Some(level), .. } => {
                let picture = self.seat.house.pictures.borrow().clone();
                (self.layer, self.cut_of, self.cut) = (Some((body, level)), None, None);
                self.follow_layer(&picture).await;
                self.is_due = true;
                Ok(())
            }
            Command::Cut { body, plane, stroke, layer: None } => {
                let picture = self.seat.house.pictures.borrow().clone();
                (self.layer, self.cut_of) = (None, None);
                let (welcome, frame) = (self.welcome.clone(), picture.frame.clone());
                let cut = beside(move || BodyCut::new(&welcome, &frame, body, plane, stroke.as_ref())).await;
                match cut.unwrap_or(Ok(None)) {
                    Ok(cut) => self.cut = cut,
                    Err(what) => return self.refuse(what).await,
                }
                self.is_due = true;
                Ok(())
            }
            command if command.is_for_stage() => {
                if let Command::Look { body, look, director, directions, beside } = &command {
                    let director: Option<Arc<str>> = director.as_deref().map(Into::into);
                    let place = |look: &String| {
                        let look = LOOKS.iter().position(|known| known == look)? as u32;
                        Some(FieldOf { body: *body, look, director: director.clone() })
                    };
                    let first = look.as_ref().and_then(place);
                    let others = directions.iter().chain(beside).map(place);
                    self.looks.insert(*body, std::iter::once(first).chain(others).collect());
                    self.sent.fields.retain(|of, _| of.body != *body);
                }
                let (page, stage) = (self.seat.page, self.welcome.stage);
                order(&self.seat.house, Order::Do { page, stage, command }).await
            }
            command => self.ask_desk(command).await,
        }
    }

    async fn ask_desk(&mut self, command: Command) -> Result<(), End> {
        let Some(desk) = self.seat.house.desk.clone() else {
            return self.refuse("this show has no scene that could be edited".to_owned()).await;
        };
        let permit = self.seat.house.asking.clone().acquire_owned().await.map_err(|_| End::Gone)?;
        let ask = Ask { page: self.seat.page, reply: self.replies.clone(), command, _permit: permit };
        desk.send(DeskOrder::Ask(ask)).map_err(|_| End::Closed(close_code::ERROR, "the desk stopped"))
    }

    async fn refuse(&mut self, what: String) -> Result<(), End> {
        tracing::info!(what, "a page's wish was refused");
        self.tell(&Event::Refused { what, help: None, path: None }).await
    }

    async fn tell(&mut self, event: &Event) -> Result<(), End> {
        self.post.words(words_of(event)?).await
    }
}

/// A stage and its models, before anything that is seen of it.
fn greeting(welcome: &Welcome) -> Vec<Message> {
    let words = words_of(&Event::Welcome { wire_version: WIRE_VERSION, scene: welcome.scene.clone() });
    words.into_iter().chain(welcome.models.iter().cloned().map(Message::Binary)).collect()
}

fn words_of(event: &Event) -> Result<Message, End> {
    let text = serde_json::to_string(event).map_err(|_| End::Closed(close_code::ERROR, "an event had no words"))?;
    Ok(Message::Text(text.into()))
}

/// What of `now` the page does not have yet; it has all of it then.
fn new_to_page(sent: &mut Vec<Bytes>, now: Vec<Bytes>) -> Vec<Message> {
    let before = std::mem::replace(sent, now);
    let is_known = |message: &Bytes| before.iter().any(|sent| is_same(sent, message));
    sent.iter().filter(|message| !is_known(message)).cloned().map(Message::Binary).collect()
}

/// The same bytes at the same place: nothing new.
fn is_same(a: &Bytes, b: &Bytes) -> bool {
    a.as_ptr() == b.as_ptr() && a.len() == b.len()
}

/// Work that takes milliseconds, off the thread that all pages share. None where it could not be done.
async fn beside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    tokio::task::spawn_blocking(work).await.ok()
}

/// Hands an order to the stage's thread, waiting while its queue is full.
async fn order(house: &House, mut order: Order) -> Result<(), End> {
    /// How long the queue is given to drain between tries.
    const PAUSE: Duration = Duration::from_millis(2);
    loop {
        match house.orders.try_send(order) {
            Ok(()) => return Ok(()),
            Err(TrySendError::Disconnected(_)) => return Err(STAGE_STOPPED),
            Err(TrySendError::Full(back)) => order = back,
        }
        tokio::time::sleep(PAUSE).await;
    }
}
