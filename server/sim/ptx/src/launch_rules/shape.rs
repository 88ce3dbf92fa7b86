//! How many threads a block should have, inferred from a kernel's body.

use smol_str::SmolStr;
use warplens_hir::ptx::{Component, Function, Instruction, Operand, Resolution, Space, SymbolKind, Type};

const MOST_THREADS: u32 = 1024;
/// The longest side of a tile that is covered with threads.
const LONGEST_SIDE: u64 = 32;
/// Assumed bytes of a tile's element if no access determines them.
const ELEMENT: u64 = 4;

/// The properties of a kernel's body from which its block is inferred.
#[derive(Debug, Clone, PartialEq, Eq, Default, Hash)]
pub struct Shape {
    has_rows: bool,
    /// The largest number of threads that a barrier waits for.
    barrier: u32,
    /// Bytes of the elements that are loaded from and stored to shared memory.
    element: u64,
    /// The smallest distance between two stores of one thread to shared memory.
    step: u64,
    /// Sizes of the shared memory arrays that the kernel declares, in bytes.
    arrays: Vec<u64>,
    names: Vec<SmolStr>,
    /// Whether instructions concern other blocks of a cluster: `mapa`, `.multicast::cluster`, `.cta_group::2`.
    uses_clusters: bool,
}

impl Shape {
    pub fn of_ptx(entry: &Function) -> Shape {
        let mut shape = Shape { has_rows: reads_row(entry), ..Shape::default() };
        for instruction in entry.instructions() {
            shape.read(entry, instruction);
        }
        for symbol in entry.symbols() {
            if let SymbolKind::Variable(variable) = &symbol.kind
                && variable.space == Space::Shared
            {
                shape.arrays.push(variable.bytes());
            }
        }
        shape.names = entry.externals().map(|(_, name)| name.into()).collect();
        shape.names.sort();
        shape.names.dedup();
        shape
    }

    fn read(&mut self, entry: &Function, instruction: Instruction<'_>) {
        let operands = instruction.operands();
        self.uses_clusters |= instruction.opcode() == "mapa"
            || instruction.has("cta_group::2")
            || instruction.has("multicast::cluster");
        match (instruction.opcode(), operands) {
            ("bar" | "barrier", &[_, Operand::Constant(count)])
                if instruction.has("sync") || instruction.has("arrive") =>
            {
                let count = entry.constant(count).as_integer().and_then(|count| u32::try_from(count).ok());
                self.barrier = self.barrier.max(count.filter(|count| *count <= MOST_THREADS).unwrap_or(0));
            }
            ("ld" | "st", &[first, second, ..]) if is_shared(instruction) => {
                let ty = instruction.modifiers().iter().rev().find_map(|word| Type::from_name(word));
                if self.element == 0 {
                    self.element = ty.map_or(0, |ty| ty.bytes().into());
                }
                let stores = instruction.opcode() == "st";
                let address = entry.address(if stores { first } else { second });
                let distance = address.and_then(|address| u64::try_from(address.offset).ok()).unwrap_or(0);
                if stores && distance > 0 && (self.step == 0 || distance < self.step) {
                    self.step = distance;
                }
            }
            _ => {}
        }
    }

    /// The names that the body uses and does not declare.
    pub fn names(&self) -> &[SmolStr] {
        &self.names
    }

    /// Whether the body is written for clusters of several blocks.
    pub fn uses_clusters(&self) -> bool {
        self.uses_clusters
    }

    /// The inferred block, if the body determines one. `bytes` returns the size of a shared array of the module.
    pub fn block(&self, bytes: &dyn Fn(&str) -> Option<u64>) -> Option<[u32; 3]> {
        let names = self.names.iter().filter_map(|name| bytes(name));
        let mut arrays = self.arrays.iter().copied().chain(names);
        let tile = if self.has_rows { arrays.find_map(|bytes| self.tile(bytes)) } else { None };
        let threads = tile.map_or(0, |[x, y]| x * y);
        match tile {
            Some([x, y]) if threads >= self.barrier => Some([x, y, 1]),
            _ if self.barrier > 0 => Some([self.barrier, 1, 1]),
            _ => None,
        }
    }

    /// The threads that cover an array which is square, or has one more element per row to avoid bank conflicts. A border
    /// belongs to no thread, so each side is a power of two. If a thread stores to several rows, there are fewer rows of
    /// threads.
    fn tile(&self, bytes: u64) -> Option<[u32; 2]> {
        let element = if self.element == 0 { ELEMENT } else { self.element };
        let elements = bytes / element;
        let side = elements.isqrt();
        let columns = if side * side == elements { side } else { side + 1 };
        if side < 2 || side * columns != elements {
            return None;
        }
        let threads = 1u64 << side.min(LONGEST_SIDE).ilog2();
        let row = columns * element;
        let rows = if self.step > 0 && self.step.is_multiple_of(row) { self.step / row } else { threads };
        Some([threads as u32, rows.min(threads) as u32])
    }
}

fn is_shared(instruction: Instruction<'_>) -> bool {
    ["shared", "shared::cta"].iter().any(|space| instruction.has(space))
}

pub(super) fn reads_row(function: &Function) -> bool {
    reads_axis(function, "%tid", Component::Y)
}

/// Whether a function reads a component of a special register.
pub(super) fn reads_axis(function: &Function, register: &str, axis: Component) -> bool {
    let reads = |operand: &Operand| {
        let Operand::Special { name, component: Some(component) } = *operand else { return false };
        let is_register =
            matches!(function.name(name).resolution, Resolution::Special(name) if name == register);
        is_register && component.element() == axis.element()
    };
    function.instructions().any(|instruction| instruction.operands().iter().any(reads))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(element: u64, step: u64, barrier: u32, arrays: &[u64]) -> Option<[u32; 3]> {
        let shape =
            Shape { has_rows: true, barrier, element, step, arrays: arrays.to_vec(), ..Shape::default() };
        shape.block(&|_| None)
    }

    #[test]
    fn tiles() {
        assert_eq!(block(4, 0, 0, &[1024]), Some([16, 16, 1]));
        assert_eq!(block(8, 0, 0, &[2048]), Some([16, 16, 1]));
        assert_eq!(block(0, 0, 0, &[32 * 33 * 4]), Some([32, 32, 1]));
        // Eight rows at a time, as transposes do.
        assert_eq!(block(4, 8 * 33 * 4, 0, &[32 * 33 * 4]), Some([32, 8, 1]));
        // A border around 16 by 16.
        assert_eq!(block(4, 0, 0, &[18 * 18 * 4]), Some([16, 16, 1]));
        assert_eq!(block(4, 0, 0, &[]), None);
        assert_eq!(block(4, 0, 0, &[4]), None);
        assert_eq!(block(4, 0, 0, &[12]), None);
        assert_eq!(block(4, 0, 0, &[128 * 128 * 4]), Some([32, 32, 1]));
    }

    #[test]
    fn barriers() {
        assert_eq!(block(4, 0, 64, &[]), Some([64, 1, 1]));
        assert_eq!(block(4, 0, 64, &[1024]), Some([16, 16, 1]));
        assert_eq!(block(4, 0, 512, &[1024]), Some([512, 1, 1]));
    }

    #[test]
    fn arrays_of_the_module() {
        let shape = Shape { has_rows: true, names: vec!["tile".into()], ..Shape::default() };
        assert_eq!(shape.block(&|name| (name == "tile").then_some(1024)), Some([16, 16, 1]));
        assert_eq!(Shape { has_rows: false, ..shape }.block(&|_| Some(1024)), None);
    }
}
