//! Files other than the open documents: source files, launch files, documentation pages, listings of machine code.

pub(crate) mod documentation_pages;
pub(crate) mod file_access;
mod file_names;
pub(crate) mod launch_files;
pub(crate) mod listing_cache;
pub(crate) mod source_files;
