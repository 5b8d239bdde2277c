//! One page's conversation: what it is told first, what it asks, what it sees. Newest frame wins.

use crate::protocol::{BodyInfo, CameraInfo, Command, Event, ObstacleInfo, SceneInfo, Transport};
use crate::runner::{Order, PageId};
use crate::show::{Show, ShownBody};
use crate::{Limits, WIRE_VERSION, picking, wire};
use axum::body::Bytes;
use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, close_code};
use sinew_solve::Cells;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{SyncSender, TrySendError};
use std::time::Duration;
use tokio::sync::watch;

/// What all pages share.
pub(crate) struct House {
    pub(crate) limits: Limits,
    welcome: Welcome,
    orders: SyncSender<Order>,
    frames: watch::Receiver<Bytes>,
    transport: watch::Receiver<Transport>,
    pages: AtomicUsize,
    next_page: AtomicU64,
}

/// A page's place among the connected ones; given back when dropped.
pub(crate) struct Seat {
    house: Arc<House>,
    page: PageId,
}

/// What a page is told once, and what its picks are answered from.
pub(crate) struct Welcome {
    scene: SceneInfo,
    models: Vec<Bytes>,
    bodies: Vec<ShownBody>,
}

/// Why a conversation ends.
enum End {
    Gone,
    Closed(u16, &'static str),
}

impl House {
    pub(crate) fn new(
        welcome: Welcome,
        orders: SyncSender<Order>,
        frames: watch::Receiver<Bytes>,
        transport: watch::Receiver<Transport>,
        limits: Limits,
    ) -> Self {
        let (pages, next_page) = (AtomicUsize::new(0), AtomicU64::new(0));
        Self { limits, welcome, orders, frames, transport, pages, next_page }
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

impl Welcome {
    pub(crate) fn of(show: &dyn Show) -> Self {
        let bodies = show.bodies().to_vec();
        let mut originals: Vec<usize> = Vec::new();
        let mut infos = Vec::new();
        for (number, body) in bodies.iter().enumerate() {
            let like = |&original: &usize| shares_model(&bodies[original], body);
            let model = originals.iter().position(like).unwrap_or_else(|| {
                originals.push(number);
                originals.len() - 1
            });
            infos.push(body_info(body, model as u32));
        }
        let models =
            originals.iter().enumerate().map(|(i, &body)| wire::model_message(i as u32, &bodies[body])).collect();
        Self { scene: scene_info(show, infos, originals.len() as u32), models, bodies }
    }
}

fn shares_model(a: &ShownBody, b: &ShownBody) -> bool {
    Arc::ptr_eq(&a.flesh, &b.flesh) && Arc::ptr_eq(&a.skin, &b.skin)
}

fn body_info(body: &ShownBody, model: u32) -> BodyInfo {
    let (cells, is_shell) = match &body.flesh.cells {
        Cells::Tets(tets) => (tets.len(), false),
        Cells::Shell(triangles) => (triangles.len(), true),
    };
    BodyInfo {
        name: body.name.clone(),
        path: body.path.clone(),
        model,
        solver: body.solver.clone(),
        colour: body.skin.colour,
        points: body.flesh.point_count() as u32,
        cells: cells as u32,
        is_shell,
        mass_kg: body.flesh.total_mass_kg(),
        skin_vertices: body.skin.embedding.len() as u32,
        skin_triangles: body.skin.mesh.triangles.len() as u32,
    }
}

fn scene_info(show: &dyn Show, bodies: Vec<BodyInfo>, model_count: u32) -> SceneInfo {
    let clock = show.clock();
    let camera = show.camera();
    SceneInfo {
        name: show.name().to_owned(),
        fps: [clock.fps.0, clock.fps.1],
        substeps: clock.substeps,
        first_frame: clock.first_frame,
        last_frame: clock.last_frame,
        camera: camera.map(|c| CameraInfo { eye: c.eye, look_at: c.look_at, fov_deg: c.fov_deg }),
        bodies,
        obstacles: obstacle_infos(show),
        model_count,
    }
}

fn obstacle_infos(show: &dyn Show) -> Vec<ObstacleInfo> {
    let named = show.obstacle_names().into_iter().zip(show.obstacles_at(0));
    named
        .map(|(name, obstacle)| ObstacleInfo { path: format!("obstacle.{name}"), name, shape: obstacle.shape.into() })
        .collect()
}

/// Talks with a page until it leaves, stalls or breaks the rules; its hands let go then.
pub(crate) async fn converse(mut socket: WebSocket, seat: Seat) {
    let end = talk(&mut socket, &seat).await;
    if let Err(End::Closed(code, reason)) = end {
        let close = Message::Close(Some(CloseFrame { code, reason: Utf8Bytes::from_static(reason) }));
        let _ = tokio::time::timeout(Duration::from_secs(1), socket.send(close)).await;
    }
    let _ = order(&seat.house, Order::Gone(seat.page)).await;
}

async fn talk(socket: &mut WebSocket, seat: &Seat) -> Result<(), End> {
    let house = &*seat.house;
    greet(socket, house).await?;
    let mut frames = house.frames.clone();
    let mut transport = house.transport.clone();
    frames.mark_changed();
    transport.mark_changed();
    loop {
        tokio::select! {
            message = socket.recv() => {
                let message = message.ok_or(End::Gone)?.map_err(|_| End::Gone)?;
                hear(socket, seat, message).await?;
            }
            changed = frames.changed() => {
                changed.map_err(|_| End::Closed(close_code::ERROR, "the stage stopped"))?;
                let newest = frames.borrow_and_update().clone();
                send(socket, house, Message::Binary(newest)).await?;
            }
            changed = transport.changed() => {
                changed.map_err(|_| End::Closed(close_code::ERROR, "the stage stopped"))?;
                let newest = transport.borrow_and_update().clone();
                tell(socket, house, &Event::Transport(newest)).await?;
            }
        }
    }
}

async fn greet(socket: &mut WebSocket, house: &House) -> Result<(), End> {
    let Welcome { scene, models, .. } = &house.welcome;
    tell(socket, house, &Event::Welcome { wire_version: WIRE_VERSION, scene: scene.clone() }).await?;
    for model in models {
        send(socket, house, Message::Binary(model.clone())).await?;
    }
    Ok(())
}

async fn hear(socket: &mut WebSocket, seat: &Seat, message: Message) -> Result<(), End> {
    let house = &*seat.house;
    let text = match message {
        Message::Text(text) => text,
        Message::Binary(_) => return Err(End::Closed(close_code::UNSUPPORTED, "commands are JSON text")),
        Message::Close(_) => return Err(End::Gone),
        Message::Ping(_) | Message::Pong(_) => return Ok(()), // answered by the socket itself
    };
    match Command::parse(&text, house.welcome.bodies.len()) {
        Err(what) => tell(socket, house, &Event::Refused { what, help: None, path: None }).await,
        Ok(Command::Pick { id, origin, direction, clip: _ }) => {
            let frame = house.frames.borrow().clone();
            let hit = picking::pick(&house.welcome.bodies, &frame, origin.into(), direction.into());
            tell(socket, house, &Event::Picked { id, hit }).await
        }
        Ok(command) => order(house, Order::Do(seat.page, command)).await,
    }
}

/// Hands an order to the stage's thread, waiting while its queue is full.
async fn order(house: &House, mut order: Order) -> Result<(), End> {
    /// How long the queue is given to drain between tries.
    const PAUSE: Duration = Duration::from_millis(2);
    loop {
        match house.orders.try_send(order) {
            Ok(()) => return Ok(()),
            Err(TrySendError::Disconnected(_)) => return Err(End::Closed(close_code::ERROR, "the stage stopped")),
            Err(TrySendError::Full(back)) => order = back,
        }
        tokio::time::sleep(PAUSE).await;
    }
}

async fn tell(socket: &mut WebSocket, house: &House, event: &Event) -> Result<(), End> {
    let text = serde_json::to_string(event).map_err(|_| End::Closed(close_code::ERROR, "an event had no words"))?;
    send(socket, house, Message::Text(text.into())).await
}

/// A page that takes nothing for too long is let go.
async fn send(socket: &mut WebSocket, house: &House, message: Message) -> Result<(), End> {
    let sent = tokio::time::timeout(house.limits.stalled_after, socket.send(message)).await;
    sent.map_err(|_| End::Closed(close_code::AWAY, "the page stalled"))?.map_err(|_| End::Gone)
}
