//! `sim --watch`: runs again when the file or its launch file changes.

use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::time::{Duration, SystemTime};

use super::arguments::Arguments;
use crate::cli::input::STANDARD_INPUT;
use crate::cli::outcome::{Outcome, unusable};

/// How often the files are checked for changes.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// Runs now and after each change, until the process is stopped.
pub(super) fn run(
    arguments: &Arguments,
    file: &Path,
    run_once: impl Fn() -> io::Result<Outcome>,
) -> io::Result<Outcome> {
    let paths = [Some(file), arguments.launch.launches.as_deref()];
    if paths.into_iter().flatten().any(|path| path.as_os_str() == STANDARD_INPUT) {
        return Ok(unusable("--watch needs files; standard input does not change"));
    }
    loop {
        let state = State::of(arguments, file);
        if io::stdout().is_terminal() {
            // Clears the screen.
            anstream::stdout().write_all(b"\x1b[2J\x1b[H")?;
        }
        run_once()?;
        io::stdout().flush()?;
        while State::of(arguments, file) == state {
            std::thread::sleep(POLL_INTERVAL);
        }
    }
}

/// Modification times and sizes of the files. They change when the contents change.
#[derive(PartialEq, Eq)]
struct State([Option<(SystemTime, u64)>; 2]);

impl State {
    fn of(arguments: &Arguments, file: &Path) -> State {
        let stamp = |path: &Path| {
            let metadata = path.metadata().ok()?;
            Some((metadata.modified().ok()?, metadata.len()))
        };
        let launches = arguments.launch.path(file);
        State([stamp(file), launches.as_deref().and_then(stamp)])
    }
}
