//! Validates the frames of the input before tower-lsp reads them.
//!
//! tower-lsp stops at the first frame that it cannot decode, so one message of invalid UTF-8 would end the server. A valid frame is
//! copied byte for byte. An invalid one is replaced by the notification [`BAD_MESSAGE`], which the service answers with a parse error.
//! The end of the input becomes the notification [`END_OF_INPUT`], so that it is handled after everything before it. Frames longer than
//! [`MAX_FRAME`] are skipped without being stored.
//!
//! tower-lsp never shrinks its buffer, which is as large as the longest frame so far. A long notification about a document therefore
//! bypasses it: the service receives the parsed notification directly, and tower-lsp gets [`LARGE_MESSAGE`] in its place, which
//! preserves the order.

use std::io;

use crossbeam_channel::Sender;
use serde_json::json;
use tokio::io::{
    AsyncBufRead, AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader, copy, sink,
};
use tower_lsp::jsonrpc::Request;

use crate::lsp::transport::output::WaitingBytes;
use warplens_lsp::lenient::{encode_uris, has_invalid_uris, without_lone_surrogates};

/// The notification that replaces an invalid frame. Its parameter is the reason.
pub(crate) const BAD_MESSAGE: &str = "$/warplens/badMessage";

pub(crate) const END_OF_INPUT: &str = "$/warplens/endOfInput";

/// The notification that marks the position of a long one in the order of messages.
pub(crate) const LARGE_MESSAGE: &str = "$/warplens/largeMessage";

/// Longer notifications about a document bypass tower-lsp.
const LARGE: usize = 1 << 18;

/// The limit of a frame in bytes: enough for the largest document (`document::MAX_TEXT`) with every character escaped.
const MAX_FRAME: u64 = 256 << 20;

/// The limit of a header line in bytes.
const MAX_HEADER_LINE: u64 = 4096;

/// The limit of the field with the length in bytes.
const MAX_FIELD: usize = 64;

/// Copies frames until the input ends or the output is closed. Pauses while too many messages wait for the client.
pub(crate) async fn validate_frames(
    input: impl AsyncRead + Unpin,
    mut output: impl AsyncWrite + Unpin,
    large: Sender<Request>,
    mut waiting: WaitingBytes,
) -> io::Result<()> {
    let mut input = BufReader::with_capacity(1 << 16, input);
    while let Some(header) = read_header(&mut input).await? {
        waiting.are_few().await;
        let body = match header {
            Header::Length(length) if length <= MAX_FRAME => {
                match checked(read_body(&mut input, length).await?) {
                    Checked::Frame(body) => body,
                    Checked::Large(request) => {
                        // An error means that the server is exiting.
                        let _ = large.send(request);
                        notification(LARGE_MESSAGE)
                    }
                }
            }
            Header::Length(length) => {
                copy(&mut (&mut input).take(length), &mut sink()).await?;
                bad_message(&format!("the message has {length} bytes, limit is {MAX_FRAME}"))
            }
            Header::Bad(reason) => bad_message(&reason),
        };
        write_frame(&mut output, &body).await?;
    }
    write_frame(&mut output, &notification(END_OF_INPUT)).await
}

fn notification(method: &str) -> Vec<u8> {
    json!({ "jsonrpc": "2.0", "method": method }).to_string().into_bytes()
}

async fn write_frame(output: &mut (impl AsyncWrite + Unpin), body: &[u8]) -> io::Result<()> {
    output.write_all(format!("Content-Length: {}\r\n\r\n", body.len()).as_bytes()).await?;
    output.write_all(body).await
}

enum Header {
    Length(u64),
    Bad(String),
}

/// Reads up to the empty line that ends a header; `None` at the end of the input. Lines that are not header fields are skipped, so that
/// reading resumes at the next frame. If the length of the frame before was wrong, the line with the next header starts inside a body.
async fn read_header(input: &mut (impl AsyncBufRead + Unpin)) -> io::Result<Option<Header>> {
    let mut length = None;
    let mut invalid = None;
    let mut line = Vec::new();
    loop {
        // A line that is too long is read in parts. They overlap, so that no field is cut.
        match line.last() {
            None | Some(b'\n') => line.clear(),
            Some(_) => drop(line.drain(..line.len().saturating_sub(MAX_FIELD))),
        }
        if (&mut *input).take(MAX_HEADER_LINE).read_until(b'\n', &mut line).await? == 0 {
            return Ok(None);
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_end_matches(['\r', '\n']);
        match line.split_once(':') {
            Some((name, value)) if name.trim().eq_ignore_ascii_case("content-length") => {
                match value.trim().parse() {
                    Ok(bytes) => length = Some(bytes),
                    Err(_) => return Ok(Some(Header::Bad(format!("`{line}` is not a valid length")))),
                }
            }
            _ if let Some(bytes) = length_after_body(line) => {
                invalid.get_or_insert(format!("the frame before `{}` has a wrong length", shorten(line)));
                length = Some(bytes);
            }
            _ if line.is_empty() => match (length, invalid) {
                (Some(length), _) => return Ok(Some(Header::Length(length))),
                (None, Some(invalid)) => return Ok(Some(Header::Bad(invalid))),
                (None, None) => invalid = None,
            },
            Some((name, _)) if name.trim().eq_ignore_ascii_case("content-type") => {}
            _ => invalid = Some(format!("header without Content-Length, near `{}`", shorten(line))),
        }
    }
}

/// The length in a header field that follows the end of a body on the same line.
fn length_after_body(line: &str) -> Option<u64> {
    const FIELD: &str = "content-length:";
    let start = line.len().saturating_sub(MAX_FIELD);
    let end = line.get(line.ceil_char_boundary(start)..)?.to_ascii_lowercase();
    let (_, value) = end.rsplit_once(FIELD)?;
    value.trim().parse().ok()
}

async fn read_body(input: &mut (impl AsyncRead + Unpin), length: u64) -> io::Result<Vec<u8>> {
    // The body grows as it is read, so that a large length alone allocates nothing.
    let mut body = Vec::new();
    input.take(length).read_to_end(&mut body).await?;
    Ok(body)
}

/// A message after validation.
enum Checked {
    /// The body of a frame for tower-lsp.
    Frame(Vec<u8>),
    /// A long notification about a document.
    Large(Request),
}

/// Validates a body. Mistakes that have only one meaning are corrected; a body that is not a message is replaced.
fn checked(body: Vec<u8>) -> Checked {
    let (body, request) = match parse(&body) {
        Ok(request) => (body, request),
        Err(problem) => {
            let replaced = without_lone_surrogates(&body);
            match parse(&replaced) {
                Ok(request) => (replaced, request),
                Err(_) => return Checked::Frame(bad_message(&problem)),
            }
        }
    };
    match with_valid_uris(&request) {
        Some(corrected) => Checked::Frame(corrected),
        None if body.len() > LARGE && is_about_document(&request) => Checked::Large(request),
        None => Checked::Frame(body),
    }
}

fn is_about_document(request: &Request) -> bool {
    request.id().is_none() && request.method().starts_with("textDocument/")
}

fn parse(body: &[u8]) -> Result<Request, String> {
    let text = std::str::from_utf8(body).map_err(|error| {
        format!("the message is not UTF-8: invalid byte at offset {}", error.valid_up_to())
    })?;
    serde_json::from_str(text).map_err(|error| format!("the message is not a JSON-RPC 2.0 message: {error}"))
}

/// The message with its URIs percent-encoded; `None` if they already are.
fn with_valid_uris(request: &Request) -> Option<Vec<u8>> {
    let mut params = request.params().filter(|params| has_invalid_uris(params))?.clone();
    encode_uris(&mut params);
    let mut message = serde_json::to_value(request).ok()?;
    message["params"] = params;
    serde_json::to_vec(&message).ok()
}

fn bad_message(reason: &str) -> Vec<u8> {
    tracing::warn!("{reason}");
    json!({ "jsonrpc": "2.0", "method": BAD_MESSAGE, "params": reason }).to_string().into_bytes()
}

fn shorten(line: &str) -> &str {
    line.char_indices().nth(40).map_or(line, |(end, _)| &line[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(body: &[u8]) -> Vec<u8> {
        [format!("Content-Length: {}\r\n\r\n", body.len()).as_bytes(), body].concat()
    }

    async fn validated(input: Vec<u8>) -> Vec<String> {
        validated_with(input, crossbeam_channel::unbounded().0).await
    }

    async fn validated_with(input: Vec<u8>, large: Sender<Request>) -> Vec<String> {
        let mut output = Vec::new();
        let (sender, _) = crate::lsp::transport::output::queue();
        validate_frames(&input[..], &mut output, large, sender.waiting())
            .await
            .expect("memory does not fail");
        let output = String::from_utf8(output).expect("output is UTF-8");
        let frames = output.split("Content-Length: ").skip(1);
        let mut bodies: Vec<_> =
            frames.map(|frame| frame[frame.find('{').unwrap_or(0)..].to_owned()).collect();
        assert!(bodies.pop().is_some_and(|last| last.contains(END_OF_INPUT)));
        bodies
    }

    const HELLO: &str = r#"{"jsonrpc":"2.0","method":"hello"}"#;

    #[tokio::test]
    async fn valid_frames_are_copied() {
        let input = [frame(HELLO.as_bytes()), frame(br#"{"jsonrpc":"2.0","id":1,"result":null}"#)].concat();
        assert_eq!(validated(input).await, [HELLO, r#"{"jsonrpc":"2.0","id":1,"result":null}"#]);
    }

    #[tokio::test]
    async fn a_long_notification_about_a_document_goes_beside_the_transport() {
        let text = "x".repeat(LARGE);
        let message = |method: &str| {
            json!({ "jsonrpc": "2.0", "method": method, "params": { "text": text } }).to_string().into_bytes()
        };
        let (sender, large) = crossbeam_channel::unbounded();
        let input = [
            frame(HELLO.as_bytes()),
            frame(&message("textDocument/didOpen")),
            frame(HELLO.as_bytes()),
            frame(&message("other")),
        ];
        let seen = validated_with(input.concat(), sender).await;
        assert!(seen[0] == HELLO && seen[1].contains(LARGE_MESSAGE) && seen[2] == HELLO);
        assert!(seen[3].len() > LARGE);
        let requests: Vec<Request> = large.iter().collect();
        let [request] = &requests[..] else { panic!("one is expected: {}", requests.len()) };
        assert_eq!(request.method(), "textDocument/didOpen");
        assert_eq!(request.params().and_then(|params| params["text"].as_str()), Some(&*text));
    }

    #[tokio::test]
    async fn an_invalid_frame_is_replaced_and_the_next_one_is_read() {
        for bad in [&b"{\"jsonrpc\":\"2.0\",\"method\":\"\xff\"}"[..], b"{", b"[1]", b"{\"jsonrpc\":\"1.0\"}"]
        {
            let seen = validated([frame(bad), frame(HELLO.as_bytes())].concat()).await;
            assert_eq!(seen.len(), 2, "{seen:?}");
            assert!(seen[0].contains(BAD_MESSAGE), "{seen:?}");
            assert_eq!(seen[1], HELLO);
        }
    }

    #[tokio::test]
    async fn garbage_between_frames_is_skipped() {
        let input = [b"GET / HTTP/1.1\r\nHost: x\r\n\r\n".to_vec(), frame(HELLO.as_bytes())].concat();
        let seen = validated(input).await;
        assert!(seen[0].contains("Content-Length"), "{seen:?}");
        assert_eq!(seen[1], HELLO);
    }

    #[tokio::test]
    async fn other_header_fields_and_content_types_are_accepted() {
        let header = "Content-Type: application/vscode-jsonrpc\r\ncontent-length: 34\r\nX-Mine: 1\r\n\r\n";
        assert_eq!(validated([header.as_bytes(), HELLO.as_bytes()].concat()).await, [HELLO]);
    }

    #[tokio::test]
    async fn after_a_wrong_length_the_next_frame_is_read() {
        let body = format!(r#"{{"jsonrpc":"2.0","method":"{}"}}"#, "x".repeat(5000));
        for length in [0, 1, 20, 900, body.len() - 1, body.len() + 1, body.len() + 30] {
            let wrong = [format!("Content-Length: {length}\r\n\r\n").as_bytes(), body.as_bytes()].concat();
            let input = [wrong, frame(HELLO.as_bytes()), frame(HELLO.as_bytes())].concat();
            let seen = validated(input).await;
            assert!(seen[0].contains(BAD_MESSAGE), "{length} {seen:?}");
            assert_eq!(seen.last().map(String::as_str), Some(HELLO), "{length} {seen:?}");
        }
    }

    #[tokio::test]
    async fn lone_surrogates_and_raw_uris_are_corrected() {
        let lone = br#"{"jsonrpc":"2.0","method":"x","params":{"text":"a\ud83db"}}"#;
        let seen = validated(frame(lone)).await;
        assert_eq!(seen, [r#"{"jsonrpc":"2.0","method":"x","params":{"text":"a\ufffdb"}}"#]);
        let raw = r#"{"jsonrpc":"2.0","id":1,"method":"x","params":{"uri":"file:///ä b"}}"#;
        let seen = validated(frame(raw.as_bytes())).await;
        assert!(
            seen[0].contains(r#""uri":"file:///%C3%A4%20b""#) && seen[0].contains(r#""id":1"#),
            "{seen:?}"
        );
    }

    #[tokio::test]
    async fn a_truncated_frame_is_replaced() {
        let seen = validated(b"Content-Length: 99\r\n\r\n{".to_vec()).await;
        assert!(seen[0].contains(BAD_MESSAGE), "{seen:?}");
    }
}
