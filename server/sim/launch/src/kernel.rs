//! Kernels and what they require of their launches: the seam between launches and languages.

use std::fmt::Debug;
use std::sync::Arc;

use smol_str::SmolStr;
use warplens_sim_warp::{DynEq, LaunchConfig};

use super::INFERRED;
use super::body::Body;
use super::buffers::{Budget, PlacedBuffer};
use super::model::Launch;
use super::problem::Problem;

/// The interface of a kernel.
#[derive(Debug, Clone)]
pub struct Kernel {
    /// Its name.
    pub name: SmolStr,
    /// Its requirements on a launch.
    pub rules: Arc<dyn LaunchRules>,
}

/// The requirements of a kernel on its launches. A language implements it for its kernels.
pub trait LaunchRules: DynEq + Debug + Send + Sync {
    /// Grid and block of the inferred launch. They do not depend on the body.
    fn inferred_size(&self) -> ([u32; 3], [u32; 3]);

    /// Other blocks than the inferred one that the kernel may be written for.
    fn possible_blocks(&self, _body: &Body) -> Vec<[u32; 3]> {
        Vec::new()
    }

    /// Adds inferred arguments to a launch that has only a number of threads.
    fn with_arguments(&self, launch: Launch, _body: &Body) -> Launch {
        launch
    }

    /// Sets the lanes of a warp; an error in a language with warps of a fixed width.
    fn set_warp_width(&self, launch: &mut Launch, width: u32, is_inferred: bool) -> Result<(), &'static str>;

    /// Checks a launch of the kernel with this name, fills in its defaults, and builds the memory that a run starts from.
    fn resolve(
        &self,
        name: &str,
        launch: &mut Launch,
        budget: Budget<'_>,
    ) -> Result<(LaunchConfig, Vec<PlacedBuffer>), Problem>;
}

impl Kernel {
    /// A kernel with these requirements.
    pub fn new(name: SmolStr, rules: impl LaunchRules) -> Kernel {
        Kernel { name, rules: Arc::new(rules) }
    }

    /// The inferred launch, whose arguments the body determines.
    pub fn inferred(&self, body: &Body) -> Launch {
        let (grid, block) = self.rules.inferred_size();
        let launch = Launch {
            name: INFERRED.to_owned(),
            entry: Some(self.name.to_string()),
            grid: Some(grid),
            block: Some(block),
            ..Launch::default()
        };
        self.rules.with_arguments(launch, body)
    }
}

impl PartialEq for Kernel {
    fn eq(&self, other: &Kernel) -> bool {
        self.name == other.name && self.rules.dyn_eq(&*other.rules)
    }
}

impl Eq for Kernel {}
