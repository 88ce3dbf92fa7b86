//! Compiler output of real kernels, under their inferred launches: each kernel finishes or stops at a known instruction.

use std::collections::BTreeMap;
use std::path::Path;

use crate::common::Source;
use warplens_hir::ptx::{AddressSize, Directive, Linkage, Space};
use warplens_hir::ptx::{DeclarationKind, Header};
use warplens_sim_launch::{CudaKernel, Kernel, resolve};
use warplens_sim_ptx::launch_rules::{self, Shape};
use warplens_sim_ptx::{Model, run};
use warplens_sim_warp::{Control, Limits, RunOptions, Severity};
use warplens_test_support::corpora;

/// Step limit of a launch. Kernels that recurse once per thread number do not finish within it.
const STEPS: u64 = 300_000;

fn address_bytes(headers: &[Header]) -> Option<u64> {
    headers.iter().find_map(|header| match header.directive {
        Some(Directive::AddressSize(Some(AddressSize::Bits32))) => Some(4),
        Some(Directive::AddressSize(Some(AddressSize::Bits64))) => Some(8),
        _ => None,
    })
}

/// How an entry's inferred launch ends, and the last error that it reports.
fn outcome(source: &Source, entry: &str) -> (&'static str, String) {
    let program = source.program(entry);
    let functions: Vec<_> =
        program.functions.iter().map(|function| source.function(&function.name)).collect();
    let functions: Vec<_> = functions.iter().map(|function| &**function).collect();
    let declarations = || source.headers().iter().flat_map(|header| &header.declarations);
    let is_dynamic_shared = |name: &str| {
        declarations().any(|declaration| match &declaration.kind {
            DeclarationKind::Variable(variable) if declaration.name == name => {
                variable.space == Space::Shared && variable.linkage == Some(Linkage::Extern)
            }
            _ => false,
        })
    };
    let body = launch_rules::body(&functions, &is_dynamic_shared);
    let bytes = |name: &str| {
        declarations().find_map(|declaration| match &declaration.kind {
            DeclarationKind::Variable(variable) if declaration.name == name => {
                (variable.space == Space::Shared).then(|| variable.bytes())
            }
            _ => None,
        })
    };
    let kernel = launch_rules::kernel(&functions[0].signature, address_bytes(source.headers()));
    let kernel = Kernel::new(
        entry.into(),
        CudaKernel { shaped_block: Shape::of_ptx(functions[0]).block(&bytes), ..kernel },
    );
    let launch = kernel.inferred(&body);
    let resolved = match resolve(&launch, &kernel, 1 << 28, &|_| Err("there are no files".into())) {
        Ok(resolved) => resolved,
        Err(problem) => return ("refused", problem.message),
    };
    let config = resolved.config;
    let limits = Limits { max_steps: STEPS, max_trace: 0, ..Limits::default() };
    let options = RunOptions { limits, ..RunOptions::default() };
    let result = run(&program, config, Model::Stack, &options, Control::none()).expect("not cancelled");
    let mut errors = result.findings.iter().filter(|finding| finding.severity == Severity::Error);
    let last = errors.next_back().map(|finding| format!("{}: {}", finding.kind, finding.message));
    (result.status.as_str(), last.unwrap_or_default())
}

#[test]
fn generated_kernels_finish_or_stop_at_a_named_instruction() {
    corpora("ptx/generated").iter().for_each(|folder| check_kernels(folder));
}

fn check_kernels(folder: &Path) {
    let entries = std::fs::read_dir(folder).expect("readable").filter_map(Result::ok);
    let mut files: Vec<_> = entries.map(|entry| entry.path()).collect();
    files.sort();
    // Files that one program generated for several targets differ little, so they share a row of the table.
    let mut table: BTreeMap<(String, String, &str, String), usize> = BTreeMap::new();
    for file in files.iter().filter(|file| file.extension().is_some_and(|extension| extension == "ptx")) {
        let Ok(text) = std::fs::read_to_string(file) else { continue };
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let family = name.split("__").take(2).collect::<Vec<_>>().join(" ");
        let source = Source::new(&text);
        for entry in source.entries() {
            let (status, why) = outcome(&source, &entry);
            *table.entry((family.clone(), entry, status, why)).or_default() += 1;
        }
    }
    let (mut all, mut good) = (0, 0);
    for ((family, entry, status, why), count) in &table {
        eprintln!("{count:3} {family:26} {entry:20.20} {status:11} {why}");
        all += count;
        good += if matches!(*status, "finished" | "unsupported") { count } else { &0 };
    }
    eprintln!("{good} of {all} kernels run to their end or stop at a named instruction");
    assert!(good * 10 >= all * 9, "{good} of {all}");
}
