//! The debug adapter: the Debug Adapter Protocol over a recorded launch.
//!
//! A session has one launch, which has run completely before the first stop. It moves a position in the recording, forwards and
//! backwards; a client that continues looks for the next stop there. docs/debugging.md is the contract.

mod barriers;
mod debuggee;
mod expression;
mod failure;
mod frames;
mod framing;
mod interrupt;
mod motion;
mod output;
mod progress;
mod request;
mod requested;
mod session;
mod special;
mod stops;
mod variables;

use std::io::{self, BufRead, Write};
use std::sync::mpsc::{self, Sender};
use std::thread;
use std::time::Duration;

pub use debuggee::Opened;
use interrupt::Interrupt;
use request::Request;
use session::Session;
pub use session::{LaunchArguments, Loader};

/// How long requests may take after the end of the input, and how long the process may live then.
const GRACE: Duration = Duration::from_millis(2000);
const LIMIT: Duration = Duration::from_millis(700);

/// Serves a client until it disconnects or its input ends. `abandon` is called if the session still does something some time after
/// the end of the input.
///
/// # Errors
/// When the output cannot be written, or the input is not the protocol.
pub fn serve<R, W>(
    input: R,
    output: W,
    loader: &dyn Loader,
    abandon: impl FnOnce() + Send + 'static,
) -> io::Result<()>
where
    R: BufRead + Send + 'static,
    W: Write + Send,
{
    // Leaked once a process, because the reader, which may wait for input forever, can outlive the session.
    let interrupt: &'static Interrupt = Box::leak(Box::default());
    let (sender, messages) = mpsc::channel();
    thread::spawn(move || {
        read_messages(input, interrupt, &sender);
        drop(sender);
        thread::sleep(GRACE);
        interrupt.end();
        thread::sleep(LIMIT);
        abandon();
    });
    let mut session = Session::new(output, loader, interrupt);
    for message in messages {
        session.handle(&message?)?;
        if session.has_ended() {
            break;
        }
    }
    Ok(())
}

fn read_messages(mut input: impl BufRead, interrupt: &Interrupt, messages: &Sender<io::Result<Vec<u8>>>) {
    loop {
        let message = match framing::read(&mut input) {
            Ok(None) => return,
            Ok(Some(message)) => message,
            Err(error) => {
                let _ = messages.send(Err(error));
                return;
            }
        };
        let request: Option<Request> = serde_json::from_slice(&message).ok();
        request.iter().for_each(|request| interrupt.read(request));
        let ends =
            request.is_some_and(|request| matches!(request.command.as_str(), "disconnect" | "terminate"));
        if messages.send(Ok(message)).is_err() || ends {
            return;
        }
    }
}
