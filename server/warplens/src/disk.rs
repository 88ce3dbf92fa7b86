//! How the program reads, creates and replaces files. Everything else asks here, because a workspace may have prepared pipes, devices and
//! links at any path that the program uses.

mod attributes;
pub(crate) mod new_file;
pub(crate) mod read_file;
pub(crate) mod replace_file;
