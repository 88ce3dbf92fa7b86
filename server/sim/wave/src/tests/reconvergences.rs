//! Recorded reconvergences.

use expect_test::{Expect, expect};

use super::{launch_config, launch_text, options};

/// The reconvergences of the first wave, with eight lanes: statement, and the groups in order of arrival.
/// `r0` is the lane.
fn check(statements: &str, expected: Expect) {
    let text = format!(".kernel k\nmov r0, sr_lane_id\n{statements}\n.end\n");
    let (result, code) = launch_text(&text, launch_config([1; 3], [8, 1, 1], 8), &options());
    assert_eq!(result.status, warplens_sim_warp::Status::Finished, "{:?}", result.findings);
    let mut out = String::new();
    for reconvergence in &result.warps[0].reconvergences {
        let range = code.instructions[reconvergence.statement.index()].range;
        let all = reconvergence.parts.iter().fold(0, |all, part| all | part);
        let line = result.warps[0].line(reconvergence.statement).expect("it is visited");
        assert!(line.visits.iter().any(|visit| visit.active == all), "{:?} of {line:?}", reconvergence.parts);
        assert_eq!(reconvergence.parts.iter().map(|part| part.count_ones()).sum::<u32>(), all.count_ones());
        let parts: Vec<_> = reconvergence.parts.iter().map(|part| format!("{part:x}")).collect();
        out += &format!("{}: {}\n", text[range].trim(), parts.join(" "));
    }
    expected.assert_eq(&out);
}

#[test]
fn paths_reconverge_at_the_end_of_an_if() {
    check(
        "icmp.lt p0, r0, 3\nif p0\nnop\nelse\nnop\nendif\nhalt",
        expect![[r#"
        endif: 7 f8
    "#]],
    );
    check(
        "icmp.lt p0, r0, 3\nif p0\nnop\nendif\nhalt",
        expect![[r#"
        endif: 7 f8
    "#]],
    );
    check("icmp.lt p0, r0, 8\nif p0\nnop\nelse\nnop\nendif\nhalt", expect![""]);
    check("icmp.lt p0, r0, 3\nif p0\nhalt\nelse\nnop\nendif\nhalt", expect![""]);
    check(
        "icmp.lt p0, r0, 6\nicmp.lt p1, r0, 2\nif p0\nif p1\nnop\nelse\nnop\nendif\nendif\nhalt",
        expect![[r#"
            endif: 3 3c
            endif: 3f c0
        "#]],
    );
}

#[test]
fn lanes_that_broke_reconverge_after_the_loop() {
    check(
        "shr r0, r0, 1\nloop\nicmp.eq p0, r0, 0\nbreak p0\nisub r0, r0, 1\nendloop\nhalt",
        expect![[r#"
        halt: 3 c 30 c0
    "#]],
    );
    check(
        "icmp.lt p1, r0, 4\nif p1\nloop\nicmp.eq p0, r0, 0\nbreak p0\nisub r0, r0, 1\nendloop\nendif\nhalt",
        expect![[r#"
            endif: f f0
        "#]],
    );
}

#[test]
fn lanes_that_continued_reconverge_at_the_top() {
    check(
        "mov r2, 2\nicmp.lt p1, r0, 2\nicmp.lt p2, r0, 5\nloop\nicmp.eq p0, r2, 0\nbreak p0\nisub r2, r2, 1\ncontinue p1\ncontinue p2\nnop\nendloop\nhalt",
        expect![[r#"
            loop: 3 1c e0
        "#]],
    );
}

#[test]
fn lanes_that_returned_reconverge_after_the_call() {
    check(
        "icmp.lt p1, r0, 2\nicmp.lt p2, r0, 7\n@p2 call f\nhalt\nf: if p1\nreturn\nendif\nnop\nreturn",
        expect![[r#"
            halt: 3 7c 80
        "#]],
    );
}
