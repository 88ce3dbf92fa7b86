//! How many cases a test runs, and what it says of them.

use std::path::Path;
use std::process::exit;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use fastrand::Rng;

/// The time after which a case counts as a hang. Builds without optimization run on busy machines; there only an endless case is one.
const PATIENCE: Duration =
    if cfg!(debug_assertions) { Duration::from_secs(120) } else { Duration::from_secs(2) };

/// Runs `case` with the seeds from 0 to `cases`, or for the seconds in `WARPLENS_FUZZ_SECONDS` with new seeds. A case returns how
/// many inputs it tried. It fails by a panic.
pub(crate) fn run(name: &str, cases: u64, mut case: impl FnMut(&mut Rng) -> u64) {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let watched = Watched::start(name);
    let mut inputs = 0;
    let mut run = |seed: u64| {
        watched.case(Some(seed));
        let report = OnPanic { name, seed };
        inputs += case(&mut Rng::with_seed(seed));
        std::mem::forget(report);
        watched.case(None);
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

/// The text of the present case.
static INPUT: Mutex<String> = Mutex::new(String::new());

/// Says what the text of the present case is, for a report of its failure.
pub(crate) fn input(text: &str) {
    text.clone_into(&mut INPUT.lock().unwrap_or_else(PoisonError::into_inner));
}

/// Prints how to repeat a case that failed, and where its text is.
fn report(name: &str, seed: u64) {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("fuzz-{seed}.txt"));
    let input = INPUT.lock().unwrap_or_else(PoisonError::into_inner);
    let text = match std::fs::write(&path, &*input) {
        Ok(()) => format!("; its text is in {}", path.display()),
        Err(_) => String::new(),
    };
    eprintln!("{name}: WARPLENS_FUZZ_SEED={seed} repeats this case{text}");
}

/// The largest resident size of this process so far, in megabytes; 0 where the system does not say it.
fn peak_megabytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = peak.and_then(|peak| peak.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    kilobytes.unwrap_or(0) / 1024
}

/// Reports a case that panics.
struct OnPanic<'a> {
    name: &'a str,
    seed: u64,
}

impl Drop for OnPanic<'_> {
    fn drop(&mut self) {
        report(self.name, self.seed);
    }
}

/// A thread that ends the process when a case takes too long.
struct Watched(Arc<Mutex<Option<(u64, Instant)>>>);

impl Watched {
    fn start(name: &str) -> Watched {
        let current: Arc<Mutex<Option<(u64, Instant)>>> = Arc::default();
        let (name, watched) = (name.to_owned(), Arc::downgrade(&current));
        thread::spawn(move || {
            while let Some(current) = watched.upgrade() {
                let case = *current.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some((seed, started)) = case.filter(|(_, started)| started.elapsed() > PATIENCE) {
                    eprintln!("{name}: hangs for {:?}", started.elapsed());
                    report(&name, seed);
                    exit(101);
                }
                drop(current);
                thread::sleep(Duration::from_millis(50));
            }
        });
        Watched(current)
    }

    /// A case starts, or has ended.
    fn case(&self, seed: Option<u64>) {
        let now = seed.map(|seed| (seed, Instant::now()));
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = now;
    }
}
