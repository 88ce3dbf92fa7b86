//! Tables of messages.

/// A `match` whose arms are messages in the notation of `format!`.
macro_rules! message {
    (match $value:ident { $($pattern:pat => $text:literal $(, $argument:expr)*;)* }) => {
        match $value { $($pattern => format!($text $(, $argument)*),)* }
    };
}

pub(crate) use message;
