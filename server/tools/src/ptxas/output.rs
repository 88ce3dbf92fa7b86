//! Parses the output of ptxas: messages with lines, and the resources of kernels.

use serde::Serialize;
use warplens_ide::Severity;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Counted from zero; `None` for a message about the whole file or the command line.
    pub line: Option<usize>,
    pub severity: Severity,
    pub text: String,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Resources {
    pub entry: String,
    pub registers: u32,
    /// Bytes of spill stores and loads.
    pub spills: u32,
    /// In bytes.
    pub shared: u32,
    /// In bytes.
    pub stack: u32,
}

impl Resources {
    pub fn title(&self) -> String {
        let Resources { registers, spills, shared, stack, .. } = self;
        let spills = if *spills == 0 { "0 spills".to_owned() } else { format!("{spills} B spills") };
        format!("{registers} registers, {spills}, {shared} B shared, {stack} B stack")
    }
}

/// The errors and warnings. `file` is the path that they name.
pub fn messages(output: &str, file: &str) -> Vec<Message> {
    let location = format!(" {file}, line ");
    output.lines().filter_map(|line| message(line, &location)).collect()
}

fn message(line: &str, location: &str) -> Option<Message> {
    let (at, rest) = match line.split_once(location) {
        Some((_, rest)) => {
            let (number, rest) = rest.split_once(';')?;
            (Some(number.parse::<usize>().ok()?.checked_sub(1)?), rest.trim_start())
        }
        // The first word is the name of the program.
        None => (None, line.split_once(' ')?.1),
    };
    let (severity, text) = rest.split_once(':')?;
    let severity = match severity.trim() {
        "error" | "fatal" => Severity::Error,
        "warning" => Severity::Warning,
        _ => return None,
    };
    let text = text.trim();
    (text != "Ptx assembly aborted due to errors").then(|| Message { line: at, severity, text: text.into() })
}

/// The resources of each kernel, in the order of the output.
pub fn resources(output: &str) -> Vec<Resources> {
    let mut found: Vec<Resources> = Vec::new();
    for line in output.lines() {
        if let Some((_, rest)) = line.split_once("Compiling entry function '") {
            let entry = rest.split('\'').next().unwrap_or_default().to_owned();
            found.push(Resources { entry, ..Resources::default() });
        }
        let Some(kernel) = found.last_mut() else { continue };
        for part in line.split(',').filter_map(amount) {
            match part {
                (number, "bytes stack frame") => kernel.stack = number,
                (number, "bytes spill stores" | "bytes spill loads") => kernel.spills += number,
                (number, "registers") => kernel.registers = number,
                (number, "bytes smem") => kernel.shared = number,
                _ => {}
            }
        }
    }
    found
}

/// Parses a number and its unit: `48 bytes smem`, `… : Used 8 registers`.
fn amount(part: &str) -> Option<(u32, &str)> {
    let part = part.rsplit("Used ").next().unwrap_or(part).trim();
    let (number, what) = part.split_once(' ')?;
    Some((number.parse().ok()?, what))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_with_and_without_a_line() {
        let output = "\
ptxas-13 a, b/k.ptx, line 7; error   : Arguments mismatch for instruction 'add'
ptxas a, b/k.ptx, line 9; warning : unusual
ptxas fatal   : Value 'compute_50' is not defined for option 'gpu-name'
ptxas info    : 0 bytes gmem
ptxas fatal   : Ptx assembly aborted due to errors
";
        let found = messages(output, "a, b/k.ptx");
        let shown: Vec<_> = found.iter().map(|found| (found.line, found.text.as_str())).collect();
        assert_eq!(
            shown,
            [
                (Some(6), "Arguments mismatch for instruction 'add'"),
                (Some(8), "unusual"),
                (None, "Value 'compute_50' is not defined for option 'gpu-name'"),
            ]
        );
    }

    #[test]
    fn resources_of_kernels() {
        let output = "\
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'k' for 'sm_80'
ptxas info    : Function properties for k
    16 bytes stack frame, 4 bytes spill stores, 8 bytes spill loads
ptxas info    : Used 32 registers, used 1 barriers, 48 bytes smem, 360 bytes cmem[0]
ptxas info    : Compiling entry function 'm' for 'sm_80'
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 4 registers, 352 bytes cmem[0]
";
        let titles: Vec<_> =
            resources(output).iter().map(|kernel| (kernel.entry.clone(), kernel.title())).collect();
        let expected = [
            ("k".to_owned(), "32 registers, 12 B spills, 48 B shared, 16 B stack".to_owned()),
            ("m".to_owned(), "4 registers, 0 spills, 0 B shared, 0 B stack".to_owned()),
        ];
        assert_eq!(titles, expected);
    }
}
