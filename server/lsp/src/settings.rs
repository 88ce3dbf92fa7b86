//! The user's settings, the section `warplens` of the client's configuration.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;
use warplens_ide::lanes::RunSettings;
use warplens_ide::lanes::text::Format;
use warplens_ide::{Accepts, InlineOptions, Rules, Severity, languages};

#[derive(Debug, Error)]
#[error("settings `warplens.*`: {0}")]
pub(crate) struct SettingsError(#[from] serde_json::Error);

/// The settings. An absent setting has its default.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Settings {
    pub(crate) lanes: Lanes,
    pub(crate) simulation: Simulation,
    pub(crate) inlay_hints: InlayHints,
    pub(crate) diagnostics: Diagnostics,
    pub(crate) ptxas: Ptxas,
    pub(crate) wave: Wave,
    pub(crate) sass: Sass,
    pub(crate) web: Web,
    pub(crate) inline: Inline,
}

/// `warplens.web.*`: the page.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Web {
    /// The address of the page in links. If it is empty, a link is its fragment.
    pub(crate) url: String,
}

/// `warplens.inline.*`: inline PTX in other languages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Inline {
    /// Whether it is analyzed.
    pub(crate) enable: bool,
    /// The target of statements that no condition in the file is about, such as `sm_90`. If it is empty, any target will do.
    pub(crate) target: String,
}

impl Default for Inline {
    fn default() -> Inline {
        Inline { enable: true, target: String::new() }
    }
}

impl Inline {
    pub(crate) fn options(&self) -> InlineOptions {
        let target = Some(self.target.trim()).filter(|target| !target.is_empty());
        InlineOptions { enabled: self.enable, target: target.map(str::to_owned) }
    }
}

/// `warplens.sass.*`: the optional external disassemblers.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Sass {
    /// The path of nvdisasm. If it is empty, nvdisasm is never run.
    pub(crate) nvdisasm: String,
    /// The path of cuobjdump. If it is empty, cuobjdump is never run.
    pub(crate) cuobjdump: String,
}

/// `warplens.wave.*`: checks of WAVE.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Wave {
    /// The dialect that a file is checked against.
    #[serde(with = "AcceptsNames")]
    pub(crate) accepts: Accepts,
}

/// The values of `warplens.wave.accepts`.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Accepts", rename_all = "lowercase")]
enum AcceptsNames {
    Both,
    Guide,
    #[serde(rename = "toolchain-0.1.2")]
    Toolchain,
}

/// `warplens.diagnostics.*`: which diagnostics are reported.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Diagnostics {
    disabled: BTreeSet<String>,
    /// Severities that replace the defaults.
    severity: BTreeMap<String, Level>,
}

/// A severity in the settings.
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
    /// The rules, and the names that are not diagnostics.
    pub(crate) fn rules(&self) -> (Rules, Vec<&str>) {
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

/// `warplens.ptxas.*`: the optional external assembler.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Ptxas {
    /// The path of ptxas. If it is empty, ptxas is never run.
    pub(crate) path: String,
}

/// `warplens.lanes.*`: how lanes are shown.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Lanes {
    #[serde(with = "FormatNames")]
    pub(crate) format: Format,
    /// Show lanes even on lines that every launched lane executed exactly once.
    pub(crate) show_full: bool,
    /// Show the values that a line wrote.
    pub(crate) values: bool,
    /// How a client that can draw lanes shows them.
    pub(crate) display: Display,
}

/// `warplens.lanes.display`: how a client that can draw lanes shows them. Other clients always show text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Display {
    /// The client draws a cell for each lane.
    #[default]
    Strip,
    /// Inlay hints.
    Text,
}

/// The values of `warplens.lanes.format`.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Format", rename_all = "lowercase")]
enum FormatNames {
    Ranges,
    Hex,
    Blocks,
    Count,
    /// Only for labels.
    #[serde(skip)]
    Label,
}

/// `warplens.inlayHints.*`: which inlay hints are shown.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct InlayHints {
    /// Show the type of a register at its definition, unless its name implies it.
    pub(crate) register_types: bool,
    /// Show the names of parameters at the arguments of a call.
    pub(crate) parameter_names: bool,
    /// Show the names of sequences in listings of machine code, at their first instruction.
    pub(crate) sequences: bool,
    /// Show the number of live registers at the end of each line of a listing.
    pub(crate) live_registers: bool,
}

/// The largest limits that settings may have, as in the schema of the extension: a workspace's settings must not keep a machine busy
/// for hours.
const MAX_STEPS: u64 = 1_000_000_000;
const MAX_MEMORY: u64 = 16_384;

/// `warplens.simulation.*`: models and limits of runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Simulation {
    /// The divergence model. A language without this model uses its default.
    pub(crate) model: String,
    /// The limit of warp instructions of a launch.
    pub(crate) max_steps: u64,
    /// The limit in megabytes of trace and shadow memory together.
    pub(crate) memory: u64,
    /// Record performance counters.
    pub(crate) counters: bool,
}

impl Default for Simulation {
    fn default() -> Simulation {
        let memory = RunSettings::default().memory;
        Simulation { model: String::new(), max_steps: 10_000_000, memory, counters: false }
    }
}

impl Settings {
    /// Whether at least one language has the model.
    pub(crate) fn has_known_model(&self) -> bool {
        let name = &self.simulation.model;
        name.is_empty() || languages().any(|language| warplens_ide::model(language, name).is_ok())
    }

    /// Reads the section `warplens`, or an object with that member. A value of `null` means the default, at any level.
    pub(crate) fn read(value: Value) -> Result<Settings, SettingsError> {
        let section = match value {
            Value::Object(mut members) => members.remove("warplens").unwrap_or(Value::Object(members)),
            other => other,
        };
        match without_nulls(section) {
            Value::Null => Ok(Settings::default()),
            section => {
                let mut settings: Settings = serde_json::from_value(section)?;
                let Simulation { max_steps, memory, .. } = &mut settings.simulation;
                (*max_steps, *memory) = ((*max_steps).min(MAX_STEPS), (*memory).min(MAX_MEMORY));
                Ok(settings)
            }
        }
    }
}

/// Clients send `null` for unset values.
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
    fn an_absent_setting_has_its_default() {
        for value in
            [json!(null), json!({}), json!({ "warplens": null }), json!({ "lanes": { "format": null } })]
        {
            assert_eq!(Settings::read(value.clone()).ok(), Some(Settings::default()), "{value}");
        }
    }

    #[test]
    fn the_section_is_read_with_and_without_its_name() {
        let section = json!({ "lanes": { "format": "hex", "showFull": true }, "server": { "path": "x" } });
        let expected = Lanes { format: Format::Hex, show_full: true, values: false, display: Display::Strip };
        assert_eq!(
            Settings::read(section.clone()).ok().map(|settings| settings.lanes),
            Some(expected.clone())
        );
        assert_eq!(
            Settings::read(json!({ "warplens": section })).ok().map(|settings| settings.lanes),
            Some(expected)
        );
    }

    /// The settings of a section by their full names, including nested sections.
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
        let manifest = include_str!("../../../editors/vscode/package.json");
        let manifest: Value = serde_json::from_str(manifest).expect("JSON");
        let groups = manifest["contributes"]["configuration"].as_array().expect("groups of settings");
        let offered = groups.iter().flat_map(|group| group["properties"].as_object().expect("settings"));
        // What the extension alone reads.
        let own =
            ["warplens.server.", "warplens.trace.", "warplens.lanes.position", "warplens.sass.encodings"];
        let is_own = |name: &str| own.iter().any(|start| name.starts_with(start));
        let offered = offered.filter(|(name, _)| !is_own(name));
        let offered: BTreeMap<_, _> =
            offered.map(|(name, setting)| (name.clone(), setting["default"].clone())).collect();
        let mut read = BTreeMap::new();
        flat("warplens", &serde_json::to_value(Settings::default()).expect("JSON"), &mut read);
        // The default depends on the language; the extension names that of PTX.
        read.insert("warplens.simulation.model".into(), json!("stack"));
        assert_eq!(offered, read);
    }

    #[test]
    fn limits_have_a_maximum_that_the_extension_shows() {
        let huge = json!({ "simulation": { "maxSteps": 1_u64 << 53, "memory": 1_u64 << 40 } });
        let Simulation { max_steps, memory, .. } = Settings::read(huge).expect("valid settings").simulation;
        let manifest = include_str!("../../../editors/vscode/package.json");
        for (name, maximum) in [("maxSteps", max_steps), ("memory", memory)] {
            let setting =
                manifest.split_once(&format!("\"warplens.simulation.{name}\": {{")).expect("a setting").1;
            let properties = setting.split_once('}').expect("its end").0;
            assert!(properties.contains(&format!("\"maximum\": {maximum},")), "{properties}");
        }
    }

    #[test]
    fn unknown_diagnostics_are_returned() {
        let section = json!({ "diagnostics": {
            "disabled": ["unused-thing"],
            "severity": { "syntax-error": "hint", "syntax": "off" },
        } });
        let settings = Settings::read(section).expect("valid settings");
        assert_eq!(settings.diagnostics.rules().1, ["syntax", "unused-thing"]);
        let problem = Settings::read(json!({ "diagnostics": { "severity": { "syntax-error": "loud" } } }))
            .unwrap_err()
            .to_string();
        assert!(problem.contains("loud") && problem.contains("information"), "{problem}");
    }

    #[test]
    fn an_invalid_value_is_an_error() {
        let problem = Settings::read(json!({ "lanes": { "format": "braille" } })).unwrap_err().to_string();
        assert!(problem.contains("braille") && problem.contains("ranges"), "{problem}");
    }
}
