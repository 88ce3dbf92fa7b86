//! Random integer kernels: straight line, branches and loops. Each register has a value before it is read, no result is unspecified.

use std::fmt::Write;

use fastrand::Rng;

/// Registers of 32 and of 64 bits that the statements of a kernel read and write.
pub(super) const WORDS: usize = 8;
pub(super) const LONGS: usize = 4;

/// Threads of a launch.
pub(super) const THREADS: usize = 32;

/// Bytes of the results of a thread, and of its input: one 32-bit element of each word, one 64-bit element of each long.
pub(super) const BYTES: usize = WORDS * 4 + LONGS * 8;

/// Opcodes with two operands of 32 bits.
const BINARY: [&str; 24] = [
    "add.s32",
    "sub.s32",
    "mul.lo.s32",
    "mul.hi.s32",
    "mul.hi.u32",
    "min.s32",
    "min.u32",
    "max.s32",
    "max.u32",
    "and.b32",
    "or.b32",
    "xor.b32",
    "shl.b32",
    "shr.s32",
    "shr.u32",
    "mul24.lo.u32",
    "mul24.hi.s32",
    "add.u32",
    "sub.u32",
    "cnot.b32",
    "abs.s32",
    "neg.s32",
    "not.b32",
    "popc.b32",
];

/// Opcodes with two operands of 64 bits.
const LONG: [&str; 14] = [
    "add.s64",
    "sub.u64",
    "mul.lo.s64",
    "mul.hi.u64",
    "mul.hi.s64",
    "min.s64",
    "max.u64",
    "and.b64",
    "or.b64",
    "xor.b64",
    "not.b64",
    "neg.s64",
    "abs.s64",
    "max.s64",
];

const COMPARISONS: [&str; 6] = ["eq", "ne", "lt", "le", "gt", "ge"];

/// Values at which instructions behave in another way than elsewhere.
const EDGES: [i64; 12] = [0, 1, -1, 2, 31, 32, 63, 255, 0x7fff_ffff, -0x8000_0000, 0xffff, 0x5555_5555];

/// A kernel with a name.
pub(super) fn kernel(name: &str, rng: &mut Rng) -> String {
    let mut body = Body { rng, text: String::new(), labels: 0, predicates: 0, counters: 0 };
    let count = body.rng.usize(8..40);
    let depth = body.rng.usize(0..3);
    body.statements(count, depth);
    let Body { text, predicates, counters, .. } = body;
    let mut kernel = format!(
        ".visible .entry {name}(\n    .param .u64 {name}_out,\n    .param .u64 {name}_in\n)\n{{\n    \
         .reg .pred %p<{}>;\n    .reg .b32 %r<{WORDS}>, %c<{}>, %t<4>;\n    .reg .b64 %rd<{LONGS}>, %a<4>;\n    \
         ld.param.u64 %a0, [{name}_out];\n    ld.param.u64 %a1, [{name}_in];\n    mov.u32 %t0, %tid.x;\n    \
         mul.wide.u32 %a2, %t0, {BYTES};\n    add.s64 %a0, %a0, %a2;\n    add.s64 %a1, %a1, %a2;\n",
        predicates + 1,
        counters + 1,
    );
    for word in 0..WORDS {
        let _ = writeln!(kernel, "    ld.global.u32 %r{word}, [%a1+{}];", 4 * word);
    }
    for long in 0..LONGS {
        let _ = writeln!(kernel, "    ld.global.u64 %rd{long}, [%a1+{}];", 4 * WORDS + 8 * long);
    }
    kernel += &text;
    for word in 0..WORDS {
        let _ = writeln!(kernel, "    st.global.u32 [%a0+{}], %r{word};", 4 * word);
    }
    for long in 0..LONGS {
        let _ = writeln!(kernel, "    st.global.u64 [%a0+{}], %rd{long};", 4 * WORDS + 8 * long);
    }
    kernel + "    ret;\n}\n"
}

/// The statements between the loads and the stores.
struct Body<'r> {
    rng: &'r mut Rng,
    text: String,
    labels: usize,
    predicates: usize,
    counters: usize,
}

impl Body<'_> {
    fn statements(&mut self, count: usize, depth: usize) {
        for _ in 0..count {
            match self.rng.usize(..24) {
                0 | 1 if depth > 0 => self.branch(count / 3 + 1, depth - 1),
                2 if depth > 0 => self.iterate(count / 4 + 1, depth - 1),
                _ => self.statement(),
            }
        }
    }

    fn line(&mut self, line: &str) {
        self.text += "    ";
        self.text += line;
        self.text.push('\n');
    }

    fn word(&mut self) -> String {
        format!("%r{}", self.rng.usize(..WORDS))
    }

    fn long(&mut self) -> String {
        format!("%rd{}", self.rng.usize(..LONGS))
    }

    /// A register, or a constant in one of five cases.
    fn operand(&mut self) -> String {
        match self.rng.usize(..5) {
            0 => self.constant().to_string(),
            _ => self.word(),
        }
    }

    fn long_operand(&mut self) -> String {
        match self.rng.usize(..6) {
            0 => self.constant().to_string(),
            _ => self.long(),
        }
    }

    fn constant(&mut self) -> i64 {
        match self.rng.bool() {
            true => EDGES[self.rng.usize(..EDGES.len())],
            false => i64::from(self.rng.i32(-1000..1000)),
        }
    }

    fn predicate(&mut self) -> String {
        self.predicates += 1;
        let (name, comparison) = (format!("%p{}", self.predicates), COMPARISONS[self.rng.usize(..6)]);
        let line = match self.rng.usize(..4) {
            0 => {
                let (one, other) = (self.long(), self.long_operand());
                let ty = if self.rng.bool() { "s64" } else { "u64" };
                format!("setp.{comparison}.{ty} {name}, {one}, {other};")
            }
            _ => {
                let (one, other) = (self.word(), self.operand());
                let ty = if self.rng.bool() { "s32" } else { "u32" };
                format!("setp.{comparison}.{ty} {name}, {one}, {other};")
            }
        };
        self.line(&line);
        name
    }

    /// Statements for the lanes whose condition holds, others for the rest.
    fn branch(&mut self, count: usize, depth: usize) {
        self.labels += 1;
        let label = self.labels;
        let condition = self.predicate();
        let has_else = self.rng.bool();
        let negated = if self.rng.bool() { "!" } else { "" };
        let first = if has_else { "ELSE" } else { "END" };
        self.line(&format!("@{negated}{condition} bra {first}_{label};"));
        self.statements(count, depth);
        if has_else {
            self.line(&format!("bra END_{label};"));
            self.text += &format!("ELSE_{label}:\n");
            self.statements(count, depth);
        }
        self.text += &format!("END_{label}:\n");
    }

    /// One to eight iterations, whose number may depend on the lane.
    fn iterate(&mut self, count: usize, depth: usize) {
        self.labels += 1;
        self.counters += 1;
        self.predicates += 1;
        let (label, counter, condition) = (self.labels, self.counters, self.predicates);
        let limit = self.word();
        self.line(&format!("and.b32 %c{counter}, {limit}, 7;"));
        self.text += &format!("LOOP_{label}:\n");
        self.statements(count, depth);
        self.line(&format!("sub.s32 %c{counter}, %c{counter}, 1;"));
        self.line(&format!("setp.ge.s32 %p{condition}, %c{counter}, 0;"));
        self.line(&format!("@%p{condition} bra LOOP_{label};"));
    }

    fn statement(&mut self) {
        let line = match self.rng.usize(..20) {
            0..7 => self.binary(),
            7..11 => self.long_binary(),
            11 => {
                let condition = self.predicate();
                let line = self.binary();
                format!("@{condition} {line}")
            }
            12 => {
                let condition = self.predicate();
                let (to, one, other) = (self.word(), self.operand(), self.operand());
                format!("selp.b32 {to}, {one}, {other}, {condition};")
            }
            _ => self.other(),
        };
        self.line(&line);
    }

    fn binary(&mut self) -> String {
        let opcode = BINARY[self.rng.usize(..BINARY.len())];
        let (to, one, other) = (self.word(), self.word(), self.operand());
        match opcode {
            "cnot.b32" | "abs.s32" | "neg.s32" | "not.b32" | "popc.b32" => format!("{opcode} {to}, {one};"),
            _ => format!("{opcode} {to}, {one}, {other};"),
        }
    }

    fn long_binary(&mut self) -> String {
        let opcode = LONG[self.rng.usize(..LONG.len())];
        let (to, one, other) = (self.long(), self.long(), self.long_operand());
        match opcode {
            "not.b64" | "neg.s64" | "abs.s64" => format!("{opcode} {to}, {one};"),
            _ => format!("{opcode} {to}, {one}, {other};"),
        }
    }

    fn other(&mut self) -> String {
        let (to, one, two) = (self.word(), self.word(), self.operand());
        let (three, long, wide) = (self.word(), self.long(), self.long());
        let (small, size) = (self.rng.usize(..32), self.rng.usize(..32));
        match self.rng.usize(..21) {
            0 => format!("mad.lo.s32 {to}, {one}, {two}, {three};"),
            1 => format!("mad.hi.u32 {to}, {one}, {two}, {three};"),
            2 => format!("mul.wide.s32 {long}, {one}, {two};"),
            3 => format!("mad.wide.u32 {long}, {one}, {two}, {wide};"),
            4 => format!("lop3.b32 {to}, {one}, {two}, {three}, {};", self.rng.u8(..)),
            5 => format!("prmt.b32 {to}, {one}, {two}, {three};"),
            6 => format!("bfe.{}32 {to}, {one}, {small}, {size};", if self.rng.bool() { "s" } else { "u" }),
            7 => format!("bfi.b32 {to}, {one}, {two}, {small}, {size};"),
            8 => format!("clz.b32 {to}, {one};"),
            9 => format!("brev.b32 {to}, {one};"),
            10 => format!("bfind.u32 {to}, {one};"),
            11 => format!("shf.l.wrap.b32 {to}, {one}, {two}, {three};"),
            12 => format!("shf.r.clamp.b32 {to}, {one}, {two}, {three};"),
            13 => format!("sad.s32 {to}, {one}, {two}, {three};"),
            14 => format!("cvt.s64.s32 {long}, {one};"),
            15 => format!("cvt.u32.u64 {to}, {wide};"),
            16 => format!("shl.b64 {long}, {wide}, {};", 2 * small + size % 2),
            17 => format!("shr.{}64 {long}, {wide}, {};", if self.rng.bool() { "s" } else { "u" }, 2 * small),
            18 => format!("mov.b64 {long}, {{{one}, {three}}};"),
            19 => format!("cvt.s32.s8 {to}, {one};"),
            _ => format!("add.cc.u32 {to}, {one}, {two};\n    addc.u32 {three}, {three}, {two};"),
        }
    }
}
