//! The divergence models by name.

/// A divergence model: how the lanes of a warp diverge and reconverge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Model {
    /// A reconvergence stack per warp; exiting lanes do not block the others, and waiting groups merge.
    #[default]
    Stack,
    /// The plain immediate-post-dominator stack (formerly called `textbook`).
    Ipdom,
    /// Thread frontiers: the group earliest in program order runs first, and groups that reach the same instruction merge.
    Frontier,
    /// Independent thread scheduling: forward progress for every lane.
    Its,
}

impl Model {
    /// All models.
    pub const ALL: [Model; 4] = [Model::Stack, Model::Ipdom, Model::Frontier, Model::Its];

    /// The model with this name, or with the former name `textbook` of `ipdom`.
    pub fn from_name(name: &str) -> Option<Model> {
        let name = if name == "textbook" { "ipdom" } else { name };
        Model::ALL.into_iter().find(|model| model.name() == name)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Model::Stack => "stack",
            Model::Ipdom => "ipdom",
            Model::Frontier => "frontier",
            Model::Its => "its",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_the_former_name() {
        for model in Model::ALL {
            assert_eq!(Model::from_name(model.name()), Some(model));
        }
        assert_eq!(Model::from_name("textbook"), Some(Model::Ipdom));
        assert_eq!(Model::from_name("fast"), None);
    }
}
