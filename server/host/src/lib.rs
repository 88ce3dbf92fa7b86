//! Inline PTX in host languages: finds the statements of a file, decodes their text, and maps it to the file.
//!
//! A host is a folder or file with a scanner, and a line in [`HOSTS`]. A scanner reads what it needs of its language: comments, literals,
//! brackets, and conditional compilation. What it cannot know, such as the argument of a macro, becomes a [hole](PieceKind::Hole).
//!
//! **Invariant:** no input panics, and the work is linear in the text. A file without a statement costs a byte search.

mod assembly;
mod c;
mod comments;
mod edit;
mod julia;
mod launches;
mod llvm;
mod mojo;
mod python;
mod registry;
mod replaced;
mod rust;
mod statement;
mod template;
mod text;
mod tokens;

pub use comments::Comment;
pub use launches::{HostLaunch, Number};
pub use registry::{HOSTS, Host, by_extension, by_id};
pub use replaced::Edit;
pub use statement::{Denial, Dialect, Direction, Operand, Pack, Place, Reading, Statement};
pub use template::{Piece, PieceKind, Template};
