//! The license notices of the third-party code in the packages: of the crates in the server, and of the npm packages in the
//! script of the extension.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::project::read;
use crate::shell;

pub(crate) const FILE: &str = "THIRD-PARTY-NOTICES.txt";
/// The script of the panel in HTML reports, which is part of the program.
const REPORT: &str = "editors/panel/report.js";
/// The npm packages in the scripts of the extension; they require the others.
const SCRIPTS: [&str; 2] = ["vscode-languageclient", "@dagrejs/dagre"];

/// A third-party package.
struct Package {
    /// `salsa 0.26.0`
    name: String,
    /// The SPDX expression, or a placeholder.
    license: String,
    folder: PathBuf,
}

/// Writes the notices of the server and of the extension's script, whose npm packages are installed in `extension`.
pub(crate) fn write(extension: &Path) -> Result<()> {
    write_sections(
        extension,
        [section("The server", &crates()?)?, section("The extension", &npm_packages(extension)?)?],
    )
}

/// Writes the notices of the program in the wheel, to a folder.
pub(crate) fn write_for_wheel(folder: &Path) -> Result<()> {
    let panel = format!("{}{}\n", heading("The panel in reports"), notice_of_script(&read(REPORT)?)?);
    write_sections(folder, [section("The program", &crates()?)?, panel])
}

fn write_sections(folder: &Path, sections: [String; 2]) -> Result<()> {
    let text = format!("Third-party code in Warplens\n\n{}", sections.join("\n"));
    fs::write(folder.join(FILE), text).with_context(|| format!("cannot write {FILE}"))
}

fn heading(title: &str) -> String {
    format!("{title}\n{}\n", "-".repeat(80))
}

/// The license of the npm packages in a script, which the build of the script copied from them to its start.
fn notice_of_script(script: &str) -> Result<&str> {
    let notice = script.strip_prefix("/*!").and_then(|rest| rest.split_once("*/"));
    Ok(notice.with_context(|| format!("{REPORT} does not start with its notices"))?.0.trim())
}

/// The crates in the server on this platform, without those that only build scripts and tests use.
fn crates() -> Result<Vec<Package>> {
    let printed = ["--edges", "normal", "--prefix", "none", "--format", "{p}"];
    let tree = [&["tree", "--locked", "--package", "warplens"], &printed[..]].concat();
    let linked = shell::command(".", "cargo", &tree).stdout()?;
    let linked: BTreeSet<&str> = linked.lines().filter_map(|line| line.split(" (").next()).collect();
    let metadata = ["metadata", "--format-version", "1", "--locked"];
    let metadata: Value = serde_json::from_str(&shell::command(".", "cargo", &metadata).stdout()?)?;
    let packages = metadata["packages"].as_array().context("cargo metadata lists no packages")?;
    let found = packages.iter().filter(|package| !package["source"].is_null()).filter_map(|package| {
        let text = |key: &str| package[key].as_str().unwrap_or_default();
        let is_linked = linked.contains(&*format!("{} v{}", text("name"), text("version")));
        is_linked.then(|| Package {
            name: format!("{} {}", text("name"), text("version")),
            license: text("license").to_owned(),
            folder: Path::new(text("manifest_path")).parent().unwrap_or(Path::new("")).to_path_buf(),
        })
    });
    Ok(found.collect())
}

/// The npm packages in the script of the extension.
fn npm_packages(extension: &Path) -> Result<Vec<Package>> {
    let mut open: Vec<_> = SCRIPTS.map(|name| (name.to_owned(), extension.to_path_buf())).into();
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    while let Some((name, user)) = open.pop() {
        let folder = installed(&name, &user, extension)?;
        if !seen.insert(folder.clone()) {
            continue;
        }
        let manifest: Value = serde_json::from_str(&fs::read_to_string(folder.join("package.json"))?)?;
        let text = |key: &str| manifest[key].as_str().unwrap_or_default().to_owned();
        let dependencies = manifest["dependencies"].as_object().into_iter().flatten();
        open.extend(dependencies.map(|(name, _)| (name.clone(), folder.clone())));
        found.push(Package { name: format!("{name} {}", text("version")), license: text("license"), folder });
    }
    Ok(found)
}

/// The folder of an npm package: its user's own copy, or the one of a folder around it.
fn installed(name: &str, user: &Path, extension: &Path) -> Result<PathBuf> {
    let around = user.ancestors().take_while(|folder| folder.starts_with(extension));
    let mut folders = around.map(|folder| folder.join("node_modules").join(name));
    let found = folders.find(|folder| folder.join("package.json").is_file());
    found.with_context(|| format!("the npm package {name} is not installed"))
}

/// The packages of a part, with the texts of their licenses. Packages with the same text share it.
fn section(title: &str, packages: &[Package]) -> Result<String> {
    let mut by_text: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for package in packages {
        ensure!(!package.license.is_empty(), "{} names no license", package.name);
        let name = format!("{} ({})", package.name, package.license);
        by_text.entry(license_texts(&package.folder)?).or_default().insert(name);
    }
    let mut groups: Vec<(Vec<String>, String)> =
        by_text.into_iter().map(|(text, names)| (names.into_iter().collect(), text)).collect();
    groups.sort();
    let groups = groups.iter().map(|(names, text)| format!("{}\n\n{text}", names.join("\n")));
    let line = format!("{}\n", "-".repeat(80));
    Ok(format!("{}{}", heading(title), groups.collect::<Vec<_>>().join(&line)))
}

/// Whether a lowercase file name is that of a license or a notice. "Licen" covers both spellings.
fn is_notice(name: &str) -> bool {
    const STARTS: [&str; 5] = ["licen", "copying", "notice", "unlicen", "thirdpartynotices"];
    STARTS.iter().any(|start| name.starts_with(start))
}

/// The license files of a package, one after the other.
fn license_texts(folder: &Path) -> Result<String> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        if is_notice(&name) && path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    let texts =
        files.iter().map(|path| Ok(String::from_utf8_lossy(&fs::read(path)?).trim().to_owned() + "\n"));
    let texts: Vec<String> = texts.collect::<Result<_>>()?;
    if texts.is_empty() {
        return Ok("The package contains no license file.\n".to_owned());
    }
    Ok(texts.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_state_a_license() {
        let british = format!("licen{}e.md", 'c');
        assert!(["license-mit", "copying", "unlicense", &british].into_iter().all(is_notice));
        assert!(!is_notice("readme.md"));
    }

    #[test]
    fn the_crates_in_the_server() {
        let crates = crates().expect("cargo lists them");
        let text = section("The server", &crates).expect("each has a license");
        for name in ["salsa ", "tower-lsp-server ", "rowan ", "clap "] {
            assert!(crates.iter().any(|package| package.name.starts_with(name)), "{name}");
        }
        assert!(text.contains("Permission is hereby granted, free of charge"));
        // Those of the tests only are not in the server.
        assert!(!crates.iter().any(|package| package.name.starts_with("expect-test ")));
        assert!(!crates.iter().any(|package| package.name.starts_with("warplens")));
    }

    #[test]
    fn a_report_has_the_notices_of_its_script() {
        let script = read(REPORT).expect("it is generated");
        let notice = notice_of_script(&script).expect("it has notices");
        assert!(
            notice.starts_with("Contains @dagrejs/dagre") && notice.contains("Permission is hereby granted")
        );
    }

    #[test]
    fn the_packages_in_the_script_of_the_extension() {
        let extension = crate::project::project_root().join("editors/vscode");
        if !extension.join("node_modules").is_dir() {
            return warplens_test_support::skip("the npm packages of the extension are not installed");
        }
        let packages = npm_packages(&extension).expect("all are installed");
        assert!(packages.iter().any(|package| package.name.starts_with("vscode-jsonrpc ")));
        let text = section("The extension", &packages).expect("each has a license");
        assert!(text.contains("Copyright (c) Microsoft Corporation"));
    }
}
