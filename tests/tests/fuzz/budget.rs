//! How many cases a test runs, and what it says of them.

use std::path::Path;
use std::process::exit;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use fastrand::Rng;

/// The time after which an input counts as a hang. Builds without optimization run on busy machines; there only an endless one is.
const PATIENCE: Duration =
    if cfg!(debug_assertions) { Duration::from_secs(120) } else { Duration::from_secs(2) };

/// Runs `case` with the seeds from 0 to `cases`, or for the seconds in `WARPLENS_FUZZ_SECONDS` with new seeds. A case returns how
/// many inputs it tried. It fails by a panic, or when an input takes too long.
pub(crate) fn run(name: &str, cases: u64, mut case: impl FnMut(&mut Case) -> u64) {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let current = Arc::new(Current { name: name.to_owned(), input: Mutex::default() });
    watch(&current);
    let mut inputs = 0;
    let mut run = |seed: u64| {
        let mut running = Case { rng: Rng::with_seed(seed), seed, current: Arc::clone(&current) };
        running.input("");
        inputs += case(&mut running);
    };
    if let Some(seed) = number("WARPLENS_FUZZ_SEED") {
        run(seed);
    } else if let Some(seconds) = number("WARPLENS_FUZZ_SECONDS") {
        let (started, first) = (Instant::now(), fastrand::u64(..) >> 16);
        let mut seeds = first..;
        while started.elapsed() < Duration::from_secs(seconds) {
            seeds.next().into_iter().for_each(&mut run);
        }
        eprintln!("{name}: {inputs} inputs, no failure, {} MB at most", peak_megabytes());
    } else {
        (0..cases).for_each(run);
    }
}

/// A case that runs.
pub(crate) struct Case {
    pub(crate) rng: Rng,
    seed: u64,
    current: Arc<Current>,
}

impl Case {
    /// The next input starts, with this text.
    pub(crate) fn input(&self, text: &str) {
        *self.current.lock() = Some(Input { seed: self.seed, text: text.to_owned(), since: Instant::now() });
    }
}

impl Drop for Case {
    fn drop(&mut self) {
        let input = self.current.lock().take();
        if let Some(input) = input.filter(|_| thread::panicking()) {
            input.report(&self.current.name);
        }
    }
}

/// The input that a test is at.
struct Current {
    name: String,
    input: Mutex<Option<Input>>,
}

struct Input {
    seed: u64,
    text: String,
    since: Instant,
}

impl Current {
    fn lock(&self) -> MutexGuard<'_, Option<Input>> {
        self.input.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Input {
    /// Prints how to repeat the case, and where its text is.
    fn report(&self, name: &str) {
        let Input { seed, text, .. } = self;
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("fuzz-{seed}.txt"));
        let place = match std::fs::write(&path, text) {
            Ok(()) => format!("; its text is in {}", path.display()),
            Err(_) => String::new(),
        };
        eprintln!("{name}: WARPLENS_FUZZ_SEED={seed} repeats this case{place}");
    }
}

/// Starts a thread that ends the process when an input takes too long.
fn watch(current: &Arc<Current>) {
    let watched = Arc::downgrade(current);
    thread::spawn(move || {
        while let Some(current) = watched.upgrade() {
            if let Some(input) = &*current.lock()
                && input.since.elapsed() > PATIENCE
            {
                eprintln!("{}: hangs for {:?}", current.name, input.since.elapsed());
                input.report(&current.name);
                exit(101);
            }
            drop(current);
            thread::sleep(Duration::from_millis(50));
        }
    });
}

/// The largest resident size of this process so far, in megabytes; 0 where the system does not say it.
fn peak_megabytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = peak.and_then(|peak| peak.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    kilobytes.unwrap_or(0) / 1024
}
