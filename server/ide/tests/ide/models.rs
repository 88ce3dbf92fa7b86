//! The divergence models in the files of the extension and in the documentation: each lists those of the languages.

use std::path::Path;

use serde_json::{Value, json};
use warplens_ide::models;

/// A file of the repository.
fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
    std::fs::read_to_string(path).expect("a file of the repository")
}

#[test]
fn the_setting_lists_the_models_and_their_former_names() {
    let (mut names, mut descriptions): (Vec<&str>, Vec<String>) = (Vec::new(), Vec::new());
    for (language, model) in models() {
        names.push(model.name);
        descriptions.push(format!("{}: {}.", language.title, model.rule));
    }
    for (language, model) in models() {
        for former in model.former_names {
            names.push(former);
            descriptions.push(format!("{}: the former name of `{}`.", language.title, model.name));
        }
    }
    let package: Value = serde_json::from_str(&read("editors/vscode/package.json")).expect("JSON");
    let groups = package["contributes"]["configuration"].as_array().expect("groups of settings");
    let setting = groups.iter().find_map(|group| group["properties"].get("warplens.simulation.model"));
    let setting = setting.expect("the setting");
    assert_eq!(setting["enum"], json!(names), "write\n\"enum\": {}", json!(names));
    let written = &setting["enumDescriptions"];
    assert_eq!(*written, json!(descriptions), "write\n\"enumDescriptions\": {:#}", json!(descriptions));
}

/// The table may say more about a model than its rule.
#[test]
fn the_documentation_has_a_row_for_each_model() {
    let page = read("docs/lanes.md");
    let section = page.split("\n## ").find(|section| section.starts_with("Models\n")).expect("the section");
    let rows: Vec<&str> = section.lines().filter(|line| line.starts_with("| `")).collect();
    assert_eq!(rows.len(), models().count(), "{rows:#?}");
    for (language, model) in models() {
        let (title, rule) = (language.title, model.rule);
        let row = rows.iter().find(|row| row.starts_with(&format!("| `{}` | {title}", model.name)));
        let row = row.unwrap_or_else(|| panic!("{} has no row of {title}", model.name));
        assert!(row.contains(&format!(" | {rule}")), "the rule of {} starts with: {rule}\n{row}", model.name);
    }
}
