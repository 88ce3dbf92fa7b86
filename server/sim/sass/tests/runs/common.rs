//! From the text of a listing to a run.

use std::sync::Arc;

use warplens_hir::sass::{Listing, lower};
use warplens_sim_sass::{self as sass, Program};
use warplens_sim_warp::{Control, LaunchConfig, RunOptions, RunResult};
use warplens_syntax::{ItemList, parse_item};

/// The listing of a text.
pub(crate) fn listing(text: &str) -> Listing {
    let language = warplens_syntax::sass::LANGUAGE;
    let items = ItemList::new(language, text);
    let lowered = items.iter().enumerate().map(|(index, item)| {
        let code = lower(parse_item(language, &item.text).root());
        (Arc::new(code), items.start_of(index))
    });
    Listing::new(lowered.collect())
}

/// The program of a function.
pub(crate) fn program(text: &str, name: &str) -> Program {
    sass::decode(&listing(text), name).expect("the function is there").0
}

/// Runs a program under the model of its target.
pub(crate) fn run(program: &Program, config: LaunchConfig, options: &RunOptions) -> RunResult {
    run_under(program, config, program.target.has_barriers(), options)
}

/// Runs a program under a model: that of barriers, or that of tokens.
pub(crate) fn run_under(
    program: &Program,
    config: LaunchConfig,
    barriers: bool,
    options: &RunOptions,
) -> RunResult {
    sass::run(program, config, barriers, options, Control::none()).expect("not cancelled")
}
