//! `warplens schema`: the JSON schemas of what the program prints and reads, from the types that it prints.

use std::io::{self, Write};

use clap::{Args, ValueEnum};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use schemars::transform::{RecursiveTransform, Transform};
use serde_json::Value;
use warplens_ide::lanes::JsonStep;
use warplens_ide::lanes::json::Report;
use warplens_ide::model_choices;

use super::outcome::Outcome;
use super::{check, compare, sim, test};

#[derive(Args)]
pub(super) struct Arguments {
    /// The output, or what is read
    #[arg(value_enum)]
    document: Document,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Document {
    /// A line of `check --format json`
    Check,
    /// The report of `sim --format json`
    Sim,
    /// A line of `sim --trace --format json`, before the report
    Step,
    /// A line of `sim --batch`
    Batch,
    /// A line of `test --format json`
    Test,
    /// A line of `compare --format json`
    Compare,
    /// A launch file
    Launches,
}

pub(super) fn run(arguments: &Arguments) -> io::Result<Outcome> {
    let mut out = anstream::stdout().lock();
    writeln!(out, "{:#}", schema(arguments.document))?;
    Ok(Outcome::Success)
}

fn schema(document: Document) -> Value {
    match document {
        Document::Check => printed::<check::json::Problem<'_>>(),
        Document::Sim => printed::<Report<'_>>(),
        Document::Step => printed::<JsonStep<'_>>(),
        Document::Batch => printed::<sim::batch::result::BatchResult<'_>>(),
        Document::Test => printed::<test::json::Tested<'_>>(),
        Document::Compare => printed::<compare::json::Document<'_>>(),
        Document::Launches => warplens_sim_launch::schema(&model_choices()),
    }
}

/// The schema of a type as it is printed: without other keys than its fields.
fn printed<T: JsonSchema>() -> Value {
    let generator = SchemaSettings::draft07().for_serialize().into_generator();
    let mut schema = generator.into_root_schema_for::<T>();
    RecursiveTransform(closed).transform(&mut schema);
    schema.to_value()
}

fn closed(schema: &mut schemars::Schema) {
    let Some(keys) = schema.as_object_mut() else { return };
    // The sizes of integers, which no validator knows.
    keys.remove("format");
    if keys.contains_key("properties") {
        keys.entry("additionalProperties").or_insert(false.into());
    }
}
