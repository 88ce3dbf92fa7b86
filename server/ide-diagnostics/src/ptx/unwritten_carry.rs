//! `unwritten-carry`: an instruction reads the carry, and none before it wrote it.

use rustc_hash::FxHashSet;
use warplens_hir::cfg::Cfg;
use warplens_hir::ptx::{Function, Instruction};
use warplens_ide_db::Problem;

use crate::codes;
use crate::ptx::unwritten_path::{GuardedWrite, UnwrittenPath};

/// Reports the first read of a carry that is not written: from the start of the function, and after each call.
pub(super) fn check(function: &Function, cfg: &Cfg, problems: &mut Vec<Problem>) {
    let reads_carry = |opcode: &str| matches!(opcode, "addc" | "subc" | "madc");
    if !function.mnemonics().iter().any(|mnemonic| reads_carry(&mnemonic.opcode)) {
        return;
    }
    let number = |found: Instruction<'_>| found.id().index() as u32;
    let reads = function.instructions().filter(|found| reads_carry(found.opcode())).map(number).collect();
    let writes = function.instructions().filter(|found| found.has("cc")).map(number).collect();
    let path = UnwrittenPath::new(function, cfg, writes, &reads, GuardedWrite::WritesIfItHolds);
    let mut reported = FxHashSet::default();
    if let Some(read) = path.first_read() {
        reported.insert(read.id().index());
        let message = format!(
            "`{}` reads the carry, but on some path to it no instruction writes it; add `.cc` to the addition, \
             subtraction or `mad` that produces it",
            read.mnemonic()
        );
        problems.push(Problem::warning(read.opcode_range(), codes::UNWRITTEN_CARRY, message));
    }
    for call in function.instructions().filter(|instruction| instruction.opcode() == "call") {
        let Some(read) = path.first_read_from(call.id().index() as u32 + 1) else { continue };
        if reported.insert(read.id().index()) {
            let message = format!(
                "`{}` reads the carry, which the call does not preserve; produce it again after the call, with `.cc`",
                read.mnemonic()
            );
            let problem = Problem::warning(read.opcode_range(), codes::UNWRITTEN_CARRY, message);
            problems.push(problem.with_related(call.opcode_range(), "the call"));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::ptx::flow::tests::found_in_body;

    const UNWRITTEN: &str = "reads the carry, but on some path to it no instruction writes it; add `.cc` to the addition, subtraction or `mad` that produces it";

    #[track_caller]
    fn check(statements: &str, expected: &[(&str, &str)]) {
        let shown = |(at, message): &(&str, &str)| {
            let opcode = message.split(['`', '.']).nth(1).unwrap();
            format!("{at}:`{opcode}` Warning unwritten-carry: {message}\n")
        };
        let found = found_in_body(statements);
        let found: String = found.split_inclusive('\n').filter(|line| !line.starts_with(' ')).collect();
        assert_eq!(found, expected.iter().map(shown).collect::<String>(), "{statements}");
    }

    #[test]
    fn carries_that_nothing_wrote() {
        let never = |mnemonic: &str| format!("`{mnemonic}` {UNWRITTEN}");
        check("add.u32 %r1, %r2, %r3;\naddc.u32 %r4, %r1, 0;\nret;", &[("4", &never("addc.u32"))]);
        check("sub.u32 %r1, %r2, %r3;\nsubc.cc.u32 %r4, %r1, 0;\nret;", &[("4", &never("subc.cc.u32"))]);
        check("madc.lo.u32 %r4, %r1, 5, 0;\nret;", &[("3", &never("madc.lo.u32"))]);
        // On one path.
        check(
            "@%p1 bra L;\nadd.cc.u32 %r1, %r2, %r3;\nL: addc.u32 %r4, %r1, 0;\nret;",
            &[("5", &never("addc.u32"))],
        );
        check(
            "L: addc.u32 %r4, %r1, 0;\nadd.cc.u32 %r1, %r2, %r3;\n@%p1 bra L;\nret;",
            &[("3", &never("addc.u32"))],
        );
        // In the lanes for which the guard does not hold.
        check("@%p1 add.cc.u32 %r1, %r2, %r3;\naddc.u32 %r4, %r1, 0;\nret;", &[("4", &never("addc.u32"))]);
        check(
            "@%p1 add.cc.u32 %r1, %r2, %r3;\n@%p2 addc.u32 %r4, %r1, 0;\nret;",
            &[("4", &never("addc.u32"))],
        );
        check(
            "add.cc.u32 %r1, %r2, %r3;\ncall f;\naddc.u32 %r4, %r1, 0;\nret;",
            &[(
                "5",
                "`addc.u32` reads the carry, which the call does not preserve; produce it again after the call, with `.cc`",
            )],
        );
    }

    #[test]
    fn carries_that_are_written() {
        for fine in [
            "add.cc.u32 %r1, %r2, %r3;\naddc.cc.u32 %r4, %r1, 0;\nsubc.u32 %r4, %r1, 0;\nret;",
            "mad.lo.cc.u32 %r1, %r2, %r3, %r4;\nmadc.hi.u32 %r4, %r1, %r2, 0;\nret;",
            "@%p1 bra L;\nadd.cc.u32 %r1, %r2, %r3;\nbra J;\nL: sub.cc.u32 %r1, %r2, %r3;\nJ: addc.u32 %r4, %r1, 0;\nret;",
            "@%p1 add.cc.u32 %r1, %r2, %r3;\n@%p1 addc.u32 %r4, %r1, 0;\nret;",
            "@%p1 add.cc.u32 %r1, %r2, %r3;\n@!%p1 sub.cc.u32 %r1, %r2, %r3;\naddc.u32 %r4, %r1, 0;\nret;",
            "@%p1 add.cc.u32 %r1, %r2, %r3;\n@%p2 sub.cc.u32 %r1, %r2, %r3;\naddc.u32 %r4, %r1, 0;\nret;",
            "add.cc.u32 %r1, %r2, %r3;\n@%p1 add.cc.u32 %r1, %r2, %r3;\naddc.u32 %r4, %r1, 0;\nret;",
            "@%p1 bra L;\nadd.cc.u32 %r1, %r2, %r3;\nL: @!%p1 addc.u32 %r4, %r1, 0;\nret;",
            "call f;\nadd.cc.u32 %r1, %r2, %r3;\naddc.u32 %r4, %r1, 0;\nret;",
        ] {
            check(fine, &[]);
        }
    }
}
