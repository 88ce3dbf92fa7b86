//! Runs of SASS.

mod decode;
mod source_lines;

use std::sync::Arc;

use smol_str::format_smolstr;
use warplens_hir::sass::Function;
use warplens_ide_db::sass::{facts_of, sass_code, target_of};
use warplens_ide_db::{Database, Db, File, Item, items};
use warplens_sim_launch::{Body, Kernel};
use warplens_sim_sass as sass;
use warplens_sim_sass::launch_rules::{self, SassKernel};
use warplens_sim_warp::ModelInfo;
use warplens_syntax::Language;

use crate::simulator::{Decoded, DocumentKernel, Found, LaunchProblem, Model, Simulator};

pub struct Sass;

impl Simulator for Sass {
    fn language(&self) -> Language {
        warplens_syntax::sass::LANGUAGE
    }

    fn models(&self) -> &'static [ModelInfo] {
        &sass::MODELS
    }

    /// The divergence machine of the kernel's target.
    fn model_for(&self, db: &Database, file: File, kernel: &DocumentKernel) -> Model {
        let item = items(db, file)[kernel.item];
        let code = sass_code(db, item);
        let barriers =
            kernel_of(&code.functions).is_none_or(|function| target(db, item, function).has_barriers());
        let model = if barriers { sass::BARRIERS } else { sass::TOKENS };
        self.model(model.name).unwrap_or_else(|| self.default_model())
    }

    fn kernels<'db>(&self, db: &'db dyn Db, file: File) -> Box<dyn Fn(Item<'db>) -> Option<Found> + 'db> {
        Box::new(move |item| {
            let code = sass_code(db, item);
            let function = kernel_of(&code.functions)?;
            let facts = facts_of(db, file, function);
            let rules = SassKernel::new(function, &facts, target(db, item, function));
            let name = function.name.as_ref();
            let range = name.map_or(function.range, |name| name.range);
            let is_unnamed = name.is_none();
            let name = name.map_or_else(|| sass::UNNAMED.into(), |name| name.text.clone());
            let variant = target_of(db, item, function).map(|target| format_smolstr!("{target}"));
            Some(Found { kernel: Kernel::new(name, rules), name: range, note: None, variant, is_unnamed })
        })
    }

    fn decode<'db>(
        &self,
        db: &'db Database,
        file: File,
        kernel: &DocumentKernel,
        model: Model,
    ) -> Result<Decoded<'db>, LaunchProblem> {
        let (program, statements) = decode::decode_sass(db, file, kernel)?;
        let program = Arc::new(program);
        let barriers = model.name() == sass::BARRIERS.name;
        let executable = Arc::new(sass::Kernel { program: Arc::clone(&program), barriers });
        let item = items(db, file)[kernel.item];
        let body = move || {
            let code = sass_code(db, item);
            let Some(function) = kernel_of(&code.functions) else { return Body::default() };
            let facts = facts_of(db, file, function);
            let rules = SassKernel::new(function, &facts, target(db, item, function));
            let sizes: Vec<u64> = rules.params().iter().map(|param| param.bytes).collect();
            launch_rules::body(function, &program, &sizes)
        };
        // A listing shows code that exists, so no statement has an error.
        Ok(Decoded {
            program: executable,
            progressing: None,
            statements,
            broken: Box::default(),
            body: Box::new(body),
        })
    }
}

/// The kernel of an item: its first function that may be a kernel.
fn kernel_of(functions: &[Function]) -> Option<&Function> {
    functions.iter().find(|function| decode::is_runnable(function))
}

/// The target of a function; the first of its generation if no text states it.
fn target(db: &dyn Db, item: Item<'_>, function: &Function) -> sass::Target {
    match target_of(db, item, function) {
        Some(target) => sass::Target(target.number),
        None => sass::Target::first_of(function.generation),
    }
}
