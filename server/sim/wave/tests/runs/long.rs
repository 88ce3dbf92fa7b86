//! The number of random programs per test: the usual number, or many more in nextest's profile `long`.

use proptest::test_runner::Config;

/// The configuration of a property that runs `long` times as many programs.
pub(crate) fn config(long: u32) -> Config {
    let usual = Config { failure_persistence: None, ..Config::default() };
    match std::env::var("NEXTEST_PROFILE").as_deref() {
        Ok("long") => Config { cases: long, max_global_rejects: 10 * long, ..usual },
        _ => usual,
    }
}
