//! `compare --ptxas`: assembles the file and prints the listings of the machine code.

use std::path::Path;
use std::time::Duration;

use anyhow::{Result, anyhow, ensure};
use warplens_tools::source::Source;
use warplens_tools::toolchain::{Toolchain, target_of};

use warplens_lsp::language;

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
    ) -> Result<Assembler> {
        ensure!(source.language.assembler.is_some(), "--ptxas: {} is not PTX", source.path);
        let toolchain = Toolchain::find(path, limit)?;
        let version = toolchain.version()?;
        let targets = match targets {
            [] => vec![target_of(&source.text)?],
            targets => targets.to_vec(),
        };
        Ok(Assembler { toolchain, version, targets, levels: levels.to_vec() })
    }

    /// Assembles a text for each target at each level.
    pub(super) fn each(
        &self,
        text: &str,
        compare: &mut dyn FnMut(Source, &str, u8) -> Result<()>,
    ) -> Result<()> {
        for target in &self.targets {
            for level in &self.levels {
                compare(self.listing(text, target, *level)?, target, *level)?;
            }
        }
        Ok(())
    }

    pub(super) fn listing(&self, text: &str, target: &str, level: u8) -> Result<Source> {
        let listing = self.toolchain.listing(text, target, level)?;
        let path = format!("ptxas-{}-O{level}-{target}.sass", self.version);
        let language = language::of_file(Path::new(&path), &listing);
        let language = language.map_err(|error| anyhow!("{path}: {error}"))?;
        Ok(Source::of_text(path, listing, language)?)
    }
}
