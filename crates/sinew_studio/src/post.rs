//! What goes out to one page: words ahead of pictures, written by a task of its own, so that reading never waits for writing.

use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, close_code};
use futures_util::SinkExt;
use futures_util::stream::SplitSink;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

/// Why a conversation ends.
#[derive(Debug, Clone, Copy)]
pub(crate) enum End {
    Gone,
    Closed(u16, &'static str),
}

pub(crate) struct Post {
    words: mpsc::Sender<Message>,
    pictures: mpsc::Sender<Vec<Message>>,
    writer: JoinHandle<End>,
}

/// How long the last word is given.
const FAREWELL: Duration = Duration::from_secs(1);

impl Post {
    /// Begins with `first`. A page that takes nothing for `stalled_after` is let go.
    pub(crate) fn open(sink: SplitSink<WebSocket, Message>, first: Vec<Message>, stalled_after: Duration) -> Self {
        /// Answers that a page has not taken yet; who asks for more waits.
        const WORDS: usize = 64;
        /// No more are asked for at a time.
        const PICTURES: usize = 4;
        let (words, words_out) = mpsc::channel(WORDS);
        let (pictures, pictures_out) = mpsc::channel(PICTURES);
        let writer = tokio::spawn(write(Page { sink, stalled_after }, first, words_out, pictures_out));
        Self { words, pictures, writer }
    }

    /// Ahead of every picture that is not being written yet.
    pub(crate) async fn words(&mut self, message: Message) -> Result<(), End> {
        self.words.send(message).await.map_err(|_| End::Gone)
    }

    /// All messages of a picture, one after the other.
    pub(crate) async fn picture(&mut self, messages: Vec<Message>) -> Result<(), End> {
        self.pictures.send(messages).await.map_err(|_| End::Gone)
    }

    /// Waits until nothing more can be written, and says why.
    pub(crate) async fn ended(&mut self) -> End {
        (&mut self.writer).await.unwrap_or(End::Gone)
    }

    /// Says why, if the page is still there.
    pub(crate) async fn close(self, why: End) {
        let Self { words, pictures, mut writer } = self;
        if let End::Closed(code, reason) = why {
            let _ = words.try_send(close_message(code, reason));
        }
        drop((words, pictures));
        if !writer.is_finished() && tokio::time::timeout(FAREWELL, &mut writer).await.is_err() {
            writer.abort();
        }
    }
}

fn close_message(code: u16, reason: &'static str) -> Message {
    Message::Close(Some(CloseFrame { code, reason: Utf8Bytes::from_static(reason) }))
}

/// The page's end of the line.
struct Page {
    sink: SplitSink<WebSocket, Message>,
    stalled_after: Duration,
}

async fn write(
    mut page: Page,
    mut messages: Vec<Message>,
    mut words: mpsc::Receiver<Message>,
    mut pictures: mpsc::Receiver<Vec<Message>>,
) -> End {
    loop {
        for message in messages {
            if let Err(end) = page.send(message).await {
                return end;
            }
        }
        messages = tokio::select! {
            biased;
            Some(message) = words.recv() => vec![message],
            Some(picture) = pictures.recv() => picture,
            else => return End::Gone,
        };
    }
}

impl Page {
    async fn send(&mut self, message: Message) -> Result<(), End> {
        const WHY: &str = "the page stalled";
        let is_last = matches!(message, Message::Close(_));
        match tokio::time::timeout(self.stalled_after, self.sink.send(message)).await {
            Ok(Ok(())) if !is_last => Ok(()),
            Ok(_) => Err(End::Gone),
            Err(_) => {
                let _ = tokio::time::timeout(FAREWELL, self.sink.send(close_message(close_code::AWAY, WHY))).await;
                Err(End::Closed(close_code::AWAY, WHY))
            }
        }
    }
}
