//! The module as a kernel sees it: the functions that the kernel can reach, and the variables.

use std::collections::VecDeque;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use smol_str::SmolStr;
use warplens_hir::ptx::{
    self as hir, AddressSize, Declaration, DeclarationKind, Directive, Header, Initializer, Space,
    SymbolKind, Variable,
};
use warplens_isa::ptx::Target;
use warplens_sim_cuda::windows;
use warplens_sim_warp::memory::DeviceMemory;
use warplens_sim_warp::objects::{ArrayShape, Object};

use super::specials::{RESERVED_SHARED, is_reserved};
use super::storage::{self, Storage};
use crate::program::{self, FrameObjects, ProgramObjects};

/// Maximum alignment of dynamic shared memory, in bytes.
const MAX_DYNAMIC_ALIGN: u32 = 4096;

/// Maximum number of variables declared by ranges such as `x<100>`.
const MAX_RANGES: u32 = 1 << 16;

pub type Lookup<'m> = dyn Fn(&str) -> Option<Arc<hir::Function>> + 'm;

pub struct Module<'m> {
    headers: Vec<&'m Header>,
    function: &'m Lookup<'m>,
}

impl<'m> Module<'m> {
    /// A module of these items; `function` finds functions with a body by name.
    pub fn new(headers: impl IntoIterator<Item = &'m Header>, function: &'m Lookup<'m>) -> Module<'m> {
        Module { headers: headers.into_iter().collect(), function }
    }

    fn declarations(&self) -> impl Iterator<Item = &'m Declaration> + use<'_, 'm> {
        self.headers.iter().flat_map(|header| header.declarations.iter())
    }

    fn wide_addresses(&self) -> bool {
        let size = self.headers.iter().find_map(|header| match header.directive {
            Some(Directive::AddressSize(size)) => size,
            _ => None,
        });
        size.is_none_or(|size| size == AddressSize::Bits64)
    }

    pub(super) fn target(&self) -> Option<&'static Target> {
        let mut directives = self.headers.iter().filter_map(|header| header.directive.as_ref());
        let target = directives.find_map(|directive| match directive {
            Directive::Target(target) => target.architecture.as_ref(),
            _ => None,
        });
        warplens_isa::ptx::target(&target?.0)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DecodeError {
    NoEntry(SmolStr),
    /// The module's variables do not fit into the address space.
    TooLarge(SmolStr),
}

impl std::fmt::Display for DecodeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            DecodeError::NoEntry(name) => write!(f, "unknown kernel `{name}`"),
            DecodeError::TooLarge(name) => {
                write!(f, "the variable `{name}` does not fit into simulated memory")
            }
        }
    }
}

impl std::error::Error for DecodeError {}

/// The reachable part of a module, with all addresses assigned.
#[derive(Default)]
pub(super) struct Linked<'m> {
    /// By index; the entry comes first.
    pub(super) functions: Vec<Arc<hir::Function>>,
    indices: FxHashMap<SmolStr, u32>,
    /// Functions without a body, and all other declarations.
    pub(super) declarations: FxHashMap<&'m str, &'m DeclarationKind>,
    variables: FxHashMap<SmolStr, Storage>,
    /// Storage of variables inside functions, by function and symbol.
    pub(super) statics: FxHashMap<(usize, hir::SymbolId), Storage>,
    initializers: Vec<(Storage, Variable)>,
    /// Number of variables that ranges such as `x<100>` may still declare.
    names_left: u32,
    pub(super) globals: DeviceMemory,
    pub(super) constants: DeviceMemory,
    /// The other objects. Objects in frames belong to the decoded functions.
    pub(super) objects: ProgramObjects,
    shared: u32,
    /// Where the reserved shared memory begins, if a register tells it.
    pub(super) reserved: u32,
    /// Bytes of each thread's local memory that the module's variables use.
    pub(super) local: u32,
    pub(super) dynamic_shared: u32,
    dynamic_align: u32,
    pub(super) wide_addresses: bool,
}

impl<'m> Linked<'m> {
    pub(super) fn new(module: &Module<'m>, entry: &str) -> Result<Linked<'m>, DecodeError> {
        let mut linked = Linked {
            names_left: MAX_RANGES,
            globals: DeviceMemory::new(windows::MODULE, windows::GLOBAL),
            constants: DeviceMemory::new(windows::CONST, windows::MODULE),
            dynamic_align: 16,
            wide_addresses: module.wide_addresses(),
            ..Linked::default()
        };
        linked.declare(module);
        linked.reach(module, entry)?;
        linked.place_variables(module)?;
        linked.place_statics()?;
        linked.place_reserved();
        linked.dynamic_shared = linked.shared.next_multiple_of(linked.dynamic_align);
        if let Some(dynamic) = &mut linked.objects.dynamic_shared {
            dynamic.start = linked.dynamic_shared.into();
        }
        Ok(linked)
    }

    /// Records every name. A definition wins over a mere declaration.
    fn declare(&mut self, module: &Module<'m>) {
        for declaration in module.declarations() {
            let is_prototype = matches!(declaration.kind, DeclarationKind::Function { has_body: false, .. });
            let name = declaration.name.as_str();
            if !is_prototype || !self.declarations.contains_key(name) {
                self.declarations.insert(name, &declaration.kind);
            }
        }
    }

    /// Numbers the functions that the entry can reach by name, including those that initializers name.
    fn reach(&mut self, module: &Module<'m>, entry: &str) -> Result<(), DecodeError> {
        let no_entry = || DecodeError::NoEntry(entry.into());
        let first = (module.function)(entry).ok_or_else(no_entry)?;
        let mut queue = VecDeque::from([first]);
        self.indices.insert(entry.into(), 0);
        let uses =
            module.headers.iter().flat_map(|header| header.uses.iter()).map(|usage| usage.name.clone());
        let mut from_variables: Vec<SmolStr> = uses.collect();
        while let Some(function) = queue.pop_front() {
            let names = function.externals().map(|(_, name)| SmolStr::from(name)).collect::<Vec<_>>();
            self.functions.push(function);
            for name in names.into_iter().chain(std::mem::take(&mut from_variables)) {
                let name = self.real_name(&name);
                if self.indices.contains_key(&name) {
                    continue;
                }
                if let Some(callee) = (module.function)(&name) {
                    self.indices.insert(name, (self.functions.len() + queue.len()) as u32);
                    queue.push_back(callee);
                }
            }
        }
        Ok(())
    }

    /// Resolves an alias to the function that it stands for.
    fn real_name(&self, name: &str) -> SmolStr {
        match self.declarations.get(name) {
            Some(DeclarationKind::Alias { target }) => target.clone(),
            _ => name.into(),
        }
    }

    fn place_variables(&mut self, module: &Module<'m>) -> Result<(), DecodeError> {
        for declaration in module.declarations() {
            let DeclarationKind::Variable(variable) = &declaration.kind else { continue };
            let Some(count) = variable.range_count else {
                if !self.variables.contains_key(&declaration.name) || variable.linkage.is_none() {
                    let storage = self.place(&declaration.name, variable)?;
                    self.variables.insert(declaration.name.clone(), storage);
                }
                continue;
            };
            self.names_left = match self.names_left.checked_sub(count) {
                Some(left) => left,
                None => return Err(DecodeError::TooLarge(declaration.name.clone())),
            };
            for number in 0..count {
                let name = smol_str::format_smolstr!("{}{number}", declaration.name);
                let storage = self.place(&name, variable)?;
                self.variables.insert(name, storage);
            }
        }
        Ok(())
    }

    /// Places variables that functions declare but that live as long as the module or the block.
    fn place_statics(&mut self) -> Result<(), DecodeError> {
        for index in 0..self.functions.len() {
            let function = self.functions[index].clone();
            for (symbol, declared) in function.symbols().iter().enumerate() {
                let SymbolKind::Variable(variable) = &declared.kind else { continue };
                if matches!(variable.space, Space::Global | Space::Const | Space::Shared) {
                    let storage = self.place(&declared.name, variable)?;
                    self.statics.insert((index, hir::SymbolId::new(symbol)), storage);
                }
            }
        }
        Ok(())
    }

    /// Places the reserved shared memory after the variables if the program can find it.
    fn place_reserved(&mut self) {
        let finds = |function: &Arc<hir::Function>| {
            function.special_registers().any(|register| is_reserved(&function.referent_text(register)))
        };
        if self.functions.iter().any(finds) {
            self.reserved = self.shared.next_multiple_of(16);
            self.shared = self.reserved + RESERVED_SHARED;
            let (start, len) = (self.reserved.into(), RESERVED_SHARED.into());
            self.objects.shared.push(Object {
                name: "reserved shared memory".into(),
                start,
                len,
                shape: ArrayShape::default(),
            });
        }
    }

    fn place(&mut self, name: &SmolStr, variable: &Variable) -> Result<Storage, DecodeError> {
        let too_large = |_| DecodeError::TooLarge(name.clone());
        let bytes = variable.bytes();
        let shape = storage::variable_shape(variable);
        let object = |start: u64| Object { name: name.clone(), start, len: bytes, shape: shape.clone() };
        let storage = match variable.space {
            Space::Const => {
                let address = self.constants.allocate(name, bytes).map_err(too_large)?;
                self.constants.protect(address);
                self.constants.set_shape(address, shape);
                Storage::At(program::Space::Const, address - windows::CONST)
            }
            Space::Shared if bytes == 0 => {
                let align = u32::try_from(variable.alignment()).unwrap_or(16);
                self.dynamic_align = self.dynamic_align.max(align.min(MAX_DYNAMIC_ALIGN));
                self.objects.dynamic_shared.get_or_insert_with(|| object(0));
                Storage::DynamicShared
            }
            Space::Shared => {
                let align = u32::try_from(variable.alignment()).unwrap_or(16).max(1);
                let offset = self.shared.checked_next_multiple_of(align).unwrap_or(self.shared);
                let end = u64::from(offset).saturating_add(bytes);
                let max = windows::LOCAL - windows::SHARED;
                if end > max {
                    return Err(DecodeError::TooLarge(name.clone()));
                }
                self.shared = end as u32;
                self.objects.shared.push(object(offset.into()));
                Storage::At(program::Space::Shared, offset.into())
            }
            Space::Local => {
                let offset = u64::from(self.local).next_multiple_of(variable.alignment().max(4));
                let end = offset.saturating_add(bytes).saturating_add(FrameObjects::GUARD);
                self.local = u32::try_from(end).map_err(|_| DecodeError::TooLarge(name.clone()))?;
                self.objects.local.add_local(object(offset));
                Storage::At(program::Space::Local, offset)
            }
            _ => {
                let address = self.globals.allocate(name, bytes).map_err(too_large)?;
                self.globals.set_shape(address, shape);
                Storage::At(program::Space::Global, address)
            }
        };
        if variable.initializer.is_some() {
            self.initializers.push((storage, variable.clone()));
        }
        Ok(storage)
    }

    /// Fills variables with their initial values. All addresses must be known.
    pub(super) fn initialize(&mut self) {
        for (storage, variable) in std::mem::take(&mut self.initializers) {
            let Some(initializer) = &variable.initializer else { continue };
            let Storage::At(space @ (program::Space::Const | program::Space::Global), at) = storage else {
                continue;
            };
            // The memory has been allocated already, so its size is bounded.
            let mut bytes = vec![0; variable.bytes() as usize];
            let inner: Vec<u64> = variable.inner_dimensions().collect();
            self.fill(&variable, initializer, &inner, &mut bytes);
            let (memory, address) = match space {
                program::Space::Const => (&mut self.constants, windows::CONST + at),
                _ => (&mut self.globals, at),
            };
            if let Some(target) = memory.bytes_mut(address, bytes.len() as u64) {
                target.copy_from_slice(&bytes);
            }
        }
    }

    /// Writes one initializer; `inner` holds the dimensions inside the one that a list enumerates.
    fn fill(&self, variable: &Variable, initializer: &Initializer, inner: &[u64], bytes: &mut [u8]) {
        let Some(ty) = variable.ty else { return };
        let size = ty.bytes() as usize;
        let value = match initializer {
            Initializer::List(values) => {
                let vector = variable.vector.map_or(1, |vector| vector.count() as usize);
                let scalars = inner.is_empty();
                let below = inner.iter().fold(size * vector, |bytes, count| {
                    bytes.saturating_mul(usize::try_from(*count).unwrap_or(usize::MAX))
                });
                let step = if scalars && bytes.len() <= size * vector { size } else { below };
                for (value, bytes) in values.iter().zip(bytes.chunks_mut(step.max(1))) {
                    self.fill(variable, value, inner.get(1..).unwrap_or(&[]), bytes);
                }
                return;
            }
            Initializer::Constant(constant) => storage::constant_bits(*constant, ty),
            Initializer::Address { symbol, offset, generic, mask } => {
                let Some(address) = self.address_of(symbol, *generic) else { return };
                let address = address.wrapping_add_signed(*offset);
                mask.map_or(address, |mask| (address & mask) >> mask.trailing_zeros().min(63))
            }
            Initializer::Invalid => return,
        };
        let end = size.min(bytes.len());
        bytes[..end].copy_from_slice(&value.to_le_bytes()[..end]);
    }

    fn address_of(&self, name: &str, generic: bool) -> Option<u64> {
        if let Some(function) = self.function_index(name) {
            return Some(function_address(function));
        }
        let storage = self.variable(name)?;
        let address = storage.address(self.dynamic_shared)?;
        Some(if generic { address + storage::window(storage.space()) } else { address })
    }

    pub(super) fn variable(&self, name: &str) -> Option<Storage> {
        self.variables.get(name).copied()
    }

    pub(super) fn function_index(&self, name: &str) -> Option<u32> {
        self.indices.get(&self.real_name(name)).copied()
    }

    pub(super) fn is_noreturn(&self, name: &str) -> bool {
        match self.declarations.get(name) {
            Some(DeclarationKind::Function { signature, .. }) => signature.is_noreturn(),
            _ => false,
        }
    }
}

pub(super) fn function_address(index: u32) -> u64 {
    windows::CODE + 16 * u64::from(index)
}
