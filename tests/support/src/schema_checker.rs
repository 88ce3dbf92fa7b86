//! Checks a JSON value against a schema of draft 7. It knows the keywords of our schemas and panics at any other.

use std::collections::HashMap;
use std::sync::Mutex;

use regex::Regex;
use serde_json::{Map, Value};

pub struct Checker {
    schema: Value,
    /// The compiled patterns.
    patterns: Mutex<HashMap<String, Regex>>,
}

impl Checker {
    pub fn new(schema: Value) -> Checker {
        Checker { schema, patterns: Mutex::default() }
    }

    pub fn accepts(&self, value: &Value) -> bool {
        self.satisfies_schema(&self.schema, value)
    }

    /// Whether a value has the form of one of the schema's definitions.
    pub fn accepts_as(&self, definition: &str, value: &Value) -> bool {
        self.satisfies_schema(&self.schema["definitions"][definition], value)
    }

    pub fn defines(&self, definition: &str) -> bool {
        self.schema["definitions"].get(definition).is_some()
    }

    fn matches(&self, pattern: &str, text: &str) -> bool {
        let mut patterns = self.patterns.lock().expect("no panic");
        let compile = || Regex::new(pattern).expect("a pattern");
        patterns.entry(pattern.to_owned()).or_insert_with(compile).is_match(text)
    }

    fn satisfies_schema(&self, schema: &Value, value: &Value) -> bool {
        if let Some(name) = schema["$ref"].as_str() {
            let name = name.strip_prefix("#/definitions/").expect("a definition");
            return self.satisfies_schema(&self.schema["definitions"][name], value);
        }
        let keywords = schema.as_object().expect("a schema");
        keywords.iter().all(|(keyword, argument)| {
            match value {
                Value::Object(object) => self.object_satisfies(keyword, argument, object, schema),
                Value::Array(list) => self.list_satisfies(keyword, argument, list),
                _ => None,
            }
            .unwrap_or_else(|| self.satisfies(keyword, argument, value))
        })
    }

    /// `None` if the keyword is not about objects.
    fn object_satisfies(
        &self,
        keyword: &str,
        argument: &Value,
        object: &Map<String, Value>,
        schema: &Value,
    ) -> Option<bool> {
        Some(match keyword {
            "required" => strings(argument).all(|key| object.contains_key(key)),
            "properties" => {
                let mut properties = argument.as_object()?.iter();
                properties.all(|(key, schema)| {
                    object.get(key).is_none_or(|value| self.satisfies_schema(schema, value))
                })
            }
            "patternProperties" => argument.as_object()?.iter().all(|(pattern, schema)| {
                object
                    .iter()
                    .all(|(key, value)| !self.matches(pattern, key) || self.satisfies_schema(schema, value))
            }),
            "additionalProperties" => {
                let patterns = schema["patternProperties"].as_object();
                let is_described = |key: &str| {
                    schema["properties"].get(key).is_some()
                        || patterns.is_some_and(|all| all.keys().any(|pattern| self.matches(pattern, key)))
                };
                let mut others = object.iter().filter(|(key, _)| !is_described(key));
                match argument {
                    Value::Bool(false) => others.next().is_none(),
                    schema => others.all(|(_, value)| self.satisfies_schema(schema, value)),
                }
            }
            "dependencies" => argument.as_object()?.iter().all(|(key, dependency)| {
                !object.contains_key(key)
                    || match dependency {
                        Value::Array(_) => strings(dependency).all(|key| object.contains_key(key)),
                        schema => self.satisfies_schema(schema, &Value::Object(object.clone())),
                    }
            }),
            _ => return None,
        })
    }

    /// `None` if the keyword is not about lists.
    fn list_satisfies(&self, keyword: &str, argument: &Value, list: &[Value]) -> Option<bool> {
        Some(match keyword {
            "items" => match argument {
                Value::Array(each) => {
                    each.iter().zip(list).all(|(schema, item)| self.satisfies_schema(schema, item))
                }
                every => list.iter().all(|item| self.satisfies_schema(every, item)),
            },
            "minItems" => list.len() as u64 >= argument.as_u64()?,
            "maxItems" => list.len() as u64 <= argument.as_u64()?,
            _ => return None,
        })
    }

    fn satisfies(&self, keyword: &str, argument: &Value, value: &Value) -> bool {
        let accepting = || {
            let schemas = argument.as_array().expect("schemas");
            schemas.iter().filter(|schema| self.satisfies_schema(schema, value)).count()
        };
        match keyword {
            "type" => match argument {
                Value::Array(_) => strings(argument).any(|name| has_type(name, value)),
                name => has_type(name.as_str().expect("a type"), value),
            },
            "const" => value == argument,
            "enum" => argument.as_array().expect("values").contains(value),
            "allOf" => accepting() == argument.as_array().map_or(0, Vec::len),
            "anyOf" => accepting() > 0,
            "oneOf" => accepting() == 1,
            "not" => !self.satisfies_schema(argument, value),
            "minimum" => value.as_f64().is_none_or(|value| value >= argument.as_f64().expect("a number")),
            "maximum" => value.as_f64().is_none_or(|value| value <= argument.as_f64().expect("a number")),
            "pattern" => {
                value.as_str().is_none_or(|text| self.matches(argument.as_str().expect("a pattern"), text))
            }
            "minLength" => {
                let least = argument.as_u64().expect("a length");
                value.as_str().is_none_or(|text| text.chars().count() as u64 >= least)
            }
            "$schema" | "title" | "description" | "definitions" => true,
            // Keywords about values of other types.
            "required"
            | "properties"
            | "patternProperties"
            | "additionalProperties"
            | "dependencies"
            | "items"
            | "minItems"
            | "maxItems" => true,
            _ => panic!("unknown keyword {keyword}"),
        }
    }
}

fn has_type(name: &str, value: &Value) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "number" => value.is_number(),
        "integer" => {
            value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|value| value.fract() == 0.0)
        }
        "null" => value.is_null(),
        _ => panic!("unknown type {name}"),
    }
}

fn strings(list: &Value) -> impl Iterator<Item = &str> {
    list.as_array().expect("a list").iter().map(|key| key.as_str().expect("a key"))
}
