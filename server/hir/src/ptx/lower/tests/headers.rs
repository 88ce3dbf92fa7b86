//! The headers of module items.

use expect_test::expect;
use warplens_syntax::parse_item;

use crate::ptx::Header;

#[test]
fn header_of_variables() {
    let text = ".visible .const .align 8 .u64 a[2] = {b, generic(c)+4}, d = 7;";
    let header = Header::lower(parse_item(warplens_syntax::ptx::LANGUAGE, text).root());
    expect![[r#"
        Header {
            declarations: [
                Declaration {
                    name: "a",
                    name_range: 30..31,
                    kind: Variable(
                        Variable {
                            space: Const,
                            linkage: Some(
                                Visible,
                            ),
                            align: Some(
                                8,
                            ),
                            vector: None,
                            ty: Some(
                                U64,
                            ),
                            dimensions: [
                                Dimension(
                                    Some(
                                        2,
                                    ),
                                ),
                            ],
                            range_count: None,
                            initializer: Some(
                                List(
                                    [
                                        Address {
                                            symbol: "b",
                                            offset: 0,
                                            generic: false,
                                            mask: None,
                                        },
                                        Address {
                                            symbol: "c",
                                            offset: 4,
                                            generic: true,
                                            mask: None,
                                        },
                                    ],
                                ),
                            ),
                        },
                    ),
                },
                Declaration {
                    name: "d",
                    name_range: 56..57,
                    kind: Variable(
                        Variable {
                            space: Const,
                            linkage: Some(
                                Visible,
                            ),
                            align: Some(
                                8,
                            ),
                            vector: None,
                            ty: Some(
                                U64,
                            ),
                            dimensions: [],
                            range_count: None,
                            initializer: Some(
                                Constant(
                                    Signed(
                                        7,
                                    ),
                                ),
                            ),
                        },
                    ),
                },
            ],
            uses: [
                ModuleUse {
                    name: "b",
                    range: 38..39,
                },
                ModuleUse {
                    name: "c",
                    range: 49..50,
                },
            ],
            directive: None,
            problems: [],
        }
    "#]]
    .assert_debug_eq(&header);
}

#[test]
fn header_of_a_function_does_not_change_with_its_body() {
    let header = |body: &str| {
        let text = format!(
            "// k\n.weak .entry k(.param .u64 .ptr .global .align 16 p, .param .b8 q[8]) .reqntid 8,4 {{{body}}}"
        );
        Header::lower(parse_item(warplens_syntax::ptx::LANGUAGE, &text).root())
    };
    assert_eq!(header(""), header(" .reg .b32 x; "));
    expect![[r#"
        Header {
            declarations: [
                Declaration {
                    name: "k",
                    name_range: 18..19,
                    kind: Function {
                        kind: Entry,
                        linkage: Some(
                            Weak,
                        ),
                        has_body: true,
                        signature: Signature {
                            returns: [],
                            params: [
                                Parameter {
                                    name: Some(
                                        "p",
                                    ),
                                    name_range: 55..56,
                                    range: 20..56,
                                    space: Param,
                                    align: None,
                                    vector: None,
                                    ty: Some(
                                        U64,
                                    ),
                                    pointer: Some(
                                        Pointer {
                                            space: Some(
                                                Global,
                                            ),
                                            align: Some(
                                                16,
                                            ),
                                        },
                                    ),
                                    dimensions: [],
                                    range_count: None,
                                },
                                Parameter {
                                    name: Some(
                                        "q",
                                    ),
                                    name_range: 69..70,
                                    range: 58..73,
                                    space: Param,
                                    align: None,
                                    vector: None,
                                    ty: Some(
                                        B8,
                                    ),
                                    pointer: None,
                                    dimensions: [
                                        Dimension(
                                            Some(
                                                8,
                                            ),
                                        ),
                                    ],
                                    range_count: None,
                                },
                            ],
                            directives: [
                                PerformanceDirective {
                                    name: "reqntid",
                                    values: [
                                        8,
                                        4,
                                    ],
                                    is_plain: true,
                                    range: 75..87,
                                },
                            ],
                        },
                    },
                },
            ],
            uses: [],
            directive: None,
            problems: [],
        }
    "#]]
    .assert_debug_eq(&header(""));
}
