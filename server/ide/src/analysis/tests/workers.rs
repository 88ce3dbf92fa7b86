//! Checks on several threads: the first check of a large file, and checks of a very long function.

use std::sync::atomic::{AtomicUsize, Ordering};

use warplens_sim_warp::Workers;
use warplens_syntax::ptx::LANGUAGE;

use crate::analysis::{Analysis, AnalysisHost, Cancelled};
use crate::fixture::FILE;
use crate::{Diagnostic, Fixes};

/// Workers that count how often they are used.
#[derive(Default)]
struct Threads {
    uses: AtomicUsize,
}

impl Workers for Threads {
    fn count(&self) -> usize {
        3
    }

    fn together(&self, work: &(dyn Fn() + Sync)) {
        self.uses.fetch_add(1, Ordering::Relaxed);
        std::thread::scope(|scope| (1..self.count()).for_each(|_| drop(scope.spawn(work))));
    }
}

impl Threads {
    fn check(&self, analysis: &Analysis) -> Result<Vec<Diagnostic>, Cancelled> {
        analysis.diagnostics_with(FILE, Fixes::Included, self)
    }
}

/// 1,000 functions; every tenth has a distinct mistake and an undeclared name.
fn large() -> AnalysisHost {
    let function = |number: usize| {
        let mistake = if number.is_multiple_of(10) { "addd.u32 %r1, %r2, 3; call missing;" } else { "" };
        format!(".func f{number}()\n{{\n.reg .b32 %r<4>;\n{mistake}\n// {}\nret;\n}}\n", "-".repeat(100))
    };
    let functions: String = (0..1_000).map(function).collect();
    let mut host = AnalysisHost::new();
    host.open(FILE, LANGUAGE, &format!(".version 8.0\n.target sm_80\n.address_size 64\n{functions}"));
    host
}

#[test]
fn threads_find_the_same() {
    let threads = Threads::default();
    let found = threads.check(&large().snapshot()).unwrap();
    assert_eq!(threads.uses.into_inner(), 1);
    assert_eq!(found, large().snapshot().diagnostics(FILE).unwrap());
    assert!(found.len() >= 200 && found.iter().any(|found| !found.fixes.is_empty()));
}

#[test]
fn an_edit_is_checked_on_one_thread() {
    let (mut host, threads) = (large(), Threads::default());
    threads.check(&host.snapshot()).unwrap();
    host.edit(FILE, text_size::TextRange::empty(0.into()), "// comment\n").unwrap();
    threads.check(&host.snapshot()).unwrap();
    assert_eq!(threads.uses.into_inner(), 1);
}

#[test]
fn its_caller_cancels_it() {
    let (host, threads) = (large(), Threads::default());
    let analysis = host.snapshot();
    analysis.canceller().cancel();
    assert_eq!(threads.check(&analysis), Err(Cancelled::ByCaller));
    assert!(threads.check(&analysis).is_ok());
}

#[test]
fn fixes_can_be_omitted() {
    let host = large();
    let found = host.snapshot().diagnostics_with(FILE, Fixes::Omitted, &Threads::default()).unwrap();
    let without = |mut found: Diagnostic| {
        found.fixes.clear();
        found
    };
    let expected = host.snapshot().diagnostics(FILE).unwrap().into_iter().map(without);
    assert_eq!(found, expected.collect::<Vec<_>>());
}
