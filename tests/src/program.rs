//! The program, built together with the tests so that they never run an old one. Equals
//! `server/warplens/src/main.rs`.

use std::process::ExitCode;

fn main() -> ExitCode {
    warplens::cli::main()
}
