//! The kernels of a document, from the headers of its items.

use rustc_hash::FxHashSet;
use warplens_hir::ptx::{AddressSize, DeclarationKind, Directive, FunctionKind, Linkage, ModuleKind, Space};
use warplens_hir::wave;
use warplens_ide_db::db::{Db, File, Item, items, ptx_function, ptx_header, wave_code};
use warplens_ide_db::languages::Known;
use warplens_ide_db::module::module_names;
use warplens_sim::launch::{Body, Kernel, KernelKind, LAUNCH_TAG, Shape, WaveKernel};
use warplens_syntax::ItemKind;

use crate::decode::DecodedPtx;
use crate::offer::KernelPlace;

/// The kernels in text order; of those with the same name the first.
pub(crate) fn kernels(db: &dyn Db, file: File) -> Vec<KernelPlace> {
    let list = file.document(db).items();
    let address_bytes =
        if file.language(db) == warplens_syntax::ptx::LANGUAGE { address_bytes(db, file) } else { None };
    let shared = SharedArrays { db, file };
    let mut kernels: Vec<KernelPlace> = Vec::new();
    let mut seen = FxHashSet::default();
    for (index, item) in items(db, file).iter().enumerate() {
        if item.kind(db) != ItemKind::Kernel {
            continue;
        }
        let start = list.start_of(index);
        let (found, nesting) = match Known::of(file.language(db)) {
            Known::Ptx => (ptx_kernel(db, *item, address_bytes, &shared), wave::Nesting::default()),
            Known::Wave => (wave_kernel(&wave_code(db, *item)), *nesting(db, *item)),
        };
        let Some((kernel, name)) = found else { continue };
        if seen.insert(kernel.name.clone()) {
            kernels.push(KernelPlace { kernel, name: name + start, start, item: index, nesting });
        }
    }
    kernels
}

type Named = (Kernel, text_size::TextRange);

fn ptx_kernel(
    db: &dyn Db,
    item: Item<'_>,
    address_bytes: Option<u64>,
    shared: &SharedArrays<'_>,
) -> Option<Named> {
    let header = ptx_header(db, item);
    header.declarations.iter().find_map(|declaration| match &declaration.kind {
        DeclarationKind::Function { kind: FunctionKind::Entry, has_body: true, signature, .. } => {
            let kernel = Kernel::of_ptx(declaration.name.clone(), signature, address_bytes);
            let kernel = kernel.with_shape(shape(db, item), &|name| shared.bytes(name));
            Some((kernel, declaration.name_range))
        }
        _ => None,
    })
}

/// The block size that a body is written for, as far as it shows it.
#[salsa::tracked(returns(ref))]
fn shape<'db>(db: &'db dyn Db, item: Item<'db>) -> Shape {
    ptx_function(db, item).map_or_else(Shape::default, |function| Shape::of_ptx(&function))
}

/// The nesting depth of the constructs of a WAVE item.
#[salsa::tracked(returns(ref))]
fn nesting<'db>(db: &'db dyn Db, item: Item<'db>) -> wave::Nesting {
    wave_code(db, item).nesting()
}

/// The shared memory arrays that a module declares.
struct SharedArrays<'db> {
    db: &'db dyn Db,
    file: File,
}

impl SharedArrays<'_> {
    fn bytes(&self, name: &str) -> Option<u64> {
        let items = items(self.db, self.file).iter().filter(|item| item.kind(self.db) == ItemKind::Variable);
        let headers = items.map(|item| ptx_header(self.db, *item));
        headers.flat_map(|header| &header.declarations).find_map(|declaration| match &declaration.kind {
            DeclarationKind::Variable(variable) if declaration.name == name => {
                (variable.space == Space::Shared).then(|| variable.bytes())
            }
            _ => None,
        })
    }
}

fn wave_kernel(code: &wave::Code) -> Option<Named> {
    let (name, range) = code.kernel.as_ref()?.name.clone()?;
    let workgroup = code.resources.workgroup_size.map(|size| size.value).filter(|size| size[0] > 0);
    let workgroup = workgroup.map(|size| size.map(|extent| extent.max(1)));
    Some((Kernel { name, kind: KernelKind::Wave(WaveKernel { workgroup }) }, range))
}

/// The text of a document with launches in comments; empty without any, to avoid a copy of a long text for every lens.
pub(crate) fn text_of_launches(db: &dyn Db, file: File) -> String {
    let any = items(db, file).iter().any(|item| *mentions_launch(db, *item));
    if any { file.document(db).items().text() } else { String::new() }
}

#[salsa::tracked]
fn mentions_launch<'db>(db: &'db dyn Db, item: Item<'db>) -> bool {
    item.text(db).0.contains(LAUNCH_TAG)
}

/// Bytes of an address, if the module declares it.
fn address_bytes(db: &dyn Db, file: File) -> Option<u64> {
    let mut directives = items(db, file).iter().filter(|item| item.kind(db) == ItemKind::Directive);
    directives.find_map(|item| match ptx_header(db, *item).directive {
        Some(Directive::AddressSize(Some(AddressSize::Bits32))) => Some(4),
        Some(Directive::AddressSize(Some(AddressSize::Bits64))) => Some(8),
        _ => None,
    })
}

/// The launch hints in the bodies of a kernel and of the functions that it can call.
pub(crate) fn body(db: &dyn Db, file: File, decoded: &DecodedPtx) -> Body {
    let names = module_names(db, file);
    let is_dynamic_shared = |name: &str| {
        names.declarations(name).any(|symbol| {
            matches!(
                symbol.kind,
                ModuleKind::Variable { space: Space::Shared, linkage: Some(Linkage::Extern), .. }
            )
        })
    };
    let functions: Vec<_> = decoded.functions.iter().map(|(function, _)| &**function).collect();
    Body::of_ptx(&functions, &is_dynamic_shared)
}
