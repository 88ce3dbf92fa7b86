//! Numbers as messages show them.

/// `-0x10`
pub(super) fn signed_hex(number: i64) -> String {
    let sign = if number < 0 { "-" } else { "" };
    format!("{sign}{:#x}", number.unsigned_abs())
}
