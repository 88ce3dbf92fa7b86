//! Loads of data that may not change while the kernel runs.

use crate::common::watched::findings;

fn found(grid: u32, body: &str) -> String {
    findings(
        "sm_90",
        grid,
        64,
        &format!(
            "xor.b32 %r5, %r1, 32;\nmul.wide.u32 %rd4, %r5, 4;\nadd.u64 %rd4, %rd1, %rd4;\n{body}\nret;"
        ),
    )
}

#[test]
fn constant_loads_of_data_that_the_launch_wrote() {
    for load in
        ["ld.global.nc.u32 %r6, [%rd4];", "ld.global.nc.u16 %h1, [%rd4+2];", "ldu.global.u32 %r6, [%rd4];"]
    {
        let wrong = found(1, &format!("st.global.u32 [%rd2], %r1;\nbar.sync 0;\n{load}"));
        assert!(wrong.contains("warning read-only"), "{load} {wrong}");
        let element = if load.contains("u16") { 65 } else { 32 };
        assert!(
            wrong.contains(&format!("this load reads `out[{element}]`, which the launch wrote")),
            "{load} {wrong}"
        );
        // Other elements, and stores that follow.
        assert_eq!(found(1, &format!("st.global.u32 [%rd2+1024], %r1;\nbar.sync 0;\n{load}")), "");
        assert_eq!(found(1, &format!("{load}\nbar.sync 0;\nst.global.u32 [%rd2], %r1;")), "");
    }
    assert_eq!(found(1, "st.global.u32 [%rd2], %r1;\nbar.sync 0;\nld.global.u32 %r6, [%rd4];"), "");
}
