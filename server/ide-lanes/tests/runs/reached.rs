//! What the coverage of a run says: the targets of tables that lanes took, and numbers that are not determined to the bit.

use expect_test::{Expect, expect};
use warplens_ide_lanes::Coverage;
use warplens_sim_warp::{Control, StatementId};
use warplens_syntax::Language;

use crate::schedules::prepared_text;

/// The coverage of a run.
fn check(language: Language, text: &str, expect: Expect) {
    let prepared = prepared_text(language, text);
    let result = prepared.run(Control::none()).expect("not cancelled");
    let Coverage { switches, numbers, .. } = prepared.coverage(&result);
    let line = |statement: StatementId| {
        let start = prepared.statements[statement.index()].range.start();
        text[..usize::from(start)].matches('\n').count() + 1
    };
    let mut out = format!("{}\n", result.status.as_str());
    for switch in switches {
        for (target, taken) in &switch.targets {
            out += &format!("line {} to line {}: {taken}\n", line(switch.statement), line(*target));
        }
    }
    numbers.approximate().for_each(|(at, error)| out += &format!("line {}: {error}\n", line(at)));
    numbers.open().for_each(|(at, why)| out += &format!("line {}: {why}\n", line(at)));
    numbers.decided.iter().for_each(|at| out += &format!("decided: line {}\n", line(*at)));
    expect.assert_eq(&out);
}

fn sass(body: &str) -> String {
    let mut text =
        "// @launch { block = [32], args = [] }\n    .headerflags    @\"EF_CUDA_SM80\"\n    .text.k:\n"
            .to_owned();
    let mut address = 0;
    for line in body.lines().map(str::trim) {
        if line.ends_with(':') {
            text += &format!("{line}\n");
        } else {
            text += &format!("        /*{address:04x}*/                   {line} ;\n");
            address += 16;
        }
    }
    text
}

#[test]
fn the_targets_of_a_table() {
    let ptx = ".version 8.0\n.target sm_80\n.address_size 64\n// @launch { block = [32] }\n.visible .entry k()\n{\n\
               .reg .b32 %r<4>;\nmov.u32 %r1, %tid.x;\nand.b32 %r2, %r1, 1;\nts: .branchtargets A, B, C, D;\n\
               brx.idx %r2, ts;\nA:\nmov.u32 %r3, 1;\nbra D;\nB:\nmov.u32 %r3, 2;\nbra D;\nC:\nmov.u32 %r3, 3;\nD:\nret;\n}\n";
    check(
        warplens_syntax::ptx::LANGUAGE,
        ptx,
        expect![[r#"
        finished
        line 11 to line 13: true
        line 11 to line 16: true
        line 11 to line 19: false
        line 11 to line 21: false
    "#]],
    );
    let machine_code = sass(
        "S2R R0, SR_TID.X
        LOP3.LUT R0, R0, 0x1, RZ, 0xc0, !PT
        SHF.L.U32 R2, R0, 0x5, RZ
        MOV R3, RZ
        BRX R2 0x0 (*\"BRANCH_TARGETS .L_x_0,.L_x_1,.L_x_2\"*)
        .L_x_0:
        MOV R4, 0x1
        BRA `(.L_x_3)
        .L_x_1:
        MOV R4, 0x2
        BRA `(.L_x_3)
        .L_x_2:
        MOV R4, 0x3
        .L_x_3:
        EXIT",
    );
    check(
        warplens_syntax::sass::LANGUAGE,
        &machine_code,
        expect![[r#"
        finished
        line 8 to line 10: true
        line 8 to line 13: true
        line 8 to line 16: false
    "#]],
    );
}

#[test]
fn approximate_numbers_of_machine_code() {
    // The quotient may be exact, and R3 is overwritten before the last branch.
    let text = sass(
        "S2R R0, SR_TID.X
        I2F.U32 R1, R0
        MUFU.RCP R2, R1
        FSETP.GT.AND P0, PT, R2, 2, PT
        @P0 EXIT
        MUFU.EX2 R3, R1
        FADD R3, R3, 1
        FSETP.GT.AND P1, PT, R3, 2000, PT
        @P1 EXIT
        MOV R3, R1
        FSETP.GT.AND P1, PT, R3, 2, PT
        @P1 EXIT
        EXIT",
    );
    check(
        warplens_syntax::sass::LANGUAGE,
        &text,
        expect![[r#"
        finished
        line 6: as `rcp.approx` of PTX: at most 1 ulp off
        line 9: as `ex2.approx` of PTX: at most 2 ulp
        decided: line 12
    "#]],
    );
}

#[test]
fn approximate_numbers_of_wave() {
    let text = "; @launch { block = [8], wave_width = 8 }\n.kernel k\n.registers 8\nmov_sr r1, sr_lane_id\n\
                cvt_f32_u32 r2, r1\nfsin r3, r2\nfadd r3, r3, r2\nfcmp.gt p1, r3, r2\nif p1\nfsqrt r3, r2\nendif\n\
                fsqrt r3, r2\nfcmp.gt p1, r3, r2\nif p1\nnop\nendif\nhalt\n.end\n";
    check(
        warplens_syntax::wave::LANGUAGE,
        text,
        expect![[r#"
        finished
        line 6: at most 2 ulp off
        decided: line 9
    "#]],
    );
}
