//! The JSON schema of launch files, so that editors complete and check them. The extension has it as a file, which a test
//! compares with the schema: `UPDATE_EXPECT=1 cargo nextest run -p warplens-sim-launch schema` writes it.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value, json};
use warplens_sim_warp::scalar_type::{Class, ScalarType};

use super::keys::{AT, AppliesTo, FILE, Key, LAUNCH, Rule, Table, ValueShape};
use super::model::{Element, Launch};

/// A value of the key `model`.
#[derive(Debug, Clone)]
pub struct ModelChoice {
    /// The name or a former name.
    pub name: &'static str,
    pub documentation: String,
}

/// The schema of `warplens.toml` and `warplens.json`.
pub fn schema(models: &[ModelChoice]) -> Value {
    let choice = |model: &ModelChoice| json!({ "const": model.name, "description": model.documentation });
    let mut schema = table(&FILE, None);
    schema["$schema"] = "http://json-schema.org/draft-07/schema#".into();
    schema["title"] = "Warplens launches".into();
    schema["description"] = "Launches of kernels for Warplens.".into();
    schema["properties"]["$schema"] = json!({ "description": "The address of this schema." });
    schema["definitions"] = json!({
        "Model": { "anyOf": models.iter().map(choice).collect::<Vec<_>>() },
        "Number": {
            "anyOf": [{ "type": "number" }, { "type": "string", "pattern": NUMBER_WORD }],
            "description": "A number, \"nan\", \"inf\", \"-inf\", or a bit pattern such as \"0x7fc00000\".",
        },
    });
    schema
}

/// A launch as the program prints it: its keys, whose values are those of launch files, and what an inferred launch assumes.
impl JsonSchema for Launch {
    fn schema_name() -> Cow<'static, str> {
        "Launch".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let keys = LAUNCH.keys.iter();
        let mut properties: Map<String, Value> =
            keys.map(|key| (key.name.to_owned(), json!({ "description": documentation(key) }))).collect();
        properties["name"]["type"] = "string".into();
        let assumed = "What an inferred launch assumes because the kernel has findings otherwise.";
        properties.insert(
            "assumed".to_owned(),
            json!({ "type": "array", "items": { "type": "string" }, "description": assumed }),
        );
        schemars::json_schema!({ "type": "object", "properties": properties, "required": ["name"] })
    }
}

impl JsonSchema for Element {
    fn schema_name() -> Cow<'static, str> {
        "Element".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        schemars::json_schema!({ "anyOf": [{ "type": "number" }, { "enum": ["nan", "inf", "-inf"] }] })
    }
}

const NUMBER_WORD: &str = r"^(nan|[+-]?inf|0[xX]\+?0*[0-9a-fA-F]{1,16})$";
/// Pairs of digits, with whitespace and underscores anywhere.
const SCHEDULE: &str = "^[0-9]+:[0-9]+$";
const HEX: &str = r"^[\s_]*([0-9a-fA-F][\s_]*[0-9a-fA-F][\s_]*)*$";
/// `r0` to `r254`
const REGISTER: &str = r"^r\+?0*([0-9]|[1-9][0-9]|1[0-9][0-9]|2[0-4][0-9]|25[0-4])$";

/// The text of a key for users, with the language that it applies to.
pub fn documentation(key: &Key) -> String {
    match key.applies_to {
        AppliesTo::Language(title) => format!("{title}: {}", key.documentation),
        AppliesTo::All | AppliesTo::Files => key.documentation.to_owned(),
    }
}

/// The schema of a table with one more required key.
fn table(table: &Table, extra: Option<&Key>) -> Value {
    let mut properties = Map::new();
    for key in table.keys.iter().chain(extra) {
        let mut value = value(&key.shape, key.name);
        if !key.documentation.is_empty() {
            value = match value.get("$ref") {
                // Validators ignore what is beside a reference.
                Some(_) => json!({ "allOf": [value] }),
                None => value,
            };
            value["description"] = documentation(key).into();
        }
        properties.insert(key.name.to_owned(), value);
    }
    let mut schema = json!({ "type": "object", "properties": properties, "additionalProperties": false });
    let required: Vec<_> = table.required.iter().copied().chain(extra.map(|key| key.name)).collect();
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    let rules: Vec<_> = table.rules.iter().map(rule).collect();
    if !rules.is_empty() {
        schema["allOf"] = rules.into();
    }
    schema
}

fn rule(rule: &Rule) -> Value {
    let each = |keys: &[&str]| keys.iter().map(|key| json!({ "required": [key] })).collect::<Vec<_>>();
    match rule {
        Rule::ExactlyOne(keys) => json!({ "oneOf": each(keys) }),
        Rule::AtLeastOne(keys) => json!({ "anyOf": each(keys) }),
        Rule::AtMostOne(keys) => {
            let mut choices = each(keys);
            choices.push(json!({ "not": { "anyOf": each(keys) } }));
            json!({ "oneOf": choices })
        }
        Rule::Requires { key, other } => json!({ "dependencies": { (*key): [other] } }),
        Rule::RequiresWord { key, other, word } => {
            let required = json!({ "properties": { (*other): { "const": word } }, "required": [other] });
            json!({ "dependencies": { (*key): required } })
        }
    }
}

/// The schema of a value of `key`.
fn value(shape: &ValueShape, key: &str) -> Value {
    match shape {
        ValueShape::Text => json!({ "type": "string" }),
        ValueShape::LaunchName => {
            json!({ "type": "string", "minLength": 1, "not": { "const": super::INFERRED } })
        }
        ValueShape::Boolean => json!({ "type": "boolean" }),
        ValueShape::Integer { low, high } => integer(*low, *high),
        ValueShape::Number => json!({ "$ref": "#/definitions/Number" }),
        ValueShape::Tolerance => {
            json!({ "anyOf": [{ "type": "number", "minimum": 0 }, { "enum": ["inf", "+inf"] }] })
        }
        ValueShape::Scalar => ScalarType::of_launches(key).map_or(json!({}), scalar),
        ValueShape::Hex => json!({ "type": "string", "pattern": HEX }),
        ValueShape::Words(words) => json!({ "enum": words() }),
        ValueShape::Model => json!({ "$ref": "#/definitions/Model" }),
        ValueShape::Schedule => json!({ "type": "string", "pattern": SCHEDULE }),
        ValueShape::Registers => json!({
            "type": "object",
            "patternProperties": { (REGISTER): scalar(ScalarType::B32) },
            "additionalProperties": false,
        }),
        ValueShape::List { of, min, max } => {
            let mut list = json!({ "type": "array", "items": value(of, key) });
            if *min > 0 {
                list["minItems"] = json!(min);
            }
            if let Some(max) = max {
                list["maxItems"] = json!(max);
            }
            list
        }
        ValueShape::Table(keys) => table(keys, None),
        ValueShape::OneOf(shapes) => {
            json!({ "oneOf": shapes.iter().map(|shape| value(shape, key)).collect::<Vec<_>>() })
        }
        ValueShape::Field(tables) => {
            json!({ "oneOf": tables.iter().map(|fields| table(fields, Some(&AT))).collect::<Vec<_>>() })
        }
    }
}

/// An integer. Bounds beyond 2^53 are left out, because readers of JSON round them.
fn integer(low: i128, high: i128) -> Value {
    const EXACT: i128 = 1 << 53;
    let mut schema = json!({ "type": "integer" });
    if low >= -EXACT {
        schema["minimum"] = json!(low as i64);
    }
    if high <= EXACT {
        schema["maximum"] = json!(high as i64);
    }
    schema
}

fn scalar(kind: ScalarType) -> Value {
    let bits = format!(r"0[xX]\+?0*[0-9a-fA-F]{{1,{}}}", kind.bytes() * 2);
    match kind.class() {
        Class::Float => json!({ "anyOf": [
            { "type": "number" },
            { "type": "string", "pattern": format!("^(nan|[+-]?inf|{bits})$") },
        ] }),
        _ => {
            let (low, high) = kind.integer_range();
            json!({ "anyOf": [integer(low, high), { "type": "string", "pattern": format!("^{bits}$") }] })
        }
    }
}
