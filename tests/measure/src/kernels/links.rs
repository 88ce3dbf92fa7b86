//! The PTX line of each instruction, as `nvdisasm -gp` prints it and as a statement of a run has it.

use warplens_ide::lanes::Statement;

/// The start of a comment with the PTX line of the instructions after it.
const COMMENT: &str = "//## File \".nv_debug_ptx_txt\", line ";

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Link {
    address: u32,
    pub(super) line: u64,
}

/// The links in a listing with one function.
pub(super) fn of_listing(listing: &str) -> Vec<Link> {
    let mut line = None;
    let mut links = Vec::new();
    let code = listing.lines().skip_while(|line| !line.starts_with(".text."));
    for text in code.take_while(|line| !line.starts_with("//---")).map(str::trim_start) {
        if let Some(rest) = text.strip_prefix(COMMENT) {
            let digits = rest.split(|c: char| !c.is_ascii_digit()).next().expect("a line");
            line = Some(digits.parse().expect("a number"));
        } else if let Some((address, _)) = text.strip_prefix("/*").and_then(|rest| rest.split_once("*/")) {
            let address = u32::from_str_radix(address, 16).expect("an address");
            links.extend(line.map(|line| Link { address, line }));
        }
    }
    links
}

/// The link of a statement of a run.
pub(super) fn of_statement(statement: &Statement) -> Option<Link> {
    let (code, source) = (statement.code.as_ref()?, statement.source.as_ref()?);
    (source.line.file == "ptx").then_some(Link { address: code.address, line: source.line.line })
}
