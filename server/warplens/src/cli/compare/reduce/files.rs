//! Writes the files of a reduction: the kernels and their launch.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Error, Result, anyhow};
use warplens_sim_launch::launch_table;

use super::launches;
use super::reduced::Reduced;

/// The first line of a launch file that a reduction wrote. Only such files are replaced.
const MARK: &str = "# Written by warplens compare --reduce.";

/// The name under which the launch file applies to the kernels in its folder.
const LAUNCH_FILE: &str = "warplens.toml";

/// The folder of a reduction if none is named: `k.reduced` for `k.ptx`.
pub(crate) fn folder(file: &Path) -> PathBuf {
    let stem = file.file_stem().filter(|stem| *stem != "-").unwrap_or("kernel".as_ref());
    let mut name = stem.to_os_string();
    name.push(".reduced");
    name.into()
}

/// Checks that the folder has no files with the names of the result, unless an earlier reduction wrote them.
pub(crate) fn check(folder: &Path) -> Result<()> {
    let launches = folder.join(LAUNCH_FILE);
    match std::fs::read_to_string(&launches) {
        Ok(text) if text.starts_with(MARK) => Ok(()),
        Ok(_) => Err(exists(&launches)),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let mut names = ["reduced.ptx", "reduced.sass", "reduced-b.ptx"].into_iter();
            match names.find(|name| folder.join(name).exists()) {
                Some(name) => Err(exists(&folder.join(name))),
                None => Ok(()),
            }
        }
        Err(error) => Err(wrong(&launches, error)),
    }
}

fn exists(path: &Path) -> Error {
    anyhow!("--reduce: {} already exists; name another folder with `-o`", path.display())
}

fn wrong(path: &Path, error: std::io::Error) -> Error {
    anyhow!("--reduce: {}: {error}", path.display())
}

/// Creates the folder. Called before the reduction, so that a failure does not waste its time.
pub(super) fn create(folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder).map_err(|error| wrong(folder, error))
}

/// Writes the kernels and the launch.
pub(super) fn write(folder: &Path, reduced: &mut Reduced) -> Result<()> {
    let [one, other] = &reduced.compared.runs;
    let launch = launches::written(&one.prepared);
    let is_listing = other.path.ends_with(".sass");
    let other_name = if is_listing { "reduced.sass" } else { "reduced-b.ptx" };
    let command = match &reduced.texts[1] {
        Some(_) if is_listing || one.entry() == other.entry() => {
            format!("warplens compare reduced.ptx {other_name}")
        }
        Some(_) => format!("warplens compare reduced.ptx {other_name} --other-entry '{}'", other.entry()),
        None => {
            format!(
                "warplens compare reduced.ptx --models {},{}",
                one.prepared.model.name(),
                other.prepared.model.name()
            )
        }
    };
    let table = launch_table(&launch, "reduced.ptx");
    let launches = format!("{MARK}\n# {command}\n\n{table}");
    let texts = [("reduced.ptx", reduced.texts[0].as_deref()), (other_name, reduced.texts[1].as_deref())];
    let mut files = Vec::new();
    for (name, text) in texts.into_iter().chain([(LAUNCH_FILE, Some(&*launches))]) {
        let Some(text) = text else { continue };
        let path = folder.join(name);
        std::fs::write(&path, text).map_err(|error| wrong(&path, error))?;
        files.push(path.display().to_string());
    }
    reduced.files = files;
    Ok(())
}
