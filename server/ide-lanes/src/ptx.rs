//! Runs of PTX.

mod broken;
mod condition;
mod decode;
mod fixes;
mod kernels;
mod source_lines;

use std::sync::Arc;

use warplens_ide_db::{Database, Db, File, Fix, Item};
use warplens_sim_ptx as ptx;
use warplens_sim_warp::ModelInfo;
use warplens_syntax::Language;

use self::source_lines::SourceFiles;
use crate::simulator::{
    Decoded, DocumentKernel, FindingInText, Found, LaunchProblem, Model, Progressing, Simulator,
};

pub struct Ptx;

impl Simulator for Ptx {
    fn language(&self) -> Language {
        warplens_syntax::ptx::LANGUAGE
    }

    fn models(&self) -> &'static [ModelInfo] {
        &ptx::MODELS
    }

    fn words_with_meanings(&self) -> &'static [&'static str] {
        &["wgmma", "tcgen05", "mma.", "ldmatrix", "stmatrix"]
    }

    fn kernels<'db>(&self, db: &'db dyn Db, file: File) -> Box<dyn Fn(Item<'db>) -> Option<Found> + 'db> {
        Box::new(kernels::kernels(db, file))
    }

    fn decode<'db>(
        &self,
        db: &'db Database,
        file: File,
        kernel: &DocumentKernel,
        model: Model,
    ) -> Result<Decoded<'db>, LaunchProblem> {
        let decoded = decode::decode_ptx(db, file, &kernel.kernel.name)?;
        let model = ptx::Model::from_name(model.name()).unwrap_or_default();
        let statements = decoded.statements(&SourceFiles::of(db, file), model);
        let broken = broken::of_ptx(db, file, &decoded, &statements);
        let under = |model| Arc::new(ptx::Kernel { program: decoded.program.clone(), model });
        let other = ptx::Model::ALL.into_iter().find(|model| model.info().forward_progress);
        let progressing = other
            .filter(|_| !decoded.program.lockstep)
            .and_then(|other| Some(Progressing { model: self.model(other.name())?, program: under(other) }));
        let program = under(model);
        Ok(Decoded {
            program,
            progressing,
            statements,
            broken,
            body: Box::new(move || kernels::body(db, file, &decoded)),
        })
    }

    fn fixes(&self, found: FindingInText<'_>) -> Vec<Fix> {
        fixes::fixes(found)
    }
}
