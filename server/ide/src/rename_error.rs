//! Why a rename is refused.

use thiserror::Error;

#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RenameError {
    #[error("the file is not open")]
    NotOpen,
    #[error("{0} is read-only: nothing can be renamed")]
    ReadOnly(&'static str),
    #[error("there is nothing to rename here")]
    Nothing,
    #[error("`{0}` is predefined and cannot be renamed")]
    Predefined(String),
    #[error("`{0}` is the number of an operand: rename the variable in the code around the statement")]
    Numbered(String),
    #[error(
        "other statements of inline PTX in this file have the name `{0}` too, perhaps for the same register"
    )]
    OtherStatement(String),
    #[error("`{0}` is declared nowhere in this file, so it cannot be renamed here")]
    Undeclared(String),
    /// The new name does not follow the syntax of names.
    #[error("`{name}` is not a valid name: names {rule}")]
    Invalid {
        name: String,
        /// The syntax of names, in words.
        rule: &'static str,
    },
    /// The new name already has a meaning in the language.
    #[error("`{name}` is {meaning}; choose another name")]
    Reserved { name: String, meaning: &'static str },
    #[error("this {scope} `{name}`")]
    Taken {
        /// The scope and its relation to the name, such as `module already declares`.
        scope: &'static str,
        name: String,
    },
    #[error("`{function}` declares a local `{name}`, which would hide the new name")]
    Hidden { function: String, name: String },
    /// The new name would hide a name of the module that the function uses.
    #[error("this function uses `{0}` of the module, which the new name would hide")]
    Hides(String),
    /// A list such as `L<5>` names labels by number. Renaming one of these labels would invalidate the list.
    #[error("a list names `{0}` by its number; expand the list before renaming")]
    InList(String),
    #[error("`{0}` is not a register")]
    NotRegister(String),
    /// The name of a register is predefined: the register can only be exchanged for another one.
    #[error(
        "`{name}` is a predefined {class}: it can only be exchanged for another one, such as `{example}`"
    )]
    OtherClass {
        name: String,
        class: &'static str,
        /// Another register of the class.
        example: &'static str,
    },
    #[error("this kernel has {count} {class}; `{name}` is not one of them")]
    NoRegister { count: u32, class: &'static str, name: String },
    /// The register belongs to a value that can only be renamed as a whole.
    #[error("`{name}` is part of a value in r{first} to r{last}, which cannot be renamed one by one")]
    PartOfValue { name: String, first: u32, last: u32 },
    #[error("`{0}` is read before this kernel writes it: the launch sets it by this name")]
    SetByLaunch(String),
    #[error("other kernels share `{0}` through calls, so it cannot be exchanged in this one only")]
    Shared(String),
}
