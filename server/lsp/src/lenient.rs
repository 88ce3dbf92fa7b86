//! Corrects mistakes that clients make and that have only one meaning: lone surrogates, and characters in URIs that should be
//! percent-encoded. Otherwise the message would be lost, and perhaps an edit with it.

use std::fmt::Write;

use serde_json::Value;

/// Replaces lone surrogates, which JSON escapes can express but text cannot contain, by U+FFFD. The length in UTF-16 units does not
/// change, so the positions of later edits remain valid.
pub fn without_lone_surrogates(body: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(body.len());
    let mut at = 0;
    while let Some(&byte) = body.get(at) {
        let len = match byte {
            b'\\' => match (surrogate(&body[at..]), surrogate(&body[(at + 6).min(body.len())..])) {
                (Some(Half::Leading), Some(Half::Trailing)) => 12,
                (Some(_), _) => {
                    out.extend_from_slice(b"\\ufffd");
                    at += 6;
                    continue;
                }
                // The byte after the backslash cannot start an escape.
                (None, _) => 2,
            },
            // A surrogate encoded in three bytes, which is not valid UTF-8.
            0xed if matches!(body.get(at + 1..at + 3), Some([0xa0..=0xbf, 0x80..=0xbf])) => {
                out.extend_from_slice("\u{fffd}".as_bytes());
                at += 3;
                continue;
            }
            _ => 1,
        };
        let end = (at + len).min(body.len());
        out.extend_from_slice(&body[at..end]);
        at = end;
    }
    out
}

enum Half {
    Leading,
    Trailing,
}

/// The surrogate that an escape `\uXXXX` at the start of the text denotes.
fn surrogate(text: &[u8]) -> Option<Half> {
    let digits = std::str::from_utf8(text.strip_prefix(b"\\u")?.get(..4)?).ok()?;
    match u16::from_str_radix(digits, 16).ok()? {
        0xd800..=0xdbff => Some(Half::Leading),
        0xdc00..=0xdfff => Some(Half::Trailing),
        _ => None,
    }
}

/// Whether the parameters of a message have URIs that need [`encode_uris`].
pub fn has_invalid_uris(params: &Value) -> bool {
    match params {
        Value::Array(values) => values.iter().any(has_invalid_uris),
        Value::Object(entries) => entries.iter().any(|(key, value)| match value {
            Value::String(text) => is_uri(key) && encoded(text).is_some(),
            value => has_invalid_uris(value),
        }),
        _ => false,
    }
}

/// Percent-encodes the characters that URIs in the parameters of a message must not contain.
pub fn encode_uris(params: &mut Value) {
    match params {
        Value::Array(values) => values.iter_mut().for_each(encode_uris),
        Value::Object(entries) => entries.iter_mut().for_each(|(key, value)| match value {
            Value::String(text) if is_uri(key) => {
                if let Some(encoded) = encoded(text) {
                    *text = encoded;
                }
            }
            value => encode_uris(value),
        }),
        _ => {}
    }
}

fn is_uri(key: &str) -> bool {
    key == "uri" || key.ends_with("Uri")
}

/// The percent-encoded URI; `None` if it is valid.
fn encoded(uri: &str) -> Option<String> {
    let bytes = uri.as_bytes();
    let is_escape = |at: usize| matches!(bytes.get(at + 1..at + 3), Some([a, b]) if a.is_ascii_hexdigit() && b.is_ascii_hexdigit());
    let is_file = uri.starts_with("file:");
    let is_wrong = |at: usize| match bytes[at] {
        b'%' => !is_escape(at),
        b'[' | b']' => is_file,
        byte => !byte.is_ascii_graphic() || b"\"<>\\^`{|}".contains(&byte),
    };
    if !(0..bytes.len()).any(is_wrong) {
        return None;
    }
    let mut out = String::with_capacity(uri.len() + 16);
    for (at, &byte) in bytes.iter().enumerate() {
        match is_wrong(at) {
            true => {
                let _ = write!(out, "%{byte:02X}");
            }
            false => out.push(byte.into()),
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(text: &[u8], replaced: &str) {
        assert_eq!(String::from_utf8(without_lone_surrogates(text)).expect("UTF-8"), replaced);
    }

    #[test]
    fn lone_surrogates_are_replaced() {
        check(br#"{"text":"a\ud83d b"}"#, r#"{"text":"a\ufffd b"}"#);
        check(br#""\ude00\uD83D""#, r#""\ufffd\ufffd""#);
        check(br#""\ud83d\ude00\ud83d\ud83d\ude00""#, r#""\ud83d\ude00\ufffd\ud83d\ude00""#);
        check(br#""\\ud83d \"\\\ud83d""#, r#""\\ud83d \"\\\ufffd""#);
        check(b"\"\xed\xa0\xbdx\"", "\"\u{fffd}x\"");
        for text in ["", "\\", "\\u", "\\ud8", "\"\u{d7ff}\u{1f600}\""] {
            check(text.as_bytes(), text);
        }
    }

    #[test]
    fn uris_are_percent_encoded() {
        let mut params = json!({
            "textDocument": { "uri": "file:///tmp/ä b/[1]%20%zz.ptx", "text": "file:///ä" },
            "items": [{ "targetUri": "file:///é" }],
            "rootUri": null,
        });
        assert!(has_invalid_uris(&params));
        encode_uris(&mut params);
        let expected = json!({
            "textDocument": { "uri": "file:///tmp/%C3%A4%20b/%5B1%5D%20%25zz.ptx", "text": "file:///ä" },
            "items": [{ "targetUri": "file:///%C3%A9" }],
            "rootUri": null,
        });
        assert_eq!(params, expected);
        assert!(!has_invalid_uris(&params));
    }
}
