//! Random kernels: one program of branches, loops, shared memory and barriers, written in three languages.
//!
//! Values are in five registers of each thread. A block has 40 threads, so that its second warp is not full.

use std::fmt::Write;

use fastrand::Rng;

const VALUES: usize = 5;
const MAX_NESTING: usize = 2;

/// A statement on the value registers `d`, `a` and `b`.
#[derive(Debug, Clone, Copy)]
enum Op {
    Constant {
        d: usize,
        value: u32,
    },
    Thread {
        d: usize,
    },
    Add {
        d: usize,
        a: usize,
        b: usize,
    },
    AddConstant {
        d: usize,
        a: usize,
        value: u32,
    },
    Xor {
        d: usize,
        a: usize,
        b: usize,
    },
    /// Shared memory at the word of the thread with some bits of its number flipped.
    Store {
        a: usize,
        flipped: u32,
    },
    Load {
        d: usize,
        flipped: u32,
    },
}

#[derive(Debug, Clone)]
enum Node {
    Op(Op),
    /// Lanes with this bit of a value take the first branch, the others the second.
    If(usize, u32, Vec<Node>, Vec<Node>),
    /// As many iterations as two bits of the thread's number tell, and one more.
    Loop(u32, Vec<Node>),
    Barrier,
}

/// A kernel in every language.
#[derive(Debug, Clone)]
pub struct RandomKernel(Vec<Node>);

impl RandomKernel {
    pub fn new(random: &mut Rng) -> RandomKernel {
        let start = (0..VALUES).map(|d| Node::Op(Op::Constant { d, value: random.u32(..100) }));
        let start: Vec<Node> = start.chain([Node::Op(Op::Thread { d: 1 })]).collect();
        let count = random.usize(4..10);
        let rest = nodes(random, count, 0);
        RandomKernel(start.into_iter().chain(rest).collect())
    }

    pub fn ptx(&self) -> String {
        let mut writer = Ptx::default();
        writer.nodes(&self.0, 0);
        format!(
            "\
.version 8.0
.target sm_80
.address_size 64
// @launch {{ name = 'random', grid = [2], block = [40], args = [{{ name = 'out', buffer = 'u32', len = 80 }}] }}
.visible .entry k(.param .u64 out)
{{
    .shared .align 4 .b32 tile[64];
    .reg .pred %p;
    .reg .b32 %v<{VALUES}>, %c<{MAX_NESTING}>, %t, %s, %a, %x;
    .reg .b64 %d<3>;
    mov.u32 %t, %tid.x;
    mov.u32 %s, tile;
{}    ld.param.u64 %d0, [out];
    mul.wide.u32 %d1, %t, 4;
    add.u64 %d2, %d0, %d1;
    st.global.u32 [%d2], %v0;
    ret;
}}
",
            writer.text
        )
    }

    pub fn wave(&self) -> String {
        let mut writer = Wave::default();
        writer.nodes(&self.0, 0);
        writer.with_number("shl", "r7", "r1", 2);
        format!(
            "\
; @launch {{ name = \"random\", grid = [2], block = [40], wave_width = 32, device_memory = 4096, args = [{{ name = \"out\", buffer = \"u32\", len = 80 }}] }}
.kernel random
.registers 16
.local_memory 256
    mov_sr r1, sr_thread_id_x
    mov_imm r11, 0
{}    iadd r7, r7, r0
    device_store.u32 r2, r7
    halt
.end
",
            writer.text
        )
    }

    /// A listing of `sm_75`, which reconverges at barriers, or of `sm_52`, which has a stack of tokens.
    pub fn sass(&self, has_barriers: bool) -> String {
        let mut listing = Listing { has_barriers, ..Listing::default() };
        listing.nodes(&self.0, 0);
        listing.finish()
    }
}

fn nodes(random: &mut Rng, count: usize, depth: usize) -> Vec<Node> {
    (0..count).map(|_| node(random, depth)).collect()
}

fn node(random: &mut Rng, depth: usize) -> Node {
    let (d, a, b) = (random.usize(..VALUES), random.usize(..VALUES), random.usize(..VALUES));
    let flipped = random.u32(..32);
    match random.u32(..14) {
        0 | 1 if depth < MAX_NESTING => {
            let (then, otherwise) = (random.usize(1..4), random.usize(0..3));
            Node::If(a, random.u32(..4), nodes(random, then, depth + 1), nodes(random, otherwise, depth + 1))
        }
        2 | 3 if depth < MAX_NESTING => {
            let count = random.usize(1..4);
            Node::Loop(random.u32(..4), nodes(random, count, depth + 1))
        }
        4 if depth == 0 => Node::Barrier,
        5 => Node::Op(Op::Constant { d, value: random.u32(..1000) }),
        6 => Node::Op(Op::Thread { d }),
        7 | 8 => Node::Op(Op::Add { d, a, b }),
        9 => Node::Op(Op::Xor { d, a, b }),
        10 | 11 => Node::Op(Op::Store { a, flipped }),
        12 => Node::Op(Op::Load { d, flipped }),
        _ => Node::Op(Op::AddConstant { d, a, value: random.u32(..100) }),
    }
}

#[derive(Default)]
struct Ptx {
    text: String,
    labels: u32,
}

impl Ptx {
    fn line(&mut self, line: &str) {
        writeln!(self.text, "    {line}").expect("memory");
    }

    fn nodes(&mut self, nodes: &[Node], depth: usize) {
        for node in nodes {
            self.labels += 1;
            let label = self.labels;
            match node {
                Node::Op(op) => self.op(*op),
                Node::Barrier => self.line("bar.sync 0;"),
                Node::If(a, bit, then, otherwise) => {
                    self.line(&format!("and.b32 %x, %v{a}, {};", 1 << bit));
                    self.line("setp.ne.u32 %p, %x, 0;");
                    self.line(&format!("@!%p bra ELSE_{label};"));
                    self.nodes(then, depth + 1);
                    self.line(&format!("bra END_{label};"));
                    self.line(&format!("ELSE_{label}:"));
                    self.nodes(otherwise, depth + 1);
                    self.line(&format!("END_{label}:"));
                }
                Node::Loop(bit, body) => {
                    self.line(&format!("shr.u32 %c{depth}, %t, {bit};"));
                    self.line(&format!("and.b32 %c{depth}, %c{depth}, 3;"));
                    self.line(&format!("TOP_{label}:"));
                    self.nodes(body, depth + 1);
                    self.line(&format!("setp.ne.u32 %p, %c{depth}, 0;"));
                    self.line(&format!("sub.u32 %c{depth}, %c{depth}, 1;"));
                    self.line(&format!("@%p bra TOP_{label};"));
                }
            }
        }
    }

    fn address(&mut self, flipped: u32) {
        self.line(&format!("xor.b32 %a, %t, {flipped};"));
        self.line("shl.b32 %a, %a, 2;");
        self.line("add.u32 %a, %a, %s;");
    }

    fn op(&mut self, op: Op) {
        let line = match op {
            Op::Constant { d, value } => format!("mov.u32 %v{d}, {value};"),
            Op::Thread { d } => format!("mov.u32 %v{d}, %t;"),
            Op::Add { d, a, b } => format!("add.u32 %v{d}, %v{a}, %v{b};"),
            Op::AddConstant { d, a, value } => format!("add.u32 %v{d}, %v{a}, {value};"),
            Op::Xor { d, a, b } => format!("xor.b32 %v{d}, %v{a}, %v{b};"),
            Op::Store { a, flipped } => {
                self.address(flipped);
                format!("st.shared.u32 [%a], %v{a};")
            }
            Op::Load { d, flipped } => {
                self.address(flipped);
                format!("ld.shared.u32 %v{d}, [%a];")
            }
        };
        self.line(&line);
    }
}

/// `r0` is the argument, `r1` the thread, then the values, an address, a temporary, a counter for each level, zero, and a constant,
/// because the toolchain takes numbers only in `mov_imm`.
#[derive(Default)]
struct Wave {
    text: String,
}

impl Wave {
    fn line(&mut self, line: impl AsRef<str>) {
        writeln!(self.text, "    {}", line.as_ref()).expect("memory");
    }

    /// `d = a op number`
    fn with_number(&mut self, op: &str, d: &str, a: &str, number: u32) {
        self.line(format!("mov_imm r12, {number}"));
        self.line(format!("{op} {d}, {a}, r12"));
    }

    fn nodes(&mut self, nodes: &[Node], depth: usize) {
        let counter = format!("r{}", 9 + depth);
        for node in nodes {
            match node {
                Node::Op(op) => self.op(*op),
                Node::Barrier => self.line("barrier"),
                Node::If(a, bit, then, otherwise) => {
                    self.with_number("and", "r8", &format!("r{}", 2 + a), 1 << bit);
                    self.line("icmp.ne p1, r8, r11");
                    self.line("if p1");
                    self.nodes(then, depth + 1);
                    if !otherwise.is_empty() {
                        self.line("else");
                        self.nodes(otherwise, depth + 1);
                    }
                    self.line("endif");
                }
                Node::Loop(bit, body) => {
                    self.with_number("shr", &counter, "r1", *bit);
                    self.with_number("and", &counter, &counter, 3);
                    self.line("loop");
                    self.nodes(body, depth + 1);
                    self.line(format!("icmp.eq p1, {counter}, r11"));
                    self.line("break p1");
                    self.with_number("isub", &counter, &counter, 1);
                    self.line("endloop");
                }
            }
        }
    }

    fn address(&mut self, flipped: u32) {
        self.with_number("xor", "r7", "r1", flipped);
        self.with_number("shl", "r7", "r7", 2);
    }

    fn op(&mut self, op: Op) {
        let value = |number: usize| format!("r{}", 2 + number);
        match op {
            Op::Constant { d, value: number } => self.line(format!("mov_imm {}, {number}", value(d))),
            Op::Thread { d } => self.line(format!("mov {}, r1", value(d))),
            Op::Add { d, a, b } => self.line(format!("iadd {}, {}, {}", value(d), value(a), value(b))),
            Op::AddConstant { d, a, value: number } => {
                self.with_number("iadd", &value(d), &value(a), number);
            }
            Op::Xor { d, a, b } => self.line(format!("xor {}, {}, {}", value(d), value(a), value(b))),
            Op::Store { a, flipped } => {
                self.address(flipped);
                self.line(format!("local_store.u32 {}, r7", value(a)));
            }
            Op::Load { d, flipped } => {
                self.address(flipped);
                self.line(format!("local_load.u32 {}, r7", value(d)));
            }
        }
    }
}

/// `R0` is the thread, then the values, an address, a temporary, and a counter for each level.
#[derive(Default)]
struct Listing {
    has_barriers: bool,
    /// Guards and instructions; a label in braces stands for its address.
    instructions: Vec<(&'static str, String)>,
    /// The instructions before which labels are.
    labels: Vec<usize>,
}

impl Listing {
    fn line(&mut self, line: String) {
        self.instructions.push(("", line));
    }

    fn label(&mut self) -> usize {
        self.labels.push(0);
        self.labels.len() - 1
    }

    fn place(&mut self, label: usize) {
        self.labels[label] = self.instructions.len();
    }

    /// Either of two ways to write a statement.
    fn either(&mut self, with_barriers: String, with_tokens: String) {
        let line = if self.has_barriers { with_barriers } else { with_tokens };
        self.line(line);
    }

    fn open(&mut self, depth: usize, end: usize) {
        self.either(format!("BSSY B{depth}, {{{end}}}"), format!("SSY {{{end}}}"));
    }

    fn close(&mut self, depth: usize) {
        self.either(format!("BSYNC B{depth}"), "SYNC".to_owned());
    }

    fn nodes(&mut self, nodes: &[Node], depth: usize) {
        for node in nodes {
            match node {
                Node::Op(op) => self.op(*op),
                Node::Barrier => self.line("BAR.SYNC 0x0".to_owned()),
                Node::If(a, bit, then, otherwise) => {
                    let (end, other, close) = (self.label(), self.label(), self.label());
                    self.and(7, 1 + a, 1 << bit);
                    self.line("ISETP.NE.AND P0, PT, R7, RZ, PT".to_owned());
                    self.open(depth, end);
                    self.instructions.push(("@!P0", format!("BRA {{{other}}}")));
                    self.nodes(then, depth + 1);
                    // Each path pops a token; at a barrier all lanes reconverge.
                    self.either(format!("BRA {{{close}}}"), "SYNC".to_owned());
                    self.place(other);
                    self.nodes(otherwise, depth + 1);
                    self.place(close);
                    self.close(depth);
                    self.place(end);
                }
                Node::Loop(bit, body) => {
                    let (end, top, counter) = (self.label(), self.label(), 8 + depth);
                    self.either(
                        format!("SHF.R.U32.HI R{counter}, RZ, {bit:#x}, R0"),
                        format!("SHR.U32 R{counter}, R0, {bit:#x}"),
                    );
                    self.and(counter, counter, 3);
                    self.open(depth, end);
                    self.place(top);
                    self.nodes(body, depth + 1);
                    self.line(format!("ISETP.NE.AND P0, PT, R{counter}, RZ, PT"));
                    self.either(
                        format!("IADD3 R{counter}, R{counter}, -0x1, RZ"),
                        format!("IADD32I R{counter}, R{counter}, -0x1"),
                    );
                    self.instructions.push(("@P0", format!("BRA {{{top}}}")));
                    self.close(depth);
                    self.place(end);
                }
            }
        }
    }

    fn and(&mut self, d: usize, a: usize, value: u32) {
        self.either(
            format!("LOP3.LUT R{d}, R{a}, {value:#x}, RZ, 0xc0, !PT"),
            format!("LOP32I.AND R{d}, R{a}, {value:#x}"),
        );
    }

    fn address(&mut self, flipped: u32) {
        self.either(
            format!("LOP3.LUT R6, R0, {flipped:#x}, RZ, 0x3c, !PT"),
            format!("LOP32I.XOR R6, R0, {flipped:#x}"),
        );
        self.either("SHF.L.U32 R6, R6, 0x2, RZ".to_owned(), "SHL R6, R6, 0x2".to_owned());
    }

    fn op(&mut self, op: Op) {
        let value = |number: usize| 1 + number;
        match op {
            Op::Constant { d, value: number } => self.line(format!("MOV R{}, {number:#x}", value(d))),
            Op::Thread { d } => self.line(format!("MOV R{}, R0", value(d))),
            Op::Add { d, a, b } => {
                let (d, a, b) = (value(d), value(a), value(b));
                self.either(format!("IADD3 R{d}, R{a}, R{b}, RZ"), format!("IADD R{d}, R{a}, R{b}"));
            }
            Op::AddConstant { d, a, value: number } => {
                let (d, a) = (value(d), value(a));
                self.either(
                    format!("IADD3 R{d}, R{a}, {number:#x}, RZ"),
                    format!("IADD32I R{d}, R{a}, {number:#x}"),
                );
            }
            Op::Xor { d, a, b } => {
                let (d, a, b) = (value(d), value(a), value(b));
                self.either(
                    format!("LOP3.LUT R{d}, R{a}, R{b}, RZ, 0x3c, !PT"),
                    format!("LOP.XOR R{d}, R{a}, R{b}"),
                );
            }
            Op::Store { a, flipped } => {
                self.address(flipped);
                self.line(format!("STS [R6], R{}", value(a)));
            }
            Op::Load { d, flipped } => {
                self.address(flipped);
                self.line(format!("LDS R{}, [R6]", value(d)));
            }
        }
    }

    fn finish(mut self) -> String {
        // Instructions of 8 bytes come in threes, after a control word.
        let (first, has_barriers) = (1, self.has_barriers);
        let address = |index: usize| match has_barriers {
            true => 16 * index,
            false => 8 * (index + index / 3 + 1),
        };
        self.instructions.insert(0, ("", "S2R R0, SR_TID.X".to_owned()));
        if has_barriers {
            self.line("MOV R10, 0x4".to_owned());
            self.line("IMAD.WIDE R10, R0, R10, c[0x0][0x160]".to_owned());
        } else {
            self.line("SHL R10, R0, 0x2".to_owned());
            self.line("IADD R10.CC, R10, c[0x0][0x140]".to_owned());
            self.line("IADD.X R11, RZ, c[0x0][0x144]".to_owned());
        }
        self.either("STG.E.SYS [R10], R1".to_owned(), "STG.E [R10], R1".to_owned());
        self.line("EXIT".to_owned());
        let (chip, kind) =
            if has_barriers { ("75", "VIRTUAL_SM(EF_CUDA_SM75)") } else { ("52", "PTX_SM(EF_CUDA_SM52)") };
        let launch = "// @launch { name = 'random', grid = [2], block = [40], args = [{ name = 'out', buffer = 'u32', len = 80 }] }";
        let mut text = format!(
            "{launch}\n\tcode for sm_{chip}\n\t\tFunction : k\n\t.headerflags\t@\"EF_CUDA_SM{chip} EF_CUDA_{kind}\"\n"
        );
        for (index, (guard, line)) in self.instructions.iter().enumerate() {
            let mut line = line.clone();
            if let Some((before, rest)) = line.split_once('{') {
                let (label, after) = rest.split_once('}').expect("a label");
                let target = self.labels[label.parse::<usize>().expect("a number")];
                line = format!("{before}{:#x}{after}", address(target + first));
            }
            writeln!(text, "        /*{:04x}*/ {guard:>6} {line} ;", address(index)).expect("memory");
        }
        text + "\t\t..........\n"
    }
}
