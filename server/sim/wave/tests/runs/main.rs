//! Runs WAVE kernels: the corpus, and random programs compared with the reference toolchain and with single
//! threads.

mod long;

mod corpus;
mod lane_independence;
mod oracle;
mod uniformity;
