//! Tensor memory and its instructions (`tcgen05`).
//!
//! Layouts are data: [`shape`] has the cells of loads and stores, [`tensor_memory`](warplens_sim_cuda::tensor_memory) those of products.
//! Execution, hovers and documentation read the same tables. Products, copies and stores are operations of `async_ops`.

pub(crate) mod access;
pub(crate) mod address;
pub(crate) mod allocate;
pub(crate) mod complete;
pub(crate) mod copy;
pub(crate) mod execute;
pub(crate) mod loaded_registers;
pub(crate) mod multiply;
pub(crate) mod operation;
pub(crate) mod product;
pub mod shape;
