use expect_test::{Expect, expect};
use warplens_sim_warp::StatementId;

use super::*;

const WARP: Mask = 0xffff_ffff;

fn trace(visits: &[(Mask, Mask, u64)]) -> LineTrace {
    let visits: Vec<_> =
        visits.iter().map(|&(active, executed, repeat)| Visit { active, executed, repeat }).collect();
    LineTrace {
        statement: StatementId(0),
        count: visits.iter().map(|visit| visit.repeat).sum(),
        active: visits.iter().fold(0, |union, visit| union | visit.active),
        executed: visits.iter().fold(0, |union, visit| union | visit.executed),
        active_lanes: 0,
        executed_lanes: 0,
        visits: visits.into(),
        truncated: false,
        counters: None,
    }
}

fn width(launched: Mask) -> u32 {
    if launched >> 32 == 0 { 32 } else { 64 }
}

const FORMATS: [Format; 4] = [Format::Ranges, Format::Hex, Format::Blocks, Format::Count];

fn shows(launched: Mask, role: Role, trace: Option<&LineTrace>, expect: Expect) {
    let reading = StatementTrace {
        launched,
        width: width(launched),
        trace,
        role,
        parts: &[],
        condition: None,
        chosen: None,
    };
    let texts =
        FORMATS.map(|format| line([reading], Style { format, ..Style::default() }).unwrap_or_default());
    let budget = if launched >> 32 == 0 { 26 } else { 40 };
    assert!(texts.iter().all(|text| text.chars().count() <= budget), "{texts:?}");
    expect.assert_eq(&texts.join(" ; "));
}

fn visits(role: Role, list: &[(Mask, Mask, u64)], expect: Expect) {
    shows(WARP, role, Some(&trace(list)), expect);
}

fn active(mask: Mask, expect: Expect) {
    visits(Role::Plain, &[(mask, mask, 1)], expect);
}

#[test]
fn full_and_never() {
    active(WARP, expect![" ;  ;  ; "]);
    shows(WARP, Role::Plain, None, expect!["not run ; not run ; not run ; not run"]);
    let reading = StatementTrace {
        launched: WARP,
        width: 32,
        trace: Some(&trace(&[(WARP, WARP, 1)])),
        role: Role::Plain,
        parts: &[],
        condition: None,
        chosen: None,
    };
    assert_eq!(line([reading], Style { full: true, ..Style::default() }), Some("32".to_owned()));
    // All lanes that exist are all lanes.
    shows(0xff, Role::Plain, Some(&trace(&[(0xff, 0xff, 1)])), expect![" ;  ;  ; "]);
}

#[test]
fn some_lanes() {
    active(0x0ff0_ffff, expect!["24/32 0-15,20-27 ; 0ff0ffff ; ████·██· ; 24/32"]);
    active(0x1, expect!["1/32 0 ; 00000001 ; ▘······· ; 1/32"]);
    active(0x8000_0000, expect!["1/32 31 ; 80000000 ; ·······▗ ; 1/32"]);
    active(0x0000_00ff, expect!["8/32 0-7 ; 000000ff ; ██······ ; 8/32"]);
    active(0x0f0f_0f0f, expect!["16/32 0-3,8-11,16-19.. ; 0f0f0f0f ; █·█·█·█· ; 16/32"]);
    active(0xf0f0_f3f5, expect!["20/32 0,2,4-9.. ; f0f0f3f5 ; ▌█▀█·█·█ ; 20/32"]);
    active(0x4210_8421, expect!["7/32 every 5th ; 42108421 ; ▘▝▖▗·▘▝▖ ; 7/32"]);
    shows(
        0xfffff,
        Role::Plain,
        Some(&trace(&[(0xff, 0xff, 1)])),
        expect!["8/20 0-7 ; 000000ff ; ██······ ; 8/20"],
    );
}

#[test]
fn patterns() {
    active(0x5555_5555, expect!["16/32 even ; 55555555 ; ▌▌▌▌▌▌▌▌ ; 16/32"]);
    active(0xaaaa_aaaa, expect!["16/32 odd ; aaaaaaaa ; ▐▐▐▐▐▐▐▐ ; 16/32"]);
    active(0x1111_1111, expect!["8/32 every 4th ; 11111111 ; ▘▘▘▘▘▘▘▘ ; 8/32"]);
    active(0x2222_2222, expect!["8/32 every 4th from 1 ; 22222222 ; ▝▝▝▝▝▝▝▝ ; 8/32"]);
    active(0x4924_9249, expect!["11/32 every 3rd ; 49249249 ; ▚▖▝▚▖▝▚▖ ; 11/32"]);
    active(0x0101_0101, expect!["4/32 every 8th ; 01010101 ; ▘·▘·▘·▘· ; 4/32"]);
    active(0x0001_0001, expect!["2/32 0,16 ; 00010001 ; ▘···▘··· ; 2/32"]);
    active(0x0000_5555, expect!["8/32 0,2,4.. ; 00005555 ; ▌▌▌▌···· ; 8/32"]);
    // There are fewer launched lanes than the pattern has.
    shows(
        0xfffff,
        Role::Plain,
        Some(&trace(&[(0x55555, 0x55555, 1)])),
        expect!["10/20 even ; 00055555 ; ▌▌▌▌▌··· ; 10/20"],
    );
}

#[test]
fn guards() {
    visits(
        Role::Plain,
        &[(WARP, 0xf000_0000, 1)],
        expect!["4 of 32 @ 28-31 ; f0000000 of ffffffff ; 4 of 32 ·······█ ; 4 of 32"],
    );
    visits(Role::Plain, &[(WARP, 0, 1)], expect!["0 of 32 ; 0 of 32 ; 0 of 32 ; 0 of 32"]);
    visits(
        Role::Plain,
        &[(0xffff, 0x5555, 1)],
        expect!["8 of 16 @ 0,2,4.. ; 00005555 of 0000ffff ; 8 of 16 ▌▌▌▌···· ; 8 of 16"],
    );
    visits(Role::Plain, &[(0xffff, 0, 1)], expect!["0 of 16 ; 0 of 16 ; 0 of 16 ; 0 of 16"]);
    visits(
        Role::Join,
        &[(WARP, 0xf, 1)],
        expect!["4 of 32 @ 0-3 ; 0000000f of ffffffff ; 4 of 32 █······· ; 4 of 32"],
    );
}

#[test]
fn loops() {
    visits(
        Role::Plain,
        &[(WARP, WARP, 1), (0xffffff, 0xffffff, 1), (0xffff, 0xffff, 1), (0xff, 0xff, 1)],
        expect!["x4 32>24>16>8 ; x4 32>24>16>8 ; x4 32>24>16>8 ; x4 32>24>16>8"],
    );
    visits(Role::Plain, &[(WARP, WARP, 6667)], expect!["x6667 ; x6667 ; x6667 ; x6667"]);
    visits(
        Role::Plain,
        &[(0xffff, 0xffff, 2), (0xff, 0xff, 3)],
        expect!["x5 16>8 ; x5 16>8 ; x5 16>8 ; x5 16>8"],
    );
    visits(
        Role::Plain,
        &[(0xffff, 0xffff, 1), (0xffff_0000, 0xffff_0000, 1)],
        expect![
            "2 visits, 16 lanes each ; 2 visits, 16 lanes each ; 2 visits, 16 lanes each ; 2 visits, 16 lanes each"
        ],
    );
    visits(
        Role::Plain,
        &[(0xffff, 0xffff, 4)],
        expect!["x4 16/32 0-15 ; x4 0000ffff ; x4 ████···· ; x4 16/32"],
    );
    visits(
        Role::Plain,
        &[(WARP, 0xf, 4)],
        expect!["x4 4 of 32 @ 0-3 ; x4 0000000f of ffffffff ; x4 4 of 32 █······· ; x4 4 of 32"],
    );
    visits(
        Role::Plain,
        &[(0xf0f0_f3f5, 0xf0f0_f3f5, 1_000_000)],
        expect!["x1000000 20/32 0,2,4-9.. ; x1000000 f0f0f3f5 ; x1000000 ▌█▀█·█·█ ; x1000000 20/32"],
    );
    visits(Role::Plain, &[(WARP, 0, 4)], expect!["x4 0 of 32 ; x4 0 of 32 ; x4 0 of 32 ; x4 0 of 32"]);
    let many: Vec<_> = (1..=32).rev().map(|lanes| ((1 << lanes) - 1, (1 << lanes) - 1, 10_000)).collect();
    visits(
        Role::Plain,
        &many,
        expect![
            "x320000 32>31>30>..>1 ; x320000 32>31>30>..>1 ; x320000 32>31>30>..>1 ; x320000 32>31>30>..>1"
        ],
    );
    let mut cut = trace(&many);
    cut.truncated = true;
    shows(
        WARP,
        Role::Plain,
        Some(&cut),
        expect!["x320000 32>31>30>.. ; x320000 32>31>30>.. ; x320000 32>31>30>.. ; x320000 32>31>30>.."],
    );
}

#[test]
fn branches() {
    visits(Role::Branch, &[(WARP, WARP, 99), (WARP, 0, 1)], expect!["x100 ; x100 ; x100 ; x100"]);
    visits(
        Role::Branch,
        &[(WARP, 0xff, 1)],
        expect!["split 8 | 24 ; split 8 | 24 ; split 8 | 24 ; split 8 | 24"],
    );
    visits(Role::Branch, &[(WARP, 0, 1)], expect!["0 of 32 ; 0 of 32 ; 0 of 32 ; 0 of 32"]);
    visits(Role::Branch, &[(WARP, WARP, 1)], expect![" ;  ;  ; "]);
    visits(Role::Branch, &[(0xffff, 0, 1)], expect!["0 of 16 ; 0 of 16 ; 0 of 16 ; 0 of 16"]);
    visits(
        Role::Branch,
        &[(WARP, 0xffff, 1), (0xffff, 0xff, 1), (0xff, 0, 1)],
        expect!["x3 32>16>8 ; x3 32>16>8 ; x3 32>16>8 ; x3 32>16>8"],
    );
    visits(
        Role::Branch,
        &[(WARP, 0xff, 3)],
        expect!["x3 split 8 | 24 ; x3 split 8 | 24 ; x3 split 8 | 24 ; x3 split 8 | 24"],
    );
}

#[test]
fn a_branch_that_all_lanes_visit_in_a_loop() {
    visits(
        Role::Branch,
        &[(WARP, 0xff, 2), (WARP, 0xf, 3), (WARP, 0, 1)],
        expect!["6 visits, splits 5 ; 6 visits, splits 5 ; 6 visits, splits 5 ; 6 visits, splits 5"],
    );
}

#[test]
fn one_lane_at_a_time() {
    let lanes: Vec<_> = (0..32).map(|lane| (1 << lane, 1 << lane, 1)).collect();
    visits(
        Role::Plain,
        &lanes,
        expect![
            "32 visits, 1 lane each ; 32 visits, 1 lane each ; 32 visits, 1 lane each ; 32 visits, 1 lane each"
        ],
    );
}

#[test]
fn several_targets() {
    let once = trace(&[(WARP, WARP, 1)]);
    let split = |parts: &[u32]| {
        let reading = StatementTrace {
            launched: WARP,
            width: 32,
            trace: Some(&once),
            role: Role::Branch,
            parts,
            condition: None,
            chosen: None,
        };
        line([reading], Style::default()).unwrap_or_default()
    };
    assert_eq!(split(&[16, 8, 8]), "split 16 | 8 | 8");
    assert_eq!(split(&[6, 6, 6, 6, 6, 2]), "split 6 | 6 | 6 | 6 | ..");
    assert_eq!(split(&[]), "");
}

#[test]
fn joins() {
    visits(Role::Join, &[(WARP, WARP, 1)], expect!["join 32 ; join 32 ; join 32 ; join 32"]);
    visits(Role::Join, &[(0xffff, 0xffff, 1)], expect!["join 16 ; join 16 ; join 16 ; join 16"]);
    visits(Role::Join, &[(0xffff, 0xffff, 2)], expect!["x2 join 16 ; x2 join 16 ; x2 join 16 ; x2 join 16"]);
}

#[test]
fn sixty_four_lanes() {
    let all =
        |visits: &[(Mask, Mask, u64)], role, expect| shows(Mask::MAX, role, Some(&trace(visits)), expect);
    all(&[(Mask::MAX, Mask::MAX, 1)], Role::Plain, expect![" ;  ;  ; "]);
    all(
        &[(u64::MAX << 32, u64::MAX << 32, 1)],
        Role::Plain,
        expect!["32/64 32-63 ; ffffffff00000000 ; ········████████ ; 32/64"],
    );
    all(
        &[(0xff00_00ff_0000_ff00, 0xff00_00ff_0000_ff00, 1)],
        Role::Plain,
        expect!["24/64 8-15,32-39,56-63 ; ff0000ff0000ff00 ; ··██····██····██ ; 24/64"],
    );
    all(
        &[(0x5555_5555_5555_5555, 0x5555_5555_5555_5555, 1)],
        Role::Plain,
        expect!["32/64 even ; 5555555555555555 ; ▌▌▌▌▌▌▌▌▌▌▌▌▌▌▌▌ ; 32/64"],
    );
    all(
        &[(Mask::MAX, 0xf0f0, 1)],
        Role::Plain,
        expect![
            "8 of 64 @ 4-7,12-15 ; 000000000000f0f0 of ffffffffffffffff ; 8 of 64 ·█·█············ ; 8 of 64"
        ],
    );
    all(
        &[(Mask::MAX, 1 << 63, 1)],
        Role::Branch,
        expect!["split 1 | 63 ; split 1 | 63 ; split 1 | 63 ; split 1 | 63"],
    );
    all(&[(Mask::MAX, Mask::MAX, 1)], Role::Join, expect!["join 64 ; join 64 ; join 64 ; join 64"]);
}

#[test]
fn statements_of_a_line_share_a_hint() {
    let (full, part) = (trace(&[(WARP, WARP, 1)]), trace(&[(0xff, 0xff, 1)]));
    let shared = |traces: &[Option<&LineTrace>]| {
        let readings = traces.iter().map(|trace| StatementTrace {
            launched: WARP,
            width: 32,
            trace: *trace,
            role: Role::Plain,
            parts: &[],
            condition: None,
            chosen: None,
        });
        line(readings, Style::default()).unwrap_or_default()
    };
    assert_eq!(shared(&[Some(&full), Some(&part), None]), "8/32 0-7");
    assert_eq!(shared(&[Some(&full), None, Some(&part)]), "not run");
    assert_eq!(shared(&[Some(&full), Some(&full)]), "");
    assert_eq!(shared(&[]), "");
}

#[test]
fn every_set_of_16_lanes_is_short_and_names_its_lanes() {
    for mask in 1..=0xffffu64 {
        let lanes = mask << 8;
        let text = part(
            lanes,
            &StatementTrace {
                launched: WARP,
                width: 32,
                trace: None,
                role: Role::Plain,
                parts: &[],
                condition: None,
                chosen: None,
            },
            Format::Ranges,
            BUDGET,
        )
        .unwrap();
        assert!(text.len() <= BUDGET, "{text}");
        let listed: u32 = ranges(lanes)
            .iter()
            .map(|range| {
                let ends: Vec<u32> = range.split('-').map(|end| end.parse().unwrap()).collect();
                ends[ends.len() - 1] - ends[0] + 1
            })
            .sum();
        assert_eq!(listed, lanes.count_ones());
    }
}

fn label_of(role: Role, list: &[(Mask, Mask, u64)]) -> String {
    let trace = trace(list);
    let statement = StatementTrace {
        launched: WARP,
        width: 32,
        trace: Some(&trace),
        role,
        parts: &[],
        condition: None,
        chosen: None,
    };
    label(&statement, &[])
}

#[test]
fn labels_have_the_numbers_of_lanes() {
    let check = |role, list: &[(Mask, Mask, u64)], expected: &str| assert_eq!(label_of(role, list), expected);
    check(Role::Plain, &[(WARP, WARP, 1)], "32");
    check(Role::Plain, &[(0xffff, 0xffff, 1)], "16/32");
    check(Role::Plain, &[(WARP, 0xf, 1)], "4 of 32");
    check(Role::Plain, &[(WARP, 0, 1)], "0 of 32");
    check(Role::Branch, &[(WARP, 0xffff, 1)], "split 16|16");
    check(Role::Branch, &[(WARP, WARP, 1)], "32");
    check(Role::Join, &[(WARP, WARP, 1)], "join 32");
    check(Role::Plain, &[(WARP, WARP, 6667)], "x6667");
    check(Role::Plain, &[(WARP, WARP, 1), (0xffff, 0xffff, 1), (0xff, 0xff, 1)], "x3 32>16>8");
    check(Role::Plain, &[(0xffff, 0xffff, 1), (0xffff_0000, 0xffff_0000, 1)], "2 visits, 16 lanes each");
    check(Role::Branch, &[(WARP, 0xff, 2), (WARP, 0xf, 3), (WARP, 0, 1)], "6 visits, splits 5");
}

#[test]
fn the_label_of_a_branch_has_the_condition_at_which_lanes_diverged() {
    let check = |list: &[(Mask, Mask, u64)], expected: &str| {
        let trace = trace(list);
        let statement = StatementTrace {
            launched: WARP,
            width: 32,
            trace: Some(&trace),
            role: Role::Branch,
            parts: &[],
            condition: Some("tid.x < 8"),
            chosen: None,
        };
        assert_eq!(label(&statement, &[]), expected);
        assert!(!line([statement], Style::default()).unwrap_or_default().contains("tid"));
    };
    check(&[(WARP, 0xff, 1)], "split 8|24  tid.x < 8");
    check(&[(WARP, WARP, 1)], "32");
    check(&[(WARP, 0, 1)], "0 of 32");
    check(&[(WARP, 0xff, 3)], "x3 split 8|24  tid.x < 8");
}

#[test]
fn labels_are_short() {
    let masks = [0, 1, 0xff, 0xffff, WARP, 0xaaaa_aaaa];
    for repeat in [1, 99, 12_345, 9_999_999] {
        for one in masks {
            for other in masks {
                for role in [Role::Plain, Role::Branch, Role::Join] {
                    let text = label_of(role, &[(WARP, one, repeat), (WARP, other, 1)]);
                    assert!((1..=32).contains(&text.len()), "{text}");
                }
            }
        }
    }
}
