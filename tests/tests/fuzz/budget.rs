//! How many cases a test runs, and what it reports about them.

use std::path::Path;
use std::process::exit;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use fastrand::Rng;

/// The processor time of this process after which an input counts as a hang: two seconds per core, because that many tests run at
/// a time. Time that other programs use does not count. Builds without optimization are slow, so there only an endless input is a
/// hang.
const PATIENCE: Duration = Duration::from_secs(if cfg!(debug_assertions) { 60 } else { 2 });

/// The elapsed time after which an input counts as a hang even if it uses no processor time: something waits
/// forever.
const DEADLOCK: Duration = Duration::from_secs(300);

/// Runs `case` with the seeds from 0 to `cases`, or with new seeds for the number of seconds in `WARPLENS_FUZZ_SECONDS`. A case
/// returns how many inputs it tried. It fails with a panic, or if an input takes too long.
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

/// A running case.
pub(crate) struct Case {
    pub(crate) rng: Rng,
    seed: u64,
    current: Arc<Current>,
}

impl Case {
    pub(crate) fn seed(&self) -> u64 {
        self.seed
    }

    /// Starts the next input, which has this text.
    pub(crate) fn input(&self, text: &str) {
        let (text, since, processor) = (text.to_owned(), Instant::now(), processor_time());
        *self.current.lock() = Some(Input { seed: self.seed, text, since, processor });
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

/// The current input of a test.
struct Current {
    name: String,
    input: Mutex<Option<Input>>,
}

struct Input {
    seed: u64,
    text: String,
    since: Instant,
    /// The processor time of the process when the input started.
    processor: Duration,
}

impl Current {
    fn lock(&self) -> MutexGuard<'_, Option<Input>> {
        self.input.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Input {
    fn hangs(&self) -> bool {
        let cores = thread::available_parallelism().map_or(1, |cores| cores.get() as u32);
        self.since.elapsed() > DEADLOCK || processor_time().saturating_sub(self.processor) > PATIENCE * cores
    }

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

/// Starts a thread that ends the process if an input takes too long.
fn watch(current: &Arc<Current>) {
    let watched = Arc::downgrade(current);
    thread::spawn(move || {
        while let Some(current) = watched.upgrade() {
            if let Some(input) = &*current.lock()
                && input.hangs()
            {
                eprintln!("{}: hangs for {:.1?}", current.name, input.since.elapsed());
                input.report(&current.name);
                exit(101);
            }
            drop(current);
            thread::sleep(Duration::from_millis(50));
        }
    });
}

/// The processor time that this process has used, in steps of 10 ms; zero if the system does not report it.
fn processor_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name of the program, in parentheses, may contain anything. User and system time are the 12th and 13th number after it.
    let times = stat.rsplit_once(')').map_or("", |(_, rest)| rest).split_whitespace().skip(11).take(2);
    let ticks: u64 = times.filter_map(|ticks| ticks.parse::<u64>().ok()).sum();
    Duration::from_millis(ticks * 10)
}

/// The largest resident size of this process so far, in megabytes; 0 if the system does not report it.
pub(crate) fn peak_megabytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = peak.and_then(|peak| peak.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    kilobytes.unwrap_or(0) / 1024
}
