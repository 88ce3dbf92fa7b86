//! The pages of findings: each starts with what the table says, and the index lists them all.

use std::path::{Path, PathBuf};

use expect_test::expect_file;
use warplens_ide::lanes::{FindingCode, finding_code, finding_codes};

#[test]
fn every_page_starts_with_what_the_table_says() {
    for FindingCode { name, summary, page } in finding_codes() {
        let head = format!("# {name}\n\n**Finding.** {summary}\n\n");
        assert!(page.starts_with(&head), "docs/findings/{name}.md must start with\n{head}");
    }
}

#[test]
fn names_are_in_kebab_case_and_stand_once() {
    for (index, code) in finding_codes().iter().enumerate() {
        let is_kebab = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        assert!(code.name.chars().all(is_kebab), "{}", code.name);
        assert!(!finding_codes()[..index].iter().any(|other| other.name == code.name), "{} twice", code.name);
    }
}

#[test]
fn every_page_has_its_finding() {
    for entry in std::fs::read_dir(pages()).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let name = name.strip_suffix(".md").unwrap_or(&name);
        assert!(name == "README" || finding_code(name).is_some(), "docs/findings/{name}.md");
    }
}

#[test]
fn the_index_lists_all() {
    let mut index = String::from(
        "# Findings\n\nWhat a simulation can say of a program: in an editor as diagnostics with the source `warplens-sim`, while \
        the lanes\nof a launch are shown, and at the end of `warplens sim`. Settings and a comment switch one off as they do \
        [diagnostics](../diagnostics/README.md).\n\n| Name | What it finds |\n| --- | --- |\n",
    );
    for FindingCode { name, summary, .. } in finding_codes() {
        index += &format!("| [{name}]({name}.md) | {} |\n", summary.replace('|', "\\|"));
    }
    expect_file![pages().join("README.md")].assert_eq(&index);
}

fn pages() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/findings")
}
