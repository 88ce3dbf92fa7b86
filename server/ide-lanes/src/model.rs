//! The divergence models that can be chosen.

use thiserror::Error;
use warplens_sim::{ModelInfo, model_named};
use warplens_syntax::Language;

use crate::simulator::Simulator;

/// A divergence model of a language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Model {
    language: Language,
    info: &'static ModelInfo,
    is_default: bool,
}

/// No model has this name.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum UnknownModel {
    /// It is a model of another language.
    #[error("the model `{name}` is for {other}: {title} has {choices}")]
    OfOther { name: &'static str, other: &'static str, title: &'static str, choices: String },
    /// No language has it.
    #[error("there is no model `{name}`: {title} has {choices}")]
    Nowhere { name: String, title: &'static str, choices: String },
}

impl Model {
    /// The default of a simulator.
    pub fn default_of(simulator: &dyn Simulator) -> Model {
        Model { language: simulator.language(), info: &simulator.models()[0], is_default: true }
    }

    /// The name in settings, flags and reports.
    pub fn name(self) -> &'static str {
        self.info.name
    }

    /// Whether runs of its language use it where no model is named.
    pub fn is_default(self) -> bool {
        self.is_default
    }

    /// The model of a language that is called `name`, or was.
    ///
    /// # Errors
    /// When the language has no such model.
    pub fn named(language: Language, all: &[&dyn Simulator], name: &str) -> Result<Model, UnknownModel> {
        let of = |simulator: &&dyn Simulator| {
            let info = model_named(simulator.models(), name)?;
            let is_default = info.name == simulator.models()[0].name;
            Some(Model { language: simulator.language(), info, is_default })
        };
        let simulator = all.iter().find(|simulator| simulator.language() == language);
        if let Some(model) = simulator.and_then(of) {
            return Ok(model);
        }
        let choices = listed(simulator.map(|simulator| simulator.models()).unwrap_or_default());
        let title = language.title;
        Err(match all.iter().find_map(of) {
            Some(model) => {
                UnknownModel::OfOther { name: model.name(), other: model.language.title, title, choices }
            }
            None => UnknownModel::Nowhere { name: name.to_owned(), title, choices },
        })
    }
}

/// `a`, `b` and `c`
fn listed(models: &[ModelInfo]) -> String {
    let names: Vec<_> = models.iter().map(|model| format!("`{}`", model.name)).collect();
    match names.as_slice() {
        [names @ .., last] if !names.is_empty() => format!("{} and {last}", names.join(", ")),
        names => names.concat(),
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use warplens_syntax::{ptx, wave};

    use super::*;

    fn check(language: Language, name: &str, expect: Expect) {
        expect.assert_eq(&match Model::named(language, &[&crate::ptx::Ptx, &crate::wave::Wave], name) {
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
            expect!["`stack` is not a WAVE model; it exists in PTX: WAVE has `structured` and `wave-emu`"],
        );
    }

    #[test]
    fn defaults() {
        assert_eq!(Model::default_of(&crate::ptx::Ptx).name(), "stack");
        assert_eq!(Model::default_of(&crate::wave::Wave).name(), "structured");
    }
}
