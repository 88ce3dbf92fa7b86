//! A code lens and what a click on it does.

use text_size::TextRange;

/// The lenses that a client supports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum LensStyle {
    /// Only commands of the server.
    #[default]
    Plain,
    /// Also commands of the extension.
    Extension,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lens {
    /// The kernel's name in the text.
    pub range: TextRange,
    pub title: String,
    pub click: Click,
    pub rank: LensRank,
}

/// Which lenses of a kernel stay where there is no room for all: the first ones, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LensRank {
    /// The result of the run and what leads to another one.
    Run,
    /// What an assembler makes of the kernel.
    MachineCode,
    /// What the list of launches, a key or a command offers too.
    Shortcut,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Click {
    /// Selects a launch by name.
    Select {
        entry: String,
        /// The launch, which may be `inferred`.
        launch: String,
    },
    /// Clears the selection.
    Stop,
    /// Opens the extension's list of launches.
    Pick { entry: String },
    /// Opens or writes a launch of the kernel, in the extension.
    Edit { entry: String },
    /// Goes to a part of the shown run, in the extension.
    GoTo(LensTarget),
    /// None: the lens is only information.
    Nothing,
}

/// Where the extension goes in the shown run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LensTarget {
    /// The next line at which lanes diverge.
    Divergence,
    Finding,
    /// The statement that stored the first element that is not as expected.
    Unexpected,
    Warp,
    Panel,
    /// The text that the kernel printed, in the lanes panel.
    Output,
}
