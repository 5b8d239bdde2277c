//! Connections, bounded in number, time and size, so that half-open ones cannot keep the page out.
//!
//! A connection is *fresh* until one of its requests passes the guard. Of fresh ones only so many are kept: when one more comes,
//! the oldest goes. Those that were admitted are counted apart. Headers have to arrive within a time, also the next ones on a
//! connection that is kept open, and whoever takes nothing of an answer for too long is let go.

use crate::Limits;
use axum::Router;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::response::IntoResponse;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::collections::BTreeMap;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::AbortHandle;
use tokio::time::Sleep;
use tower_service::Service;

/// Of all headers of a request. Cookies of other programs on this machine come along.
const HEADER_BYTES: usize = 32 << 10;
const HEADERS: usize = 100;

const TOO_LARGE: &str = "The request's headers are too large: up to 32 KB are read.\n";

/// Bytes of a request before its body, as it came.
fn head_bytes<B>(request: &Request<B>) -> usize {
    let line = request.method().as_str().len() + request.uri().to_string().len() + " HTTP/1.1\r\n".len() + 1;
    let headers = request.headers().iter().map(|(name, value)| name.as_str().len() + value.len() + ": \r\n".len());
    line + headers.sum::<usize>() + "\r\n".len()
}

#[derive(Default)]
struct Table {
    next: u64,
    fresh: BTreeMap<u64, AbortHandle>,
    admitted: BTreeMap<u64, AbortHandle>,
}

/// All open connections.
#[derive(Clone, Default)]
struct Connections(Arc<Mutex<Table>>);

/// One of them, as a request knows it.
#[derive(Clone)]
pub(crate) struct Connection {
    all: Connections,
    id: u64,
    most: usize,
}

/// Answers on a port until the process ends.
pub(crate) async fn serve(listener: TcpListener, routes: Router, limits: Limits) -> ! {
    let all = Connections::default();
    loop {
        match listener.accept().await {
            Ok((stream, _)) => all.start(stream, routes.clone(), &limits),
            // Out of file handles, most likely: some will come free.
            Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
        }
    }
}

impl Connections {
    fn start(&self, stream: TcpStream, routes: Router, limits: &Limits) {
        // Frames follow small messages: waiting to fill a packet would cost 40 ms each.
        let _ = stream.set_nodelay(true);
        let id = {
            let mut table = self.lock();
            table.next += 1;
            table.next
        };
        let own = Connection { all: self.clone(), id, most: limits.connections };
        let mut settings = http1::Builder::new();
        settings
            .timer(TokioTimer::new())
            .header_read_timeout(limits.headers_within)
            .max_buf_size(HEADER_BYTES)
            .max_headers(HEADERS);
        let stream = Patient::new(stream, limits.stalled_after);
        let (all, known) = (self.clone(), own.clone());
        let answer = service_fn(move |mut request: Request<Incoming>| {
            request.extensions_mut().insert(known.clone());
            let mut routes = routes.clone();
            async move {
                // The buffer that headers are read into may be larger than what is allowed of it.
                if head_bytes(&request) > HEADER_BYTES {
                    return Ok((StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE, TOO_LARGE).into_response());
                }
                routes.call(request).await
            }
        });
        let task = tokio::spawn(async move {
            // What ends a connection is nobody's news: the page comes back.
            let _ = settings.serve_connection(TokioIo::new(stream), answer).with_upgrades().await;
            all.forget(id);
        });
        let mut table = self.lock();
        if !task.is_finished() {
            table.fresh.insert(id, task.abort_handle());
        }
        drop_oldest(&mut table.fresh, limits.connections);
    }

    fn forget(&self, id: u64) {
        let mut table = self.lock();
        table.fresh.remove(&id);
        table.admitted.remove(&id);
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Connection {
    /// A request of it passed the guard.
    pub(crate) fn admit(&self) {
        let mut table = self.all.lock();
        if let Some(task) = table.fresh.remove(&self.id) {
            table.admitted.insert(self.id, task);
            drop_oldest(&mut table.admitted, self.most);
        }
    }
}

fn drop_oldest(connections: &mut BTreeMap<u64, AbortHandle>, most: usize) {
    while connections.len() > most {
        if let Some((_, task)) = connections.pop_first() {
            task.abort();
        }
    }
}

/// A stream whose other end has to take something now and then.
struct Patient {
    stream: TcpStream,
    patience: Duration,
    /// Runs while the other end takes nothing.
    waiting: Option<Pin<Box<Sleep>>>,
}

impl Patient {
    fn new(stream: TcpStream, patience: Duration) -> Self {
        Self { stream, patience, waiting: None }
    }

    /// The outcome of a write; one that waits for too long fails.
    fn timed<T>(&mut self, context: &mut Context<'_>, outcome: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if outcome.is_ready() {
            self.waiting = None;
            return outcome;
        }
        let patience = self.patience;
        let waiting = self.waiting.get_or_insert_with(|| Box::pin(tokio::time::sleep(patience)));
        ready!(waiting.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for Patient {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, into)
    }
}

impl AsyncWrite for Patient {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.timed(context, outcome)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let outcome = Pin::new(&mut self.stream).poll_flush(context);
        self.timed(context, outcome)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let outcome = Pin::new(&mut self.stream).poll_shutdown(context);
        self.timed(context, outcome)
    }
}
