//! The registry: the only list of the languages.

use warplens_ide_lanes::{Model, Simulator, UnknownModel, model_named};
use warplens_sim_launch::ModelChoice;
use warplens_sim_warp::ModelInfo;
use warplens_syntax::Language;

use crate::language::LanguageSupport;
use crate::ptx::PTX;
use crate::sass::SASS;
use crate::wave::WAVE;

/// The languages that an editor or a command line can open.
pub static LANGUAGES: &[LanguageSupport] = &[PTX, WAVE, SASS];

pub fn languages() -> impl Iterator<Item = Language> {
    LANGUAGES.iter().map(|known| known.info)
}

pub fn is_reducible(language: Language) -> bool {
    let support = LANGUAGES.iter().find(|known| known.info == language);
    support.and_then(|support| support.editing).is_some_and(|editing| editing.reducible.is_some())
}

/// Whether a language is read-only: its files are not formatted, and nothing in them is renamed.
pub fn is_read_only(language: Language) -> bool {
    LANGUAGES.iter().any(|known| known.info == language && known.editing.is_none())
}

/// The divergence model of a language with this name or former name.
///
/// # Errors
/// If the language has no such model.
pub fn model(language: Language, name: &str) -> Result<Model, UnknownModel> {
    model_named(language, &simulators(LANGUAGES), name)
}

/// The divergence model of a language under which every lane makes progress, if it has one.
pub fn forward_progress_model(language: Language) -> Option<&'static str> {
    let known = LANGUAGES.iter().find(|known| known.info == language)?;
    let models = known.simulator?.models();
    models.iter().find(|model| model.forward_progress).map(|model| model.name)
}

/// The divergence models of all languages, the default of each first.
pub fn models() -> impl Iterator<Item = (Language, &'static ModelInfo)> {
    LANGUAGES.iter().flat_map(|known| {
        let models = known.simulator.map(|simulator| simulator.models()).unwrap_or_default();
        models.iter().map(|model| (known.info, model))
    })
}

/// The values of the key `model` of launches: the models of all languages and their former names.
pub fn model_choices() -> Vec<ModelChoice> {
    let choices = models().flat_map(|(language, model)| {
        let title = language.title;
        let own = ModelChoice { name: model.name, documentation: format!("{title}: {}.", model.rule) };
        let former = model.former_names.iter().map(move |name| ModelChoice {
            name,
            documentation: format!("{title}: the former name of `{}`.", model.name),
        });
        std::iter::once(own).chain(former)
    });
    choices.collect()
}

pub(crate) fn simulators(languages: &[LanguageSupport]) -> Vec<&'static dyn Simulator> {
    languages.iter().filter_map(|known| known.simulator).collect()
}
