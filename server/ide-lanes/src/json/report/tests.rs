use expect_test::{Expect, expect};

use super::*;
use crate::findings::UnexpectedElement;
use crate::json::Position;
use crate::run::{Explored, InexactResults, Reached};
use crate::testing::{resolved, result};

fn at(statement: StatementId) -> Option<Position> {
    Some(Position { line: statement.0 + 10, character: 4 })
}

fn check(change: impl FnOnce(&mut RunResult), options: &Options<'_>, expect: Expect) {
    let mut run = result();
    change(&mut run);
    let resolved = resolved();
    let report = Report::new(&resolved, &run, options, &at);
    expect.assert_eq(&serde_json::to_string_pretty(&report).unwrap());
}

static CLEAN: Verdict = Verdict { found: false, missing: Vec::new() };

const NOT_EXPLORED: Explored =
    Explored { schedules: 0, requested: 0, other_model: None, order_independent: false };

static NO_COVERAGE: Coverage = Coverage {
    executed: 2,
    statements: 3,
    branches: Vec::new(),
    explored: NOT_EXPLORED,
    numbers: InexactResults { found: Vec::new(), decided: Vec::new() },
    switches: Vec::new(),
    blocks: Reached { ran: Some(1), all: 1 },
    warps: Reached { ran: None, all: 1 },
    buffers: Vec::new(),
};

const PLAIN: Options<'static> = Options {
    model: "stack",
    dump: &[],
    saved: None,
    warp: None,
    statements: &[],
    failures: &[],
    verdict: &CLEAN,
    coverage: &NO_COVERAGE,
};

fn short(run: &mut RunResult) {
    run.warps[0].lines.truncate(1);
    run.warps[0].registers = None;
    run.findings.clear();
}

#[test]
fn the_shape() {
    let resolved = resolved();
    let element = UnexpectedElement { buffer: "y".to_owned(), index: 0 };
    let failures = [Unexpected { message: "`y`[0] is 1.5, expected 2.0".to_owned(), element, writer: None }];
    let options = Options { dump: &resolved.buffers, failures: &failures, ..PLAIN };
    check(
        |run| run.warps[0].lines.truncate(2),
        &options,
        expect![[r#"
            {
              "entry": "k",
              "launch": {
                "name": "l",
                "file": "k.ptx",
                "entry": "k",
                "grid": [
                  1,
                  1,
                  1
                ],
                "block": [
                  32,
                  1,
                  1
                ]
              },
              "model": "stack",
              "status": "finished",
              "verdict": "clean",
              "reasons": [],
              "coverage": {
                "executed": 2,
                "statements": 3,
                "branches": [],
                "models": [
                  "stack"
                ],
                "schedules": 0,
                "blocks": {
                  "ran": 1,
                  "all": 1
                },
                "warps": {
                  "ran": null,
                  "all": 1
                },
                "buffers": []
              },
              "numbers": {
                "approximate": [],
                "open": [],
                "decided": []
              },
              "totals": {
                "warp_instructions": 6,
                "thread_instructions": 168,
                "executed_thread_instructions": 124
              },
              "findings": [
                {
                  "code": "divergent-barrier",
                  "severity": "error",
                  "message": "lanes wait apart",
                  "line": 11,
                  "cta": [
                    0,
                    0,
                    0
                  ],
                  "warp": 0,
                  "lanes": "0000000f",
                  "related": [
                    {
                      "line": 15,
                      "message": "the others"
                    }
                  ]
                },
                {
                  "code": "expect-failed",
                  "severity": "error",
                  "message": "`y`[0] is 1.5, expected 2.0",
                  "related": [],
                  "element": {
                    "buffer": "y",
                    "index": 0
                  }
                }
              ],
              "buffers": {
                "y": {
                  "type": "f32",
                  "values": [
                    1.5,
                    "nan",
                    "-inf"
                  ],
                  "bytes": "0000c03f0000c07f000080ff"
                }
              },
              "warps": [
                {
                  "cta": [
                    0,
                    0,
                    0
                  ],
                  "warp": 0,
                  "launched": "ffffffff",
                  "lines": [
                    {
                      "line": 10,
                      "character": 4,
                      "count": 1,
                      "active": "ffffffff",
                      "executed": "ffffffff",
                      "visits": [
                        {
                          "active": "ffffffff",
                          "executed": "ffffffff",
                          "repeat": 1
                        }
                      ]
                    },
                    {
                      "line": 11,
                      "character": 4,
                      "count": 1,
                      "active": "ffffffff",
                      "executed": "000000ff",
                      "visits": [
                        {
                          "active": "ffffffff",
                          "executed": "000000ff",
                          "repeat": 1
                        }
                      ]
                    }
                  ],
                  "registers": {
                    "%r1": [
                      "00000000",
                      "ffffffff",
                      "00000002",
                      "00000003",
                      "00000004",
                      "00000005",
                      "00000006",
                      "00000007",
                      "00000008",
                      "00000009",
                      "0000000a",
                      "0000000b",
                      "0000000c",
                      "0000000d",
                      "0000000e",
                      "0000000f",
                      "00000010",
                      "00000011",
                      "00000012",
                      "00000013",
                      "00000014",
                      "00000015",
                      "00000016",
                      "00000017",
                      "00000018",
                      "00000019",
                      "0000001a",
                      "0000001b",
                      "0000001c",
                      "0000001d",
                      "0000001e",
                      null
                    ]
                  }
                }
              ]
            }"#]],
    );
}

#[test]
fn one_warp_of_many() {
    let wanted = WarpId { cta: [1, 0, 0], warp: 0 };
    check(
        short,
        &Options { warp: Some(wanted), ..PLAIN },
        expect![[r#"
            {
              "entry": "k",
              "launch": {
                "name": "l",
                "file": "k.ptx",
                "entry": "k",
                "grid": [
                  1,
                  1,
                  1
                ],
                "block": [
                  32,
                  1,
                  1
                ]
              },
              "model": "stack",
              "status": "finished",
              "verdict": "clean",
              "reasons": [],
              "coverage": {
                "executed": 2,
                "statements": 3,
                "branches": [],
                "models": [
                  "stack"
                ],
                "schedules": 0,
                "blocks": {
                  "ran": 1,
                  "all": 1
                },
                "warps": {
                  "ran": null,
                  "all": 1
                },
                "buffers": []
              },
              "numbers": {
                "approximate": [],
                "open": [],
                "decided": []
              },
              "totals": {
                "warp_instructions": 6,
                "thread_instructions": 168,
                "executed_thread_instructions": 124
              },
              "findings": [],
              "buffers": {},
              "warps": []
            }"#]],
    );
}

#[test]
fn more_warps_than_are_listed() {
    check(
        |run| {
            short(run);
            run.warps_truncated = true;
            run.summed.truncate(1);
            run.summed[0].visits = [].into();
        },
        &PLAIN,
        expect![[r#"
            {
              "entry": "k",
              "launch": {
                "name": "l",
                "file": "k.ptx",
                "entry": "k",
                "grid": [
                  1,
                  1,
                  1
                ],
                "block": [
                  32,
                  1,
                  1
                ]
              },
              "model": "stack",
              "status": "finished",
              "verdict": "clean",
              "reasons": [],
              "coverage": {
                "executed": 2,
                "statements": 3,
                "branches": [],
                "models": [
                  "stack"
                ],
                "schedules": 0,
                "blocks": {
                  "ran": 1,
                  "all": 1
                },
                "warps": {
                  "ran": null,
                  "all": 1
                },
                "buffers": []
              },
              "numbers": {
                "approximate": [],
                "open": [],
                "decided": []
              },
              "totals": {
                "warp_instructions": 6,
                "thread_instructions": 168,
                "executed_thread_instructions": 124
              },
              "findings": [],
              "buffers": {},
              "warps": [
                {
                  "cta": [
                    0,
                    0,
                    0
                  ],
                  "warp": 0,
                  "launched": "ffffffff",
                  "lines": [
                    {
                      "line": 10,
                      "character": 4,
                      "count": 1,
                      "active": "ffffffff",
                      "executed": "ffffffff",
                      "visits": [
                        {
                          "active": "ffffffff",
                          "executed": "ffffffff",
                          "repeat": 1
                        }
                      ]
                    }
                  ]
                }
              ],
              "warps_truncated": true,
              "lines": [
                {
                  "line": 10,
                  "character": 4,
                  "count": 1,
                  "active": "ffffffff",
                  "executed": "ffffffff",
                  "visits": []
                }
              ]
            }"#]],
    );
}

#[test]
fn wide_waves_have_wide_masks() {
    let mut run = result();
    short(&mut run);
    run.warps[0].lines[0].truncated = true;
    let mut resolved = resolved();
    resolved.launch.wave_width = Some(64);
    let report = Report::new(&resolved, &run, &PLAIN, &at);
    expect![[r#"
        {
          "entry": "k",
          "launch": {
            "name": "l",
            "file": "k.ptx",
            "entry": "k",
            "grid": [
              1,
              1,
              1
            ],
            "block": [
              32,
              1,
              1
            ],
            "wave_width": 64
          },
          "model": "stack",
          "status": "finished",
          "verdict": "clean",
          "reasons": [],
          "coverage": {
            "executed": 2,
            "statements": 3,
            "branches": [],
            "models": [
              "stack"
            ],
            "schedules": 0,
            "blocks": {
              "ran": 1,
              "all": 1
            },
            "warps": {
              "ran": null,
              "all": 1
            },
            "buffers": []
          },
          "numbers": {
            "approximate": [],
            "open": [],
            "decided": []
          },
          "totals": {
            "warp_instructions": 6,
            "thread_instructions": 168,
            "executed_thread_instructions": 124
          },
          "findings": [],
          "buffers": {},
          "warps": [
            {
              "cta": [
                0,
                0,
                0
              ],
              "warp": 0,
              "launched": "00000000ffffffff",
              "lines": [
                {
                  "line": 10,
                  "character": 4,
                  "count": 1,
                  "active": "00000000ffffffff",
                  "executed": "00000000ffffffff",
                  "visits": [
                    {
                      "active": "00000000ffffffff",
                      "executed": "00000000ffffffff",
                      "repeat": 1
                    }
                  ],
                  "truncated": true
                }
              ]
            }
          ]
        }"#]]
    .assert_eq(&serde_json::to_string_pretty(&report).unwrap());
}
