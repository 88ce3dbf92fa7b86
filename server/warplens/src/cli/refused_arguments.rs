//! Messages about arguments that clap refuses. They contain parts of the arguments, whose control characters must not reach a terminal.

use std::ffi::OsString;
use std::io::{ErrorKind, Write};
use std::process::ExitCode;

use clap::Parser;

use super::outcome::unusable;
use super::plain::{is_hidden, plain};

/// While clap makes the message, private-use characters from here on stand for the hidden ones.
const FIRST: u32 = 0xf_0000;

/// Prints the message of an error, or the help that was asked for.
pub(super) fn print<A: Parser>(error: clap::Error) -> ExitCode {
    let code = error.exit_code();
    if !error.use_stderr() {
        // Help and version contain no text of the user.
        match error.print() {
            Err(error) if error.kind() != ErrorKind::BrokenPipe => return unusable(error).code().into(),
            _ => {}
        }
    } else {
        // If standard error is closed, there is no way to show the message.
        let _ = write!(anstream::stderr(), "{}", message::<A>(std::env::args_os(), error));
    }
    u8::try_from(code).unwrap_or(2).into()
}

/// The message about these arguments, in which hidden characters are escaped. Its own styles are kept.
fn message<A: Parser>(arguments: impl Iterator<Item = OsString>, error: clap::Error) -> String {
    // clap refuses the changed arguments for the same reason as the original ones.
    let shown = arguments.map(|argument| {
        let hide = |char| if is_hidden(char) { stand_in(char) } else { char };
        argument.to_string_lossy().chars().map(hide).collect::<String>()
    });
    let error = A::try_parse_from(shown).err().unwrap_or(error);
    let mut message = String::new();
    for char in error.render().ansi().to_string().chars() {
        match original(char) {
            Some(hidden) => message += &plain(hidden.encode_utf8(&mut [0; 4])),
            None => message.push(char),
        }
    }
    message
}

fn stand_in(hidden: char) -> char {
    char::from_u32(FIRST + u32::from(hidden)).unwrap_or(char::REPLACEMENT_CHARACTER)
}

fn original(char: char) -> Option<char> {
    char::from_u32(u32::from(char).checked_sub(FIRST)?).filter(|char| is_hidden(*char))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Arguments;

    /// The message about arguments, without its own styles.
    fn refused(arguments: &[&str]) -> String {
        let arguments = || [&["warplens"], arguments].concat().into_iter().map(OsString::from);
        let error = Arguments::try_parse_from(arguments()).err().expect("they are refused");
        let message = message::<Arguments>(arguments(), error);
        for style in message.split('\u{1b}').skip(1) {
            let is_colour = style.strip_prefix('[').and_then(|rest| rest.split_once('m'));
            assert!(
                is_colour
                    .is_some_and(|(code, _)| code.bytes().all(|byte| byte.is_ascii_digit() || byte == b';'))
            );
        }
        anstream::adapter::strip_str(&message).to_string()
    }

    #[test]
    fn hidden_characters_of_arguments_are_escaped() {
        let hostile = "x\u{1b}]0;pwn\u{7}\u{9b}2J\u{202e}";
        let option = format!("--{hostile}");
        for arguments in [
            &["check", &option][..],
            &["check", &format!("{option}=1")],
            &["check", "k.ptx", "--language", hostile],
            &["check", "k.ptx", "--target", hostile],
            &["check", "k.ptx", "--allow", hostile],
            &["check", "k.ptx", "--deny", hostile],
            &["check", "k.ptx", "--format", hostile],
            &["sim", "k.ptx", "--grid", hostile],
            &["sim", "k.ptx", "--warp", hostile],
            &["sim", "k.ptx", "--max-steps", hostile],
            &["sim", "a", hostile],
            &["explain", "--descriptor", hostile],
            &["compare", "k.ptx", "--ptxas", "-O", hostile],
            &["completions", hostile],
            &[hostile],
        ] {
            let message = refused(arguments);
            assert!(!message.chars().any(|char| is_hidden(char) && char != '\n'), "{message:?}");
            assert!(message.contains(r"\u{1b}]0;pwn\u{7}\u{9b}2J\u{202e}"), "{message}");
        }
    }
}
