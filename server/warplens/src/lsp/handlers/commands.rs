//! The names of commands: of the server, and of the extension in what it shows.

use crate::lsp::ptxas::RESOURCES;

/// Selects the launch whose lanes a document shows.
pub(crate) const SELECT_LAUNCH: &str = "warplens.selectLaunch";

/// Lists the launches of a document.
pub(crate) const LIST_LAUNCHES: &str = "warplens.listLaunches";

/// The text of the inferred launch.
pub(crate) const DRAFT_LAUNCH: &str = "warplens.draftLaunch";

/// Selects the visit of a line whose values and masks are shown.
pub(crate) const SELECT_VISIT: &str = "warplens.selectVisit";

/// Stops the run of a document.
pub(crate) const STOP_RUN: &str = "warplens.stopRun";

/// Shows the constructs that a source action could not rewrite.
pub(crate) const SHOW_LEFT: &str = "warplens.showLeft";

/// All commands of the server.
pub(crate) const ALL: [&str; 7] =
    [SELECT_LAUNCH, LIST_LAUNCHES, DRAFT_LAUNCH, SELECT_VISIT, STOP_RUN, RESOURCES, SHOW_LEFT];

/// The command of the VS Code extension in a lens of its style.
pub(crate) const PICK_LAUNCH: &str = "warplens.pickLaunch";

/// The command of the VS Code extension that opens or writes a launch.
pub(crate) const EDIT_LAUNCH: &str = "warplens.editLaunch";
