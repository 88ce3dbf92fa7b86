//! The pages of diagnostics: each starts with what the table says, and its examples are what it says they are. Where
//! the assembler is there, it agrees with them.

#![allow(clippy::print_stdout)] // A test that is skipped says so.

use std::path::{Path, PathBuf};
use std::process::Command;

use expect_test::expect_file;
use warplens_ide::{Accepts, AnalysisHost, Code, Diagnostic, FileId, Language, Severity, codes};

/// The one that needs an example of 500 mistakes.
const WITHOUT_EXAMPLE: &str = "too-many-problems";

/// A block of code in a page.
struct Example {
    language: Language,
    /// The whole file that the block stands for.
    text: String,
    /// Whose WAVE it is held against: the second word after the fence, if there is one.
    accepts: Accepts,
}

/// The blocks of a page, wrong and right in turn.
fn examples(page: &str) -> Vec<Example> {
    let blocks = page.split("```").skip(1).step_by(2);
    blocks.map(|block| example(block.split_once('\n').expect("a block has lines"))).collect()
}

fn example((language, code): (&str, &str)) -> Example {
    let (language, accepts) = language.split_once(' ').unwrap_or((language, "both"));
    let accepts = Accepts::named(accepts).expect("the second word names a language");
    match language {
        "wave" => Example { language: Language::Wave, text: code.to_owned(), accepts },
        "ptx" if code.contains(".version") => {
            Example { language: Language::Ptx, text: code.to_owned(), accepts }
        }
        "ptx" => Example { language: Language::Ptx, text: kernel(code), accepts },
        other => panic!("a block is of `ptx` or `wave`, not of `{other}`"),
    }
}

/// A kernel around some statements; see `codes.rs` for what it declares.
fn kernel(statements: &str) -> String {
    let ends = ["ret;", "exit;", "trap;"].iter().any(|end| statements.trim_end().ends_with(end));
    let end = if ends { "" } else { "    ret;\n" };
    format!(
        "\
.version 9.0
.target sm_90
.address_size 64
.shared .align 16 .b32 tile[32];
.visible .entry k(.param .u64 out)
{{
    .reg .pred %p<4>;
    .reg .b16 %h<4>;
    .reg .b32 %r<8>;
    .reg .f32 %f<8>;
    .reg .b64 %rd<8>;
    .reg .f64 %fd<4>;
{statements}
{end}}}
"
    )
}

/// What is found. Hints are no matter of an example about something else.
fn found(example: &Example, about: &str) -> Vec<(String, Severity)> {
    let mut host = AnalysisHost::new();
    host.set_accepts(example.accepts);
    host.open(FileId(0), example.language, &example.text);
    let found = host.snapshot().diagnostics(FileId(0)).unwrap();
    let counts = |found: &Diagnostic| found.code == about || found.severity != Severity::Hint;
    let found = found.into_iter().filter(counts);
    found.map(|found| (found.code.to_owned(), found.severity)).collect()
}

#[test]
fn every_page_starts_with_what_the_table_says() {
    for code in codes() {
        let head = format!("# {}\n\n**{:?}.** {}\n\n", code.name, code.severity, code.summary);
        assert!(code.page.starts_with(&head), "docs/diagnostics/{}.md must start with\n{head}", code.name);
    }
}

#[test]
fn names_are_in_kebab_case_and_stand_once() {
    for (index, code) in codes().iter().enumerate() {
        let is_kebab = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        assert!(code.name.chars().all(is_kebab), "{}", code.name);
        assert!(!codes()[..index].iter().any(|other| other.name == code.name), "{} twice", code.name);
    }
}

#[test]
fn every_page_has_its_diagnostic() {
    for entry in std::fs::read_dir(pages()).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let name = name.strip_suffix(".md").unwrap_or(&name);
        assert!(name == "README" || warplens_ide::code(name).is_some(), "docs/diagnostics/{name}.md");
    }
}

#[test]
fn the_examples_are_what_they_say() {
    let mut wrong = Vec::new();
    for code in codes() {
        let examples = examples(code.page);
        assert_eq!(examples.len() % 2, 0, "{}: examples come in pairs", code.name);
        assert_eq!(examples.is_empty(), code.name == WITHOUT_EXAMPLE, "{}: examples", code.name);
        for pair in examples.chunks(2) {
            let bad = found(&pair[0], code.name);
            let is_it =
                |(name, severity): &(String, Severity)| name == code.name && *severity == code.severity;
            if bad.is_empty() || !bad.iter().all(is_it) {
                wrong.push(format!("{}: the wrong example gives {bad:?}", code.name));
            }
            let good = found(&pair[1], code.name);
            if !good.is_empty() {
                wrong.push(format!("{}: the right example gives {good:?}", code.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_index_lists_all() {
    let mut index = String::from(
        "# Diagnostics\n\nEvery diagnostic has a stable name. Settings and a comment switch one off: see [the settings]\
        (../editors.md).\n\n| Name | Severity | What it finds |\n| --- | --- | --- |\n",
    );
    for code in codes() {
        let Code { name, severity, summary, .. } = code;
        let severity = format!("{severity:?}").to_lowercase();
        index += &format!("| [{name}]({name}.md) | {severity} | {} |\n", summary.replace('|', "\\|"));
    }
    expect_file![pages().join("README.md")].assert_eq(&index);
}

/// An error if and only if the assembler rejects it.
#[test]
fn the_assembler_agrees_with_the_examples() {
    let Some(ptxas) = ptxas() else {
        println!("skipped: ptxas not found (WARPLENS_PTXAS)");
        return;
    };
    let mut wrong = Vec::new();
    for code in codes() {
        let examples = examples(code.page);
        for (at, example) in examples.iter().enumerate().filter(|(_, one)| one.language == Language::Ptx) {
            let is_bad = at % 2 == 0 && code.severity == Severity::Error;
            if accepts(&ptxas, code.name, &example.text) == is_bad {
                wrong.push(format!("{}: example {}", code.name, at + 1));
            }
        }
    }
    assert!(wrong.is_empty(), "the assembler sees it differently:\n{}", wrong.join("\n"));
}

fn accepts(ptxas: &Path, name: &str, text: &str) -> bool {
    let file = std::env::temp_dir().join(format!("warplens-page-{}-{name}.ptx", std::process::id()));
    std::fs::write(&file, text).unwrap();
    let target = text.split("sm_").nth(1).and_then(|rest| rest.split_whitespace().next()).unwrap_or("90");
    // Older targets are checked by the oldest that it knows.
    let target = if target.parse().is_ok_and(|number: u32| number < 75) { "75" } else { target };
    let run = Command::new(ptxas).arg("-arch").arg(format!("compute_{target}")).arg(&file).output().unwrap();
    std::fs::remove_file(&file).unwrap();
    run.status.success()
}

fn ptxas() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let named = std::env::var_os("WARPLENS_PTXAS").map(PathBuf::from);
    let local = Some(root.join(".oracle/ptxas-13")).filter(|path| path.exists());
    let known = named.or(local);
    let on_path = || {
        let found = Command::new("ptxas").arg("--version").output().is_ok();
        found.then(|| PathBuf::from("ptxas"))
    };
    known.or_else(on_path)
}

fn pages() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/diagnostics")
}
