//! The part of HTTP/1.1 that a scraper needs: GET and HEAD of one document, one request per connection. RFC 9112

use std::collections::VecDeque;
use std::io;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::AbortHandle;
use tokio::time::{sleep, timeout};

use super::Source;

/// Serves metrics at `/metrics` until the future is dropped.
pub async fn serve(listener: TcpListener, source: impl Source + Clone) {
    // Oldest connection first
    let mut open: VecDeque<AbortHandle> = VecDeque::new();
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            // File descriptors may be exhausted; some may be closed soon
            sleep(PAUSE).await;
            continue;
        };
        open.retain(|connection| !connection.is_finished());
        // Idle connections must not block a scraper, which sends its request at once
        if open.len() >= MOST_CONNECTIONS
            && let Some(oldest) = open.pop_front()
        {
            oldest.abort();
        }
        let source = source.clone();
        let answering = tokio::spawn(async move {
            // The connection of a slow scraper is closed
            let _ = timeout(PATIENCE, answer(stream, &source)).await;
        });
        open.push_back(answering.abort_handle());
    }
}

async fn answer(mut stream: TcpStream, source: &impl Source) -> io::Result<()> {
    let head = request_head(&mut stream).await?;
    stream.write_all(respond(&head, || source.metrics()).as_bytes()).await?;
    stream.shutdown().await
}

/// Reads the request up to the empty line, but at most `MOST_HEAD` bytes.
async fn request_head(stream: &mut TcpStream) -> io::Result<Vec<u8>> {
    let mut head = Vec::with_capacity(1024);
    while head.len() < MOST_HEAD && !head.windows(4).any(|bytes| bytes == b"\r\n\r\n") {
        if stream.read_buf(&mut head).await? == 0 {
            break;
        }
    }
    Ok(head)
}

/// The complete response to a request.
fn respond(head: &[u8], document: impl FnOnce() -> String) -> String {
    let line = head.split(|&byte| byte == b'\r').next().unwrap_or_default();
    let line = String::from_utf8_lossy(line);
    let mut words = line.split(' ');
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let is_http = words.next().is_some_and(|version| version.starts_with("HTTP/1."));
    let is_metrics = target.split('?').next() == Some("/metrics");
    let (status, kind, body) = match method {
        _ if !is_http => ("400 Bad Request", PLAIN, "this is not HTTP/1.1\n".to_owned()),
        "GET" | "HEAD" if is_metrics => ("200 OK", OPEN_METRICS, document()),
        "GET" | "HEAD" => ("404 Not Found", PLAIN, "the metrics are at /metrics\n".to_owned()),
        _ => ("405 Method Not Allowed", PLAIN, "only GET and HEAD are answered\n".to_owned()),
    };
    let allow = if status.starts_with("405") { "Allow: GET, HEAD\r\n" } else { "" };
    let length = body.len();
    let body = if method == "HEAD" { String::new() } else { body };
    format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n{allow}\
         Connection: close\r\n\r\n{body}"
    )
}

const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
const PLAIN: &str = "text/plain; charset=utf-8";
/// Largest number of open connections; a further one replaces the oldest.
const MOST_CONNECTIONS: usize = 64;
/// Largest size of a request head in bytes.
const MOST_HEAD: usize = 8192;
/// Time limit of a connection.
const PATIENCE: Duration = Duration::from_secs(5);
/// Pause after a failed `accept`.
const PAUSE: Duration = Duration::from_millis(100);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_answered_with_the_document_or_an_error() {
        let table = [
            ("GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n", "200 OK", "document"),
            ("GET /metrics?x=1 HTTP/1.0\r\n\r\n", "200 OK", "document"),
            ("HEAD /metrics HTTP/1.1\r\n\r\n", "200 OK", ""),
            ("GET / HTTP/1.1\r\n\r\n", "404 Not Found", "the metrics are at /metrics\n"),
            ("POST /metrics HTTP/1.1\r\n\r\n", "405 Method", "only GET and HEAD are answered\n"),
            ("", "400 Bad Request", "this is not HTTP/1.1\n"),
            ("\0\u{1}\u{2}", "400 Bad Request", "this is not HTTP/1.1\n"),
            ("GET /metrics", "400 Bad Request", "this is not HTTP/1.1\n"),
        ];
        for (request, status, body) in table {
            let response = respond(request.as_bytes(), || "document".to_owned());
            assert!(response.starts_with(&format!("HTTP/1.1 {status}")), "{request:?}: {response}");
            assert_eq!(response.split_once("\r\n\r\n").map(|parts| parts.1), Some(body));
        }
    }

    #[test]
    fn a_head_has_the_length_of_the_document() {
        let response = respond(b"HEAD /metrics HTTP/1.1\r\n\r\n", || "12345".to_owned());
        assert!(response.contains("Content-Length: 5\r\n"), "{response}");
    }
}
