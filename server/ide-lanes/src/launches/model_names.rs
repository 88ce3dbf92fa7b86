//! The divergence model that a name means.

use thiserror::Error;
use warplens_ide_db::all_of;
use warplens_sim_warp::ModelInfo;
use warplens_syntax::Language;

use crate::simulator::{Model, Simulator};

/// No model has this name.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum UnknownModel {
    #[error("the model `{name}` is for {other}: {title} has {choices}")]
    OfOther { name: &'static str, other: &'static str, title: &'static str, choices: String },
    #[error("unknown model `{name}`: {title} has {choices}")]
    Nowhere { name: String, title: &'static str, choices: String },
}

/// The model of a language with this current or former name.
///
/// # Errors
/// When the language has no such model.
pub fn model_named(language: Language, all: &[&dyn Simulator], name: &str) -> Result<Model, UnknownModel> {
    let simulator = all.iter().find(|simulator| simulator.language() == language);
    if let Some(model) = simulator.and_then(|simulator| simulator.model(name)) {
        return Ok(model);
    }
    let choices = listed(simulator.map(|simulator| simulator.models()).unwrap_or_default());
    let title = language.title;
    Err(match all.iter().find_map(|simulator| simulator.model(name)) {
        Some(model) => {
            UnknownModel::OfOther { name: model.name(), other: model.language().title, title, choices }
        }
        None => UnknownModel::Nowhere { name: name.to_owned(), title, choices },
    })
}

/// `a`, `b` and `c`
fn listed(models: &[ModelInfo]) -> String {
    all_of(models.iter().map(|model| format!("`{}`", model.name)))
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use warplens_syntax::{ptx, wave};

    use super::*;

    fn check(language: Language, name: &str, expect: Expect) {
        expect.assert_eq(&match model_named(language, &[&crate::ptx::Ptx, &crate::wave::Wave], name) {
            Ok(model) => model.name().to_owned(),
            Err(unknown) => unknown.to_string(),
        });
    }

    #[test]
    fn names() {
        check(ptx::LANGUAGE, "stack", expect!["stack"]);
        check(ptx::LANGUAGE, "ipdom", expect!["ipdom"]);
        check(ptx::LANGUAGE, "textbook", expect!["ipdom"]);
        check(ptx::LANGUAGE, "its", expect!["its"]);
        check(wave::LANGUAGE, "wave-emu", expect!["wave-emu"]);
        check(wave::LANGUAGE, "structured", expect!["structured"]);
        check(
            ptx::LANGUAGE,
            "structured",
            expect!["the model `structured` is for WAVE: PTX has `stack`, `ipdom`, `frontier` and `its`"],
        );
        check(
            ptx::LANGUAGE,
            "fast",
            expect!["unknown model `fast`: PTX has `stack`, `ipdom`, `frontier` and `its`"],
        );
        check(
            wave::LANGUAGE,
            "stack",
            expect!["the model `stack` is for PTX: WAVE has `structured` and `wave-emu`"],
        );
    }

    #[test]
    fn defaults() {
        assert_eq!(crate::ptx::Ptx.default_model().name(), "stack");
        assert_eq!(crate::wave::Wave.default_model().name(), "structured");
    }
}
