//! Prints the JSON schema of launch files, for `cargo xtask codegen`.

#![allow(clippy::print_stdout)] // it is its only output

fn main() {
    println!("{:#}", warplens_sim::launch::schema());
}
