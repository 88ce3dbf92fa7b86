//! The names of commands: those that the server executes, and those of the VS Code extension in lenses.

use crate::handlers::ptxas::RESOURCES;

/// Selects the launch whose lanes a document shows.
pub(crate) const SELECT_LAUNCH: &str = "warplens.selectLaunch";

pub(crate) const LIST_LAUNCHES: &str = "warplens.listLaunches";

/// Answers with the inferred launch as text.
pub(crate) const DRAFT_LAUNCH: &str = "warplens.draftLaunch";

/// Answers with the edit that makes a launch expect what a buffer holds.
pub(crate) const EXPECT_BUFFER: &str = "warplens.expectBuffer";

/// Selects the visit of a line whose values and masks are shown.
pub(crate) const SELECT_VISIT: &str = "warplens.selectVisit";

pub(crate) const STOP_RUN: &str = "warplens.stopRun";

/// Answers with the link of the document and of the run that it shows.
pub(crate) const LINK: &str = "warplens.link";

/// Shows the constructs that a source action could not rewrite.
pub(crate) const SHOW_LEFT: &str = "warplens.showLeft";

/// Runs a statement of inline PTX for one warp from now on, or no longer.
pub(crate) const TRY_STATEMENT: &str = "warplens.tryStatement";

pub(crate) const ALL: [&str; 10] = [
    SELECT_LAUNCH,
    LIST_LAUNCHES,
    DRAFT_LAUNCH,
    EXPECT_BUFFER,
    SELECT_VISIT,
    STOP_RUN,
    LINK,
    RESOURCES,
    SHOW_LEFT,
    TRY_STATEMENT,
];

/// The command of the VS Code extension that lets the user pick a launch.
pub(crate) const PICK_LAUNCH: &str = "warplens.pickLaunch";

/// The command of the VS Code extension that opens or writes a launch.
pub(crate) const EDIT_LAUNCH: &str = "warplens.editLaunch";

/// The command of the VS Code extension that copies a link.
pub(crate) const COPY_LINK: &str = "warplens.copyLink";
