//! `--save-buffers`: the bytes of each buffer after the run, as files of a folder.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Result, anyhow};
use rustc_hash::FxHashSet;
use warplens_sim_launch::PlacedBuffer;
use warplens_sim_warp::RunResult;

use warplens_system::disk::new_file::{self, OutputError};

/// The longest part of a name that a file has, in bytes.
const MAX_NAME: usize = 100;

/// Names that Windows gives to devices, with any extension.
const DEVICES: [&str; 22] = [
    "con", "prn", "aux", "nul", "com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8", "com9",
    "lpt1", "lpt2", "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9",
];

/// Creates the folder. Called before the run, so that a failure does not waste its time.
pub(super) fn create_folder(folder: &Path) -> Result<()> {
    new_file::create_folder(folder).map_err(refused)
}

/// Writes the buffers, and returns the name of each argument's file. Arguments that share a buffer share its file.
pub(super) fn write(
    folder: &Path,
    buffers: &[PlacedBuffer],
    result: &RunResult,
) -> Result<BTreeMap<String, String>> {
    let mut files: Vec<(&PlacedBuffer, String)> = Vec::new();
    let mut taken = FxHashSet::default();
    let mut saved = BTreeMap::new();
    for buffer in buffers {
        let known =
            files.iter().find(|(other, _)| (other.address, other.len) == (buffer.address, buffer.len));
        let file = match known {
            Some((_, file)) => file.clone(),
            None => {
                let file = file_name(&buffer.name, &mut taken);
                new_file::write(folder, Path::new(&file), buffer.bytes(result)).map_err(refused)?;
                files.push((buffer, file.clone()));
                file
            }
        };
        saved.insert(buffer.name.to_string(), file);
    }
    Ok(saved)
}

fn refused(error: OutputError) -> anyhow::Error {
    anyhow!("--save-buffers: {error}; name another folder")
}

/// A file name that is valid on every system and differs from the others, also where case does not matter.
fn file_name(argument: &str, taken: &mut FxHashSet<String>) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let plain: String = argument.chars().map(|c| if is_plain(c) { c } else { '_' }).take(MAX_NAME).collect();
    let start = plain.split('.').next().unwrap_or_default().to_ascii_lowercase();
    let name = match start.is_empty() || DEVICES.contains(&start.as_str()) {
        true => format!("_{plain}"),
        false => plain,
    };
    let numbered = (2..).map(|number: u32| format!("{name}-{number}"));
    let mut candidates = std::iter::once(name.clone()).chain(numbered);
    let free = candidates.find(|candidate| taken.insert(candidate.to_ascii_lowercase()));
    free.unwrap_or(name) + ".bin"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_safe_and_differ() {
        let mut taken = FxHashSet::default();
        let mut name = |argument: &str| file_name(argument, &mut taken);
        assert_eq!(name("x"), "x.bin");
        assert_eq!(name("X"), "X-2.bin");
        assert_eq!(name("p.8"), "p.8.bin");
        assert_eq!(name("../../etc/passwd"), "_.._.._etc_passwd.bin");
        assert_eq!(name("m#0"), "m_0.bin");
        assert_eq!(name("m_0"), "m_0-2.bin");
        assert_eq!(name("nul.x"), "_nul.x.bin");
        assert_eq!(name(""), "_.bin");
        assert_eq!(name("größe"), "gr__e.bin");
        assert_eq!(name(&"a".repeat(500)).len(), MAX_NAME + 4);
    }
}
