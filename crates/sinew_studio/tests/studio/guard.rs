//! Who may speak to the studio: a test for each way in that must be shut.

use crate::house::House;
use crate::wobble::Wobble;
use sinew_studio::{Studio, StudioOptions};

fn house() -> House {
    House::open(Wobble::new([4, 1, 1], [1, 24]), StudioOptions::default())
}

#[test]
fn the_printed_address_gives_the_page_and_a_strict_cookie_named_after_the_port() {
    let house = house();
    assert_eq!(house.token.len(), 32, "128 bits in hex");
    let answer = house.ask("GET", &format!("/?t={}", house.token), &[("Host", &house.host())]);
    assert_eq!(answer.status, 200);
    assert!(answer.body.contains("<!doctype html>"), "{}", answer.body);
    let cookie = answer.header("set-cookie").unwrap();
    let expected = format!("sinew_{}={}; httponly; samesite=strict; path=/", house.port, house.token);
    assert_eq!(cookie, expected);
    let localhost = format!("localhost:{}", house.port);
    assert_eq!(house.ask("GET", "/", &[("Host", &localhost), ("Cookie", &house.cookie())]).status, 200);
}

#[test]
fn a_port_that_is_taken_is_named() {
    let taken = house().port;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let show = Box::new(Wobble::new([4, 1, 1], [1, 24]));
    let second = Studio::bind(show, StudioOptions { port: taken, ..StudioOptions::default() });
    let error = runtime.block_on(second).err().unwrap().to_string();
    assert!(error.contains(&taken.to_string()) && error.contains("another program"), "{error}");
}

#[test]
fn two_runs_have_two_tokens() {
    assert_ne!(house().token, house().token);
}

#[test]
fn a_wrong_token_gives_nothing() {
    let house = house();
    let wrong = "0".repeat(32);
    for target in [format!("/?t={wrong}"), "/?t=".into(), format!("/?t={}x", house.token), format!("/?x=1&t={wrong}")] {
        let answer = house.ask("GET", &target, &[("Host", &house.host())]);
        assert_eq!(answer.status, 403, "{target}");
        assert_eq!(answer.header("set-cookie"), None, "{target}");
    }
}

#[test]
fn the_token_opens_the_page_only() {
    let house = house();
    for target in ["/live", "/index.html", "/assets/index.js"] {
        let answer = house.ask("GET", &format!("{target}?t={}", house.token), &[("Host", &house.host())]);
        assert_eq!(answer.status, 403, "{target}");
    }
}

#[test]
fn without_the_right_cookie_nothing_is_served() {
    let house = house();
    let wrong_value = format!("sinew_{}={}", house.port, "f".repeat(32));
    let other_port = format!("sinew_{}={}", house.port.wrapping_add(1), house.token);
    let prefixed = format!("xsinew_{}={}", house.port, house.token);
    for target in ["/", "/live", "/index.html", "/nothing-there"] {
        assert_eq!(house.ask("GET", target, &[("Host", &house.host())]).status, 403, "{target}");
        for cookie in [&wrong_value, &other_port, &prefixed] {
            let answer = house.ask("GET", target, &[("Host", &house.host()), ("Cookie", cookie)]);
            assert_eq!(answer.status, 403, "{target} with {cookie}");
        }
    }
    let among_others = format!("theme=dark; {}; lang=en", house.cookie());
    assert_eq!(house.ask("GET", "/", &[("Host", &house.host()), ("Cookie", &among_others)]).status, 200);
}

#[test]
fn a_foreign_host_gives_nothing() {
    let house = house();
    let (cookie, port) = (house.cookie(), house.port);
    let foreign = [
        "evil.example".to_owned(),
        format!("evil.example:{port}"),
        "127.0.0.1".to_owned(),
        "localhost".to_owned(),
        format!("127.0.0.1:{}", port.wrapping_add(1)),
        format!("127.0.0.1.evil.example:{port}"),
        format!("127.1:{port}"),
        format!("0.0.0.0:{port}"),
        format!("[::1]:{port}"),
        format!("LOCALHOST.:{port}"),
    ];
    for host in &foreign {
        assert_eq!(house.ask("GET", "/", &[("Host", host), ("Cookie", &cookie)]).status, 403, "{host}");
        let with_token = format!("/?t={}", house.token);
        assert_eq!(house.ask("GET", &with_token, &[("Host", host)]).status, 403, "{host} with the token");
    }
    assert_ne!(house.ask("GET", "/", &[("Cookie", &cookie)]).status, 200, "no host at all");
    let twice = [("Host", house.host()), ("Host", "evil.example".into())];
    let twice: Vec<(&str, &str)> = twice.iter().map(|(name, value)| (*name, value.as_str())).collect();
    assert_ne!(house.ask("GET", "/", &[&twice[..], &[("Cookie", &cookie)]].concat()).status, 200, "two hosts");
}

#[test]
fn a_foreign_origin_gives_nothing() {
    let house = house();
    let foreign = [
        "http://evil.example".to_owned(),
        "null".to_owned(),
        format!("https://{}", house.host()),
        format!("http://127.0.0.1:{}", house.port.wrapping_add(1)),
        format!("http://localhost:{}", house.port), // ours, but not the host that was asked
        format!("{}.evil.example", house.origin()),
    ];
    for origin in &foreign {
        let headers = [("Host", &*house.host()), ("Origin", origin), ("Cookie", &*house.cookie())];
        assert_eq!(house.ask("GET", "/", &headers).status, 403, "{origin}");
        let refused = house.try_live(&[("Origin", origin), ("Cookie", &house.cookie())]);
        assert_eq!(refused.err(), Some(403), "{origin} on the live connection");
    }
}

#[test]
fn the_live_connection_needs_an_origin_and_a_cookie() {
    let house = house();
    assert_eq!(house.try_live(&[("Cookie", &house.cookie())]).err(), Some(403), "no origin");
    assert_eq!(house.try_live(&[("Origin", &house.origin())]).err(), Some(403), "no cookie");
    let wrong = format!("sinew_{}={}", house.port, "0".repeat(32));
    assert_eq!(house.try_live(&[("Origin", &house.origin()), ("Cookie", &wrong)]).err(), Some(403), "wrong cookie");
    assert!(house.try_live(&[("Origin", &house.origin()), ("Cookie", &house.cookie())]).is_ok());
}

#[test]
fn only_get_is_answered() {
    let house = house();
    for method in ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD", "TRACE", "DANCE"] {
        for target in ["/", "/live", "/index.html"] {
            let answer = house.ask(method, target, &[("Host", &house.host()), ("Cookie", &house.cookie())]);
            assert_eq!((answer.status, answer.header("allow")), (405, Some("get")), "{method} {target}");
        }
    }
}

#[test]
fn no_get_changes_anything() {
    let house = house();
    let mut page = house.page();
    page.say(r#"{"do":"pause"}"#);
    let before = page.transport(|now| now["playing"] == false);
    for target in ["/play", "/live?do=play", "/?do=play", "/live", "/restart", "/?t=&do=restart"] {
        house.get(target);
    }
    page.say(r#"{"do":"loop","on":false}"#);
    let after = page.transport(|now| now["looping"] == false);
    assert_eq!((&after["playing"], &after["frame"]), (&before["playing"], &before["frame"]));
}

#[test]
fn every_answer_carries_the_policy_and_none_opens_to_others() {
    let house = house();
    let answers = [
        house.get("/"),
        house.get("/nothing-there"),
        house.ask("GET", "/", &[("Host", "evil.example")]),
        house.ask("POST", "/", &[("Host", &house.host())]),
    ];
    for answer in &answers {
        assert_eq!(answer.header("referrer-policy"), Some("no-referrer"));
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(answer.header("cross-origin-resource-policy"), Some("same-origin"));
        let policy = answer.header("content-security-policy").unwrap();
        assert!(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"), "{policy}");
        assert!(!policy.contains("unsafe"), "{policy}");
        assert!(!answer.head.contains("access-control-allow"), "{}", answer.head);
    }
}

#[test]
fn no_path_leads_out_of_the_page() {
    let house = house();
    let paths = [
        "/../Cargo.toml",
        "/%2e%2e/Cargo.toml",
        "/assets/../../etc/passwd",
        "//etc/passwd",
        "/etc/passwd",
        "/..\\Cargo.toml",
        "/index.html%00.js",
        "/index.html/",
        "/src/main.ts?raw",
        "/con",
    ];
    for path in paths {
        assert_eq!(house.get(path).status, 404, "{path}");
    }
}

#[test]
fn what_changes_something_is_a_post_with_our_origin_and_cookie() {
    let folder = tempfile::tempdir().unwrap();
    let house = House::builtin("bar-pin", folder.path());
    let (host, origin, cookie) = (house.host(), house.origin(), house.cookie());
    let post = |headers: &[(&str, &str)]| house.ask("POST", "/import?name=a.obj", headers).status;
    assert_eq!(post(&[("Host", &host), ("Cookie", &cookie), ("Content-Length", "0")]), 403, "no origin");
    for foreign in ["http://evil.example", "null", "http://127.0.0.1:1", &origin.replace("http", "https")] {
        let headers = [("Host", host.as_str()), ("Origin", foreign), ("Cookie", &cookie), ("Content-Length", "0")];
        assert_eq!(post(&headers), 403, "{foreign}");
    }
    assert_eq!(post(&[("Host", &host), ("Origin", &origin), ("Content-Length", "0")]), 403, "no cookie");
    let wrong = format!("sinew_{}={}", house.port, "0".repeat(32));
    let headers = [("Host", host.as_str()), ("Origin", &origin), ("Cookie", &wrong), ("Content-Length", "0")];
    assert_eq!(post(&headers), 403, "wrong cookie");
    assert_eq!(post(&[("Host", "evil.example"), ("Origin", &origin), ("Cookie", &cookie)]), 403, "foreign host");
    for target in ["/", "/live", "/files/a.png", "/schema.json", "/import/"] {
        assert_eq!(house.post(target, b"").status, 405, "{target}");
    }
    for method in ["GET", "PUT", "DELETE", "PATCH"] {
        let headers = [("Host", host.as_str()), ("Origin", &origin), ("Cookie", &cookie)];
        assert_eq!(house.ask(method, "/import?name=a.obj", &headers).status, 405, "{method}");
    }
    let made = std::fs::read_dir(folder.path()).unwrap().flatten().filter(|entry| entry.file_name() != ".state");
    assert_eq!(made.count(), 0, "nothing was made");
}

#[test]
fn a_file_that_says_it_is_too_large_is_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let house = House::builtin("bar-pin", folder.path());
    let (host, origin, cookie) = (house.host(), house.origin(), house.cookie());
    let length = (257u64 << 20).to_string();
    let headers = [("Host", &*host), ("Origin", &origin), ("Cookie", &cookie), ("Content-Length", &length)];
    assert_eq!(house.ask("POST", "/import?name=a.obj", &headers).status, 413);
}
