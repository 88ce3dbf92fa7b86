//! The examples on the pages of diagnostics and findings, and the verdict of the assembler about them.

use std::path::{Path, PathBuf};
use std::process::Command;

use warplens_host::Host;
use warplens_ide::{Accepts, Language};

/// A block of code on a page.
pub(crate) struct Example {
    /// `None` for a host language with inline PTX.
    pub(crate) language: Option<Language>,
    pub(crate) host: Option<&'static Host>,
    /// The whole file that the block represents.
    pub(crate) text: String,
    /// The dialect that it is checked against: the second word after the fence, if any.
    pub(crate) accepts: Accepts,
}

/// The blocks of a page, alternately wrong and right.
pub(crate) fn examples(page: &str) -> Vec<Example> {
    let blocks = page.split("```").skip(1).step_by(2);
    let examples: Vec<_> =
        blocks.map(|block| example(block.split_once('\n').expect("a block has lines"))).collect();
    assert_eq!(examples.len() % 2, 0, "examples come in pairs:\n{page}");
    examples
}

fn example((language, code): (&str, &str)) -> Example {
    let (language, accepts) = language.split_once(' ').unwrap_or((language, "both"));
    let accepts = Accepts::named(accepts).expect("the second word names a language");
    let of = |language, text| Example { language: Some(language), host: None, text, accepts };
    let of_host = |id, text| Example { language: None, host: warplens_host::by_id(id), text, accepts };
    match language {
        "sass" => of(warplens_syntax::sass::LANGUAGE, code.to_owned()),
        "wave" => of(warplens_syntax::wave::LANGUAGE, code.to_owned()),
        "ptx" if code.contains(".version") => of(warplens_syntax::ptx::LANGUAGE, code.to_owned()),
        "ptx" => of(warplens_syntax::ptx::LANGUAGE, kernel(code)),
        "cuda" => of_host("cuda-cpp", format!("__device__ void f() {{\n{code}}}\n")),
        "rust" => of_host("rust", format!("fn f() {{\n{code}}}\n")),
        other => panic!("a block is of `ptx`, `wave`, `sass`, `cuda` or `rust`, not of `{other}`"),
    }
}

/// The kernel around the statements of a block. `codes.rs` describes the declarations.
const KERNEL: &str = include_str!("../../../../docs/example.ptx");

/// A kernel with these statements, preceded by the launch if they start with one.
fn kernel(statements: &str) -> String {
    let has_launch = statements.starts_with("// @launch");
    let (launch, statements) = statements.split_at(if has_launch { first_line(statements) } else { 0 });
    let ends = ["ret;", "exit;", "trap;"].iter().any(|end| statements.trim_end().ends_with(end));
    let end = if ends { "" } else { "    ret;\n" };
    KERNEL.replace("{launch}", launch).replace("{statements}", statements).replace("{end}", end)
}

/// The length of the first line, including its newline.
fn first_line(text: &str) -> usize {
    text.find('\n').map_or(text.len(), |end| end + 1)
}

/// Checks that names are unique and in kebab case, and that each has a page with its name.
pub(crate) fn check_names(folder: &str, names: &[&str]) {
    for (index, name) in names.iter().enumerate() {
        let is_kebab = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        assert!(name.chars().all(is_kebab), "{name}");
        assert!(!names[..index].contains(name), "{name} twice");
    }
    for entry in std::fs::read_dir(pages(folder)).unwrap() {
        let file = entry.unwrap().file_name().into_string().unwrap();
        let name = file.strip_suffix(".md").unwrap_or(&file);
        assert!(name == "README" || names.contains(&name), "docs/{folder}/{file} is about nothing");
    }
}

/// A folder of pages.
pub(crate) fn pages(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(folder)
}

/// Whether the assembler accepts a file.
pub(crate) fn accepts(ptxas: &Path, name: &str, text: &str) -> bool {
    let file = std::env::temp_dir().join(format!("warplens-page-{}-{name}.ptx", std::process::id()));
    std::fs::write(&file, text).unwrap();
    let target = text.split("sm_").nth(1).and_then(|rest| rest.split_whitespace().next()).unwrap_or("90");
    // The assembler lacks older targets, so they are checked with the oldest one that it has.
    let target = if target.parse().is_ok_and(|number: u32| number < 75) { "75" } else { target };
    // Some errors come from code generation. With `-c`, functions of other modules may be called.
    let mut whole = Command::new(ptxas);
    let machine_code = file.with_extension("cubin");
    whole.args(["-c", "-arch", &format!("sm_{target}"), "-o"]).args([&machine_code, &file]);
    let run = whole.output().unwrap();
    std::fs::remove_file(&file).unwrap();
    let _only_if_accepted = std::fs::remove_file(&machine_code);
    run.status.success()
}
