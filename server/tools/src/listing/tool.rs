//! Runs one of NVIDIA's disassemblers on a copy of a file, in a temporary folder that is removed afterwards.

use std::io;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::{Result, anyhow, bail, ensure};
use warplens_ide::languages;

use super::machine_code::MachineCode;
use crate::process::{self, Failure, Limits};

const TIMEOUT: Duration = Duration::from_secs(30);

/// In bytes.
const MAX_LISTING: u64 = 256 << 20;

/// In characters.
const MAX_MESSAGE: usize = 200;

/// A disassembler: its path (empty if none is configured), and the name of the setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tool {
    pub path: PathBuf,
    pub setting: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tools {
    /// Prints cubins, with all their sections.
    pub nvdisasm: Tool,
    /// Also prints fat binaries and host programs.
    pub cuobjdump: Tool,
}

fn after_colon(message: &str) -> String {
    if message.is_empty() { String::new() } else { format!(": {message}") }
}

impl Tools {
    /// The tools that environment variables name.
    pub fn of_environment() -> Tools {
        let path = |name: &str| std::env::var_os(name).map(PathBuf::from).unwrap_or_default();
        Tools {
            nvdisasm: Tool {
                path: path("WARPLENS_NVDISASM"),
                setting: "the environment variable WARPLENS_NVDISASM",
            },
            cuobjdump: Tool {
                path: path("WARPLENS_CUOBJDUMP"),
                setting: "the environment variable WARPLENS_CUOBJDUMP",
            },
        }
    }

    /// Disassembles a file with these contents. Setting `stop` stops the tool.
    pub fn disassemble(&self, bytes: &[u8], kind: MachineCode, stop: &AtomicBool) -> Result<String> {
        let has = |tool: &Tool| !tool.path.as_os_str().is_empty();
        match kind {
            MachineCode::Cubin if has(&self.nvdisasm) => self.nvdisasm.print(&["-hex"], bytes, stop),
            _ if has(&self.cuobjdump) => self.cuobjdump.print(&["-sass"], bytes, stop),
            MachineCode::Cubin => bail!(
                "a cubin contains machine code, which Warplens reads with a tool of NVIDIA: set {} to the path of `nvdisasm`, or {} to the \
                 path of `cuobjdump`. Or print the listing yourself, and open that: nvdisasm -hex FILE.cubin > FILE.sass",
                self.nvdisasm.setting,
                self.cuobjdump.setting
            ),
            MachineCode::FatBinary => bail!(
                "a fat binary or a program contains machine code, which Warplens reads with a tool of NVIDIA: set {} to the path of \
                 `cuobjdump`. Or print the listing yourself, and open that: cuobjdump -sass FILE > FILE.sass",
                self.cuobjdump.setting
            ),
        }
    }
}

impl Tool {
    fn print(&self, options: &[&str], bytes: &[u8], stop: &AtomicBool) -> Result<String> {
        let failed = |error: io::Error| anyhow!("cannot be disassembled: {error}");
        let folder = tempfile::Builder::new().prefix("warplens-").tempdir().map_err(failed)?;
        let input = folder.path().join("input");
        std::fs::write(&input, bytes).map_err(failed)?;
        let mut command = process::command(&self.path);
        command.args(options).arg(&input).current_dir(folder.path());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let program = self.path.display();
        let limits = Limits { time: TIMEOUT, output: MAX_LISTING, file: None, stop: Some(stop) };
        let ended = process::run(&mut command, &limits).map_err(|failure| match failure {
            Failure::Start(error) => anyhow!("{}: cannot run {program}: {error}", self.setting),
            Failure::Wait(error) => failed(error),
            Failure::Stopped => anyhow!("cannot be disassembled: {program} was stopped"),
            Failure::Late | Failure::LargeFile => {
                let limit = TIMEOUT.as_secs();
                anyhow!("cannot be disassembled: {program} exceeded the time limit of {limit} s")
            }
        })?;
        ensure!(
            !ended.is_cut,
            "cannot be disassembled: {program} printed more than {} MB, the limit of a listing",
            MAX_LISTING >> 20
        );
        let message = first_line(&ended.errors);
        if !ended.status.success() {
            bail!("cannot be disassembled: {program} failed ({}){}", ended.status, after_colon(&message));
        }
        let listing = String::from_utf8_lossy(&ended.output).into_owned();
        if !languages().any(|language| language.sniffs(&listing)) {
            let printed = first_line(listing.as_bytes());
            let message = if message.is_empty() { printed } else { message };
            bail!("cannot be disassembled: {program} printed no listing{}", after_colon(&message));
        }
        Ok(listing)
    }
}

/// The first line that is not blank, truncated to the limit.
fn first_line(bytes: &[u8]) -> String {
    let start = &bytes[..bytes.len().min(4096)];
    let text = String::from_utf8_lossy(start);
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    line.chars().filter(|char| !char.is_control()).take(MAX_MESSAGE).collect()
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    /// Runs a script as the tool.
    fn printed(script: &str) -> String {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tool");
        std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        let tool = Tool { path: path.clone(), setting: "the setting" };
        let result = tool.print(&["-hex"], b"\x7fELF", &AtomicBool::new(false));
        let shown = result.map_or_else(|error| error.to_string(), |listing| format!("listing {listing}"));
        shown.replace(&path.display().to_string(), "TOOL")
    }

    #[test]
    fn a_listing_is_what_the_tool_prints_about_the_file() {
        let script = "echo '/*0000*/ EXIT ;'; echo \"// $1 $(wc -c < \"$2\")\"";
        assert_eq!(printed(script), "listing /*0000*/ EXIT ;\n// -hex 4\n");
    }

    #[test]
    fn a_tool_that_fails_or_prints_something_else_is_named() {
        assert_eq!(
            printed("echo 'no such device' >&2; exit 3"),
            "cannot be disassembled: TOOL failed (exit status: 3): no such device"
        );
        assert_eq!(printed("echo hello"), "cannot be disassembled: TOOL printed no listing: hello");
        assert_eq!(printed("exit 0"), "cannot be disassembled: TOOL printed no listing");
        assert_eq!(
            printed("head -c 300 /dev/urandom | tr -d '\\n' >/dev/null; printf '\\377\\000x'"),
            "cannot be disassembled: TOOL printed no listing: \u{fffd}x"
        );
    }

    #[test]
    fn a_program_that_is_not_there_is_named_with_its_setting() {
        let tool = Tool { path: "/nonexistent/nvdisasm".into(), setting: "the setting" };
        let error = tool.print(&[], b"", &AtomicBool::new(false)).unwrap_err().to_string();
        assert!(error.starts_with("the setting: cannot run /nonexistent/nvdisasm: "), "{error}");
    }
}
