//! Runs of WAVE.

mod decode;

use std::sync::Arc;

use warplens_hir::wave as hir;
use warplens_hir::wave::{MAX_DEPTH, Nesting};
use warplens_ide_db::wave::wave_code;
use warplens_ide_db::{Database, Db, File, Item, items};
use warplens_ide_diagnostics::wave_messages;
use warplens_sim_launch::Kernel;
use warplens_sim_warp::{ModelInfo, StatementId};
use warplens_sim_wave as wave;
use warplens_sim_wave::launch_rules::{self, WaveKernel};
use warplens_sim_wave::reference::Rejection;
use warplens_syntax::Language;

use crate::program::{Statement, errors_in, item_at, touches};
use crate::simulator::{Decoded, DocumentKernel, Found, LaunchProblem, Model, Simulator};

/// WAVE, with two simulators: the divergence stack of the guide, and the reference emulator 0.1.2.
pub struct Wave;

impl Simulator for Wave {
    fn language(&self) -> Language {
        warplens_syntax::wave::LANGUAGE
    }

    fn models(&self) -> &'static [ModelInfo] {
        &wave::MODELS
    }

    fn kernels<'db>(&self, db: &'db dyn Db, _file: File) -> Box<dyn Fn(Item<'db>) -> Option<Found> + 'db> {
        Box::new(move |item| wave_kernel(&wave_code(db, item), note(*nesting(db, item))))
    }

    fn decode<'db>(
        &self,
        db: &'db Database,
        file: File,
        kernel: &DocumentKernel,
        model: Model,
    ) -> Result<Decoded<'db>, LaunchProblem> {
        let code = wave_code(db, items(db, file)[kernel.item]);
        let (program, statements) = decode::decode_wave(&code, kernel.start);
        let broken = broken(db, file, kernel, &statements);
        let emulated = (!model.is_default()).then(|| Arc::new(emulated(db, file, kernel.item)));
        Ok(Decoded {
            program: Arc::new(wave::Kernel { program: Arc::new(program), emulated }),
            progressing: None,
            statements,
            broken,
            body: Box::new(move || launch_rules::body(&code)),
        })
    }
}

/// The kernel of an item, for the reference emulator: its encoding depends on the whole file.
fn emulated(db: &Database, file: File, item: usize) -> wave::reference::Program {
    let codes: Vec<_> = items(db, file).iter().map(|item| wave_code(db, *item)).collect();
    let codes: Vec<_> = codes.iter().map(|code| &**code).collect();
    wave::reference::decode(&codes, item, &rejection)
}

/// The message about a statement that the toolchain rejects.
fn rejection(rejection: Rejection<'_>) -> String {
    match rejection {
        Rejection::Departure(found) => wave_messages::departure(&found.kind),
        Rejection::Problem(found) => {
            format!("toolchain 0.1.2 rejects this: {}", wave_messages::problem(&found.kind))
        }
        Rejection::Statement => "toolchain 0.1.2 rejects this statement".to_owned(),
    }
}

/// The statements of a kernel that have an error in the text.
fn broken(
    db: &Database,
    file: File,
    kernel: &DocumentKernel,
    statements: &[Statement],
) -> Box<[StatementId]> {
    let item = item_at(db, file, kernel.start);
    let errors = item.map(|(_, item)| errors_in(db, item, kernel.start)).unwrap_or_default();
    let ids = (0..).map(StatementId).zip(statements);
    ids.filter(|(_, statement)| touches(&errors, statement.range)).map(|(id, _)| id).collect()
}

fn wave_kernel(code: &hir::Code, note: Option<String>) -> Option<Found> {
    let (name, range) = code.kernel.as_ref()?.name.clone()?;
    let workgroup = code.resources.workgroup_size.map(|size| size.value).filter(|size| size[0] > 0);
    let workgroup = workgroup.map(|size| size.map(|extent| extent.max(1)));
    let kernel = Kernel::new(name, WaveKernel { workgroup });
    Some(Found { kernel, name: range, note, variant: None, is_unnamed: false })
}

/// `nesting depth 3, 3 of 32 stack entries`
pub(crate) fn note(Nesting { depth, entries }: Nesting) -> Option<String> {
    (entries > 0).then(|| format!("nesting depth {depth}, {entries} of {MAX_DEPTH} stack entries"))
}

#[salsa::tracked(returns(ref))]
fn nesting<'db>(db: &'db dyn Db, item: Item<'db>) -> Nesting {
    wave_code(db, item).nesting()
}
