//! A studio to talk to, and the two ways of talking: plain HTTP by hand, and a page's live connection.

use serde_json::{Value, json};
use sinew_scene::{Document, builtin};
use sinew_studio::{Opening, Show, Studio, StudioOptions};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::time::{Duration, Instant};
use tungstenite::http::Uri;
use tungstenite::{ClientRequestBuilder, Message, WebSocket};

/// Longer than anything here takes, even on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

#[derive(Clone)]
pub(crate) struct House {
    pub(crate) port: u16,
    pub(crate) token: String,
}

impl House {
    /// Serves `show` on a free port for as long as the test runs.
    pub(crate) fn open(show: impl Show + 'static, options: StudioOptions) -> Self {
        Self::start(move || async { Studio::bind(Box::new(show), options).await.unwrap() })
    }

    /// Serves a built-in scene that may save in `folder`.
    pub(crate) fn builtin(scene: &str, folder: &Path) -> Self {
        let document = Document::parse(builtin::find(scene).unwrap().toml, scene).unwrap();
        Self::scene(Opening { name: scene.to_owned(), document, folder: folder.to_owned() })
    }

    pub(crate) fn scene(opening: Opening) -> Self {
        Self::scene_with(opening, StudioOptions::default())
    }

    pub(crate) fn scene_with(opening: Opening, mut options: StudioOptions) -> Self {
        // Not where the person keeps work who runs the tests.
        options.state_folder = Some(opening.folder.join(".state"));
        Self::start(move || async { Studio::open(opening, options).await.unwrap() })
    }

    fn start<F: Future<Output = Studio>>(make: impl FnOnce() -> F + Send + 'static) -> Self {
        let (send, receive) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let studio = make().await;
                send.send(studio.url()).unwrap();
                studio.run().await.unwrap();
            });
        });
        Self::at(&receive.recv_timeout(PATIENCE).unwrap())
    }

    /// The one that printed this address.
    pub(crate) fn at(url: &str) -> Self {
        let url: Uri = url.parse().unwrap();
        let token = url.query().unwrap().strip_prefix("t=").unwrap().to_owned();
        Self { port: url.port_u16().unwrap(), token }
    }

    pub(crate) fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    pub(crate) fn origin(&self) -> String {
        format!("http://{}", self.host())
    }

    pub(crate) fn cookie(&self) -> String {
        format!("sinew_{}={}", self.port, self.token)
    }

    /// Sends a request with exactly these header lines and reads the whole answer.
    pub(crate) fn ask(&self, method: &str, target: &str, headers: &[(&str, &str)]) -> Answer {
        self.send(method, target, headers, &[])
    }

    /// A POST as the studio's own page makes it.
    pub(crate) fn post(&self, target: &str, body: &[u8]) -> Answer {
        let length = body.len().to_string();
        let (host, origin, cookie) = (self.host(), self.origin(), self.cookie());
        let headers = [("Host", &*host), ("Origin", &origin), ("Cookie", &cookie), ("Content-Length", &length)];
        self.send("POST", target, &headers, body)
    }

    fn send(&self, method: &str, target: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let lines: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        // What is refused early is not read to its end; whoever is still writing then may lose the answer.
        let _ = write!(stream, "{method} {target} HTTP/1.1\r\n{lines}Connection: close\r\n\r\n");
        let _ = stream.write_all(body);
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let Some((head, body)) = text.split_once("\r\n\r\n") else { return Answer::hung_up() };
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Answer { status, head: head.to_lowercase(), body: body.to_owned() }
    }

    /// A GET as the studio's own page makes it.
    pub(crate) fn get(&self, target: &str) -> Answer {
        self.ask("GET", target, &[("Host", &self.host()), ("Cookie", &self.cookie())])
    }

    /// Tries to open a live connection; the error is the status it was refused with.
    pub(crate) fn try_live(&self, headers: &[(&str, &str)]) -> Result<Page, u16> {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_nodelay(true).unwrap(); // as browsers do
        let uri: Uri = format!("ws://{}/live", self.host()).parse().unwrap();
        let request = headers
            .iter()
            .fold(ClientRequestBuilder::new(uri), |request, (name, value)| request.with_header(*name, *value));
        match tungstenite::client(request, stream) {
            Ok((socket, _)) => Ok(Page { socket, draws: true }),
            Err(tungstenite::HandshakeError::Failure(tungstenite::Error::Http(answer))) => {
                Err(answer.status().as_u16())
            }
            Err(other) => panic!("{other}"),
        }
    }

    /// A page as the browser would connect it.
    pub(crate) fn page(&self) -> Page {
        self.try_live(&[("Origin", &self.origin()), ("Cookie", &self.cookie())]).unwrap()
    }
}

pub(crate) struct Answer {
    pub(crate) status: u16,
    /// Status line and headers in small letters.
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    /// In place of a status: the connection was closed without an answer.
    pub(crate) const HUNG_UP: u16 = 0;

    fn hung_up() -> Self {
        Self { status: Self::HUNG_UP, head: String::new(), body: String::new() }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }
}

/// A page that is connected.
pub(crate) struct Page {
    pub(crate) socket: WebSocket<TcpStream>,
    /// Whether it says of every frame at once that it was drawn.
    pub(crate) draws: bool,
}

/// What a page hears.
#[derive(Debug)]
pub(crate) enum Heard {
    Event(Value),
    Model,
    /// A binary message of another kind.
    Field(Vec<u8>),
    Section(Vec<u8>),
    Key(Vec<u8>),
    Take {
        frame: i32,
    },
    Frame {
        frame: i32,
        bytes: Vec<u8>,
    },
    Ping,
    /// With the close code.
    End(Option<u16>),
}

impl Page {
    pub(crate) fn say(&mut self, text: &str) {
        self.socket.send(Message::text(text)).unwrap();
    }

    /// Sends a command.
    pub(crate) fn ask(&mut self, command: &Value) {
        self.say(&command.to_string());
    }

    /// Edits one value.
    pub(crate) fn set(&mut self, path: &str, value: &Value) {
        self.ask(&json!({ "do": "edit", "command": { "do": "set", "path": path, "value": value } }));
    }

    pub(crate) fn hear(&mut self) -> Heard {
        match self.socket.read() {
            Ok(Message::Text(text)) => Heard::Event(serde_json::from_str(&text).unwrap()),
            Ok(Message::Binary(bytes)) if bytes[1] == 1 => Heard::Model,
            Ok(Message::Binary(bytes)) if bytes[1] == 3 => Heard::Field(bytes.to_vec()),
            Ok(Message::Binary(bytes)) if bytes[1] == 4 => Heard::Section(bytes.to_vec()),
            Ok(Message::Binary(bytes)) if bytes[1] == 7 => Heard::Key(bytes.to_vec()),
            Ok(Message::Binary(bytes)) if bytes[1] == 5 => {
                Heard::Take { frame: i32::from_le_bytes(bytes[4..8].try_into().unwrap()) }
            }
            Ok(Message::Binary(bytes)) => {
                let frame = i32::from_le_bytes(bytes[4..8].try_into().unwrap());
                if self.draws {
                    let _ = self.socket.send(Message::text(json!({ "do": "seen" }).to_string()));
                }
                Heard::Frame { frame, bytes: bytes.to_vec() }
            }
            Ok(Message::Close(close)) => Heard::End(close.map(|close| close.code.into())),
            // The studio asks every few seconds whether a page is still there. Given back, so that whoever
            // waits for something else looks at the time.
            Ok(_) => Heard::Ping,
            Err(tungstenite::Error::Io(error)) if error.kind() == std::io::ErrorKind::WouldBlock => {
                panic!("the studio said nothing for {PATIENCE:?}")
            }
            Err(_) => Heard::End(None),
        }
    }

    /// Listens until `wanted` gives something.
    pub(crate) fn until<T>(&mut self, mut wanted: impl FnMut(&Heard) -> Option<T>) -> T {
        let began = Instant::now();
        loop {
            let heard = self.hear();
            if let Some(found) = wanted(&heard) {
                return found;
            }
            assert!(!matches!(heard, Heard::End(_)), "the studio hung up");
            assert!(began.elapsed() < PATIENCE, "not heard in {PATIENCE:?}");
        }
    }

    /// Waits until everything asked before is done and its picture has come.
    pub(crate) fn sync(&mut self) {
        const ID: u64 = 77;
        self.ask(&json!({ "do": "sync", "id": ID }));
        self.until(|heard| match heard {
            Heard::Event(event) if event["event"] == "synced" && event["id"] == ID => Some(()),
            _ => None,
        });
    }

    /// The next event of this kind.
    pub(crate) fn event(&mut self, kind: &str) -> Value {
        self.until(|heard| match heard {
            Heard::Event(event) if event["event"] == kind => Some(event.clone()),
            _ => None,
        })
    }

    /// The next transport that is as wished.
    pub(crate) fn transport(&mut self, wish: impl Fn(&Value) -> bool) -> Value {
        self.until(|heard| match heard {
            Heard::Event(event) if event["event"] == "transport" && wish(event) => Some(event.clone()),
            _ => None,
        })
    }

    /// The next document that is as wished.
    pub(crate) fn document(&mut self, wish: impl Fn(&Value) -> bool) -> Value {
        self.until(|heard| match heard {
            Heard::Event(event) if event["event"] == "document" && wish(event) => Some(event.clone()),
            _ => None,
        })
    }

    /// The next frame message with this number or a later one: a page that is late does not see every frame
    /// while time runs.
    pub(crate) fn frame_from(&mut self, number: i32) -> Vec<u8> {
        self.until(|heard| match heard {
            Heard::Frame { frame, bytes } if *frame >= number => Some(bytes.clone()),
            _ => None,
        })
    }

    /// The next frame message with this frame number, of a show that loops or stands.
    pub(crate) fn frame(&mut self, number: i32) -> Vec<u8> {
        self.until(|heard| match heard {
            Heard::Frame { frame, bytes } if *frame == number => Some(bytes.clone()),
            _ => None,
        })
    }
}

/// Height of every point of a body above the world's floor, from a frame message without obstacles.
pub(crate) fn heights(frame: &[u8], body: usize) -> Vec<f64> {
    let u32_at = |at: usize| u32::from_le_bytes(frame[at..at + 4].try_into().unwrap()) as usize;
    assert_eq!(u32_at(24), 0, "no obstacles");
    let mut at = 32;
    for _ in 0..body {
        at = (at + 32 + 12 * u32_at(at + 24)).next_multiple_of(8);
    }
    let up = f64::from_le_bytes(frame[at + 8..at + 16].try_into().unwrap());
    let point = |i: usize| f32::from_le_bytes(frame[at + 36 + 12 * i..at + 40 + 12 * i].try_into().unwrap());
    (0..u32_at(at + 24)).map(|i| up + f64::from(point(i))).collect()
}
