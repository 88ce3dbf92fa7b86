//! Declares a list of entry types. Each one is passed to `entry!`, which isa and the generator define differently.

macro_rules! entries {
    () => {};
    ($(#[$($attribute:tt)*])* pub struct $name:ident($part:ty); $($rest:tt)*) => {
        entry! { $(#[$($attribute)*])* pub struct $name($part); }
        entries! { $($rest)* }
    };
    ($(#[$($attribute:tt)*])* pub $kind:ident $name:ident { $($body:tt)* } data { $($data:tt)* } $($rest:tt)*) => {
        entry! { $(#[$($attribute)*])* pub $kind $name { $($body)* } data { $($data)* } }
        entries! { $($rest)* }
    };
    ($(#[$($attribute:tt)*])* pub $kind:ident $name:ident { $($body:tt)* } $($rest:tt)*) => {
        entry! { $(#[$($attribute)*])* pub $kind $name { $($body)* } }
        entries! { $($rest)* }
    };
}
