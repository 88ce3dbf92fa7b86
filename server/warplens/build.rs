//! Link options of the program.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    // The tables of instructions hold 100,000 addresses. In a position-independent program the loader fills them in at each start,
    // which takes as long as a small command; with fixed addresses the linker does.
    let is = |name: &str, value: &str| std::env::var(name).is_ok_and(|found| found == value);
    if is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu") {
        println!("cargo:rustc-link-arg-bins=-no-pie");
    }
}
