//! Tables of messages, and phrases for the messages of both languages.

/// A `match` whose arms are messages in the notation of `format!`.
macro_rules! message {
    (match $value:ident { $($pattern:pat => $text:literal $(, $argument:expr)*;)* }) => {
        match $value { $($pattern => format!($text $(, $argument)*),)* }
    };
}

pub(crate) use message;

/// A number of operands: `1 to 3 operands`.
pub(crate) fn operand_count(least: usize, most: usize) -> String {
    match (least, most) {
        (0, 0) => "no operands".to_owned(),
        (1, 1) => "one operand".to_owned(),
        (least, most) if least == most => format!("{least} operands"),
        (least, most) => format!("{least} to {most} operands"),
    }
}
