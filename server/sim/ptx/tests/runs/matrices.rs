//! Matrices that pass through memory, fragments and products, compared with plain products.

use crate::common::Source;
use warplens_sim_cuda::launch_config::launch_config;
use warplens_sim_ptx::{Model, run};
use warplens_sim_warp::{Control, RunOptions, Status};

/// The type of the elements in memory.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Element {
    F16,
    Bf16,
    F32,
    F64,
    Signed(u32),
    Unsigned(u32),
}

impl Element {
    fn bits(self) -> u32 {
        match self {
            Element::F16 | Element::Bf16 => 16,
            Element::F32 => 32,
            Element::F64 => 64,
            Element::Signed(bits) | Element::Unsigned(bits) => bits,
        }
    }

    /// A small whole number, which every type represents exactly.
    fn encode(self, value: i64) -> u64 {
        match self {
            Element::F16 if value == 0 => 0,
            Element::F16 => {
                let exponent = value.unsigned_abs().ilog2();
                let fraction = (value.unsigned_abs() << 10 >> exponent) & 0x3ff;
                u64::from(value < 0) << 15 | u64::from(exponent + 15) << 10 | fraction
            }
            Element::Bf16 => u64::from((value as f32).to_bits() >> 16),
            Element::F32 => (value as f32).to_bits().into(),
            Element::F64 => (value as f64).to_bits(),
            Element::Signed(bits) | Element::Unsigned(bits) => value as u64 & (u64::MAX >> (64 - bits)),
        }
    }
}

/// A matrix in memory, row by row or column by column.
fn bytes(matrix: &[Vec<i64>], element: Element, by_rows: bool) -> Vec<u8> {
    let (rows, columns) = (matrix.len(), matrix[0].len());
    let count = rows * columns;
    let value = |number: usize| {
        if by_rows {
            matrix[number / columns][number % columns]
        } else {
            matrix[number % rows][number / rows]
        }
    };
    let bits = element.bits() as usize;
    let mut bytes = vec![0; (count * bits).div_ceil(8)];
    for number in 0..count {
        let encoded = element.encode(value(number));
        if bits < 8 {
            bytes[number * bits / 8] |= (encoded << (number * bits % 8)) as u8;
        } else {
            let at = number * bits / 8;
            bytes[at..at + bits / 8].copy_from_slice(&encoded.to_le_bytes()[..bits / 8]);
        }
    }
    bytes
}

fn numbers(rows: usize, columns: usize, least: i64, greatest: i64, seed: u64) -> Vec<Vec<i64>> {
    let mut state = seed;
    let mut next = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        least + (state >> 33) as i64 % (greatest - least + 1)
    };
    (0..rows).map(|_| (0..columns).map(|_| next()).collect()).collect()
}

/// Runs a kernel with four pointers; returns the contents of the last buffer.
fn launch(body: &str, buffers: [&[u8]; 3], out: usize) -> Vec<u8> {
    let text = format!(
        ".version 8.7\n.target sm_120a\n.address_size 64\n.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d)\n{{\n\
         .reg .b32 %r<90>; .reg .b64 %rd<60>; .reg .f32 %f<40>; .reg .f64 %fd<40>;\n\
         ld.param.u64 %rd50, [a]; ld.param.u64 %rd51, [b]; ld.param.u64 %rd52, [c]; ld.param.u64 %rd53, [d];\n{body}\nret;\n}}\n"
    );
    let program = Source::new(&text).program("k");
    let mut config = launch_config([1, 1, 1], [32, 1, 1]);
    for (name, buffer) in ["a", "b", "c"].into_iter().zip(buffers) {
        let at = config.memory.allocate(name, buffer.len() as u64).expect("space");
        config.memory.bytes_mut(at, buffer.len() as u64).expect("the buffer").copy_from_slice(buffer);
        config.params.extend(at.to_le_bytes());
    }
    let at = config.memory.allocate("d", out as u64).expect("space");
    config.params.extend(at.to_le_bytes());
    let result =
        run(&program, config, Model::Stack, &RunOptions::default(), Control::none()).expect("not cancelled");
    assert_eq!(result.status, Status::Finished, "{body}\n{:?}", result.findings);
    result.memory.bytes(at, out as u64).expect("the buffer").to_vec()
}

fn list(prefix: &str, first: usize, count: usize) -> String {
    let names: Vec<String> = (first..first + count).map(|number| format!("%{prefix}{number}")).collect();
    format!("{{{}}}", names.join(","))
}

struct Case {
    shape: (usize, usize, usize),
    ty: (&'static str, Element),
    sum: (&'static str, Element),
    /// Number of registers of A, B and C.
    registers: [usize; 3],
}

fn case(
    shape: (usize, usize, usize),
    ty: (&'static str, Element),
    sum: (&'static str, Element),
    registers: [usize; 3],
) -> Case {
    Case { shape, ty, sum, registers }
}

/// Checks `wmma` against the plain product, for all memory layouts.
fn wmma(case: &Case) {
    let ((m, n, k), (ty, element), (sum, sum_element)) = (case.shape, case.ty, case.sum);
    let least = if matches!(element, Element::Unsigned(_)) { 0 } else { -3 };
    let greatest = if element == Element::Unsigned(1) { 1 } else { 3 };
    let (a, b) = (numbers(m, k, least, greatest, 1), numbers(k, n, least, greatest, 2));
    let c = numbers(m, n, -40, 40, 3);
    let wanted: Vec<Vec<i64>> = (0..m)
        .map(|row| {
            (0..n)
                .map(|column| c[row][column] + (0..k).map(|k| a[row][k] * b[k][column]).sum::<i64>())
                .collect()
        })
        .collect();
    let small = element.bits() < 8;
    let layouts = [(true, false, true, true), (false, true, false, true), (true, true, true, false)];
    for (a_rows, b_rows, c_rows, d_rows) in layouts {
        let (a_rows, b_rows) = if small { (true, false) } else { (a_rows, b_rows) };
        let word = |rows: bool| if rows { "row" } else { "col" };
        let file = match element {
            Element::F64 => "fd",
            _ => "r",
        };
        let sum_file = match sum_element {
            Element::F64 => "fd",
            Element::F32 => "f",
            _ => "r",
        };
        let shape = format!("m{m}n{n}k{k}");
        let [ra, rb, rc] = case.registers;
        let (ra, rb) = (list(file, 0, ra), list(file, 16, rb));
        let (c_list, d_list) = (
            list(sum_file, if sum_file == "f" { 0 } else { 32 - 8 * usize::from(sum_file == "fd") }, rc),
            list(sum_file, if sum_file == "fd" { 32 } else { 8 + 32 * usize::from(sum_file == "r") }, rc),
        );
        let types = if ty == "f16" { format!("{sum}.{sum}") } else { format!("{sum}.{ty}.{ty}.{sum}") };
        let bit = if ty == "b1" { "and.popc." } else { "" };
        let (wa, wb, wc, wd) = (word(a_rows), word(b_rows), word(c_rows), word(d_rows));
        let body = format!(
            "wmma.load.a.sync.aligned.{wa}.{shape}.global.{ty} {ra}, [%rd50];\n\
             wmma.load.b.sync.aligned.{wb}.{shape}.{ty} {rb}, [%rd51], {};\n\
             wmma.load.c.sync.aligned.{wc}.{shape}.{sum} {c_list}, [%rd52];\n\
             wmma.mma.{bit}sync.aligned.{wa}.{wb}.{shape}.{types} {d_list}, {ra}, {rb}, {c_list};\n\
             wmma.store.d.sync.aligned.{wd}.{shape}.global.{sum} [%rd53], {d_list};",
            if b_rows { n } else { k }
        );
        let buffers =
            [bytes(&a, element, a_rows), bytes(&b, element, b_rows), bytes(&c, sum_element, c_rows)];
        let wanted = bytes(&wanted, sum_element, d_rows);
        let given = launch(&body, [&buffers[0], &buffers[1], &buffers[2]], wanted.len());
        assert_eq!(given, wanted, "{body}");
    }
}

#[test]
fn wmma_fragments_agree() {
    let (f16, bf16, tf32, f32, f64) = (
        ("f16", Element::F16),
        ("bf16", Element::Bf16),
        ("tf32", Element::F32),
        ("f32", Element::F32),
        ("f64", Element::F64),
    );
    let (s32, s8, u8) =
        (("s32", Element::Signed(32)), ("s8", Element::Signed(8)), ("u8", Element::Unsigned(8)));
    for case in [
        case((16, 16, 16), f16, f32, [8, 8, 8]),
        case((8, 32, 16), f16, f16, [8, 8, 4]),
        case((32, 8, 16), f16, f32, [8, 8, 8]),
        case((16, 16, 16), bf16, f32, [4, 4, 8]),
        case((8, 32, 16), bf16, f32, [2, 8, 8]),
        case((32, 8, 16), bf16, f32, [8, 2, 8]),
        case((16, 16, 8), tf32, f32, [4, 4, 8]),
        case((8, 8, 4), f64, f64, [1, 1, 2]),
        case((16, 16, 16), s8, s32, [2, 2, 8]),
        case((8, 32, 16), u8, s32, [1, 4, 8]),
        case((32, 8, 16), s8, s32, [4, 1, 8]),
        case((8, 8, 32), ("s4", Element::Signed(4)), s32, [1, 1, 2]),
        case((8, 8, 32), ("u4", Element::Unsigned(4)), s32, [1, 1, 2]),
        case((8, 8, 128), ("b1", Element::Unsigned(1)), s32, [1, 1, 2]),
    ] {
        wmma(&case);
    }
}

/// Copies the first 1 KiB at `a` to shared memory, one word per lane.
const TO_SHARED: &str = ".shared .align 16 .b8 tile[1024];\n.reg .pred %p<4>;\n\
    mov.u32 %r80, %laneid; mov.u32 %r81, tile; mul.lo.u32 %r82, %r80, 4; cvt.u64.u32 %rd40, %r82;\n\
    add.u64 %rd41, %rd50, %rd40; add.u32 %r83, %r81, %r82; mov.u32 %r84, 0;\nloop:\n\
    ld.global.b32 %r85, [%rd41]; st.shared.b32 [%r83], %r85;\n\
    add.u64 %rd41, %rd41, 128; add.u32 %r83, %r83, 128; add.u32 %r84, %r84, 1;\n\
    setp.lt.u32 %p1, %r84, 8;\n@%p1 bra loop;\nbar.warp.sync -1;\n";

/// Stores the registers of all lanes contiguously at `d`.
fn store_all(count: usize) -> String {
    let base = format!(
        "mul.lo.u32 %r86, %r80, {}; cvt.u64.u32 %rd42, %r86; add.u64 %rd43, %rd53, %rd42;\n",
        4 * count
    );
    (0..count).fold(base, |text, index| text + &format!("st.global.b32 [%rd43+{}], %r{index};\n", 4 * index))
}

#[test]
fn bytes_and_less_are_loaded_by_rows() {
    let memory: Vec<u8> = (0..1024u32).map(|at| (at * 37 + at / 16 * 5) as u8).collect();
    let row_address = "mul.lo.u32 %r60, %r80, 16; add.u32 %r61, %r81, %r60;\n";
    let load = |form: &str, count: usize| {
        let registers = list("r", 0, count);
        let body = format!(
            "{TO_SHARED}{row_address}ldmatrix.sync.aligned.{form} {registers}, [%r61];\n{}",
            store_all(count)
        );
        launch(&body, [&memory, &[0; 4], &[0; 4]], 32 * 4 * count)
    };
    // A lane's register holds four adjacent elements of its row.
    let fours = load("m8n16.x2.shared.b8x16.b4x16_p64", 2);
    let sixes = load("m8n16.x1.shared.b8x16.b6x16_p32", 1);
    for lane in 0..32 {
        for part in 0..4 {
            let column = 4 * (lane % 4) + part;
            for matrix in 0..2 {
                let row = 8 * matrix + lane / 4;
                let nibble = memory[16 * row + column / 2] >> (4 * (column % 2)) & 0xf;
                assert_eq!(fours[8 * lane + 4 * matrix + part], nibble);
            }
            let bits = (0..6).fold(0, |value, bit| {
                let at = 6 * column + bit;
                value | (memory[16 * (lane / 4) + at / 8] >> (at % 8) & 1) << bit
            });
            assert_eq!(sixes[4 * lane + part], bits);
        }
    }
    // Transposed, it holds four adjacent elements of a column. The second register is for the columns from the eighth on.
    let transposed = load("m16n16.x2.trans.shared.b8", 4);
    for lane in 0..32 {
        for register in 0..4 {
            for part in 0..4 {
                let row = 16 * (register / 2) + 4 * (lane % 4) + part;
                let column = lane / 4 + 8 * (register % 2);
                assert_eq!(transposed[16 * lane + 4 * register + part], memory[16 * row + column]);
            }
        }
    }
}

#[test]
fn a_stored_matrix_can_be_loaded() {
    let memory: Vec<u8> = (0..1024u32).map(|at| (at * 29 + 3) as u8).collect();
    let text = |load: &str, store: &str, count: usize| {
        let registers = list("r", 0, count);
        format!(
            "{TO_SHARED}mul.lo.u32 %r60, %r80, 16; add.u32 %r61, %r81, %r60;\n\
             ldmatrix.sync.aligned.{load} {registers}, [%r61];\nbar.warp.sync -1;\n\
             stmatrix.sync.aligned.{store} [%r61+512], {registers};\nbar.warp.sync -1;\n\
             ld.shared.v4.b32 {{%r0,%r1,%r2,%r3}}, [%r61+512];\n{}",
            store_all(4)
        )
    };
    for form in ["m8n8.x4.shared.b16", "m8n8.x4.trans.shared.b16"] {
        let body = text(form, form, 4);
        assert_eq!(launch(&body, [&memory, &[0; 4], &[0; 4]], 512), memory[..512], "{form}");
    }
}
