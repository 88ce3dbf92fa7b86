//! The kernels of a PTX module, from the headers of its items.

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
    move |item| ptx_kernel(db, item, address_bytes, &SharedArrays { db, file })
}

fn ptx_kernel(
    db: &dyn Db,
    item: Item<'_>,
    address_bytes: Option<u64>,
    shared: &SharedArrays<'_>,
) -> Option<Found> {
    let header = ptx_header(db, item);
    header.declarations.iter().find_map(|declaration| match &declaration.kind {
        DeclarationKind::Function { kind: FunctionKind::Entry, has_body: true, signature, .. } => {
            let kernel = launch_rules::kernel(signature, address_bytes);
            let shape = shape(db, item);
            let shaped_block = shape.block(&|name| shared.bytes(name));
            let kernel = CudaKernel { shaped_block, uses_pairs: shape.uses_pairs(), ..kernel };
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
