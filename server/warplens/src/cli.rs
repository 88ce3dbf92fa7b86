//! The command line: arguments and exit codes.

mod check;
mod code_frame;
mod compare;
mod dap;
mod explain;
mod extract;
mod files;
mod fmt;
mod input;
mod launch;
mod log;
mod mcp;
mod outcome;
mod plain;
mod refused_arguments;
mod run;
mod sarif;
mod schedules;
mod schema;
mod sim;
mod terminal;
mod test;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::builder::PossibleValuesParser;
use clap::{CommandFactory, Parser, Subcommand};

use crate::lsp::{self, Ended};
use outcome::{Outcome, unusable};
use warplens_system::disk::new_file::{create_folder, write};
use warplens_system::disk::read_file;

#[derive(Parser)]
#[command(
    name = "warplens",
    version,
    about = "Shows which lanes of a warp execute each line of PTX and WAVE assembly and of SASS listings"
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,

    /// Write the log to this file instead of standard error (WARPLENS_LOG sets the level, such as `info`)
    #[arg(long, global = true, value_name = "PATH")]
    log_file: Option<PathBuf>,

    /// Read no file outside of this file or folder (repeatable)
    #[arg(long, global = true, value_name = "PATH")]
    within: Vec<PathBuf>,
}

#[derive(Subcommand)]
enum Command {
    /// Run the language server on standard input and output
    Lsp {
        /// Accepted for clients that pass it; standard input and output are the only transport
        #[arg(long, hide = true)]
        stdio: bool,
    },
    /// Run the debug adapter on standard input and output
    Dap,
    /// Report the problems of files
    Check(check::Arguments),
    /// Simulate a launch and print the lanes that executed each line
    Sim(sim::Arguments),
    /// Run a Python script without a GPU: its Triton kernels are simulated
    Run(run::Arguments),
    /// Run a launch on two kernels, or under two models, and print the first difference
    Compare(compare::Arguments),
    /// Format files in place
    Fmt(fmt::Arguments),
    /// Run the launches that have `expect`, and report the checks that fail
    Test(test::Arguments),
    /// Print the inline PTX of C++, CUDA, Rust, Python, Julia and Mojo files
    Extract(extract::Arguments),
    /// Explain an instruction, a directive or a special register
    Explain(explain::Arguments),
    /// Run the commands as tools of the Model Context Protocol, on standard input and output
    Mcp(mcp::Arguments),
    /// Print the JSON schema of an output
    Schema(schema::Arguments),
    /// Print completions for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page, or write the pages of all commands to a folder
    Man {
        /// Write the pages of all commands to this folder
        #[arg(long, value_name = "FOLDER")]
        out: Option<PathBuf>,
    },
}

/// Runs the program with the arguments of the process.
pub fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return refused_arguments::print::<Arguments>(error),
    };
    if let Err(error) = log::start(arguments.log_file.as_deref()) {
        return unusable(error).code().into();
    }
    if !arguments.within.is_empty()
        && let Err(error) = read_file::allow_only(&arguments.within)
    {
        return unusable(format!("--within: {error}")).code().into();
    }
    let outcome = match arguments.command {
        Command::Lsp { stdio: _ } => serve(),
        Command::Dap => dap::run(),
        Command::Check(arguments) => check::run(&arguments),
        Command::Sim(arguments) => sim::run(&arguments),
        Command::Run(arguments) => return run::run(&arguments),
        Command::Compare(arguments) => compare::run(&arguments),
        Command::Fmt(arguments) => fmt::run(&arguments),
        Command::Test(arguments) => test::run(&arguments),
        Command::Extract(arguments) => extract::run(&arguments),
        Command::Explain(arguments) => explain::run(&arguments),
        Command::Mcp(arguments) => mcp::run(&arguments),
        Command::Schema(arguments) => schema::run(&arguments),
        Command::Completions { shell } => completions(shell),
        Command::Man { out } => man(out.as_deref()),
    };
    let outcome = outcome.unwrap_or_else(|error| match error.kind() {
        // The output was closed by its reader.
        io::ErrorKind::BrokenPipe => Outcome::Success,
        _ => unusable(error),
    });
    outcome.code().into()
}

fn completions(shell: clap_complete::Shell) -> io::Result<Outcome> {
    // Written to memory first, because the generator panics if the output is closed.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut with_names(Arguments::command()), "warplens", &mut script);
    io::stdout().write_all(&script)?;
    Ok(Outcome::Success)
}

/// Adds the names that `explain` accepts, for completions only: elsewhere, an unknown name gets a better message than clap's.
fn with_names(command: clap::Command) -> clap::Command {
    let names = PossibleValuesParser::new(warplens_ide::explained_names(None));
    command.mut_subcommand("explain", |explain| explain.mut_arg("name", |name| name.value_parser(names)))
}

fn man(folder: Option<&Path>) -> io::Result<Outcome> {
    match folder {
        Some(folder) => {
            create_folder(folder)?;
            let mut command = Arguments::command().disable_help_subcommand(true);
            command.build();
            write_pages(command, folder)?;
        }
        None => clap_mangen::Man::new(Arguments::command()).render(&mut io::stdout())?,
    }
    Ok(Outcome::Success)
}

/// Writes the manual pages of a command and of the commands in it.
fn write_pages(command: clap::Command, folder: &Path) -> io::Result<()> {
    for inner in command.get_subcommands().filter(|inner| !inner.is_hide_set()) {
        write_pages(inner.clone(), folder)?;
    }
    let page = clap_mangen::Man::new(command);
    let mut text = Vec::new();
    page.render(&mut text)?;
    write(folder, Path::new(&page.get_filename()), &text)?;
    Ok(())
}

fn serve() -> io::Result<Outcome> {
    // The transport is a single task; all other work runs on its own threads.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let ended = runtime.block_on(lsp::serve(tokio::io::stdin(), tokio::io::stdout()));
    // The client may keep the input open, and the thread that reads it must not keep the process alive.
    runtime.shutdown_background();
    Ok(if ended? == Ended::Orderly { Outcome::Success } else { Outcome::Errors })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arguments_are_well_formed() {
        Arguments::command().debug_assert();
    }
}
