//! How many random programs a test tries: the usual number, or in nextest's profile `long` many more.

use proptest::test_runner::Config;

/// The configuration of a property that `long` tries on so many programs.
pub(crate) fn config(long: u32) -> Config {
    let usual = Config { failure_persistence: None, ..Config::default() };
    match std::env::var("NEXTEST_PROFILE").as_deref() {
        Ok("long") => Config { cases: long, max_global_rejects: 10 * long, ..usual },
        _ => usual,
    }
}
