//! What is right and could cost less: lints that teach, each with a rewrite that leaves the same behind in every lane.
//!
//! They are hints of one function and are found with its problems. What is looked for first is a shape of the text, which costs
//! a glance; only where one is found is it asked whether lanes part there at all: where they do not, nothing is said.

mod layout;
mod ptx;
mod wave;

pub(crate) use ptx::check as check_ptx;
pub(crate) use wave::check as check_wave;
