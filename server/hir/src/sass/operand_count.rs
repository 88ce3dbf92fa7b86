//! How many operands an instruction has. The counts leave predicates out, because some are optional.

use text_size::TextRange;

use super::model::{Function, Instruction};
use super::operand::{Operand, Value};
use super::register::Register;

/// The least and the greatest number of operands other than predicates, with the destination.
const COUNTS: &[(usize, usize, &[&str])] = &[
    (
        2,
        2,
        &[
            "MOV", "MOV32I", "UMOV", "IABS", "BREV", "UBREV", "FLO", "UFLO", "UPOPC", "I2F", "I2FP", "F2I",
            "F2F", "FRND", "I2I", "MUFU", "RRO", "ISETP", "UISETP", "FSETP", "UFSETP", "DSETP", "FCHK",
        ],
    ),
    // Before Volta, `POPC` has two sources.
    (2, 3, &["POPC"]),
    (
        3,
        3,
        &[
            "IADD", "IADD32I", "VIADD", "UIADD", "UVIADD", "IMUL", "IMUL32I", "SEL", "USEL", "SHL", "SHR",
            "LOP", "LOP32I", "IMNMX", "VIMNMX", "ISET", "SGXT", "USGXT", "BMSK", "UBMSK", "BFE", "FADD",
            "FADD32I", "UFADD", "FMUL", "FMUL32I", "UFMUL", "FMNMX", "FSEL", "UFSEL", "FSET", "DADD", "DMUL",
            "DMNMX", "DSET",
        ],
    ),
    (
        4,
        4,
        &[
            "IADD3",
            "UIADD3",
            "IMAD",
            "UIMAD",
            "XMAD",
            "ISCADD",
            "ISCADD32I",
            "SHF",
            "USHF",
            "PRMT",
            "UPRMT",
            "BFI",
            "ICMP",
            "FCMP",
            "IDP",
            "FFMA",
            "FFMA32I",
            "UFFMA",
            "DFMA",
            "FMNMX3",
            "VIMNMX3",
            "VIADDMNMX",
        ],
    ),
    // The shift and the upper word are optional.
    (3, 5, &["LEA", "ULEA"]),
    (5, 5, &["LOP3", "ULOP3"]),
];

/// Opcodes that choose by a predicate.
const CHOOSE: &[&str] = &["SEL", "USEL", "FSEL", "UFSEL", "IMNMX", "VIMNMX", "FMNMX", "DMNMX"];
/// Opcodes whose first operand is the predicate that they set.
const SET_PREDICATES: &[&str] = &["ISETP", "UISETP", "FSETP", "UFSETP", "DSETP", "FCHK"];
/// Opcodes with an optional mask of bytes at the end.
const MASKED: &[&str] = &["MOV", "MOV32I", "UMOV"];

impl Function {
    /// Where and why no machine code has the operands of an instruction or its guard: one is missing or too many, or a
    /// register stands where a predicate belongs. `None` for opcodes whose operands are not counted.
    pub fn misstated_operand(&self, instruction: &Instruction) -> Option<(TextRange, String)> {
        let opcode = instruction.opcode.as_str();
        if let Some(guard) = instruction.guard.filter(|guard| !guard.register.is_predicate()) {
            return Some((guard.range, format!("a guard is a predicate, and `{}` is none", guard.register)));
        }
        let operands = self.operands(instruction);
        if let Some(cut) = operands.last().filter(|operand| operand.range.is_empty()) {
            let why = "no operand follows the comma: write all operands of an instruction on its line";
            return Some((cut.range, why.to_owned()));
        }
        let is_predicate = |operand: &Operand| operand.register().is_some_and(Register::is_predicate);
        let first = operands.first()?;
        if SET_PREDICATES.contains(&opcode) && !is_predicate(first) {
            return Some((first.range, format!("`{opcode}` writes a predicate, and this is none")));
        }
        let mut counted: Vec<&Operand> = operands.iter().filter(|operand| !is_predicate(operand)).collect();
        if CHOOSE.contains(&opcode) && counted.len() == operands.len() {
            let why = format!("`{opcode}` chooses by a predicate, and there is none");
            return Some((instruction.opcode_range, why));
        }
        if let [_, _, mask] = counted[..]
            && MASKED.contains(&opcode)
            && matches!(mask.value, Value::Immediate(_))
        {
            counted.pop();
        }
        let (least, most, _) = COUNTS.iter().find(|(_, _, opcodes)| opcodes.contains(&opcode))?;
        let count = counted.len();
        let limits = if least == most { most.to_string() } else { format!("{least} to {most}") };
        let why = |range: TextRange| {
            (range, format!("`{opcode}` has {limits} operands other than predicates, and here are {count}"))
        };
        match count {
            _ if count < *least => Some(why(instruction.opcode_range)),
            _ if count > *most => Some(why(counted[*most].range)),
            _ => None,
        }
    }
}
