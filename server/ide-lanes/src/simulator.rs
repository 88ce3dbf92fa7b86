//! What a language provides to run the kernels of a document.

mod finding_in_text;
mod kernel;
mod model;
mod problem;

use std::sync::Arc;

use smol_str::SmolStr;
use text_size::TextRange;
use warplens_ide_db::{Database, Db, File, Fix, Item};
use warplens_sim_launch::{Body, Kernel};
use warplens_sim_warp::{Executable, ModelInfo, StatementId};
use warplens_syntax::Language;

use crate::program::Statement;
pub use finding_in_text::FindingInText;
pub use kernel::DocumentKernel;
pub use model::Model;
pub use problem::LaunchProblem;

pub trait Simulator: Sync {
    fn language(&self) -> Language;

    /// The divergence models, the default first.
    fn models(&self) -> &'static [ModelInfo];

    /// The model if neither the request nor the launch names one.
    fn default_model(&self) -> Model {
        Model::default_of(self.language(), self.models())
    }

    /// The default model for a kernel.
    fn model_for(&self, _db: &Database, _file: File, _kernel: &DocumentKernel) -> Model {
        self.default_model()
    }

    /// The model with this current or former name.
    fn model(&self, name: &str) -> Option<Model> {
        Model::named(self.language(), self.models(), name)
    }

    /// Words of the statements whose operands have a meaning besides their numbers, such as descriptors.
    fn words_with_meanings(&self) -> &'static [&'static str] {
        &[]
    }

    /// Finds the kernel of an item of a file.
    fn kernels<'db>(&self, db: &'db dyn Db, file: File) -> Box<dyn Fn(Item<'db>) -> Option<Found> + 'db>;

    /// Decodes a kernel for a run under a model.
    ///
    /// # Errors
    /// When the kernel cannot be simulated at all.
    fn decode<'db>(
        &self,
        db: &'db Database,
        file: File,
        kernel: &DocumentKernel,
        model: Model,
    ) -> Result<Decoded<'db>, LaunchProblem>;

    /// Edits that may fix a finding, the most likely one first, besides the statements that its program inserts. Each is checked by a run
    /// before it is offered.
    fn fixes(&self, _found: FindingInText<'_>) -> Vec<Fix> {
        Vec::new()
    }
}

pub struct Found {
    /// The properties that a launch must match.
    pub kernel: Kernel,
    /// Its name, relative to the item.
    pub name: TextRange,
    /// A note for a lens above the kernel.
    pub note: Option<String>,
    /// Its target, which distinguishes it from kernels of the same name: `NAME@TARGET` selects it.
    pub variant: Option<SmolStr>,
    /// Whether the text has no name for it. The second such kernel is `NAME@2`.
    pub is_unnamed: bool,
}

/// A kernel under a model that guarantees forward progress.
#[derive(Debug, Clone)]
pub struct Progressing {
    pub model: Model,
    pub program: Arc<dyn Executable>,
}

pub struct Decoded<'db> {
    pub program: Arc<dyn Executable>,
    /// The kernel under the model of the GPUs that it is compiled for, if only there waits among the lanes of a warp end.
    pub progressing: Option<Progressing>,
    /// The statements with their ranges in the file.
    pub statements: Vec<Statement>,
    /// The statements that have an error in the text.
    pub broken: Box<[StatementId]>,
    /// What the bodies of its functions suggest for an inferred launch; computed only for one.
    pub body: Box<dyn Fn() -> Body + 'db>,
}
