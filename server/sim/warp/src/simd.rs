//! The vector instructions of the machine that simulates.

use pulp::WithSimd;

/// Runs an operation that is compiled for the best vector instructions of this machine.
#[cfg(not(target_arch = "wasm32"))]
#[inline(always)]
pub fn vectorized<Op: WithSimd>(op: Op) -> Op::Output {
    pulp::Arch::new().dispatch(op)
}

/// Runs an operation that is compiled for the vector instructions of WebAssembly. A second variant would be loaded for nothing: a browser
/// without them refuses the module.
///
/// # Panics
///
/// If the module is built without `simd128`, which `.cargo/config.toml` sets.
#[cfg(target_arch = "wasm32")]
#[inline(always)]
pub fn vectorized<Op: WithSimd>(op: Op) -> Op::Output {
    let simd = pulp::wasm::Simd128::try_new().expect("the module is built with simd128");
    pulp::Simd::vectorize(simd, op)
}
