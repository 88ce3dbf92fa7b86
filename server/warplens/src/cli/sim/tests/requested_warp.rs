//! `--warp`: the result of one warp.

use super::*;

/// Only the requested warp is recorded. Its JSON must be the same as if all warps were.
#[test]
fn a_requested_warp_is_as_in_the_json_of_all() {
    const WAVE: &str = ".kernel k\n    mov_sr r0, sr_lane_id\n    mov_imm r1, 2\n    icmp_lt p0, r0, r1\n    if p0\n    \
                        iadd r2, r0, r1\n    endif\n    halt\n.end\n";
    const SASS: &str = "\t.target\tsm_80\n\t.section\t.text.k,\"ax\",@progbits\n\t.global\tk\n\t.type\tk,@function\n\
                        \t.other\tk,@\"STO_CUDA_ENTRY STV_DEFAULT\"\nk:\n.text.k:\n\
                        /*0000*/ S2R R0, SR_TID.X ;\n/*0010*/ ISETP.GE.U32.AND P0, PT, R0, 0x14, PT ;\n\
                        /*0020*/ @P0 IMAD R5, R0, R0, RZ ;\n/*0030*/ EXIT ;\n";
    let folder = Folder::new("one-warp", &[("k.ptx", KERNEL), ("k.wave", WAVE), ("k.sass", SASS)]);
    let [ptx, wave, sass] = ["k.ptx", "k.wave", "k.sass"].map(|name| folder.path(name));
    let waves = ["--grid", "2", "--block", "64"];
    for arguments in [
        &[&*example("matmul.ptx")][..],
        &[&*example("matmul.ptx"), "--no-checks", "--counters", "--registers"],
        &[&[&*wave], &waves[..]].concat(),
        &[&[&*wave, "--model", "wave-emu"], &waves[..]].concat(),
        &[&[&*sass], &waves[..]].concat(),
        // More warps than a report lists.
        &[&*ptx, "--grid", "1100", "--block", "32", "--arg", "u32:7"],
    ] {
        let run = |warp: &[&str]| {
            let (text, _) = answer(&[arguments, &["--format", "json"], warp].concat());
            serde_json::from_str::<serde_json::Value>(&text).unwrap_or_else(|_| panic!("{text}"))
        };
        let mut all = run(&[]);
        let last = all["warps"].as_array().and_then(|warps| warps.last().cloned());
        let last = last.unwrap_or_else(|| panic!("{arguments:?}: {all}"));
        let [x, y, z] = [0, 1, 2].map(|axis| last["cta"][axis].as_u64().expect("a number"));
        let one = run(&["--warp", &format!("{x},{y},{z}:{}", last["warp"])]);
        all["warps"] = serde_json::Value::Array(vec![last]);
        assert_eq!(one, all, "{arguments:?}");
    }
}

#[test]
fn json_of_one_warp() {
    let (text, outcome) = answer(&[
        &example("saxpy.ptx"),
        "--format",
        "json",
        "--warp",
        "1,0,0:1",
        "--dump",
        "n",
        "--registers",
    ]);
    expect!["--dump: unknown buffer `n`: the launch has `x`, `y`; `all` selects all"].assert_eq(&text);
    assert_eq!(outcome, Outcome::Unusable);
    let flags = ["--format", "json", "--warp", "1,0,0:1", "--dump", "y", "--registers"];
    let (text, outcome) = answer(&[&[example("saxpy.ptx").as_str()], &flags[..]].concat());
    assert_eq!(outcome, Outcome::Success);
    let json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(json["warps"].as_array().map(Vec::len), Some(1));
    assert_eq!(json["warps"][0]["launched"], "ffffffff");
    assert_eq!(json["warps"][0]["registers"]["%i"][0], "00000060");
    assert_eq!(json["buffers"]["y"]["values"][99], 199.0);
}
