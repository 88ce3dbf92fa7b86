//! The checks that know PTX instructions: undefined values, from their origin to their use, and operands out of range.

pub(crate) mod bit_field;
mod bit_sources;
pub(crate) mod division;
mod exchange;
pub(crate) mod passing;
mod patterns;
pub(crate) mod preconditions;
mod propagation;
pub(crate) mod undefined;
pub(crate) mod undefined_access;
mod undefined_arithmetic;
mod undefined_bits;
mod undefined_choices;
mod undefined_products;
pub(crate) mod undefined_use;
pub(crate) mod values;

use warplens_sim_cuda::sanitizer::Sanitizer;
use warplens_sim_warp::trace::RunOptions;

use self::patterns::program_patterns;
use crate::program::Program;

/// The sanitizer of a run of the program, if the options require one.
pub(crate) fn sanitizer(
    program: &Program,
    [grid, block_size]: [[u32; 3]; 2],
    options: &RunOptions,
) -> Option<Box<Sanitizer>> {
    Sanitizer::required(options).then(|| {
        let patterns = program_patterns(program, Sanitizer::checks(options).races);
        Sanitizer::with_patterns(patterns, program.lockstep, [grid, block_size], options)
    })
}
