//! Undefined values in the arguments and results of calls.

use warplens_sim_cuda::registers::{FULL, lanes};
use warplens_sim_cuda::sanitizer::Sanitizer;
use warplens_sim_cuda::sanitizer::undefined_use::UndefinedOrigin;
use warplens_sim_cuda::slot::{Formal, Passing, RegisterSlot};

use super::undefined::UndefinedValues;
use super::undefined_use::UndefinedBits;
use crate::program::Function;

pub(crate) struct PassingFrame<'f> {
    pub(crate) function: &'f Function,
    pub(crate) base: u32,
    pub(crate) undefined: &'f mut Option<Box<UndefinedValues>>,
}

/// Handles a call that is not simulated instruction by instruction: it writes its results to the frame's local memory.
pub(crate) fn write_results(sanitizer: &mut Sanitizer, warp: u32, base: u32, formals: &[Formal], mask: u32) {
    if !sanitizer.report.checks.uninitialized {
        return;
    }
    for formal in formals {
        if let Passing::Local(offset) = formal.at {
            sanitizer.block.local(warp).write((base + offset).into(), formal.size.into(), mask);
        }
    }
}

/// Copies values' undefined bytes from one frame to another at a call or return.
pub(crate) fn copy_values(
    sanitizer: &mut Sanitizer,
    warp: u32,
    (from, sources): (PassingFrame<'_>, &[Formal]),
    (mut to, targets): (PassingFrame<'_>, &[Formal]),
    mask: u32,
) {
    if !sanitizer.report.checks.uninitialized {
        return;
    }
    for (source, target) in sources.iter().zip(targets) {
        let size = u64::from(source.size.min(target.size));
        let at = |base: u32, offset: u32| u64::from(base + offset);
        let local = sanitizer.block.local(warp);
        match (source.at, target.at) {
            (Passing::Local(offset), Passing::Local(into)) => {
                local.copy(at(from.base, offset), at(to.base, into), size, mask);
            }
            (Passing::Local(offset), Passing::Register(place)) => {
                let start = at(from.base, offset);
                let undefined = |lane: usize| {
                    let bytes = (0..size.min(8)).filter(|byte| local.lanes(start + byte) >> lane & 1 == 0);
                    bytes.fold(0, |bits, byte| bits | 0xff << (8 * byte))
                };
                let origin = lanes(mask).find_map(|lane| local.origin(start..start + size, lane as u32));
                receive(&mut to, place, mask, &undefined, origin);
            }
            (Passing::Register(place), Passing::Local(into)) => {
                let values = Passed::new(&from, place);
                for byte in 0..size {
                    for lane in lanes(mask) {
                        let start = at(to.base, into) + byte;
                        match values.bits(lane) >> (8 * byte % 64) & 0xff {
                            0 => local.write(start, 1, 1 << lane),
                            _ => local.undefine(start, lane as u32, values.origin()),
                        }
                    }
                }
            }
            (Passing::Register(place), Passing::Register(into)) => {
                let values = Passed::new(&from, place);
                receive(&mut to, into, mask, &|lane| values.bits(lane), values.origin());
            }
            (_, Passing::Local(into)) => local.write(at(to.base, into), size, mask),
            _ => {}
        }
    }
}

struct Passed<'f> {
    undefined: Option<&'f UndefinedValues>,
    register: Option<u32>,
}

impl<'f> Passed<'f> {
    fn new(from: &'f PassingFrame<'_>, place: RegisterSlot) -> Passed<'f> {
        let undefined = from.undefined.as_deref().filter(|undefined| !undefined.is_empty());
        Passed { undefined, register: undefined.and_then(|_| register_at(from.function, place)) }
    }

    fn bits(&self, lane: usize) -> u64 {
        self.undefined.zip(self.register).map_or(0, |(undefined, register)| undefined.bits(register, lane))
    }

    fn origin(&self) -> Option<UndefinedOrigin> {
        self.undefined.zip(self.register).and_then(|(undefined, register)| undefined.origin(register))
    }
}

/// Sets these undefined bits in the register that receives the value.
fn receive(
    to: &mut PassingFrame<'_>,
    place: RegisterSlot,
    mask: u32,
    bits: &dyn Fn(usize) -> u64,
    origin: Option<UndefinedOrigin>,
) {
    let is_defined = lanes(mask).all(|lane| bits(lane) == 0);
    if is_defined && to.undefined.as_deref().is_none_or(UndefinedValues::is_empty) {
        return;
    }
    let Some(register) = register_at(to.function, place) else { return };
    let undefined = to.undefined.get_or_insert_with(|| Box::new(UndefinedValues::new(to.function)));
    undefined.grow(to.function);
    let bits = UndefinedBits { bits: std::array::from_fn(bits), copied: FULL };
    undefined.set_bits(register, mask, &bits, origin);
}

fn register_at(function: &Function, place: RegisterSlot) -> Option<u32> {
    let registers = &function.frame.registers;
    registers.iter().position(|register| register.place == place).map(|register| register as u32)
}
