//! What an impatient, greedy or dead client can take from the others.

use crate::files::project;
use crate::house::{Answer, Heard, House, PATIENCE};
use crate::wobble::Wobble;
use sinew_studio::{Limits, StudioOptions};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

fn strict() -> StudioOptions {
    let limits = Limits {
        headers_within: Duration::from_millis(800),
        stalled_after: Duration::from_millis(1200),
        silent_after: Duration::from_millis(2400),
        ..Limits::default()
    };
    StudioOptions { limits, ..StudioOptions::default() }
}

/// Waits until the other end hangs up.
fn hung_up(stream: &mut TcpStream) -> bool {
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut rest = Vec::new();
    match stream.read_to_end(&mut rest) {
        Ok(_) => true,
        Err(error) => error.kind() == std::io::ErrorKind::ConnectionReset,
    }
}

#[test]
fn half_open_requests_and_idle_connections_end() {
    let house = House::open(Wobble::new([2, 2, 2], [1, 48]), strict());
    let mut silent = TcpStream::connect(("127.0.0.1", house.port)).unwrap();
    let mut half = TcpStream::connect(("127.0.0.1", house.port)).unwrap();
    write!(half, "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ").unwrap();
    let mut idle = TcpStream::connect(("127.0.0.1", house.port)).unwrap();
    write!(idle, "GET /?t={} HTTP/1.1\r\nHost: {}\r\n\r\n", house.token, house.host()).unwrap();
    for (name, stream) in [("silent", &mut silent), ("half a request", &mut half), ("idle after one", &mut idle)] {
        assert!(hung_up(stream), "{name}");
    }
}

#[test]
fn any_number_of_half_open_requests_leaves_room_for_the_page() {
    let options = StudioOptions {
        limits: Limits { headers_within: Duration::from_secs(3600), ..Limits::default() },
        ..StudioOptions::default()
    };
    let house = House::open(Wobble::new([2, 2, 2], [1, 48]), options);
    let mut crowd = Vec::new();
    for _ in 0..300 {
        let mut stream = TcpStream::connect(("127.0.0.1", house.port)).unwrap();
        write!(stream, "GET / HTTP/1.1\r\nHost:").unwrap();
        crowd.push(stream);
    }
    // Who had to wait for the others' headers would wait for an hour.
    assert_eq!(house.get("/").status, 200);
    house.page().event("welcome");
    // The oldest had to go.
    assert!(hung_up(&mut crowd[0]));
}

#[test]
fn large_headers_are_refused() {
    let house = House::open(Wobble::new([2, 2, 2], [1, 48]), StudioOptions::default());
    let long = "x".repeat(300 << 10);
    let answer = house.ask("GET", "/", &[("Host", &house.host()), ("Cookie", &house.cookie()), ("X-Long", &long)]);
    assert!([431, Answer::HUNG_UP].contains(&answer.status), "{}", answer.status);
    // The limit is what is said of it: 32 KB, to the byte of what is sent with it.
    let with = |bytes: usize| {
        let long = "x".repeat(bytes);
        house.ask("GET", "/", &[("Host", &house.host()), ("Cookie", &house.cookie()), ("X-Long", &long)]).status
    };
    assert_eq!((with(32_000), with(33_000), with(40_000)), (200, 431, 431));
    let many: Vec<(String, String)> = (0..400).map(|n| (format!("X-{n}"), "1".to_owned())).collect();
    let many: Vec<(&str, &str)> = many.iter().map(|(name, value)| (&**name, &**value)).collect();
    assert_eq!(house.ask("GET", "/", &many).status, 431);
    assert_eq!(house.get("/").status, 200);
}

#[test]
fn deep_json_is_refused_in_words() {
    let house = House::open(Wobble::new([2, 2, 2], [1, 48]), StudioOptions::default());
    let mut page = house.page();
    let deep = format!(
        "{{\"do\":\"edit\",\"command\":{{\"do\":\"set\",\"path\":\"a\",\"value\":{}{}}}}}",
        "[".repeat(100),
        "]".repeat(100)
    );
    page.say(&deep);
    assert!(page.event("refused")["what"].as_str().unwrap().contains("deeper"));
    page.say(&"[".repeat(900_000));
    assert!(page.event("refused")["what"].as_str().unwrap().contains("deeper"));
}

#[test]
fn pages_that_fall_silent_give_their_seats_back() {
    let limits = Limits { pages: 2, ..strict().limits };
    let house = House::open(Wobble::new([2, 2, 2], [1, 48]), StudioOptions { limits, ..StudioOptions::default() });
    let _silent = [house.page(), house.page()];
    let headers = [("Origin", house.origin()), ("Cookie", house.cookie())];
    let headers: Vec<(&str, &str)> = headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
    assert!(house.try_live(&headers).is_err(), "all seats are taken");
    let began = Instant::now();
    while house.try_live(&headers).is_err() {
        assert!(began.elapsed() < PATIENCE, "the seats of silent pages stay taken");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_page_that_only_listens_keeps_its_seat() {
    let house = House::open(Wobble::new([2, 2, 2], [1, 48]), strict());
    let mut page = house.page();
    // It says nothing itself; its socket answers pings. Four come in the time after which it would count as
    // silent.
    for _ in 0..8 {
        page.until(|heard| matches!(heard, Heard::Ping).then_some(()));
    }
}

#[test]
fn a_page_that_draws_nothing_gets_two_pictures_and_every_answer() {
    let house = House::open(Wobble::new([2, 2, 2], [1, 48]), StudioOptions::default());
    let mut page = house.page();
    page.draws = false;
    let mut frames = 0;
    let count = |heard: &Heard, frames: &mut u32| *frames += u32::from(matches!(heard, Heard::Frame { .. }));
    page.until(|heard| {
        count(heard, &mut frames);
        matches!(heard, Heard::Event(event) if event["event"] == "transport" && event["frame"] == 20).then_some(())
    });
    assert_eq!(frames, 2, "pictures wait until they are drawn; time does not");
    page.say(r#"{"do":"pause"}"#);
    let stopped = page.transport(|now| now["playing"] == false)["frame"].clone();
    page.draws = true;
    page.say(r#"{"do":"seen"}"#);
    let next = page.until(|heard| match heard {
        Heard::Frame { frame, .. } => Some(*frame),
        _ => None,
    });
    assert_eq!(stopped, next, "the newest frame, not those in between");
}

#[test]
fn files_are_streamed_in_ranges_and_who_takes_nothing_is_let_go() {
    let folder = tempfile::tempdir().unwrap();
    let bytes: Vec<u8> = (0..40u32 << 18).map(|n| b' ' + (n % 90) as u8).collect();
    std::fs::write(folder.path().join("large.npz"), &bytes).unwrap();
    let house = House::scene_with(project(folder.path(), "bar-pin", [1, 4]), strict());
    let (host, cookie) = (house.host(), house.cookie());
    let part =
        |range: &str| house.ask("GET", "/files/large.npz", &[("Host", &host), ("Cookie", &cookie), ("Range", range)]);
    let some = part("bytes=1000-1009");
    assert_eq!((some.status, some.header("content-length")), (206, Some("10")));
    assert_eq!(some.header("content-range"), Some(&*format!("bytes 1000-1009/{}", bytes.len())));
    assert_eq!(some.body.as_bytes()[0], bytes[1000]);
    assert_eq!(part("bytes=99999999999-").status, 416);
    let mut stream = TcpStream::connect(("127.0.0.1", house.port)).unwrap();
    write!(stream, "GET /files/large.npz HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\nConnection: close\r\n\r\n")
        .unwrap();
    // Nothing is taken for longer than the studio waits; then there is less than the whole file.
    std::thread::sleep(Duration::from_secs(3));
    let mut got = Vec::new();
    let _ = stream.read_to_end(&mut got);
    assert!(got.len() < bytes.len(), "the answer was held for a reader that took nothing");
    let whole = house.get("/files/large.npz");
    assert_eq!((whole.status, whole.header("accept-ranges")), (200, Some("bytes")));
    assert_eq!(whole.header("content-length"), Some(&*bytes.len().to_string()));
}

#[test]
fn the_address_for_the_browser_works_once() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (send, receive) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        runtime.block_on(async {
            let studio =
                sinew_studio::Studio::bind(Box::new(Wobble::new([2, 2, 2], [1, 48])), StudioOptions::default())
                    .await
                    .unwrap();
            let file = studio.handoff().unwrap();
            send.send((studio.url(), file)).unwrap();
            studio.run().await.unwrap();
        });
    });
    let (url, file) = receive.recv().unwrap();
    let house = House::at(&url);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    }
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(!text.contains(&house.token), "the lasting token stays out of the file");
    let ticket = text.split("/?o=").nth(1).unwrap().split('"').next().unwrap().to_owned();
    let visit = || house.ask("GET", &format!("/?o={ticket}"), &[("Host", &house.host())]);
    let first = visit();
    assert_eq!(first.status, 200);
    assert!(first.header("set-cookie").unwrap().contains("httponly"));
    assert_eq!(visit().status, 403, "a second use");
    let again = house.ask("GET", &format!("/?o={ticket}"), &[("Host", &house.host()), ("Cookie", &house.cookie())]);
    assert_eq!(again.status, 200, "the same browser loads the page again");
    assert_eq!(house.ask("GET", "/?o=0123", &[("Host", &house.host())]).status, 403);
    assert_eq!(
        house.ask("GET", &format!("/?t={}", house.token), &[("Host", &house.host())]).status,
        200,
        "the printed one lasts"
    );
}
