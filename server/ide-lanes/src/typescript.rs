//! The TypeScript types of the answers that the VS Code extension and the lanes panel read. A test compares them with the committed
//! file; `UPDATE_EXPECT=1 cargo nextest run -p warplens-ide-lanes typescript` writes it.

use std::collections::BTreeMap;

use expect_test::expect_file;
use ts_rs::{Config, TS, TypeVisitor};

use crate::WarpSummaries;
use crate::features::panel::{Accesses, Buffers, Graph, JsonMoment, Registers, Timeline};
use crate::json::Masks;
use crate::json::placed::PlacedTraces;

const HEADER: &str = "\
// The answers of the server, generated from its types: see server/ide-lanes/src/typescript.rs.
// docs/lsp-extensions.md documents them.
";

struct Declarations {
    config: Config,
    by_name: BTreeMap<String, String>,
}

impl TypeVisitor for Declarations {
    fn visit<T: TS + 'static + ?Sized>(&mut self) {
        // Types of the language, such as lists, have no declaration.
        if T::output_path().is_none() || self.by_name.contains_key(&T::ident(&self.config)) {
            return;
        }
        let docs = T::docs().unwrap_or_default();
        self.by_name.insert(T::ident(&self.config), format!("{docs}export {}\n", T::decl(&self.config)));
        T::visit_dependencies(self);
    }
}

#[test]
fn the_types_of_the_extension_are_those_of_the_server() {
    let config = Config::new().with_large_int("number").with_array_tuple_limit(0);
    let mut types = Declarations { config, by_name: BTreeMap::new() };
    types.visit::<Timeline>();
    types.visit::<JsonMoment>();
    types.visit::<Registers>();
    types.visit::<Accesses>();
    types.visit::<Buffers>();
    types.visit::<Graph>();
    types.visit::<WarpSummaries>();
    types.visit::<Masks<'static>>();
    types.visit::<PlacedTraces>();
    let text = types.by_name.into_values().collect::<Vec<_>>().join("\n");
    let text: String = text.lines().map(|line| format!("{}\n", line.trim_end())).collect();
    expect_file!["../../../editors/panel/src/generated/answers.ts"].assert_eq(&format!("{HEADER}\n{text}"));
}
