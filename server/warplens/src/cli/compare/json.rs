//! `compare --format json`: one object. The keys are documented in docs/cli.md.

use std::io::{self, Write};

use schemars::JsonSchema;
use serde::Serialize;
use warplens_sim_launch::Launch;

use super::reduce::Reduced;
use warplens_tools::comparison::compared::Compared;
use warplens_tools::comparison::json::{
    JsonCompared, JsonDifference, compared as json_compared, first_difference,
};

#[derive(Serialize, JsonSchema)]
pub(crate) struct Document<'c> {
    #[serde(flatten)]
    compared: JsonCompared<'c>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reduced: Option<JsonReduced<'c>>,
}

/// The smallest pair with a difference.
#[derive(Serialize, JsonSchema)]
struct JsonReduced<'c> {
    statements: [usize; 2],
    candidates: usize,
    complete: bool,
    launch: &'c Launch,
    difference: Option<JsonDifference<'c>>,
    files: &'c [String],
}

pub(super) fn write(compared: &Compared, reduced: Option<&Reduced>, out: &mut dyn Write) -> io::Result<()> {
    let document = Document { compared: json_compared(compared), reduced: reduced.map(self::reduced) };
    serde_json::to_writer(&mut *out, &document)?;
    out.write_all(b"\n")
}

fn reduced(reduced: &Reduced) -> JsonReduced<'_> {
    JsonReduced {
        statements: reduced.statements,
        candidates: reduced.candidates,
        complete: !reduced.is_cut,
        launch: &reduced.compared.runs[0].prepared.resolved.launch,
        difference: first_difference(&reduced.compared),
        files: &reduced.files,
    }
}
