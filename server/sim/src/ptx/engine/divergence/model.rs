//! The models of how lanes part and meet, by name.

/// How lanes part and meet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Model {
    /// A stack a warp; leaving lanes hold nobody up, and waiting groups merge.
    #[default]
    Stack,
    /// The plain immediate-post-dominator stack.
    Textbook,
    /// Thread frontiers: the group that is furthest back runs, and groups that come to one place are one.
    Frontier,
    /// Independent thread scheduling: every live lane gets on.
    Its,
}

impl Model {
    /// The models that can be chosen.
    pub const ALL: [Model; 4] = [Model::Stack, Model::Textbook, Model::Frontier, Model::Its];

    /// The model with this name.
    pub fn from_name(name: &str) -> Option<Model> {
        Model::ALL.into_iter().find(|model| model.name() == name)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Model::Stack => "stack",
            Model::Textbook => "textbook",
            Model::Frontier => "frontier",
            Model::Its => "its",
        }
    }
}
