//! Programs with misplaced tokens decode to an error or run, but nothing panics.

use std::sync::LazyLock;

use crate::common::{Source, kernel};
use proptest::prelude::*;
use proptest::sample::Index;
use warplens_sim_cuda::launch_config::launch_config;
use warplens_sim_ptx::{Model, run};
use warplens_sim_warp::{Control, Limits, RunOptions};
use warplens_test_support::shared_if_present;

/// A kernel with instructions of every family, in case the corpora are missing.
const OWN: &str = "ld.param.u64 %rd1, [out];
mov.u32 %r1, %tid.x;
mad.wide.u32 %rd2, %r1, 4, %rd1;
setp.lt.and.s32 %p1|%p2, %r1, 7, !%p3;
@%p1 add.cc.u32 %r2, %r1, 0xffffffff;
addc.u32 %r3, %r2, 1;
shfl.sync.bfly.b32 %r4|%p4, %r1, 3, 0x1f, 0xffffffff;
cvt.rn.f32.s32 %f1, %r4;
fma.rz.ftz.f32 %f2, %f1, 0f3F800000, %f1;
div.rn.f64 %fd1, %fd2, 0d4000000000000000;
mov.b64 {%r5, _}, %rd2;
bfi.b32 %r6, %r5, %r1, 3, 40;
atom.global.cas.b32 %r7, [%rd1], %r6, 1;
st.global.v2.u32 [%rd1+8], {%r1, %r7};
prmt.b32.f4e %r8, %r1, %r2, 0x3210;
vadd.s32.u32.u32.sat %r9, %r1.b0, %r2.h1;
bar.sync 0;
LOOP:
sub.u32 %r1, %r1, 1;
setp.gt.s32 %p5, %r1, 0;
@%p5 bra LOOP;
T: .branchtargets LOOP, END;
brx.idx %r1, T;
END:
ret;";

static TEXTS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let mut texts = vec![kernel(OWN)];
    let folders = ["corpus/ptx-exec/kernels", "corpus/ptx-exec/public", "corpus/ptx-exec/ops"];
    for folder in folders.into_iter().filter_map(shared_if_present) {
        let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
        texts.extend(entries.filter_map(|entry| std::fs::read_to_string(entry.path()).ok()));
    }
    texts.sort();
    texts
});

/// Splits a text into pieces whose concatenation is the text.
fn tokens(text: &str) -> Vec<&str> {
    text.split_inclusive(|c: char| c.is_whitespace() || ",;.{}[]()".contains(c)).collect()
}

fn survive(text: &str) {
    let source = Source::new(text);
    for entry in source.entries() {
        let Ok(program) = source.try_program(&entry) else { continue };
        let mut config = launch_config([1, 1, 1], [40, 1, 1]);
        let out = config.memory.allocate("out", 4096).expect("space");
        let size = (program.params_size as usize).min(4096);
        config.params = out.to_le_bytes().into_iter().cycle().take(size).collect();
        let limits = Limits { max_steps: 3_000, ..Limits::default() };
        let options = RunOptions { limits, registers: true, ..RunOptions::default() };
        for model in Model::ALL {
            run(&program, config.clone(), model, &options, Control::none()).expect("not cancelled");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn misplaced_tokens(file in any::<Index>(), edits in prop::collection::vec(any::<(Index, Index, u8)>(), 1..6)) {
        let text = &TEXTS[file.index(TEXTS.len())];
        let mut pieces = tokens(text);
        for (at, other, kind) in edits {
            let (at, other) = (at.index(pieces.len()), other.index(pieces.len()));
            match kind % 4 {
                0 => pieces.swap(at, other),
                1 => pieces[at] = pieces[other],
                2 => pieces[at] = ["0xffffffffffffffff", "-1", "%r1", "4294967295;", "_", "1e400"][other % 6],
                _ => drop(pieces.remove(at)),
            }
        }
        survive(&pieces.concat());
    }
}
