//! Random kernels: straight-line code, branches and loops. Each register has a value before it is read, and no result is
//! unspecified.

mod statements;

use std::fmt::Write;

use fastrand::Rng;
use statements::{AT_TOP, FLOAT, FLOAT_PAIRS, Group, LONG, PAIRS, WORD};

/// The number of 32-bit and 64-bit registers that the statements of a kernel read and write.
pub(super) const WORDS: usize = 8;
pub(super) const LONGS: usize = 4;

/// How many of these registers, the last ones, start with the value of a scalar parameter. The values of the others
/// differ between threads.
pub(super) const UNIFORM_WORDS: usize = 3;
pub(super) const UNIFORM_LONGS: usize = 1;

pub(super) const THREADS: usize = 32;

/// The bytes of input, and of results, of a thread: a 32-bit element for each word, a 64-bit element for each long.
pub(super) const BYTES: usize = WORDS * 4 + LONGS * 8;

const COMPARISONS: [&str; 6] = ["eq", "ne", "lt", "le", "gt", "ge"];

/// Values at which instructions behave differently.
const EDGES: [i64; 12] = [0, 1, -1, 2, 31, 32, 63, 255, 0x7fff_ffff, -0x8000_0000, 0xffff, 0x5555_5555];

/// Further comparisons, for floating-point numbers only.
const UNORDERED: [&str; 8] = ["equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"];

const ROUNDING: [&str; 4] = ["rn", "rz", "rm", "rp"];

/// Values of type `f32` at which instructions behave differently: zeros, a subnormal number, the smallest normal number, the
/// limits of integers, the largest number, an infinity and a NaN.
const FLOAT_EDGES: [u32; 16] = [
    0,
    0x8000_0000,
    0x3f80_0000,
    0xbf80_0000,
    0x3f00_0000,
    0x4000_0000,
    0x0000_0001,
    0x807f_ffff,
    0x0080_0000,
    0x4b00_0001,
    0x4f00_0000,
    0xcf00_0000,
    0x7f7f_ffff,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0000,
];

/// What kernels consist of.
#[derive(Clone, Copy)]
pub(super) struct Style {
    /// Whether a kernel also has floating-point statements.
    pub(super) has_floats: bool,
    /// The number of statements and groups of statements, without branches. `None` means 8 to 39, with branches and
    /// loops that add more.
    pub(super) statements: Option<usize>,
}

pub(super) fn kernel(name: &str, style: Style, rng: &mut Rng) -> String {
    let mut body = Body {
        rng,
        has_floats: style.has_floats,
        text: String::new(),
        labels: 0,
        predicates: 0,
        counters: 0,
        last_word: 0,
        last_long: 0,
    };
    let (count, depth) = match style.statements {
        Some(count) => (count, 0),
        None => (body.rng.usize(8..40), body.rng.usize(0..3)),
    };
    body.statements(count, depth, true);
    let Body { text, predicates, counters, .. } = body;
    let mut kernel =
        format!(".visible .entry {name}(\n    .param .u64 {name}_out,\n    .param .u64 {name}_in");
    for index in 0..UNIFORM_WORDS {
        let _ = write!(kernel, ",\n    .param .u32 {name}_w{index}");
    }
    for index in 0..UNIFORM_LONGS {
        let _ = write!(kernel, ",\n    .param .u64 {name}_l{index}");
    }
    let _ = write!(
        kernel,
        "\n)\n{{\n    .reg .pred %p<{}>, %q;\n    .reg .b16 %h<4>;\n    .reg .b32 %r<{WORDS}>, %c<{}>, %t<4>;\n    \
         .reg .b64 %rd<{LONGS}>, %a<4>, %u<2>;\n    ld.param.u64 %a0, [{name}_out];\n    \
         ld.param.u64 %a1, [{name}_in];\n    mov.u32 %t0, %tid.x;\n    mul.wide.u32 %a2, %t0, {BYTES};\n    \
         add.s64 %a0, %a0, %a2;\n    add.s64 %a1, %a1, %a2;\n",
        predicates + 1,
        counters + 1,
    );
    for word in 0..WORDS {
        let _ = match word.checked_sub(WORDS - UNIFORM_WORDS) {
            Some(index) => writeln!(kernel, "    ld.param.u32 %r{word}, [{name}_w{index}];"),
            None => writeln!(kernel, "    ld.global.u32 %r{word}, [%a1+{}];", 4 * word),
        };
    }
    for long in 0..LONGS {
        let _ = match long.checked_sub(LONGS - UNIFORM_LONGS) {
            Some(index) => writeln!(kernel, "    ld.param.u64 %rd{long}, [{name}_l{index}];"),
            None => writeln!(kernel, "    ld.global.u64 %rd{long}, [%a1+{}];", 4 * WORDS + 8 * long),
        };
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
    has_floats: bool,
    text: String,
    labels: usize,
    predicates: usize,
    counters: usize,
    /// The registers that were chosen last.
    last_word: usize,
    last_long: usize,
}

impl Body<'_> {
    /// Adds statements. `is_top`: all threads reach them together.
    fn statements(&mut self, count: usize, depth: usize, is_top: bool) {
        for _ in 0..count {
            match self.rng.usize(..24) {
                0 | 1 if depth > 0 => self.branch(count / 3 + 1, depth - 1),
                2 if depth > 0 => self.iterate(count / 4 + 1, depth - 1),
                3 if is_top => self.of(AT_TOP),
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
        self.last_word = self.rng.usize(..WORDS);
        format!("%r{}", self.last_word)
    }

    /// A register other than the last one.
    fn other_word(&mut self) -> String {
        format!("%r{}", (self.last_word + self.rng.usize(1..WORDS)) % WORDS)
    }

    fn long(&mut self) -> String {
        self.last_long = self.rng.usize(..LONGS);
        format!("%rd{}", self.last_long)
    }

    fn other_long(&mut self) -> String {
        format!("%rd{}", (self.last_long + self.rng.usize(1..LONGS)) % LONGS)
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

    /// A register, or a floating-point constant in one of four cases.
    fn float_operand(&mut self) -> String {
        match self.rng.usize(..8) {
            0 => format!("0f{:08x}", FLOAT_EDGES[self.rng.usize(..FLOAT_EDGES.len())]),
            1 => format!("0f{:08x}", (self.rng.f32() * 64.0 - 32.0).to_bits()),
            _ => self.word(),
        }
    }

    /// Whether the next statement is a floating-point statement.
    fn is_float(&mut self) -> bool {
        self.has_floats && self.rng.bool()
    }

    /// A new predicate: a comparison, or a combination of two predicates.
    fn predicate(&mut self) -> String {
        if self.is_float() {
            return self.float_predicate();
        }
        self.predicates += 1;
        let (name, comparison) = (format!("%p{}", self.predicates), COMPARISONS[self.rng.usize(..6)]);
        let sign = if self.rng.bool() { "s" } else { "u" };
        let line = match self.rng.usize(..5) {
            0 => {
                let (one, other) = (self.long(), self.long_operand());
                format!("setp.{comparison}.{sign}64 {name}, {one}, {other};")
            }
            1 => {
                let (one, other) = (self.predicate(), self.predicate());
                let opcode = ["and", "or", "xor"][self.rng.usize(..3)];
                format!("{opcode}.pred {name}, {one}, {other};")
            }
            _ => {
                let (one, other) = (self.word(), self.operand());
                format!("setp.{comparison}.{sign}32 {name}, {one}, {other};")
            }
        };
        self.line(&line);
        name
    }

    fn float_predicate(&mut self) -> String {
        self.predicates += 1;
        let name = format!("%p{}", self.predicates);
        let choice = self.rng.usize(..COMPARISONS.len() + UNORDERED.len());
        let comparison = COMPARISONS.get(choice).unwrap_or_else(|| &UNORDERED[choice - COMPARISONS.len()]);
        let line = match self.rng.usize(..3) {
            0 => format!("setp.{comparison}.f64 {name}, {}, {};", self.long(), self.long()),
            _ => format!("setp.{comparison}.f32 {name}, {}, {};", self.word(), self.float_operand()),
        };
        self.line(&line);
        name
    }

    /// Adds a branch around statements, with or without an else part.
    fn branch(&mut self, count: usize, depth: usize) {
        self.labels += 1;
        let label = self.labels;
        let condition = self.predicate();
        let has_else = self.rng.bool();
        let negated = if self.rng.bool() { "!" } else { "" };
        let first = if has_else { "ELSE" } else { "END" };
        self.line(&format!("@{negated}{condition} bra {first}_{label};"));
        self.statements(count, depth, false);
        if has_else {
            self.line(&format!("bra END_{label};"));
            self.text += &format!("ELSE_{label}:\n");
            self.statements(count, depth, false);
        }
        self.text += &format!("END_{label}:\n");
    }

    /// Adds a loop of one to eight iterations, whose number may differ between lanes.
    fn iterate(&mut self, count: usize, depth: usize) {
        self.labels += 1;
        self.counters += 1;
        self.predicates += 1;
        let (label, counter, condition) = (self.labels, self.counters, self.predicates);
        let limit = self.word();
        self.line(&format!("and.b32 %c{counter}, {limit}, 7;"));
        self.text += &format!("LOOP_{label}:\n");
        self.statements(count, depth, false);
        self.line(&format!("sub.s32 %c{counter}, %c{counter}, 1;"));
        self.line(&format!("setp.ge.s32 %p{condition}, %c{counter}, 0;"));
        self.line(&format!("@%p{condition} bra LOOP_{label};"));
    }

    fn statement(&mut self) {
        if self.is_float() {
            let group = if self.rng.bool() { FLOAT } else { FLOAT_PAIRS };
            return self.of(group);
        }
        match self.rng.usize(..20) {
            0..10 => self.of(WORD),
            10..15 => self.of(LONG),
            15 | 16 => {
                let condition = self.predicate();
                let group = if self.rng.bool() { WORD } else { LONG };
                let line = self.statement_of(group);
                let negated = if self.rng.bool() { "!" } else { "" };
                self.line(&format!("@{negated}{condition} {line}"));
            }
            _ => self.of(PAIRS),
        }
    }

    fn of(&mut self, group: Group) {
        let line = self.statement_of(group);
        self.line(&line);
    }

    /// A random statement of a group.
    fn statement_of(&mut self, group: Group) -> String {
        let mut parts = group[self.rng.usize(..group.len())].split('$');
        let mut line = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let mark = part.chars().next().unwrap_or_default();
            line += &match mark {
                'w' => self.word(),
                'l' => self.long(),
                'o' => self.operand(),
                'm' => self.long_operand(),
                '5' => self.rng.usize(..32).to_string(),
                '6' => self.rng.usize(..64).to_string(),
                '8' => self.rng.u8(..).to_string(),
                'x' => format!("{:#x}", self.rng.u16(..)),
                's' => (if self.rng.bool() { "s" } else { "u" }).to_owned(),
                'c' => COMPARISONS[self.rng.usize(..COMPARISONS.len())].to_owned(),
                'p' => self.predicate(),
                'g' => self.other_word(),
                'k' => self.other_long(),
                'f' => self.float_operand(),
                'r' => ROUNDING[self.rng.usize(..ROUNDING.len())].to_owned(),
                'z' => (if self.rng.bool() { ".ftz" } else { "" }).to_owned(),
                other => unreachable!("unknown mark ${other}"),
            };
            line += &part[mark.len_utf8()..];
        }
        line
    }
}
