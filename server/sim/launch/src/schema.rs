//! The JSON schema of launch files, so that editors complete and check them. The extension has it as a file, which a test
//! compares with the schema: `UPDATE_EXPECT=1 cargo nextest run -p warplens-sim-launch schema` writes it.

use std::collections::BTreeMap;

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};
use warplens_sim_warp::ModelInfo;
use warplens_sim_warp::scalar_type::{Class, ScalarType};

/// The schema of `warplens.toml` and `warplens.json`.
fn schema() -> Value {
    let generator = SchemaSettings::draft07().into_generator();
    generator.into_root_schema_for::<File>().to_value()
}

/// Launches of kernels for Warplens.
#[derive(JsonSchema)]
#[schemars(title = "Warplens launches", deny_unknown_fields)]
#[allow(dead_code)] // only its shape is used
struct File {
    /// The address of this schema.
    #[schemars(rename = "$schema")]
    schema: Option<String>,
    /// Launches; `warplens sim` runs the first one with the given file.
    launch: Option<Vec<Launch>>,
}

/// One launch of a kernel.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[allow(dead_code)] // only its shape is used
struct Launch {
    /// The name of the launch; `inferred` is reserved.
    name: String,
    /// The source, relative to this file.
    file: String,
    /// The kernel; optional if the file has only one.
    entry: Option<String>,
    /// Blocks (workgroups) in x, y, z; each defaults to 1.
    grid: Option<Extent>,
    /// Threads of a block (workgroup) in x, y, z; each defaults to 1.
    block: Option<Extent>,
    /// PTX: blocks of a cluster in x, y, z; defaults to that of the kernel.
    cluster: Option<Extent>,
    /// PTX: bytes of `.extern .shared` arrays.
    dynamic_shared: Option<u32>,
    /// PTX: whether the kernel may synchronize its grid; it then has a workspace, as after `cudaLaunchCooperativeKernel`.
    cooperative: Option<bool>,
    /// PTX: names of the buffers that the prerequisite grid writes; reads before `griddepcontrol.wait` are reported.
    prerequisite_writes: Option<Vec<String>>,
    /// The divergence model; `--model` and a choice in the editor take precedence over it.
    model: Option<Model>,
    /// WAVE: lanes of a wave.
    #[schemars(range(min = 1, max = 64))]
    wave_width: Option<u32>,
    /// WAVE: bytes of device memory.
    device_memory: Option<u32>,
    /// WAVE: bytes of a workgroup's local memory.
    local_memory: Option<u32>,
    /// The arguments in parameter order.
    args: Option<Vec<Argument>>,
    /// WAVE: start values of registers, the same in every lane.
    registers: Option<BTreeMap<String, u32>>,
    /// The contents that buffers must have after the run.
    expect: Option<Vec<Expectation>>,
}

/// The divergence models of all languages.
struct Model;

/// The models of the languages, with the titles of these.
static MODELS: [(&str, &[ModelInfo]); 3] = [
    ("PTX", &warplens_sim_ptx::MODELS),
    ("WAVE", &warplens_sim_wave::MODELS),
    ("SASS", &warplens_sim_sass::MODELS),
];

impl JsonSchema for Model {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Model".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let mut choices = Vec::new();
        for (language, model) in
            MODELS.iter().flat_map(|(language, models)| models.iter().map(move |model| (language, model)))
        {
            choices.push(json!({ "const": model.name, "type": "string", "description": format!("{language}: {}.", model.rule) }));
            for former in model.former_names {
                let description = format!("{language}: the former name of `{}`.", model.name);
                choices.push(json!({ "const": former, "type": "string", "description": description }));
            }
        }
        json_schema!({ "description": "The models of all languages.", "oneOf": choices })
    }
}

/// The contents that a buffer must have after the run.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[allow(dead_code)] // only its shape is used
struct Expectation {
    /// The buffer.
    name: String,
    /// Its first elements.
    values: Option<Vec<Number>>,
    /// Its first bytes, in hex.
    bytes: Option<String>,
    /// The allowed difference of floats.
    #[schemars(range(min = 0.0))]
    tolerance: Option<f64>,
}

struct Extent;

impl JsonSchema for Extent {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Extent".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "array",
            "items": { "type": "integer", "minimum": 1 },
            "minItems": 1,
            "maxItems": 3,
        })
    }
}

struct Number;

impl JsonSchema for Number {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Number".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "anyOf": [{ "type": "number" }, { "type": "string", "pattern": "^(nan|[+-]?inf|0[xX][0-9a-fA-F]+)$" }],
            "description": "A number, \"nan\", \"inf\", \"-inf\", or a bit pattern such as \"0x7fc00000\".",
        })
    }
}

struct Argument;

impl JsonSchema for Argument {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Argument".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let number = generator.subschema_for::<Number>().to_value();
        json_schema!({
            "description": "An argument: a scalar (`u32 = 100`), a buffer, an alias of a buffer, bytes, a tensor map, a multimem address, or the fields of a structure.",
            "oneOf": [scalar(&number), buffer(&number), alias(), bytes(), fields(&number), super::schema_tensor_map::argument(name(), buffer(&number)), multimem(&number)],
        })
    }
}

fn name() -> Value {
    json!({ "type": "string", "description": "The name that expect, alias and --dump use; defaults to the parameter's name." })
}

/// A table with `name` and exactly one of the scalar kinds.
fn scalar(number: &Value) -> Value {
    let mut properties = Map::from_iter([("name".to_owned(), name())]);
    let mut kinds = Vec::new();
    for key in super::read::scalar_keys() {
        properties.insert(key.to_owned(), scalar_value(key, number));
        kinds.push(json!({ "required": [key] }));
    }
    json!({ "type": "object", "properties": properties, "oneOf": kinds, "additionalProperties": false })
}

fn scalar_value(key: &str, number: &Value) -> Value {
    match ScalarType::of_launches(key) {
        // Bounds of 64-bit kinds cannot be written exactly as JSON numbers everywhere.
        Some(kind) if kind.class() != Class::Float && kind.bytes() < 8 => {
            let (low, high) = kind.integer_range();
            json!({ "anyOf": [
                { "type": "integer", "minimum": low as i64, "maximum": high as i64 },
                { "type": "string", "pattern": "^0[xX][0-9a-fA-F]+$" },
            ] })
        }
        _ => number.clone(),
    }
}

fn buffer(number: &Value) -> Value {
    json!({
        "type": "object",
        "properties": {
            "name": name(),
            "buffer": { "enum": super::read::scalar_keys(), "description": "The type of the elements." },
            "len": { "type": "integer", "minimum": 0, "description": "The number of elements." },
            "fill": {
                "anyOf": [
                    { "enum": ["zero", "iota", "random"] },
                    { "type": "object", "properties": { "value": number }, "required": ["value"], "additionalProperties": false },
                ],
                "description": "The value of each element.",
            },
            "seed": { "type": "integer", "minimum": 0, "description": "For `random`; 1 by default." },
            "values": { "type": "array", "items": number, "description": "The elements." },
            "bytes": { "type": "string", "description": "The bytes, in hex." },
            "file": { "type": "string", "description": "A file with the bytes, relative to this one." },
        },
        "required": ["buffer"],
        "additionalProperties": false,
    })
}

/// An address that stands for several buffers of one type.
fn multimem(number: &Value) -> Value {
    let mut replica = buffer(number);
    if let Some(properties) = replica["properties"].as_object_mut() {
        properties.retain(|key, _| !matches!(key.as_str(), "name" | "buffer"));
        properties["len"]["description"] = "The number of elements; defaults to that of the argument.".into();
    }
    replica["required"] = json!([]);
    let multimem = json!({
        "type": "object",
        "description": "A multimem address: it stands for the same offset in several buffers, the replicas. `expect` and --dump call replica 0 of `m` `m#0`.",
        "properties": {
            "buffer": { "enum": super::read::scalar_keys(), "description": "The type of the elements." },
            "len": { "type": "integer", "minimum": 0, "description": "The number of elements of each replica." },
            "replicas": { "type": "array", "items": replica, "minItems": 1, "description": "The contents of each replica." },
        },
        "required": ["buffer", "replicas"],
        "additionalProperties": false,
    });
    json!({
        "type": "object",
        "properties": { "name": name(), "multimem": multimem },
        "required": ["multimem"],
        "additionalProperties": false,
    })
}

fn alias() -> Value {
    let of = json!({ "type": "string", "description": "The argument whose buffer is passed." });
    json!({
        "type": "object",
        "properties": { "name": name(), "alias": of },
        "required": ["alias"],
        "additionalProperties": false,
    })
}

fn bytes() -> Value {
    let bytes = json!({ "type": "string", "description": "The parameter's bytes, in hex." });
    json!({
        "type": "object",
        "properties": { "name": name(), "bytes": bytes },
        "required": ["bytes"],
        "additionalProperties": false,
    })
}

/// A structure: a list of the other shapes, each with its byte offset.
fn fields(number: &Value) -> Value {
    let at = json!({ "type": "integer", "minimum": 0, "description": "The byte offset in the parameter." });
    let map = super::schema_tensor_map::argument(name(), buffer(number));
    let shapes =
        [scalar(number), buffer(number), alias(), bytes(), map, multimem(number)].map(|mut shape| {
            shape["properties"]["at"] = at.clone();
            let mut required = shape["required"].as_array().cloned().unwrap_or_default();
            required.push("at".into());
            shape["required"] = required.into();
            shape
        });
    json!({
        "type": "object",
        "properties": {
            "name": name(),
            "fields": { "type": "array", "items": { "oneOf": shapes }, "description": "The parts of the structure." },
        },
        "required": ["fields"],
        "additionalProperties": false,
    })
}

#[cfg(test)]
mod tests {
    use expect_test::expect_file;

    use super::*;

    #[test]
    fn the_file_of_the_extension_is_up_to_date() {
        let file = expect_file!["../../../../editors/vscode/schemas/warplens.schema.json"];
        file.assert_eq(&format!("{:#}\n", schema()));
    }

    #[test]
    fn names_every_key_that_the_reader_knows() {
        let text = schema().to_string();
        for key in super::super::read::KEYS.into_iter().chain(super::super::read::scalar_keys()) {
            assert!(text.contains(&format!("\"{key}\"")), "{key}");
        }
    }
}
