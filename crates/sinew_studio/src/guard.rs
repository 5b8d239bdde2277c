//! Who may speak to the studio: this machine's own browser, with this run's token, from this studio's own page.
//!
//! - `Host` must be `127.0.0.1:PORT` or `localhost:PORT` on every request, so a foreign name that resolves to
//!   loopback (DNS rebinding) gets nothing.
//! - `Origin`, where a browser sends one, must be ours; the WebSocket requires it.
//! - `GET /?t=TOKEN` answers with the page and sets a cookie; everything else needs the cookie. Cookies do not know
//!   ports, so its name does. The token is printed for the user and stands nowhere else.
//! - `GET /?o=TICKET` does the same once: it is what the browser is started with. A second use is refused, and told on the terminal.
//! - GET changes nothing. What does is a POST to `/import`, which like the WebSocket needs an origin and the cookie.

use crate::StudioError;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, header};
use std::sync::atomic::{AtomicBool, Ordering};

/// The only address that takes a POST.
const IMPORT: &str = "/import";

#[derive(Debug)]
pub(crate) struct Guard {
    token: String,
    ticket: String,
    is_ticket_used: AtomicBool,
    cookie_name: String,
    hosts: [String; 2],
    origins: [String; 2],
}

/// Why a request is turned away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    Method,
    Host,
    Origin,
    Token,
    /// The ticket was used before.
    Used,
    Cookie,
}

impl Refusal {
    pub(crate) fn answer(self) -> (StatusCode, &'static str) {
        match self {
            Self::Method => {
                (StatusCode::METHOD_NOT_ALLOWED, "The studio answers GET, and POST where something is brought in.\n")
            }
            Self::Host => (StatusCode::FORBIDDEN, "The studio answers to 127.0.0.1 and localhost only.\n"),
            Self::Origin => (StatusCode::FORBIDDEN, "The studio talks to its own page only.\n"),
            Self::Token => (StatusCode::FORBIDDEN, "This address is from another run; open the one printed last.\n"),
            Self::Used => (
                StatusCode::FORBIDDEN,
                "This address worked once, and was used already; open the one that `sinew studio` printed.\n",
            ),
            Self::Cookie => (StatusCode::FORBIDDEN, "Open the address that `sinew studio` printed.\n"),
        }
    }
}

impl Guard {
    /// With a fresh 128-bit token.
    pub(crate) fn new(port: u16) -> Result<Self, StudioError> {
        let hosts = [format!("127.0.0.1:{port}"), format!("localhost:{port}")];
        let origins = hosts.clone().map(|host| format!("http://{host}"));
        let (token, ticket) = (secret()?, secret()?);
        let cookie_name = format!("sinew_{port}");
        Ok(Self { token, ticket, is_ticket_used: AtomicBool::new(false), cookie_name, hosts, origins })
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/?t={}", self.hosts[0], self.token)
    }

    /// An address that works once.
    pub(crate) fn one_time_url(&self) -> String {
        format!("http://{}/?o={}", self.hosts[0], self.ticket)
    }

    pub(crate) fn is_ticket_used(&self) -> bool {
        self.is_ticket_used.load(Ordering::Relaxed)
    }

    /// What every request must pass.
    pub(crate) fn admit(&self, method: &Method, uri: &Uri, headers: &HeaderMap) -> Result<(), Refusal> {
        let changes = method == Method::POST && uri.path() == IMPORT;
        if method != Method::GET && !changes {
            return Err(Refusal::Method);
        }
        if !only(headers, &header::HOST).is_some_and(|host| self.hosts.iter().any(|ours| ours == host)) {
            return Err(Refusal::Host);
        }
        if changes {
            return self.admit_live(headers);
        }
        if headers.contains_key(header::ORIGIN) {
            self.admit_origin(headers)?;
        }
        match (query_of(uri, "t="), query_of(uri, "o=")) {
            (Some(token), _) if same(token, &self.token) => Ok(()),
            (_, Some(ticket)) if same(ticket, &self.ticket) => self.use_ticket(headers),
            (Some(_), _) | (_, Some(_)) => Err(Refusal::Token),
            (None, None) if self.has_cookie(headers) => Ok(()),
            (None, None) => Err(Refusal::Cookie),
        }
    }

    /// The first use admits; a later one only who has the cookie, such as a page that is loaded again.
    fn use_ticket(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        let is_first = !self.is_ticket_used.swap(true, Ordering::Relaxed);
        if is_first || self.has_cookie(headers) { Ok(()) } else { Err(Refusal::Used) }
    }

    /// What the WebSocket, and whatever changes something, must pass besides: an origin, and a cookie even for who knows the token.
    pub(crate) fn admit_live(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        self.admit_origin(headers)?;
        if self.has_cookie(headers) { Ok(()) } else { Err(Refusal::Cookie) }
    }

    fn admit_origin(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        let origin = only(headers, &header::ORIGIN);
        let host = only(headers, &header::HOST);
        let ours =
            |(origin, host): (&str, &str)| (0..2).any(|i| same(origin, &self.origins[i]) && same(host, &self.hosts[i]));
        if origin.zip(host).is_some_and(ours) { Ok(()) } else { Err(Refusal::Origin) }
    }

    fn has_cookie(&self, headers: &HeaderMap) -> bool {
        let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
        cookies
            .flat_map(|line| line.split(';'))
            .filter_map(|pair| pair.trim().split_once('='))
            .any(|(name, value)| name == self.cookie_name && same(value, &self.token))
    }

    /// The cookie to set where the token was in the address.
    pub(crate) fn cookie(&self, uri: &Uri) -> Option<String> {
        query_of(uri, "t=").or_else(|| query_of(uri, "o="))?;
        Some(format!("{}={}; HttpOnly; SameSite=Strict; Path=/", self.cookie_name, self.token))
    }

    /// Sent with every answer, refusals included.
    pub(crate) fn headers(&self) -> Vec<(HeaderName, HeaderValue)> {
        let [loopback, localhost] = &self.hosts;
        let policy = format!(
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; \
             connect-src 'self' ws://{loopback} ws://{localhost}; base-uri 'none'; form-action 'none'; \
             frame-ancestors 'none'"
        );
        let fixed = [
            (header::REFERRER_POLICY, "no-referrer"),
            (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
            (header::CACHE_CONTROL, "no-store"),
            (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
            (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        ];
        let mut all: Vec<_> = fixed.into_iter().map(|(name, value)| (name, HeaderValue::from_static(value))).collect();
        if let Ok(policy) = HeaderValue::from_str(&policy) {
            all.push((header::CONTENT_SECURITY_POLICY, policy));
        }
        all
    }
}

/// The token in `/?t=TOKEN`, or the ticket in `/?o=TICKET`; nothing else in an address counts as one.
fn query_of<'a>(uri: &'a Uri, name: &str) -> Option<&'a str> {
    if uri.path() == "/" { uri.query()?.strip_prefix(name) } else { None }
}

/// 128 bits that nobody can guess.
fn secret() -> Result<String, StudioError> {
    let mut bytes = [0u8; 16];
    getrandom::fill(&mut bytes).map_err(StudioError::Token)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// A header that must come exactly once.
fn only<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}

/// Compares without telling by its time where the first difference is.
fn same(a: &str, b: &str) -> bool {
    a.len() == b.len() && a.bytes().zip(b.bytes()).fold(0, |difference, (a, b)| difference | (a ^ b)) == 0
}
