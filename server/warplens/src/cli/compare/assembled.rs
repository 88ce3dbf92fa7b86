//! `compare --ptxas`: assembles the file and prints the listings of the machine code.

use std::path::Path;
use std::time::Duration;

use thiserror::Error;
use warplens_tools::source::Source;
use warplens_tools::toolchain::{ToolError, Toolchain, target_of};

use crate::cli::launch::LaunchError;
use crate::language;

/// Why there is no machine code to compare with.
#[derive(Debug, Error)]
pub(super) enum AssembleError {
    #[error(transparent)]
    Tool(#[from] ToolError),
    #[error(transparent)]
    Listing(#[from] LaunchError),
    #[error("--ptxas: {0} is not PTX")]
    NotPtx(String),
}

/// The assembler, with the targets and levels of the arguments.
pub(super) struct Assembler {
    toolchain: Toolchain,
    version: String,
    targets: Vec<String>,
    levels: Vec<u8>,
}

impl Assembler {
    pub(super) fn find(
        path: Option<&Path>,
        limit: Duration,
        source: &Source,
        targets: &[String],
        levels: &[u8],
    ) -> Result<Assembler, AssembleError> {
        if source.language.assembler.is_none() {
            return Err(AssembleError::NotPtx(source.path.clone()));
        }
        let toolchain = Toolchain::find(path, limit)?;
        let version = toolchain.version()?;
        let targets = match targets {
            [] => vec![target_of(&source.text)?],
            targets => targets.to_vec(),
        };
        Ok(Assembler { toolchain, version, targets, levels: levels.to_vec() })
    }

    /// Assembles a text for each target at each level.
    pub(super) fn each<E: From<AssembleError>>(
        &self,
        text: &str,
        compare: &mut dyn FnMut(Source, &str, u8) -> Result<(), E>,
    ) -> Result<(), E> {
        for target in &self.targets {
            for level in &self.levels {
                compare(self.listing(text, target, *level)?, target, *level)?;
            }
        }
        Ok(())
    }

    pub(super) fn listing(&self, text: &str, target: &str, level: u8) -> Result<Source, AssembleError> {
        let listing = self.toolchain.listing(text, target, level)?;
        let path = format!("ptxas-{}-O{level}-{target}.sass", self.version);
        let language = language::of_file(Path::new(&path), &listing)
            .map_err(|error| LaunchError::Language { path: path.clone(), error })?;
        Ok(Source::of_text(path, listing, language).map_err(LaunchError::from)?)
    }
}
