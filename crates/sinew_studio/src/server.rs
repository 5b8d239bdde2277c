//! The HTTP side: three addresses (the page, its files, the live connection), all behind the guard.

use crate::guard::{Guard, Refusal};
use crate::runner::{Order, Runner};
use crate::session::{self, House};
use crate::show::Show;
use crate::{StudioError, StudioOptions, page};
use axum::Router;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::mpsc::sync_channel;
use tokio::net::TcpListener;

/// A studio that listens, its stage already playing.
pub struct Studio {
    listener: TcpListener,
    desk: Arc<Desk>,
}

/// What every request needs.
struct Desk {
    guard: Guard,
    house: Arc<House>,
}

impl Studio {
    /// Checks the show, takes the port and starts the stage's thread. Must be called within a tokio runtime.
    pub async fn bind(show: Box<dyn Show>, options: StudioOptions) -> Result<Self, StudioError> {
        check(&*show)?;
        let port = options.port;
        let failed = |source| StudioError::Bind { port, source };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await.map_err(failed)?;
        let guard = Guard::new(listener.local_addr().map_err(failed)?.port())?;
        let house = start_stage(show, &options)?;
        Ok(Self { listener, desk: Arc::new(Desk { guard, house }) })
    }

    /// The address with this run's token.
    pub fn url(&self) -> String {
        self.desk.guard.url()
    }

    /// Answers until the process ends.
    pub async fn run(self) -> Result<(), StudioError> {
        let routes = Router::new()
            .route("/", get(index))
            .route("/live", get(live))
            .fallback(asset)
            .layer(from_fn_with_state(self.desk.clone(), guarded))
            .with_state(self.desk);
        axum::serve(self.listener, routes).await.map_err(StudioError::Serve)
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

fn start_stage(show: Box<dyn Show>, options: &StudioOptions) -> Result<Arc<House>, StudioError> {
    /// Orders on their way to the stage; a page that sends faster waits.
    const ORDERS: usize = 1024;
    let (send, receive) = sync_channel::<Order>(ORDERS);
    let welcome = session::Welcome::of(&*show);
    let (runner, frames, transport) = Runner::new(show, options.limits);
    std::thread::Builder::new()
        .name("stage".into())
        .spawn(move || runner.run(&receive))
        .map_err(StudioError::Runtime)?;
    Ok(Arc::new(House::new(welcome, send, frames, transport, options.limits)))
}

async fn guarded(State(desk): State<Arc<Desk>>, request: Request, next: Next) -> Response {
    let mut response = match desk.guard.admit(request.method(), request.uri(), request.headers()) {
        Ok(()) => next.run(request).await,
        Err(refusal) => refuse(refusal),
    };
    response.headers_mut().extend(desk.guard.headers());
    response
}

fn refuse(refusal: Refusal) -> Response {
    let mut response = refusal.answer().into_response();
    if refusal == Refusal::Method {
        response.headers_mut().insert(header::ALLOW, HeaderValue::from_static("GET"));
    }
    response
}

async fn index(State(desk): State<Arc<Desk>>, uri: Uri) -> Response {
    let mut response = page::index().into_response();
    if let Some(cookie) = desk.guard.cookie(&uri).and_then(|cookie| HeaderValue::from_str(&cookie).ok()) {
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

async fn live(State(desk): State<Arc<Desk>>, headers: HeaderMap, upgrade: WebSocketUpgrade) -> Response {
    if let Err(refusal) = desk.guard.admit_live(&headers) {
        return refuse(refusal);
    }
    let Some(seat) = desk.house.take_seat() else {
        let full = "Too many pages are open on this studio; close one.\n";
        return (StatusCode::SERVICE_UNAVAILABLE, full).into_response();
    };
    let bytes = desk.house.limits.message_bytes;
    let upgrade = upgrade.max_message_size(bytes).max_frame_size(bytes);
    upgrade.on_upgrade(move |socket| session::converse(socket, seat))
}
