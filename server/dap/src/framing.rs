//! Frames of the Debug Adapter Protocol: headers, an empty line, and that many bytes of JSON.

use std::io::{self, BufRead, Read, Write};

/// The limit of a message in bytes.
const MAX_BYTES: usize = 64 << 20;
/// The limit of the headers of a message in bytes.
const MAX_HEADERS: u64 = 4096;

/// Reads the contents of the next frame; `None` at the end of the input.
///
/// # Errors
/// When the input cannot be read, or is not a frame: the rest of the input cannot be understood then.
pub(crate) fn read(input: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let invalid = |message: &str| io::Error::new(io::ErrorKind::InvalidData, message.to_owned());
    let (mut length, mut is_first) = (None, true);
    loop {
        let mut line = Vec::new();
        input.by_ref().take(MAX_HEADERS).read_until(b'\n', &mut line)?;
        if line.is_empty() && is_first {
            return Ok(None);
        }
        if line.last() != Some(&b'\n') {
            return Err(invalid("broken frame: a header does not end"));
        }
        is_first = false;
        let text = String::from_utf8_lossy(&line);
        let text = text.trim_end();
        if text.is_empty() {
            break;
        }
        let Some((name, value)) = text.split_once(':') else {
            return Err(invalid("broken frame: a header without a colon; expected `Content-Length: N`"));
        };
        if name.eq_ignore_ascii_case("Content-Length") {
            let parsed =
                value.trim().parse().map_err(|_| invalid("broken frame: Content-Length is not a number"))?;
            length = Some(parsed);
        }
    }
    let length: usize = length.ok_or_else(|| invalid("broken frame: no Content-Length"))?;
    if length > MAX_BYTES {
        return Err(invalid("broken frame: the message has more than 64 MB"));
    }
    let mut contents = Vec::new();
    input.take(length as u64).read_to_end(&mut contents)?;
    if contents.len() < length {
        return Err(invalid("broken frame: the input ends within a message"));
    }
    Ok(Some(contents))
}

/// Writes a frame.
///
/// # Errors
/// When the output cannot be written.
pub(crate) fn write(output: &mut impl Write, contents: &[u8]) -> io::Result<()> {
    write!(output, "Content-Length: {}\r\n\r\n", contents.len())?;
    output.write_all(contents)?;
    output.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_follow_each_other() {
        let mut out = Vec::new();
        write(&mut out, b"{}").expect("memory");
        write(&mut out, "\"\u{e9}\"".as_bytes()).expect("memory");
        let mut input = &out[..];
        assert_eq!(read(&mut input).expect("a frame"), Some(b"{}".to_vec()));
        assert_eq!(read(&mut input).expect("a frame"), Some("\"\u{e9}\"".as_bytes().to_vec()));
        assert_eq!(read(&mut input).expect("the end"), None);
    }

    #[test]
    fn broken_frames_are_errors() {
        for broken in [
            "hello\n\n",
            "Content-Length: x\r\n\r\n",
            "Content-Length: 10\r\n\r\n{}",
            "A: b\r\n\r\n",
            "Content",
        ] {
            assert!(read(&mut broken.as_bytes()).is_err(), "{broken}");
        }
        assert!(read(&mut "Content-Length: 99999999999\r\n\r\n".as_bytes()).is_err());
    }
}
