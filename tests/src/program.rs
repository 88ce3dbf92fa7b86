//! The program, built with the tests so that they never drive an old one. The same as `server/warplens/src/main.rs`.

use std::process::ExitCode;

fn main() -> ExitCode {
    warplens::cli::main()
}
