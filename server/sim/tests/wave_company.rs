//! What a lane does must not depend on the lanes beside it: random programs with every shape of control flow, in one wide wave and
//! in waves of one lane each, where nothing can part. The reference emulator is no help here: it has `continue`, `break` inside an
//! `if` and `halt` under divergence wrong.

use std::fmt::Write;

use proptest::prelude::*;
use warplens_hir::wave as hir;
use warplens_sim::wave::{LaunchConfig, Program, decode, run};
use warplens_sim::{Checks, Control, RunOptions, RunResult, Status};
use warplens_syntax::ast::AstNode;
use warplens_syntax::wave::ast;
use warplens_syntax::{Language, parse_file};

#[derive(Clone, Debug)]
enum Statement {
    Plain(u8, u8),
    If(u8, Vec<Statement>, Option<Vec<Statement>>),
    Loop(u8, Vec<Statement>),
    /// `break` (or `continue`, where the flag is set) in lanes that a condition chooses.
    Leave(bool, u8),
    Call(usize),
    Return,
    Halt(u8),
}

/// `r0` is the thread, `r1` what it computes, `r2` is for conditions, `r4` on count trips.
struct Writer {
    out: String,
    loops: u8,
    function: usize,
}

const FUNCTIONS: usize = 3;

impl Writer {
    /// Makes `p0` true in lanes that differ from condition to condition and from trip to trip.
    fn condition(&mut self, salt: u8) {
        let (shift, bits) = (salt % 7, [1, 3, 7][usize::from(salt) % 3]);
        writeln!(self.out, "shr r2, r1, {shift}\nxor r2, r2, r0\nand r2, r2, {bits}\nicmp.eq p0, r2, 0")
            .expect("a string takes text");
    }

    fn line(&mut self, line: &str) {
        writeln!(self.out, "{line}").expect("a string takes text");
    }

    fn block(&mut self, statements: &[Statement]) {
        statements.iter().for_each(|statement| self.statement(statement));
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Plain(a, b) => self.line(&format!("imad r1, r1, {}, {}", 2 * u32::from(*a) + 1, b)),
            Statement::If(salt, then, otherwise) => {
                self.condition(*salt);
                self.line("if p0");
                self.block(then);
                if let Some(otherwise) = otherwise {
                    self.line("else");
                    self.block(otherwise);
                }
                self.line("endif");
            }
            Statement::Loop(trips, body) if self.loops < 3 => {
                let counter = 4 + 3 * self.function as u8 + self.loops;
                self.line(&format!("mov r{counter}, {trips}\nloop\nicmp.eq p0, r{counter}, 0\nbreak p0"));
                self.line(&format!("isub r{counter}, r{counter}, 1"));
                self.loops += 1;
                self.block(body);
                self.loops -= 1;
                self.line("endloop");
            }
            Statement::Loop(_, body) => self.block(body),
            Statement::Leave(..) if self.loops == 0 => {}
            Statement::Leave(again, salt) => {
                self.condition(*salt);
                self.line(if *again { "continue p0" } else { "break p0" });
            }
            Statement::Call(function) if *function >= self.function => {
                self.line(&format!("call f{function}"))
            }
            Statement::Call(_) => {}
            Statement::Return if self.function > 0 => self.line("return"),
            Statement::Return => {}
            Statement::Halt(salt) => {
                self.condition(*salt);
                self.line("if p0");
                self.line("shl r3, r0, 2\ndevice_store.u32 r1, r3\nhalt\nendif");
            }
        }
    }
}

fn text(kernel: &[Statement], functions: &[Vec<Statement>]) -> String {
    let mut writer =
        Writer { out: ".kernel k\nmov r0, sr_thread_id_x\nmov r1, r0\n".into(), loops: 0, function: 0 };
    writer.block(kernel);
    writer.line("shl r3, r0, 2\ndevice_store.u32 r1, r3\nhalt");
    for (number, function) in functions.iter().enumerate() {
        (writer.function, writer.loops) = (number + 1, 0);
        writer.line(&format!("f{number}: nop"));
        writer.block(function);
        writer.line("return");
    }
    writer.out + ".end\n"
}

fn block() -> impl Strategy<Value = Vec<Statement>> {
    let leaf = prop_oneof![
        6 => (any::<u8>(), any::<u8>()).prop_map(|(a, b)| Statement::Plain(a, b)),
        4 => (any::<bool>(), any::<u8>()).prop_map(|(again, salt)| Statement::Leave(again, salt)),
        1 => (0..FUNCTIONS).prop_map(Statement::Call),
        1 => Just(Statement::Return),
        1 => any::<u8>().prop_map(Statement::Halt),
    ];
    let statement = leaf.prop_recursive(6, 60, 5, |inner| {
        let block = prop::collection::vec(inner, 1..5);
        prop_oneof![
            (any::<u8>(), block.clone(), prop::option::of(block.clone()))
                .prop_map(|(salt, then, otherwise)| Statement::If(salt, then, otherwise)),
            (1u8..5, block).prop_map(|(trips, body)| Statement::Loop(trips, body)),
        ]
    });
    prop::collection::vec(statement, 1..8)
}

fn program(text: &str) -> Program {
    let file = parse_file(Language::Wave, text);
    let item = file.syntax().children().find_map(ast::Item::cast).expect("a kernel");
    decode(&hir::lower(&item))
}

fn simulate(program: &Program, threads: u32, width: u32) -> RunResult {
    let launch = LaunchConfig {
        memory: LaunchConfig::memory(256),
        ..LaunchConfig::new([1; 3], [threads, 1, 1], width)
    };
    let options = RunOptions { checks: Checks::ALL, ..RunOptions::default() };
    run(program, launch, &options, Control::none()).expect("nobody cancels")
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn lanes_do_the_same_alone(
        kernel in block(),
        functions in prop::collection::vec(block(), FUNCTIONS),
        threads in 1u32..=64,
    ) {
        let text = text(&kernel, &functions);
        let program = program(&text);
        let (together, alone) = (simulate(&program, threads, 64), simulate(&program, threads, 1));
        prop_assume!(alone.status == Status::Finished);
        prop_assert_eq!(together.status, Status::Finished, "{:?}\n{}", together.findings, text);
        prop_assert_eq!(together.memory.bytes(0, 256), alone.memory.bytes(0, 256), "{}", text);
        let errors = |result: &RunResult| result.findings.iter().filter(|finding| finding.code == "data-race").count();
        prop_assert_eq!(errors(&together), 0, "{}", text);
        // Words of structure are visited where lanes go on; all others by each lane as often as when it is alone.
        for (at, line) in together.summed.iter().enumerate() {
            let single = alone.summed.iter().find(|other| other.statement == line.statement);
            let lanes = single.map(|single| (single.active_lanes, single.executed_lanes));
            prop_assert_eq!(lanes, Some((line.active_lanes, line.executed_lanes)), "line {} of\n{}", at, text);
        }
    }
}
