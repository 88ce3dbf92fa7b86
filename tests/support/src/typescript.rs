//! TypeScript types of messages, generated from the structs of the server. A test of each crate with such structs compares them with the
//! committed file; `UPDATE_EXPECT=1 cargo nextest run --workspace typescript` writes the files.

use std::collections::BTreeMap;

use expect_test::expect_file;
use ts_rs::{Config, TS, TypeVisitor};

/// The declarations of types, by name.
pub struct Declarations {
    config: Config,
    by_name: BTreeMap<String, String>,
}

impl Default for Declarations {
    fn default() -> Declarations {
        let config = Config::new().with_large_int("number").with_array_tuple_limit(0);
        Declarations { config, by_name: BTreeMap::new() }
    }
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

impl Declarations {
    /// Adds a type and the types of its fields.
    #[must_use]
    pub fn with<T: TS + 'static + ?Sized>(mut self) -> Declarations {
        self.visit::<T>();
        self
    }

    /// Compares the declarations with a file in `editors`. `imports` are the types that another file declares.
    pub fn assert_written_to(self, file: &str, imports: &str) {
        let text = self.by_name.into_values().collect::<Vec<_>>().join("\n");
        let text = text.replace("/**\n * ", "/** ").replace("\n */", " */");
        let text: String = text.lines().map(|line| format!("{}\n", line.trim_end())).collect();
        let header = "// Types of messages, generated from the structs of the server: see tests/support/src/typescript.rs.\n\
                      // docs/lsp-extensions.md documents them.\n";
        let path = super::root().join("editors").join(file);
        expect_file![path].assert_eq(&format!("{header}{imports}\n{text}"));
    }
}
