//! The program.

use std::process::ExitCode;

fn main() -> ExitCode {
    warplens::cli::main()
}
