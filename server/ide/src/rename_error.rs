//! Why a rename is refused.

use thiserror::Error;

/// Why nothing can be renamed at an offset, or not to a name.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RenameError {
    /// The file is not open.
    #[error("the file is not open")]
    NotOpen,
    /// Files of the language are not edited.
    #[error("{0} is read-only: nothing can be renamed")]
    ReadOnly(&'static str),
    /// No name is at the offset.
    #[error("there is nothing to rename here")]
    Nothing,
    /// The name belongs to the language.
    #[error("`{0}` is predefined and cannot be renamed")]
    Predefined(String),
    /// The file does not declare the name.
    #[error("`{0}` is declared nowhere in this file, so it cannot be renamed here")]
    Undeclared(String),
    /// The new name is not a name of the language.
    #[error("`{name}` is not a valid name: names {rule}")]
    Invalid {
        /// The new name.
        name: String,
        /// The letters that a name has.
        rule: &'static str,
    },
    /// The new name has a meaning in the language.
    #[error("`{name}` is {meaning}; choose another name")]
    Reserved {
        /// The new name.
        name: String,
        /// Its meaning.
        meaning: &'static str,
    },
    /// The new name is used already.
    #[error("this {scope} `{name}`")]
    Taken {
        /// The scope and its relation to the name, such as `module already declares`.
        scope: &'static str,
        /// The new name.
        name: String,
    },
    /// A local name would hide the new one.
    #[error("`{function}` declares a local `{name}`, which would hide the new name")]
    Hidden {
        /// The function that declares the local name.
        function: String,
        /// The new name.
        name: String,
    },
    /// The new name would hide a used one.
    #[error("this function uses `{0}` of the module, which the new name would hide")]
    Hides(String),
    /// A list such as `L<5>` names labels by number; renaming one of them would invalidate the list.
    #[error("a list names `{0}` by its number; expand the list before renaming")]
    InList(String),
    /// The name is not one of a register.
    #[error("`{0}` is not a register")]
    NotRegister(String),
    /// A predefined register cannot get a new name, only be exchanged.
    #[error(
        "`{name}` is a predefined {class}: it can only be exchanged for another one, such as `{example}`"
    )]
    OtherClass {
        /// The register.
        name: String,
        /// Its class.
        class: &'static str,
        /// Another register of the class.
        example: &'static str,
    },
    /// The register does not exist.
    #[error("this kernel has {count} {class}; `{name}` is not one of them")]
    NoRegister {
        /// The number of registers of the class.
        count: u32,
        /// The class.
        class: &'static str,
        /// The new name.
        name: String,
    },
    /// The register belongs to a value that is renamed as a whole.
    #[error("`{name}` is part of a value in r{first} to r{last}, which cannot be renamed one by one")]
    PartOfValue {
        /// The register.
        name: String,
        /// The first register of the value.
        first: u32,
        /// The last register of the value.
        last: u32,
    },
    /// The launch sets the register.
    #[error("`{0}` is read before this kernel writes it: the launch sets it by this name")]
    SetByLaunch(String),
    /// Code in other kernels uses the register.
    #[error("other kernels share `{0}` through calls, so it cannot be exchanged in this one only")]
    Shared(String),
}
