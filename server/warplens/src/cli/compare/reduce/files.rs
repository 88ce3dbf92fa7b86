//! Writes the files of a reduction: the kernels and their launch.

use std::path::{Path, PathBuf};

use anyhow::{Error, Result, anyhow, bail};
use warplens_sim_launch::{launch_name, launch_table};

use super::launches;
use super::reduced::Reduced;
use warplens_system::disk::new_file::{self, OutputError};
use warplens_system::disk::read_file;

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
    new_file::check_folder(folder).map_err(refused)?;
    let launches = folder.join(LAUNCH_FILE);
    let start = || read_file::beginning(&launches, MARK.len() as u64);
    let is_marked = new_file::is_there(&launches).map_err(refused)?
        && start().map_err(|error| anyhow!("--reduce: {}: {error}", launches.display()))? == MARK.as_bytes();
    for name in [LAUNCH_FILE, "reduced.ptx", "reduced.sass", "reduced-b.ptx"] {
        let path = folder.join(name);
        if new_file::is_there(&path).map_err(refused)? && !is_marked {
            bail!("--reduce: {} already exists; name another folder with `-o`", path.display());
        }
    }
    Ok(())
}

fn refused(error: OutputError) -> Error {
    anyhow!("--reduce: {error}; name another folder with `-o`")
}

/// Creates the folder. Called before the reduction, so that a failure does not waste its time.
pub(super) fn create(folder: &Path) -> Result<()> {
    new_file::create_folder(folder).map_err(refused)
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
    let table = launch_table(&launch, &launch_name(&launch, |_| false), "reduced.ptx");
    let launches = format!("{MARK}\n# {command}\n\n{table}");
    let texts = [("reduced.ptx", reduced.texts[0].as_deref()), (other_name, reduced.texts[1].as_deref())];
    let mut files = Vec::new();
    for (name, text) in texts.into_iter().chain([(LAUNCH_FILE, Some(&*launches))]) {
        let Some(text) = text else { continue };
        let path = new_file::write(folder, Path::new(name), text.as_bytes()).map_err(refused)?;
        files.push(path.display().to_string());
    }
    reduced.files = files;
    Ok(())
}
