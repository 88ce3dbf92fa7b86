//! Keeps malformed input away from the transport.
//!
//! The transport ends at the first frame that it cannot decode, and a client that once sends broken UTF-8 would lose
//! its server. So every frame is read and tried here first. A good one goes on byte for byte; in place of a bad one
//! goes a note ([`BAD_MESSAGE`]) that the service answers with a parse error; the end of the input is noted too
//! ([`END_OF_INPUT`]), so that it comes after everything before it. Frames beyond [`MAX_FRAME`] are skipped without
//! being kept.

use std::io;

use serde_json::json;
use tokio::io::{
    AsyncBufRead, AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader, copy, sink,
};
use tower_lsp::jsonrpc::Request;

/// The method of the note that stands for a frame that could not be read; its parameter says why.
pub(super) const BAD_MESSAGE: &str = "$/warplens/badMessage";

/// The method of the note that the input has ended.
pub(super) const END_OF_INPUT: &str = "$/warplens/endOfInput";

/// The longest frame that is read, in bytes: room for the largest document (see `document::MAX_TEXT`) with every
/// character escaped.
const MAX_FRAME: u64 = 256 << 20;

/// The longest header line that is looked at.
const MAX_HEADER_LINE: u64 = 4096;

/// Copies frames until the input ends or nobody reads any more.
pub(super) async fn guard(
    input: impl AsyncRead + Unpin,
    mut output: impl AsyncWrite + Unpin,
) -> io::Result<()> {
    let mut input = BufReader::with_capacity(1 << 16, input);
    while let Some(header) = read_header(&mut input).await? {
        let body = match header {
            Header::Length(length) if length <= MAX_FRAME => checked(read_body(&mut input, length).await?),
            Header::Length(length) => {
                copy(&mut (&mut input).take(length), &mut sink()).await?;
                note(&format!("the message has {length} bytes; at most {MAX_FRAME} are read"))
            }
            Header::Bad(why) => note(&why),
        };
        write_frame(&mut output, &body).await?;
    }
    write_frame(&mut output, &json!({ "jsonrpc": "2.0", "method": END_OF_INPUT }).to_string().into_bytes())
        .await
}

async fn write_frame(output: &mut (impl AsyncWrite + Unpin), body: &[u8]) -> io::Result<()> {
    output.write_all(format!("Content-Length: {}\r\n\r\n", body.len()).as_bytes()).await?;
    output.write_all(body).await
}

enum Header {
    Length(u64),
    Bad(String),
}

/// Reads up to the empty line that ends a header; `None` at the end of the input. Lines that are not header fields
/// are skipped, so that a client that lost its place is found again at its next frame.
async fn read_header(input: &mut (impl AsyncBufRead + Unpin)) -> io::Result<Option<Header>> {
    let mut length = None;
    let mut strange = None;
    loop {
        let mut line = Vec::new();
        if (&mut *input).take(MAX_HEADER_LINE).read_until(b'\n', &mut line).await? == 0 {
            return Ok(None);
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_end_matches(['\r', '\n']);
        match line.split_once(':') {
            Some((name, value)) if name.trim().eq_ignore_ascii_case("content-length") => {
                match value.trim().parse() {
                    Ok(bytes) => length = Some(bytes),
                    Err(_) => return Ok(Some(Header::Bad(format!("`{line}` is not a length")))),
                }
            }
            _ if line.is_empty() => match (length, strange) {
                (Some(length), _) => return Ok(Some(Header::Length(length))),
                (None, Some(strange)) => return Ok(Some(Header::Bad(strange))),
                (None, None) => strange = None,
            },
            Some((name, _)) if name.trim().eq_ignore_ascii_case("content-type") => {}
            _ => strange = Some(format!("a header without a Content-Length, near `{}`", shorten(line))),
        }
    }
}

async fn read_body(input: &mut (impl AsyncRead + Unpin), length: u64) -> io::Result<Vec<u8>> {
    // Grows as bytes come, so that a length alone reserves nothing.
    let mut body = Vec::new();
    input.take(length).read_to_end(&mut body).await?;
    Ok(body)
}

/// The body, or the note that it is no message.
fn checked(body: Vec<u8>) -> Vec<u8> {
    let problem = match std::str::from_utf8(&body) {
        Err(error) => format!("the message is not UTF-8: byte {} of it is wrong", error.valid_up_to()),
        Ok(text) => match serde_json::from_str::<Request>(text) {
            Ok(_) => return body,
            Err(error) => format!("the message is not a JSON-RPC 2.0 message: {error}"),
        },
    };
    note(&problem)
}

fn note(why: &str) -> Vec<u8> {
    tracing::warn!("{why}");
    json!({ "jsonrpc": "2.0", "method": BAD_MESSAGE, "params": why }).to_string().into_bytes()
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

    async fn guarded(input: Vec<u8>) -> Vec<String> {
        let mut output = Vec::new();
        guard(&input[..], &mut output).await.expect("memory does not fail");
        let output = String::from_utf8(output).expect("only UTF-8 goes on");
        let frames = output.split("Content-Length: ").skip(1);
        let mut bodies: Vec<_> =
            frames.map(|frame| frame[frame.find('{').unwrap_or(0)..].to_owned()).collect();
        assert!(bodies.pop().is_some_and(|last| last.contains(END_OF_INPUT)));
        bodies
    }

    const HELLO: &str = r#"{"jsonrpc":"2.0","method":"hello"}"#;

    #[tokio::test]
    async fn good_frames_go_on_unchanged() {
        let input = [frame(HELLO.as_bytes()), frame(br#"{"jsonrpc":"2.0","id":1,"result":null}"#)].concat();
        assert_eq!(guarded(input).await, [HELLO, r#"{"jsonrpc":"2.0","id":1,"result":null}"#]);
    }

    #[tokio::test]
    async fn a_bad_frame_becomes_a_note_and_the_next_one_is_read() {
        for bad in [&b"{\"jsonrpc\":\"2.0\",\"method\":\"\xff\"}"[..], b"{", b"[1]", b"{\"jsonrpc\":\"1.0\"}"]
        {
            let seen = guarded([frame(bad), frame(HELLO.as_bytes())].concat()).await;
            assert_eq!(seen.len(), 2, "{seen:?}");
            assert!(seen[0].contains(BAD_MESSAGE), "{seen:?}");
            assert_eq!(seen[1], HELLO);
        }
    }

    #[tokio::test]
    async fn garbage_between_frames_is_skipped() {
        let input = [b"GET / HTTP/1.1\r\nHost: x\r\n\r\n".to_vec(), frame(HELLO.as_bytes())].concat();
        let seen = guarded(input).await;
        assert!(seen[0].contains("Content-Length"), "{seen:?}");
        assert_eq!(seen[1], HELLO);
    }

    #[tokio::test]
    async fn other_header_fields_and_content_types_are_welcome() {
        let header = "Content-Type: application/vscode-jsonrpc\r\ncontent-length: 34\r\nX-Mine: 1\r\n\r\n";
        assert_eq!(guarded([header.as_bytes(), HELLO.as_bytes()].concat()).await, [HELLO]);
    }

    #[tokio::test]
    async fn a_frame_that_the_client_never_finished_is_a_note() {
        let seen = guarded(b"Content-Length: 99\r\n\r\n{".to_vec()).await;
        assert!(seen[0].contains(BAD_MESSAGE), "{seen:?}");
    }
}
