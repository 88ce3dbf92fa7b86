//! Why a pair cannot be reduced.

use thiserror::Error;

use crate::cli::launch::LaunchError;

#[derive(Debug, Error)]
pub(crate) enum ReduceError {
    #[error(transparent)]
    Launch(#[from] LaunchError),
    #[error(
        "--reduce: {path} cannot be reduced: only kernels of PTX can. A listing is the machine code of one kernel; with `--ptxas`, \
         the assembler makes it of each smaller kernel"
    )]
    NotReducible { path: String },
    #[error(
        "--reduce: the run of {path} ended with `{reason}`. Correct the kernel or its launch first: the results of a run that does \
         not finish are not compared"
    )]
    Invalid { path: String, reason: &'static str },
    #[error("--reduce: the difference does not appear again in the same runs")]
    NotRepeated,
    #[error("--reduce: {path}: {error}")]
    Write { path: String, error: std::io::Error },
    #[error("--reduce: {path} already exists; name another folder with `-o`")]
    Exists { path: String },
}
