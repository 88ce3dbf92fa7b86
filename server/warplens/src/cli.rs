//! The command line: what is asked for, and who answers.

mod check;
mod explain;
mod fmt;
mod log;
mod sim;

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand, ValueEnum};
use warplens_ide::Language;

use crate::lsp::{self, Ended};

#[derive(Parser)]
#[command(
    name = "warplens",
    version,
    about = "See which lanes of a warp run each line of PTX and WAVE assembly"
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,

    /// Write the log to this file instead of standard error (how much: WARPLENS_LOG, for example `info`)
    #[arg(long, global = true, value_name = "PATH")]
    log_file: Option<PathBuf>,
}

#[derive(Subcommand)]
enum Command {
    /// Run the language server on standard input and output
    Lsp {
        /// What some clients pass; it is the only way there is
        #[arg(long, hide = true)]
        stdio: bool,
    },
    /// Report the problems of files
    Check(check::Arguments),
    /// Simulate a launch and print the lanes that ran each line
    Sim(sim::Arguments),
    /// Format files in place
    Fmt(fmt::Arguments),
    /// Explain an instruction, a directive or a special register
    Explain(explain::Arguments),
}

/// The languages as the command line names them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum LanguageName {
    /// NVIDIA PTX
    Ptx,
    /// WAVE
    #[value(alias = "wave")]
    WaveAsm,
    /// NVIDIA machine-code listings (later)
    Sass,
}

impl LanguageName {
    /// The language that was asked for, if one was; `None` where it cannot be read, which is said.
    fn chosen(name: Option<LanguageName>) -> Option<Option<Language>> {
        name.map(LanguageName::language).transpose().inspect_err(|why| complain(why)).ok()
    }

    /// The language, or why it is not read.
    fn language(self) -> Result<Language, &'static str> {
        match self {
            LanguageName::Ptx => Ok(warplens_ide::PTX),
            LanguageName::WaveAsm => Ok(warplens_ide::WAVE),
            LanguageName::Sass => Err(crate::language::LISTINGS_LATER),
        }
    }
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    /// All is well.
    Fine,
    /// The input has errors.
    Errors,
    /// Wrong use, or something that cannot be read.
    Unusable,
}

/// Runs the program with the arguments of the process.
pub fn main() -> ExitCode {
    let arguments = Arguments::parse();
    if let Err(problem) = log::start(arguments.log_file.as_deref()) {
        complain(&problem);
        return code(Outcome::Unusable);
    }
    let outcome = match arguments.command {
        Command::Lsp { stdio: _ } => serve(),
        Command::Check(arguments) => check::run(&arguments),
        Command::Sim(arguments) => sim::run(&arguments),
        Command::Fmt(arguments) => fmt::run(&arguments),
        Command::Explain(arguments) => explain::run(&arguments),
    };
    match outcome {
        Ok(outcome) => code(outcome),
        // Whoever read the output has seen enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => code(Outcome::Fine),
        Err(error) => {
            complain(&error.to_string());
            code(Outcome::Unusable)
        }
    }
}

fn code(outcome: Outcome) -> ExitCode {
    ExitCode::from(match outcome {
        Outcome::Fine => 0,
        Outcome::Errors => 1,
        Outcome::Unusable => 2,
    })
}

/// One sentence on standard error.
fn complain(problem: &str) {
    use std::io::Write;
    // Nobody is left to tell when even this fails.
    let _ = writeln!(anstream::stderr(), "warplens: {problem}");
}

fn serve() -> io::Result<Outcome> {
    // The transport is one task; what takes long runs on threads of its own.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let ended = runtime.block_on(lsp::serve(tokio::io::stdin(), tokio::io::stdout()));
    // A client may keep our input open; the thread that reads it must not keep the process.
    runtime.shutdown_background();
    Ok(if ended? == Ended::Orderly { Outcome::Fine } else { Outcome::Errors })
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_arguments_are_well_formed() {
        Arguments::command().debug_assert();
    }
}
