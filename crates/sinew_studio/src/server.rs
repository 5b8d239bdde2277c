//! The HTTP side: the page, its files, the live connection, and what `http` gives and takes, all behind the guard.

use crate::board::Board;
use crate::connections::{self, Connection};
use crate::desk::{Desk, DeskOrder, Folder, Opening, Surroundings};
use crate::guard::{Guard, Refusal};
use crate::protocol::Transport;
use crate::runner::{Order, Picture, Runner, Staged, Start};
use crate::session::{self, House};
use crate::show::{Show, take_header_of};
use crate::{StudioError, StudioOptions, http, page};
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use std::collections::BTreeMap;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::mpsc::{Sender, SyncSender, channel, sync_channel};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::watch;

/// A studio that listens, its stage already playing.
pub struct Studio {
    listener: TcpListener,
    front: Arc<Front>,
}

/// What every request needs.
pub(crate) struct Front {
    guard: Guard,
    pub(crate) house: Arc<House>,
    /// Where files are; none for a show without a document.
    pub(crate) folder: Option<Arc<Folder>>,
}

impl Studio {
    /// Opens a scene: builds its stage, takes the port and starts the threads. Must be called within a tokio runtime.
    pub async fn open(opening: Opening, options: StudioOptions) -> Result<Self, StudioError> {
        let (listener, guard) = listen(options.port).await?;
        let (house, folder) = start_desk(opening, &options)?;
        Ok(Self { listener, front: Arc::new(Front { guard, house, folder: Some(Arc::new(folder)) }) })
    }

    /// The same for a show without a document, which can be played but not edited.
    pub async fn bind(show: Box<dyn Show>, options: StudioOptions) -> Result<Self, StudioError> {
        check(&*show)?;
        let (listener, guard) = listen(options.port).await?;
        let made_of = take_header_of(&*show, &BTreeMap::new(), "");
        let house = start_stage(Staged::new(show, Start::Fresh, made_of), &options, None)?.house(
            &options,
            None,
            Arc::default(),
        );
        Ok(Self { listener, front: Arc::new(Front { guard, house, folder: None }) })
    }

    /// The address with this run's token.
    pub fn url(&self) -> String {
        self.front.guard.url()
    }

    /// A file that leads a browser in, once, and that nobody else can read. Gone when dropped.
    pub fn handoff(&self) -> std::io::Result<tempfile::TempPath> {
        crate::handoff::file(&self.front.guard.one_time_url())
    }

    /// Whether a browser came in by [`handoff`](Self::handoff).
    pub(crate) fn front(&self) -> Arc<Front> {
        self.front.clone()
    }

    /// Answers until the process ends.
    pub async fn run(self) -> Result<(), StudioError> {
        let limits = self.front.house.limits;
        tracing::info!(address = ?self.listener.local_addr().ok(), "the studio listens");
        let routes = Router::new()
            .route("/", get(index))
            .route("/live", get(live))
            .route("/schema.json", get(http::schema))
            .route("/preferences.json", get(http::preferences))
            .route("/gallery/{name}", get(http::picture))
            .route("/files/{*name}", get(http::made_file))
            .route("/import", post(http::import).layer(DefaultBodyLimit::disable())) // it counts for itself
            .fallback(asset)
            .layer(from_fn_with_state(self.front.clone(), guarded))
            .with_state(self.front);
        connections::serve(self.listener, routes, limits).await
    }
}

impl Front {
    /// Keeps unsaved work now; waits for it as long as a person would.
    pub(crate) fn flush(&self) {
        const PATIENCE: Duration = Duration::from_secs(5);
        let (done, wait) = channel();
        if self.house.desk.as_ref().is_some_and(|desk| desk.send(DeskOrder::Flush(done)).is_ok()) {
            let _ = wait.recv_timeout(PATIENCE);
        }
    }

    pub(crate) fn was_handed_off(&self) -> bool {
        self.guard.is_ticket_used()
    }
}

fn check(show: &dyn Show) -> Result<(), StudioError> {
    let clock = show.clock();
    if show.bodies().is_empty() {
        return Err(StudioError::NoBody);
    }
    if clock.last_frame < clock.first_frame {
        return Err(StudioError::NoFrames { first: clock.first_frame, last: clock.last_frame });
    }
    if clock.fps.0 == 0 || clock.fps.1 == 0 || clock.substeps == 0 {
        return Err(StudioError::NoClock { fps: clock.fps, substeps: clock.substeps });
    }
    Ok(())
}

async fn listen(port: u16) -> Result<(TcpListener, Guard), StudioError> {
    let failed = |source| StudioError::Bind { port, source };
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await.map_err(failed)?;
    let guard = Guard::new(listener.local_addr().map_err(failed)?.port())?;
    Ok((listener, guard))
}

/// The stage's thread, as pages reach it.
struct StageThread {
    orders: SyncSender<Order>,
    seen: (watch::Receiver<Picture>, watch::Receiver<Transport>),
}

impl StageThread {
    fn house(self, options: &StudioOptions, desk: Option<Sender<DeskOrder>>, board: Arc<Board>) -> Arc<House> {
        Arc::new(House::new(options.limits, self.orders, desk, board, self.seen))
    }
}

fn start_stage(
    staged: Staged,
    options: &StudioOptions,
    desk: Option<Sender<DeskOrder>>,
) -> Result<StageThread, StudioError> {
    /// Orders on their way to the stage; a page that sends faster waits.
    const ORDERS: usize = 1024;
    let (orders, receive) = sync_channel::<Order>(ORDERS);
    let (runner, pictures, transport) = Runner::new(staged, options.limits, desk);
    start("stage", move || runner.run(&receive))?;
    Ok(StageThread { orders, seen: (pictures, transport) })
}

fn start_desk(opening: Opening, options: &StudioOptions) -> Result<(Arc<House>, Folder), StudioError> {
    let (own, receive) = channel();
    let board = Arc::new(Board::default());
    let mut stage = None;
    let desk = Desk::open(opening, options.state_folder.clone(), |staged| {
        let thread = start_stage(staged, options, Some(own.clone()))?;
        let around = Surroundings { board: board.clone(), stage: thread.orders.clone(), own: own.clone() };
        stage = Some(thread);
        Ok(around)
    })?;
    let folder = desk.folder();
    start("desk", move || desk.run(&receive))?;
    let stage = stage.ok_or(StudioError::NoBody)?;
    Ok((stage.house(options, Some(own), board), folder))
}

fn start(name: &str, work: impl FnOnce() + Send + 'static) -> Result<(), StudioError> {
    std::thread::Builder::new().name(name.into()).spawn(work).map(drop).map_err(StudioError::Runtime)
}

async fn guarded(State(front): State<Arc<Front>>, request: Request, next: Next) -> Response {
    let mut response = match front.guard.admit(request.method(), request.uri(), request.headers()) {
        Ok(()) => {
            if let Some(connection) = request.extensions().get::<Connection>() {
                connection.admit();
            }
            next.run(request).await
        }
        Err(refusal) => {
            tracing::warn!(method = %request.method(), ?refusal, "a request was refused");
            if refusal == Refusal::Used {
                eprintln!("warning: the address that the browser was started with was used a second time, and refused");
            }
            refuse(refusal)
        }
    };
    response.headers_mut().extend(front.guard.headers());
    response
}

fn refuse(refusal: Refusal) -> Response {
    let mut response = refusal.answer().into_response();
    if refusal == Refusal::Method {
        response.headers_mut().insert(header::ALLOW, HeaderValue::from_static("GET"));
    }
    response
}

async fn index(State(front): State<Arc<Front>>, uri: Uri) -> Response {
    let mut response = page::index().into_response();
    if let Some(cookie) = front.guard.cookie(&uri).and_then(|cookie| HeaderValue::from_str(&cookie).ok()) {
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    response
}

async fn asset(uri: Uri) -> Response {
    match page::file(uri.path()) {
        Some(file) => file.into_response(),
        None => (StatusCode::NOT_FOUND, "The studio has no such file.\n").into_response(),
    }
}

async fn live(State(front): State<Arc<Front>>, headers: HeaderMap, upgrade: WebSocketUpgrade) -> Response {
    if let Err(refusal) = front.guard.admit_live(&headers) {
        return refuse(refusal);
    }
    let Some(seat) = front.house.take_seat() else {
        let full = "Too many pages are open on this studio; close one.\n";
        return (StatusCode::SERVICE_UNAVAILABLE, full).into_response();
    };
    let bytes = front.house.limits.message_bytes;
    let upgrade = upgrade.max_message_size(bytes).max_frame_size(bytes);
    upgrade.on_upgrade(move |socket| session::converse(socket, seat))
}
