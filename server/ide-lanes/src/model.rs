//! The divergence models that can be chosen, by language.

use warplens_ide_db::languages::Known;
use warplens_sim::ptx;
use warplens_syntax::Language;

/// A divergence model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Model {
    /// Of PTX.
    Ptx(ptx::Model),
    /// Of WAVE: the divergence stack of the guide.
    Structured,
    /// Of WAVE: what the reference emulator 0.1.2 does.
    WaveEmu,
}

impl Model {
    /// The default of a language.
    pub fn default_of(language: Language) -> Model {
        match Known::of(language) {
            Known::Ptx => Model::Ptx(ptx::Model::default()),
            Known::Wave => Model::Structured,
        }
    }

    /// The name in settings, flags and reports.
    pub fn name(self) -> &'static str {
        match self {
            Model::Ptx(model) => model.name(),
            Model::Structured => "structured",
            Model::WaveEmu => "wave-emu",
        }
    }

    /// The model of `language` that is called `name`, or why there is none.
    pub fn named(language: Language, name: &str) -> Result<Model, String> {
        // Former names of models stay accepted.
        let name = ptx::Model::from_name(name).map_or(name, |model| model.name());
        let of = |language: Language| match Known::of(language) {
            Known::Ptx => ptx::Model::ALL.map(Model::Ptx).to_vec(),
            Known::Wave => vec![Model::Structured, Model::WaveEmu],
        };
        if let Some(model) = of(language).into_iter().find(|model| model.name() == name) {
            return Ok(model);
        }
        let choices = listed(&of(language));
        let ours = language.title;
        let theirs = match Known::of(language) {
            Known::Ptx => warplens_syntax::wave::LANGUAGE,
            Known::Wave => warplens_syntax::ptx::LANGUAGE,
        };
        Err(if of(theirs).iter().any(|model| model.name() == name) {
            format!("`{name}` is not a {ours} model; it exists in {}: {ours} has {choices}", theirs.title)
        } else {
            format!("unknown model `{name}`: {ours} has {choices}")
        })
    }
}

/// `a`, `b` and `c`
fn listed(models: &[Model]) -> String {
    let names: Vec<_> = models.iter().map(|model| format!("`{}`", model.name())).collect();
    match names.as_slice() {
        [names @ .., last] if !names.is_empty() => format!("{} and {last}", names.join(", ")),
        names => names.concat(),
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(language: Language, name: &str, expect: Expect) {
        expect.assert_eq(&match Model::named(language, name) {
            Ok(model) => format!("{model:?}"),
            Err(message) => message,
        });
    }

    #[test]
    fn names() {
        check(warplens_syntax::ptx::LANGUAGE, "stack", expect!["Ptx(Stack)"]);
        check(warplens_syntax::ptx::LANGUAGE, "ipdom", expect!["Ptx(Ipdom)"]);
        check(warplens_syntax::ptx::LANGUAGE, "textbook", expect!["Ptx(Ipdom)"]);
        check(warplens_syntax::ptx::LANGUAGE, "its", expect!["Ptx(Its)"]);
        check(warplens_syntax::wave::LANGUAGE, "wave-emu", expect!["WaveEmu"]);
        check(
            warplens_syntax::ptx::LANGUAGE,
            "structured",
            expect!["the model `structured` is for WAVE: PTX has `stack`, `ipdom`, `frontier` and `its`"],
        );
        check(
            warplens_syntax::ptx::LANGUAGE,
            "fast",
            expect!["there is no model `fast`: PTX has `stack`, `ipdom`, `frontier` and `its`"],
        );
        check(warplens_syntax::wave::LANGUAGE, "structured", expect!["Structured"]);
        check(
            warplens_syntax::wave::LANGUAGE,
            "stack",
            expect!["`stack` is not a WAVE model; it exists in PTX: WAVE has `structured` and `wave-emu`"],
        );
    }

    #[test]
    fn defaults() {
        assert_eq!(Model::default_of(warplens_syntax::ptx::LANGUAGE).name(), "stack");
        assert_eq!(Model::default_of(warplens_syntax::wave::LANGUAGE).name(), "structured");
    }
}
