//! Turns the text of a listing into a program and runs it.

use std::sync::Arc;

use warplens_hir::sass::{Listing, lower};
use warplens_sim_sass::{self as sass, Program};
use warplens_sim_warp::{Control, LaunchConfig, RunOptions, RunResult};
use warplens_syntax::{ItemList, parse_item};

pub(crate) fn listing(text: &str) -> Listing {
    let language = warplens_syntax::sass::LANGUAGE;
    let items = ItemList::new(language, text);
    let lowered = items.iter().enumerate().map(|(index, item)| {
        let code = lower(parse_item(language, &item.text).root());
        (Arc::new(code), items.start_of(index))
    });
    Listing::new(lowered.collect())
}

pub(crate) fn program(text: &str, name: &str) -> Program {
    sass::decode(&listing(text), name).expect("the function is there").0
}

/// Runs a program under the model of its target.
pub(crate) fn run(program: &Program, config: LaunchConfig, options: &RunOptions) -> RunResult {
    run_under(program, config, program.target.has_barriers(), options)
}

/// Runs a program under either model: with barriers or with tokens.
pub(crate) fn run_under(
    program: &Program,
    config: LaunchConfig,
    barriers: bool,
    options: &RunOptions,
) -> RunResult {
    sass::run(program, config, barriers, options, Control::none()).expect("not cancelled")
}
