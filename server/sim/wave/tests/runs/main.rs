//! WAVE kernels, run: the corpus, random programs against the reference toolchain and against single threads.

mod long;

mod corpus;
mod lane_independence;
mod oracle;
mod uniformity;
