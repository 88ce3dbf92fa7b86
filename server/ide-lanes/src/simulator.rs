//! The simulator of a language: what runs over a document need of it.

use std::sync::Arc;

use smol_str::SmolStr;
use text_size::TextRange;
use warplens_ide_db::{Database, Db, File, Item};
use warplens_sim::launch::{Body, Kernel};
use warplens_sim::{Executable, ModelInfo, StatementId};
use warplens_syntax::Language;

use crate::model::Model;
use crate::offer::KernelPlace;
use crate::problem::LaunchProblem;
use crate::statement::Statement;

/// The simulator of a language.
pub trait Simulator: Sync {
    /// The language of its kernels.
    fn language(&self) -> Language;

    /// The divergence models, the default first.
    fn models(&self) -> &'static [ModelInfo];

    /// The model of a run that names none.
    fn default_model(&self) -> Model {
        Model::default_of(self.language(), self.models())
    }

    /// The model of a run of a kernel that names none.
    fn model_for(&self, _db: &Database, _file: File, _kernel: &KernelPlace) -> Model {
        self.default_model()
    }

    /// The model with this current or former name.
    fn model(&self, name: &str) -> Option<Model> {
        Model::named(self.language(), self.models(), name)
    }

    /// The words of statements whose operands stand for more than numbers.
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
        kernel: &KernelPlace,
        model: Model,
    ) -> Result<Decoded<'db>, LaunchProblem>;
}

/// The kernel of an item.
pub struct Found {
    /// The properties that a launch must match.
    pub kernel: Kernel,
    /// Its name, relative to the item.
    pub name: TextRange,
    /// A note for a lens above the kernel.
    pub note: Option<String>,
    /// What distinguishes it from other kernels with its name in the file: its target. `NAME@TARGET` selects it.
    pub variant: Option<SmolStr>,
}

/// A kernel under a model that guarantees forward progress.
#[derive(Debug, Clone)]
pub struct Progressing {
    /// The model.
    pub model: Model,
    /// What runs.
    pub program: Arc<dyn Executable>,
}

/// A decoded kernel.
pub struct Decoded<'db> {
    /// What runs.
    pub program: Arc<dyn Executable>,
    /// The same under the model of the GPUs that it is compiled for, if a wait among the lanes of a warp ends only there.
    pub progressing: Option<Progressing>,
    /// The statements with their ranges in the file.
    pub statements: Vec<Statement>,
    /// The statements that have an error in the text.
    pub broken: Box<[StatementId]>,
    /// The launch hints in the bodies; computed only for an inferred launch.
    pub body: Box<dyn Fn() -> Body + 'db>,
}
