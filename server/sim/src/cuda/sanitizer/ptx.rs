//! The checks that know the instructions of PTX: undefined values, from their origin to their use, and operands that are out of
//! range.

mod bit_field;
mod division;
mod exchange;
pub(crate) mod passing;
mod patterns;
mod propagation;
pub(crate) mod undefined;
pub(crate) mod undefined_access;
mod undefined_bits;
pub(crate) mod undefined_use;
mod values;

use super::Sanitizer;
use super::patterns::ProgramPatterns;
use crate::ptx::program::Program;
use crate::trace::RunOptions;

impl Sanitizer {
    /// A sanitizer, if the options require one.
    pub(crate) fn new(
        program: &Program,
        [grid, block_size]: [[u32; 3]; 2],
        options: &RunOptions,
    ) -> Option<Box<Sanitizer>> {
        Sanitizer::required(options).then(|| {
            Sanitizer::with_patterns(
                ProgramPatterns::new(program),
                program.lockstep,
                [grid, block_size],
                options,
            )
        })
    }
}
