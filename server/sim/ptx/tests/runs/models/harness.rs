//! Runs a statement on many inputs and compares the results with a model.

use warplens_sim_cuda::launch_config::launch_config;
use warplens_sim_ptx::{Model, run};
use warplens_sim_warp::{Control, RunOptions, Status};

use crate::common::Source;

/// Inputs of a statement: the initial value of `%rdN`, whose low bits are also in `%rN` and `%hN`.
pub(crate) type Inputs = [u64; 4];

/// Number of warps; each lane has its own inputs.
const WARPS: u32 = 24;

/// Bit patterns at which errors are likely.
const EDGES: [u64; 32] = [
    0,
    1,
    2,
    7,
    31,
    32,
    33,
    63,
    64,
    0x7f,
    0x80,
    0xff,
    0x7fff,
    0x8000,
    0xffff,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x3f80_0000,
    0xbf80_0001,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0001,
    0x0080_0000,
    0x007f_ffff,
    0x8000_0001,
    0x7c00_3c00,
    0xfc00_8001,
    0x7e01_0400,
    0x3ff0_0000_0000_0000,
    0x8000_0000_0000_0000,
    0xffff_ffff_ffff_ffff,
];

fn inputs(seed: u64) -> Vec<Inputs> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let mut value = || {
        let random = next();
        match next() % 8 {
            0..=1 => EDGES[(random % EDGES.len() as u64) as usize],
            2 => random & 0xff,
            3 => EDGES[(random % EDGES.len() as u64) as usize] ^ (random >> 32 & 3),
            // Halves and singles near one.
            4 => 0x3c00_3c00_3f80_3c00 ^ random & 0x83ff_83ff_807f_83ff,
            _ => random,
        }
    };
    (0..WARPS * 32).map(|_| std::array::from_fn(|_| value())).collect()
}

/// The registers that may hold a statement's result.
const RESULTS: [&str; 4] = ["%r30", "%rd15", "%h15", "%p9"];

/// Fails for each input with which `statements` leave a value other than `model`'s in `%r30`, `%rd15`, `%h15` or `%p9`.
pub(crate) fn holds(statements: &str, model: impl Fn(&Inputs) -> u64) {
    agrees(statements, |inputs, got| {
        let wanted = model(inputs);
        if got == wanted { Ok(()) } else { Err(format!("wanted {wanted:#x}")) }
    });
}

/// Like [`holds`], with a predicate instead of a value.
pub(crate) fn agrees(statements: &str, judge: impl Fn(&Inputs, u64) -> Result<(), String>) {
    let inputs = inputs(statements.len() as u64 + 11);
    let result = RESULTS.into_iter().rfind(|name| statements.contains(name)).expect("a result");
    let last = match result {
        "%r30" => "cvt.u64.u32 %rd15, %r30;",
        "%h15" => "cvt.u64.u16 %rd15, %h15;",
        "%p9" => "selp.u64 %rd15, 1, 0, %p9;",
        _ => "",
    };
    let loads: String = (1..=4)
        .map(|number| {
            format!(
                "ld.global.u64 %rd{number}, [%rd19+{}]; cvt.u32.u64 %r{number}, %rd{number}; cvt.u16.u64 %h{number}, %rd{number};\n\
                 mov.b32 %f{number}, %r{number}; mov.b64 %fd{number}, %rd{number}; and.b64 %rd14, %rd{number}, 1; setp.ne.u64 %p{number}, %rd14, 0;\n",
                8 * (number - 1)
            )
        })
        .collect();
    let text = format!(
        ".version 9.2\n.target sm_100a\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out)\n{{\n\
         .reg .pred %p<10>; .reg .b8 %c<10>; .reg .b16 %h<20>; .reg .b32 %r<40>; .reg .b64 %rd<20>; .reg .f32 %f<20>; .reg .f64 %fd<20>;\n\
         ld.param.u64 %rd19, [in]; ld.param.u64 %rd18, [out]; mov.u32 %r31, %ctaid.x; mov.u32 %r32, %tid.x; mad.lo.u32 %r33, %r31, 32, %r32;\n\
         mad.wide.u32 %rd19, %r33, 32, %rd19; mad.wide.u32 %rd18, %r33, 8, %rd18;\n{loads}{statements}\n{last}\nst.global.u64 [%rd18], %rd15;\nret;\n}}\n"
    );
    let program = Source::new(&text).program("k");
    let mut config = launch_config([WARPS, 1, 1], [32, 1, 1]);
    let bytes: Vec<u8> = inputs.iter().flatten().flat_map(|word| word.to_le_bytes()).collect();
    let from = config.memory.allocate("in", bytes.len() as u64).expect("space");
    config.memory.bytes_mut(from, bytes.len() as u64).expect("the buffer").copy_from_slice(&bytes);
    let size = 8 * inputs.len() as u64;
    let to = config.memory.allocate("out", size).expect("space");
    config.params = [from.to_le_bytes(), to.to_le_bytes()].concat();
    let result =
        run(&program, config, Model::Stack, &RunOptions::default(), Control::none()).expect("not cancelled");
    assert_eq!(result.status, Status::Finished, "{statements}: {:?}", result.findings);
    let given = result.memory.bytes(to, size).expect("the buffer");
    for (inputs, given) in inputs.iter().zip(given.chunks_exact(8)) {
        let got = u64::from_le_bytes(given.try_into().expect("eight bytes"));
        if let Err(mismatch) = judge(inputs, got) {
            let shown: Vec<String> = inputs.iter().map(|word| format!("{word:#x}")).collect();
            panic!("`{statements}` of {} gave {got:#x}: {mismatch}", shown.join(", "));
        }
    }
}
