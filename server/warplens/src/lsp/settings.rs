//! The user's settings, the section `warplens` of the client's configuration.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use warplens_ide::lanes::{Model, text};
use warplens_ide::{Accepts, LANGUAGES, Rules, Severity};
use warplens_sim::Limits;

/// The settings. What the client leaves out or does not know stays as it is by default.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Settings {
    pub(super) lanes: Lanes,
    pub(super) simulation: Simulation,
    pub(super) inlay_hints: InlayHints,
    pub(super) diagnostics: Diagnostics,
    pub(super) ptxas: Ptxas,
    pub(super) wave: Wave,
}

/// `warplens.wave.*`: what is said of WAVE.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Wave {
    /// Whose language a text is held against.
    accepts: Dialect,
}

impl Wave {
    /// Whose language a text is held against.
    pub(super) fn accepts(&self) -> Accepts {
        match self.accepts {
            Dialect::Both => Accepts::Both,
            Dialect::Guide => Accepts::Guide,
            Dialect::Toolchain => Accepts::Toolchain,
        }
    }
}

/// `warplens.wave.accepts`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Dialect {
    #[default]
    Both,
    Guide,
    #[serde(rename = "toolchain-0.1.2")]
    Toolchain,
}

/// `warplens.diagnostics.*`: what is said of a text.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Diagnostics {
    /// Diagnostics that are never said.
    disabled: BTreeSet<String>,
    /// Severities of the user's choice.
    severity: BTreeMap<String, Level>,
}

/// A severity as settings name it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Level {
    Error,
    Warning,
    Information,
    Hint,
    Off,
}

impl Level {
    fn severity(self) -> Option<Severity> {
        match self {
            Level::Error => Some(Severity::Error),
            Level::Warning => Some(Severity::Warning),
            Level::Information => Some(Severity::Information),
            Level::Hint => Some(Severity::Hint),
            Level::Off => None,
        }
    }
}

impl Diagnostics {
    /// The same as rules, and the names that are no diagnostics.
    pub(super) fn rules(&self) -> (Rules, Vec<&str>) {
        let (mut rules, mut unknown) = (Rules::default(), Vec::new());
        let chosen = self.severity.iter().map(|(name, level)| (name, level.severity()));
        for (name, severity) in chosen.chain(self.disabled.iter().map(|name| (name, None))) {
            match warplens_ide::rule(name) {
                Some(rule) => rules.set(rule, severity),
                None => unknown.push(name.as_str()),
            }
        }
        (rules, unknown)
    }
}

/// `warplens.ptxas.*`: the assembler that may look at files beside us.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Ptxas {
    /// Where it is; empty for never.
    pub(super) path: String,
}

/// `warplens.lanes.*`: how lanes are written.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Lanes {
    pub(super) format: Format,
    /// Say something also at the end of lines that every launched lane ran once.
    pub(super) show_full: bool,
    /// Say the values too that a line wrote.
    pub(super) values: bool,
}

/// `warplens.lanes.format`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Format {
    #[default]
    Ranges,
    Hex,
    Blocks,
    Count,
}

impl From<Format> for text::Format {
    fn from(format: Format) -> text::Format {
        match format {
            Format::Ranges => text::Format::Ranges,
            Format::Hex => text::Format::Hex,
            Format::Blocks => text::Format::Blocks,
            Format::Count => text::Format::Count,
        }
    }
}

/// `warplens.inlayHints.*`: which hints stand between the words.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct InlayHints {
    /// The type of a register where it is written, unless its name tells.
    pub(super) register_types: bool,
    /// The names of the parameters at the arguments of a call.
    pub(super) parameter_names: bool,
}

/// `warplens.simulation.*`: how a launch is run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Simulation {
    /// The divergence model; one that the language of a document does not have leaves that language its default.
    pub(super) model: String,
    /// Warp instructions of a whole launch.
    pub(super) max_steps: u64,
    /// Megabytes for the trace and for what checks keep, together.
    pub(super) memory: u64,
    /// Whether memory accesses are counted.
    pub(super) counters: bool,
}

impl Default for Simulation {
    fn default() -> Simulation {
        let memory = Limits::RECORDS >> 20;
        Simulation { model: String::new(), max_steps: 10_000_000, memory, counters: false }
    }
}

impl Settings {
    /// Whether the model is one that some language has.
    pub(super) fn names_a_model(&self) -> bool {
        let name = &self.simulation.model;
        name.is_empty() || LANGUAGES.into_iter().any(|language| Model::named(language, name).is_ok())
    }

    /// Reads the section `warplens`, or an object that has it as its member. `null` stands for the defaults, in any
    /// place.
    pub(super) fn read(value: Value) -> Result<Settings, String> {
        let section = match value {
            Value::Object(mut members) => members.remove("warplens").unwrap_or(Value::Object(members)),
            other => other,
        };
        match without_nulls(section) {
            Value::Null => Ok(Settings::default()),
            section => {
                serde_json::from_value(section).map_err(|error| format!("settings `warplens.*`: {error}"))
            }
        }
    }
}

/// Clients send `null` for what is not set.
fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(members) => members
            .into_iter()
            .filter(|(_, value)| !value.is_null())
            .map(|(name, value)| (name, without_nulls(value)))
            .collect(),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn former_names_of_diagnostics_are_accepted() {
        let mut renamed = Rules::default();
        renamed.set("unused-cache-hint", None);
        let disabled = ["idle-cache-hint".to_owned()].into();
        let settings = Diagnostics { disabled, ..Diagnostics::default() };
        assert_eq!(settings.rules(), (renamed, vec![]));
    }

    #[test]
    fn what_is_not_said_is_the_default() {
        for value in
            [json!(null), json!({}), json!({ "warplens": null }), json!({ "lanes": { "format": null } })]
        {
            assert_eq!(Settings::read(value.clone()), Ok(Settings::default()), "{value}");
        }
    }

    #[test]
    fn the_section_may_come_with_or_without_its_name() {
        let section = json!({ "lanes": { "format": "hex", "showFull": true }, "server": { "path": "x" } });
        let expected = Lanes { format: Format::Hex, show_full: true, values: false };
        assert_eq!(Settings::read(section.clone()).map(|settings| settings.lanes), Ok(expected.clone()));
        assert_eq!(
            Settings::read(json!({ "warplens": section })).map(|settings| settings.lanes),
            Ok(expected)
        );
    }

    /// The settings of a section by their whole names, a section within it as its members.
    fn flat(name: &str, value: &Value, settings: &mut BTreeMap<String, Value>) {
        match value {
            Value::Object(members) if !members.is_empty() => {
                members.iter().for_each(|(key, value)| flat(&format!("{name}.{key}"), value, settings));
            }
            value => {
                settings.insert(name.to_owned(), value.clone());
            }
        }
    }

    #[test]
    fn the_extension_offers_what_the_server_reads() {
        let manifest = include_str!("../../../../editors/vscode/package.json");
        let manifest: Value = serde_json::from_str(manifest).expect("JSON");
        let offered = manifest["contributes"]["configuration"]["properties"].as_object().expect("settings");
        let is_own = |name: &str| name.starts_with("warplens.server.") || name.starts_with("warplens.trace.");
        let offered = offered.iter().filter(|(name, _)| !is_own(name));
        let offered: BTreeMap<_, _> =
            offered.map(|(name, setting)| (name.clone(), setting["default"].clone())).collect();
        let mut read = BTreeMap::new();
        flat("warplens", &serde_json::to_value(Settings::default()).expect("JSON"), &mut read);
        // Left out, it is each language's own; the extension names that of PTX.
        read.insert("warplens.simulation.model".into(), json!("stack"));
        assert_eq!(offered, read);
    }

    #[test]
    fn names_that_are_no_diagnostics_are_told_apart() {
        let section = json!({ "diagnostics": {
            "disabled": ["unused-thing"],
            "severity": { "syntax-error": "hint", "syntax": "off" },
        } });
        let settings = Settings::read(section).expect("all values are right");
        assert_eq!(settings.diagnostics.rules().1, ["syntax", "unused-thing"]);
        let problem =
            Settings::read(json!({ "diagnostics": { "severity": { "syntax-error": "loud" } } })).unwrap_err();
        assert!(problem.contains("loud") && problem.contains("information"), "{problem}");
    }

    #[test]
    fn a_wrong_value_is_said() {
        let problem = Settings::read(json!({ "lanes": { "format": "braille" } })).unwrap_err();
        assert!(problem.contains("braille") && problem.contains("ranges"), "{problem}");
    }
}
