//! Mutated messages: the server answers the next request, or ends as it does at the end of its input.

use fastrand::Rng;
use serde_json::json;

use super::budget;
use super::support::Client;

const MESSAGES: [&str; 6] = [
    r#"{"jsonrpc":"2.0","id":1000,"method":"textDocument/hover","params":{"textDocument":{"uri":"file:///fuzz/k.ptx"},"position":{"line":3,"character":4}}}"#,
    r#"{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///fuzz/k.ptx","version":2},"contentChanges":[{"range":{"start":{"line":1,"character":0},"end":{"line":2,"character":3}},"text":"ret;\n"}]}}"#,
    r#"{"jsonrpc":"2.0","id":1001,"method":"workspace/executeCommand","params":{"command":"warplens.selectLaunch","arguments":[{"uri":"file:///fuzz/k.ptx","launch":"inferred"}]}}"#,
    r#"{"jsonrpc":"2.0","id":1002,"method":"warplens/timeline","params":{"textDocument":{"uri":"file:///fuzz/k.ptx"},"start":0,"count":100}}"#,
    r#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1000}}"#,
    r#"{"jsonrpc":"2.0","method":"workspace/didChangeConfiguration","params":{"settings":{"warplens":{"lanes":{"format":"hex"},"limits":{"maxSteps":100}}}}}"#,
];

/// A message with changed bytes, which need not be UTF-8.
fn body(rng: &mut Rng) -> Vec<u8> {
    let mut bytes = MESSAGES[rng.usize(..MESSAGES.len())].as_bytes().to_vec();
    for _ in 0..rng.usize(..4) {
        let at = rng.usize(..bytes.len());
        match rng.u8(..4) {
            0 => bytes[at] = rng.u8(..),
            1 => bytes[at] = b"0123456789-\"{}[],:"[rng.usize(..18)],
            2 => bytes.truncate(at.max(1)),
            _ => bytes.insert(at, b"{}[]\"\\0-9"[rng.usize(..9)]),
        }
    }
    bytes
}

fn frame(rng: &mut Rng) -> Vec<u8> {
    let body = body(rng);
    let header = match rng.u8(..12) {
        0 => format!("content-length:{}\r\n\r\n", body.len()),
        1 => format!("Content-Type: x\r\nContent-Length: {}\r\n\r\n", body.len()),
        2 => "Content-Length: x\r\n\r\n".to_owned(),
        3 => "\r\n\r\n".to_owned(),
        4 => "Content-Length: 99999999999999999999\r\n\r\n".to_owned(),
        _ => format!("Content-Length: {}\r\n\r\n", body.len()),
    };
    [header.into_bytes(), body].concat()
}

#[test]
fn hostile_frames() {
    budget::run("frames", 12, |case| {
        let mut client = Client::start();
        client.open_as("ptx", "../fuzz/k.ptx", include_str!("../../../examples/saxpy.ptx"));
        let count = 20;
        for _ in 0..count {
            let frame = frame(&mut case.rng);
            client.line.send_bytes(&frame);
        }
        // If a length is too small, the rest of its message precedes the next header. The server skips it.
        client.line.send_bytes(b"\r\n\r\n");
        let probe = json!({ "jsonrpc": "2.0", "id": "probe", "method": "workspace/symbol", "params": { "query": "" } });
        client.line.send(probe.to_string().as_bytes());
        loop {
            let message = client.receive_raw();
            if message["id"] == "probe" {
                break;
            }
            if message.get("method").is_some() && message.get("id").is_some() {
                let answer = json!({ "jsonrpc": "2.0", "id": message["id"], "result": null });
                client.line.send(answer.to_string().as_bytes());
            }
        }
        count
    });
}
