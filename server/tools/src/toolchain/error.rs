//! Why there is no listing, and the limits that messages name.

use std::path::PathBuf;
use std::process::ExitStatus;
use std::time::Duration;

use thiserror::Error;

/// Environment variables with the paths of the tools.
pub(super) const PTXAS_VARIABLE: &str = "WARPLENS_PTXAS";
pub(super) const NVDISASM_VARIABLE: &str = "WARPLENS_NVDISASM";

/// In bytes.
pub(super) const MAX_LISTING: u64 = 256 << 20;
/// In bytes, of the file that an assembler writes.
pub(super) const MAX_CUBIN: u64 = 256 << 20;
/// In characters, of the messages that are shown.
pub(super) const MAX_MESSAGE: usize = 2000;
/// How many bytes of standard output are searched for messages.
pub(super) const MAX_MESSAGES: usize = 1 << 20;

#[derive(Debug, Error)]
pub enum ToolError {
    #[error(
        "no ptxas: give its path (`--ptxas PATH`), set {PTXAS_VARIABLE}, or add its folder to PATH; Warplens does not contain one"
    )]
    NoPtxas,
    #[error(
        "no nvdisasm beside {}, in {NVDISASM_VARIABLE} or in PATH; it is the package `nvidia-cuda-nvdisasm` of pip",
        ptxas.display()
    )]
    NoNvdisasm { ptxas: PathBuf },
    #[error(
        "there is no assembler: set `warplens.ptxas.path` to the path of NVIDIA's `ptxas`, and `warplens.sass.nvdisasm` to that of \
         `nvdisasm` unless it is beside it; they are the packages `nvidia-cuda-nvcc` and `nvidia-cuda-nvdisasm` of pip"
    )]
    NoPtxasSetting,
    #[error(
        "there is no disassembler beside {}: set `warplens.sass.nvdisasm` to the path of NVIDIA's `nvdisasm`, which is the package \
         `nvidia-cuda-nvdisasm` of pip",
        ptxas.display()
    )]
    NoNvdisasmSetting { ptxas: PathBuf },
    #[error("cannot run {}: {error}", program.display())]
    Start { program: PathBuf, error: std::io::Error },
    #[error("{} exceeded the time limit of {} s and was stopped", program.display(), limit.as_secs())]
    Late { program: PathBuf, limit: Duration },
    #[error("{} was stopped", program.display())]
    Stopped { program: PathBuf },
    #[error("{} was ended by a signal ({status})", program.display())]
    Signal { program: PathBuf, status: ExitStatus },
    #[error("{} wrote a file of more than {} MB and was stopped", program.display(), MAX_CUBIN >> 20)]
    LargeFile { program: PathBuf },
    #[error("{} printed more than {} MB and was stopped", program.display(), MAX_LISTING >> 20)]
    Long { program: PathBuf },
    #[error("{} rejects the file: {messages}", program.display())]
    Rejected { program: PathBuf, messages: String },
    #[error("{} printed something else than a listing: {first}", program.display())]
    NoListing { program: PathBuf, first: String },
    #[error("{} ended without an output file", program.display())]
    NoOutput { program: PathBuf },
    #[error("the file has no `.target`; name one with `--target`")]
    NoTarget,
    #[error("cannot use a temporary folder: {0}")]
    Folder(std::io::Error),
}
