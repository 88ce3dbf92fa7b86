//! A divergence model of a language.

use warplens_sim_warp::ModelInfo;
use warplens_syntax::Language;

/// A divergence model of a language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Model {
    language: Language,
    info: &'static ModelInfo,
    is_default: bool,
}

impl Model {
    /// The default among the models of a language.
    pub(crate) fn default_of(language: Language, models: &'static [ModelInfo]) -> Model {
        Model { language, info: &models[0], is_default: true }
    }

    /// The model with this current or former name among those of a language.
    pub(crate) fn named(language: Language, models: &'static [ModelInfo], name: &str) -> Option<Model> {
        let info = models.iter().find(|model| model.is_named(name))?;
        Some(Model { language, info, is_default: info.name == models[0].name })
    }

    /// The name in settings, flags and reports.
    pub fn name(self) -> &'static str {
        self.info.name
    }

    /// The language whose kernels run under it.
    pub fn language(self) -> Language {
        self.language
    }

    pub fn is_default(self) -> bool {
        self.is_default
    }
}
