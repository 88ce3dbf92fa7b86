//! Launch rules of SASS: parameters are known by their offsets in constant bank 0. All other rules are the
//! same as for PTX.

mod body;
mod parameters;

use warplens_hir::sass::{Facts, Function};
use warplens_sim_launch::body::Body;
use warplens_sim_launch::buffers::Budget;
use warplens_sim_launch::kernel::{LaunchRules, Resolved};
use warplens_sim_launch::model::Launch;
use warplens_sim_launch::problem::Problem;
use warplens_sim_launch::{CudaKernel, Parameter};

use crate::{Target, device_memory};

use self::parameters::address_bytes;

pub use body::body;

/// What a SASS kernel requires of its launches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SassKernel {
    target: Target,
    /// Its parameters are called `p0`, `p1` and so on, like the parameters of a PTX entry.
    entry: CudaKernel,
    /// The size of all parameters in bytes, if the listing states it.
    stated_bytes: Option<u64>,
    /// Whether the listing states each parameter; otherwise parameters that the function does not read are
    /// unknown.
    is_stated: bool,
}

impl SassKernel {
    /// A function for a target. `facts` are what the listing's notes state about it; without them, the
    /// parameters are the constants that the function reads.
    pub fn new(function: &Function, facts: &Facts, target: Target) -> SassKernel {
        let address_bytes = address_bytes(function, target);
        let entry = CudaKernel {
            params: parameters::parameters(function, facts, target, address_bytes),
            address_bytes: Some(address_bytes),
            required_cluster: facts.cluster,
            ..CudaKernel::default()
        };
        SassKernel {
            target,
            entry,
            stated_bytes: facts.parameter_bytes.map(u64::from),
            is_stated: !facts.parameters.is_empty(),
        }
    }

    /// The parameters at the offsets that a launch's arguments give them. `None` if the listing states the
    /// parameters, or if the arguments do not cover the constants that the function reads.
    fn placed(&self, launch: &Launch) -> Option<CudaKernel> {
        let address_bytes = self.entry.address_bytes.unwrap_or(8);
        let params = match self.is_stated {
            true => return None,
            false => parameters::of_arguments(&launch.args, address_bytes)?,
        };
        let entry = CudaKernel { params, ..self.entry.clone() };
        let bytes = entry.parameter_bytes();
        let fits = match self.stated_bytes {
            Some(stated) => bytes == stated,
            None => bytes >= self.entry.parameter_bytes(),
        };
        fits.then_some(entry)
    }

    pub fn params(&self) -> &[Parameter] {
        &self.entry.params
    }
}

impl LaunchRules for SassKernel {
    fn inferred_size(&self) -> ([u32; 3], [u32; 3]) {
        self.entry.inferred_size()
    }

    fn possible_blocks(&self, body: &Body) -> Vec<[u32; 3]> {
        self.entry.possible_blocks(body)
    }

    fn accepts_block(&self, block: [u32; 3]) -> bool {
        self.entry.accepts_block(block)
    }

    fn parameters(&self) -> Option<usize> {
        self.entry.parameters().filter(|_| self.is_stated)
    }

    fn with_arguments(&self, launch: Launch, body: &Body) -> Launch {
        self.entry.with_arguments(launch, body)
    }

    fn set_warp_width(&self, _: &mut Launch, _: u32, _: bool) -> Result<(), &'static str> {
        Err("the wave width is allowed for WAVE kernels only: a warp of SASS has 32 lanes")
    }

    fn resolve(&self, name: &str, launch: &mut Launch, budget: Budget<'_>) -> Result<Resolved, Problem> {
        let memory = device_memory(self.target, self.entry.address_bytes.unwrap_or(8));
        let placed = self.placed(launch);
        placed.as_ref().unwrap_or(&self.entry).resolve_in(memory, name, launch, budget)
    }
}
