//! The divergence models of PTX.

use warplens_sim_warp::ModelInfo;

use crate::program::Instruction;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Model {
    /// A reconvergence stack per warp; exiting lanes do not block the others, and waiting groups merge.
    #[default]
    Stack,
    /// The plain immediate-post-dominator stack: Fung et al., "Dynamic Warp Formation and Scheduling for Efficient GPU
    /// Control Flow" (MICRO 2007).
    Ipdom,
    /// Thread frontiers: Diamos et al., "SIMD Re-Convergence At Thread Frontiers" (MICRO 2011).
    Frontier,
    /// Independent thread scheduling, as on GPUs since Volta (sm_70).
    Its,
}

/// In the order of the variants of [`Model`]; the default comes first.
pub static MODELS: [ModelInfo; 4] = [
    ModelInfo {
        name: "stack",
        former_names: &[],
        rule: "groups reconverge at the immediate post-dominator of their branch; lanes that exit do not block the others",
        forward_progress: false,
    },
    ModelInfo {
        name: "ipdom",
        former_names: &["textbook"],
        rule: "the plain immediate-post-dominator stack of the literature",
        forward_progress: false,
    },
    ModelInfo {
        name: "frontier",
        former_names: &[],
        rule: "thread frontiers: the group that is earliest in an order in which loops are contiguous runs first; groups that reach the same instruction merge",
        forward_progress: false,
    },
    ModelInfo {
        name: "its",
        former_names: &[],
        rule: "independent thread scheduling, as from sm_70 on: forward progress for every lane",
        forward_progress: true,
    },
];

impl Model {
    pub const ALL: [Model; 4] = [Model::Stack, Model::Ipdom, Model::Frontier, Model::Its];

    /// Finds a model by its name or former name.
    pub fn from_name(name: &str) -> Option<Model> {
        Model::ALL.into_iter().find(|model| model.info().is_named(name))
    }

    pub fn info(self) -> &'static ModelInfo {
        &MODELS[self as usize]
    }

    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// The instruction at which the lanes of a branch reconverge.
    #[inline(always)]
    pub fn reconvergence(self, branch: &Instruction) -> u32 {
        match self {
            Model::Ipdom => branch.s.c,
            Model::Stack | Model::Frontier | Model::Its => branch.s.b,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_the_former_name() {
        assert_eq!(MODELS[0].name, Model::default().name());
        for model in Model::ALL {
            assert_eq!(Model::from_name(model.name()), Some(model));
        }
        assert_eq!(Model::from_name("textbook"), Some(Model::Ipdom));
        assert_eq!(Model::from_name("fast"), None);
    }
}
