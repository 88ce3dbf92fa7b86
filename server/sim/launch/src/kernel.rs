//! Kernels and what they require of their launches: the interface between launches and languages.

use std::fmt::Debug;
use std::sync::Arc;

use smol_str::SmolStr;
use warplens_sim_warp::{DynEq, LaunchConfig};

use super::INFERRED;
use super::body::Body;
use super::buffers::{Budget, PlacedBuffer};
use super::model::Launch;
use super::problem::Problem;

/// A kernel and its launch rules.
#[derive(Debug, Clone)]
pub struct Kernel {
    pub name: SmolStr,
    pub rules: Arc<dyn LaunchRules>,
}

/// A launch that is ready to run, and its buffers.
pub type Resolved = (LaunchConfig, Vec<PlacedBuffer>);

/// What a kernel requires of its launches. A language implements it for its kernels.
pub trait LaunchRules: DynEq + Debug + Send + Sync {
    /// Grid and block of the inferred launch. They do not depend on the body.
    fn inferred_size(&self) -> ([u32; 3], [u32; 3]);

    /// Block sizes other than the inferred one that the kernel may be written for.
    fn possible_blocks(&self, _body: &Body) -> Vec<[u32; 3]> {
        Vec::new()
    }

    /// Whether the kernel is written for one size of its block.
    fn has_fixed_block(&self) -> bool {
        true
    }

    /// Whether the host code of the kernel may launch it with this block.
    fn accepts_block(&self, _block: [u32; 3]) -> bool {
        false
    }

    /// The number of parameters, if it is known.
    fn parameters(&self) -> Option<usize> {
        None
    }

    /// Adds inferred arguments to a launch that has only grid and block.
    fn with_arguments(&self, launch: Launch, _body: &Body) -> Launch {
        launch
    }

    /// Sets the number of lanes of a warp; an error in a language whose warp width is fixed.
    fn set_warp_width(&self, launch: &mut Launch, width: u32, is_inferred: bool) -> Result<(), &'static str>;

    /// Checks a launch of the kernel with this name, fills in defaults, and builds the memory that a run starts from.
    fn resolve(&self, name: &str, launch: &mut Launch, budget: Budget<'_>) -> Result<Resolved, Problem>;
}

impl Kernel {
    pub fn new(name: SmolStr, rules: impl LaunchRules) -> Kernel {
        Kernel { name, rules: Arc::new(rules) }
    }

    /// The inferred launch; the body determines its arguments.
    pub fn inferred(&self, body: &Body) -> Launch {
        let entry = Some(self.name.to_string());
        self.complete(Launch { name: INFERRED.to_owned(), entry, ..Launch::default() }, body)
    }

    /// Infers the size and the arguments of a launch that has none.
    pub fn complete(&self, launch: Launch, body: &Body) -> Launch {
        let (grid, block) = self.rules.inferred_size();
        self.rules.with_arguments(Launch { grid: Some(grid), block: Some(block), ..launch }, body)
    }
}

impl PartialEq for Kernel {
    fn eq(&self, other: &Kernel) -> bool {
        self.name == other.name && self.rules.dyn_eq(&*other.rules)
    }
}

impl Eq for Kernel {}
