//! How the program of the release artifacts is compiled.

use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::project::project_root;
use crate::shell::{self, Step};

/// The profile of the release artifacts.
pub(crate) const PROFILE: &str = "dist";

/// The build of a profile, with the flags of rustc that its programs have: release artifacts contain no paths of this machine.
pub(crate) fn with_flags(build: Step, profile: &str) -> Result<Step> {
    if profile != PROFILE {
        return Ok(build);
    }
    let given = std::env::var("RUSTFLAGS").unwrap_or_default();
    let flags = given.split_whitespace().map(str::to_owned).chain(neutral_paths()?);
    // Separated so that paths may contain spaces.
    Ok(build.env("CARGO_ENCODED_RUSTFLAGS", flags.collect::<Vec<_>>().join("\x1f")))
}

/// Flags that replace the folders of sources in messages of panics and in debug information.
fn neutral_paths() -> Result<Vec<String>> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home =
        home.or_else(|| Some(std::env::home_dir()?.join(".cargo"))).context("there is no home folder")?;
    let toolchain = shell::command(".", "rustc", &["--print", "sysroot"]).stdout()?;
    // rustc uses the last prefix that fits.
    let mut folders = vec![
        (project_root(), "/warplens"),
        (PathBuf::from(toolchain.trim()), "/rust"),
        (home.clone(), "/cargo"),
    ];
    let registries = home.join("registry/src").read_dir().into_iter().flatten().flatten();
    folders.extend(registries.map(|registry| (registry.path(), "/crates")));
    Ok(folders.iter().map(|(from, to)| format!("--remap-path-prefix={}={to}", from.display())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn release_artifacts_name_no_folder_of_this_machine() {
        let flags = neutral_paths().expect("cargo runs the tests");
        let remapped = |folder: &str| {
            flags.iter().any(|flag| flag.starts_with(&format!("--remap-path-prefix={folder}")))
        };
        assert!(remapped(&project_root().display().to_string()), "{flags:?}");
        assert!(
            flags.iter().any(|flag| flag.ends_with("=/cargo"))
                && flags.iter().any(|flag| flag.ends_with("=/rust"))
        );
    }
}
