//! The assembler and the disassembler.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::oracle::Oracle;

pub(super) struct Tools {
    ptxas: PathBuf,
    nvdisasm: PathBuf,
}

impl Tools {
    /// The assembler, found as usual, and the disassembler next to it or named by `WARPLENS_NVDISASM`.
    pub(super) fn find() -> Result<Tools> {
        let ptxas = Oracle::find(None)?.path().to_path_buf();
        let named = std::env::var_os("WARPLENS_NVDISASM").map(PathBuf::from);
        let nvdisasm = named.unwrap_or_else(|| ptxas.with_file_name("nvdisasm"));
        if !nvdisasm.is_file() {
            bail!("no nvdisasm: put it beside ptxas, or set WARPLENS_NVDISASM");
        }
        Ok(Tools { ptxas, nvdisasm })
    }

    pub(super) fn listing(&self, text: &str, target: &str, level: u8) -> Result<String> {
        // Without the data flow analysis, which these targets do not need, it takes a fifth less time.
        self.print(text, target, &[&format!("-O{level}")], "-ndf")
    }

    /// The listing of a module, with the PTX line of each instruction.
    #[cfg(test)]
    pub(super) fn listing_with_lines(&self, text: &str, target: &str) -> Result<String> {
        self.print(text, target, &["-lineinfo"], "-gp")
    }

    fn print(&self, text: &str, target: &str, assembled: &[&str], printed: &str) -> Result<String> {
        let folder = tempfile::tempdir()?;
        let (input, output) = (folder.path().join("k.ptx"), folder.path().join("k.cubin"));
        std::fs::write(&input, text)?;
        let mut assembler = Command::new(&self.ptxas);
        assembler.args(["-arch", target]).args(assembled).arg(&input).arg("-o").arg(&output);
        run(&mut assembler)?;
        run(Command::new(&self.nvdisasm).arg(printed).arg(&output))
    }
}

fn run(command: &mut Command) -> Result<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let ended = command.stdin(Stdio::null()).output().with_context(|| format!("cannot run {name}"))?;
    if !ended.status.success() {
        bail!("{name}: {}", String::from_utf8_lossy(&ended.stderr));
    }
    Ok(String::from_utf8_lossy(&ended.stdout).into_owned())
}
