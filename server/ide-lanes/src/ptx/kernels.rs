//! The kernels of a PTX module, from the headers of its items.

use std::cell::OnceCell;

use rustc_hash::{FxHashMap, FxHashSet};
use warplens_hir::ptx::{AddressSize, DeclarationKind, Directive, FunctionKind, Linkage, ModuleKind, Space};
use warplens_ide_db::ptx::{module_names, ptx_function, ptx_header};
use warplens_ide_db::{Db, File, Item, items};
use warplens_sim_launch::CudaKernel;
use warplens_sim_launch::{Body, Kernel};
use warplens_sim_ptx::launch_rules::{self, Shape};
use warplens_syntax::ItemKind;

use crate::ptx::decode::DecodedPtx;
use crate::simulator::Found;

pub(super) fn kernels<'db>(db: &'db dyn Db, file: File) -> impl Fn(Item<'db>) -> Option<Found> + 'db {
    let address_bytes = address_bytes(db, file);
    let module = Module { db, file, functions: OnceCell::new() };
    move |item| ptx_kernel(db, item, address_bytes, &module)
}

fn ptx_kernel<'db>(
    db: &'db dyn Db,
    item: Item<'db>,
    address_bytes: Option<u64>,
    module: &Module<'db>,
) -> Option<Found> {
    let header = ptx_header(db, item);
    header.declarations.iter().find_map(|declaration| match &declaration.kind {
        DeclarationKind::Function { kind: FunctionKind::Entry, has_body: true, signature, .. } => {
            let kernel = launch_rules::kernel(signature, address_bytes);
            let shaped_block = shape(db, item).block(&|name| module.shared_bytes(name));
            let kernel = CudaKernel { shaped_block, uses_clusters: module.uses_clusters(item), ..kernel };
            let kernel = Kernel::new(declaration.name.clone(), kernel);
            Some(Found { kernel, name: declaration.name_range, note: None, variant: None, is_unnamed: false })
        }
        _ => None,
    })
}

/// The block size that a body is written for, as far as it shows it.
#[salsa::tracked(returns(ref))]
fn shape<'db>(db: &'db dyn Db, item: Item<'db>) -> Shape {
    ptx_function(db, item).map_or_else(Shape::default, |function| Shape::of_ptx(&function))
}

/// What a kernel uses of its module: shared memory arrays and functions.
struct Module<'db> {
    db: &'db dyn Db,
    file: File,
    functions: OnceCell<FxHashMap<&'db str, Item<'db>>>,
}

impl<'db> Module<'db> {
    /// Whether a kernel, or a function that it calls, is written for pairs of blocks.
    fn uses_clusters(&self, kernel: Item<'db>) -> bool {
        let (mut seen, mut work) = (FxHashSet::default(), vec![kernel]);
        while let Some(item) = work.pop() {
            let shape = shape(self.db, item);
            if shape.uses_clusters() {
                return true;
            }
            let called = shape.names().iter().filter_map(|name| self.functions().get(name.as_str()).copied());
            work.extend(called.filter(|function| seen.insert(*function)));
        }
        false
    }

    /// The device functions with a body.
    fn functions(&self) -> &FxHashMap<&'db str, Item<'db>> {
        self.functions.get_or_init(|| {
            let items = items(self.db, self.file).iter().copied();
            let named = items.flat_map(|item| {
                let functions = ptx_header(self.db, item).declarations.iter().filter(|declaration| {
                    let kind = &declaration.kind;
                    matches!(kind, DeclarationKind::Function { kind: FunctionKind::Func, has_body: true, .. })
                });
                functions.map(move |function| (function.name.as_str(), item))
            });
            named.collect()
        })
    }

    fn shared_bytes(&self, name: &str) -> Option<u64> {
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

/// The size of an address in bytes, if the module declares it.
fn address_bytes(db: &dyn Db, file: File) -> Option<u64> {
    let mut directives = items(db, file).iter().filter(|item| item.kind(db) == ItemKind::Directive);
    directives.find_map(|item| match ptx_header(db, *item).directive {
        Some(Directive::AddressSize(Some(AddressSize::Bits32))) => Some(4),
        Some(Directive::AddressSize(Some(AddressSize::Bits64))) => Some(8),
        _ => None,
    })
}

/// What the bodies of a kernel and of the functions that it can call suggest for an inferred launch.
pub(super) fn body(db: &dyn Db, file: File, decoded: &DecodedPtx) -> Body {
    let names = module_names(db, file);
    let is_dynamic_shared = |name: &str| {
        names.kinds(name).any(|symbol| {
            matches!(
                symbol.kind,
                ModuleKind::Variable { space: Space::Shared, linkage: Some(Linkage::Extern), .. }
            )
        })
    };
    let functions: Vec<_> = decoded.functions.iter().map(|(function, _)| &**function).collect();
    launch_rules::body(&functions, &is_dynamic_shared)
}
