//! Tensor memory and its instructions (`tcgen05`).
//!
//! Layouts are data: [`shape`] has the cells of loads and stores, [`layout`](warplens_sim_cuda::tensor_memory::layout) the cells of products,
//! [`instruction_descriptor`] the fields of descriptors. Execution, hovers and documentation read the same tables. Products,
//! copies and stores are operations of `async_ops`.

pub(crate) mod access;
pub(crate) mod address;
pub(crate) mod allocate;
pub(crate) mod complete;
pub(crate) mod copy;
pub(crate) mod execute;
pub mod instruction_descriptor;
pub(crate) mod loaded_registers;
pub(crate) mod multiply;
pub(crate) mod operation;
pub(crate) mod product;
pub mod shape;
