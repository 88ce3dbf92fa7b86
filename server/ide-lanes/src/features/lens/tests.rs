use expect_test::expect;
use warplens_hir::wave::Nesting;

use super::*;
use crate::launches::launches_in;
use crate::testing::{self, kernels, launch_file};

const TEXT: &str = "\
.entry first()
// @launch { name = 'commented', grid = [4] }
.entry second()
";

#[test]
fn lenses_over_kernels() {
    let file = launch_file(
        "[[launch]]\nname = 'a'\nfile = 'sub/k.ptx'\nentry = 'first'\n[[launch]]\nname = 'bad'\nfile = 'sub/k.ptx'\nentry = 'first'\ngrid = 1\n",
    );
    let kernels = kernels(TEXT);
    let launches = launches_in(warplens_syntax::ptx::LANGUAGE, TEXT, &kernels, Some(&file.into()));
    let show = |shown: Option<&LaneView>, style| {
        let lenses = lenses(&kernels, &launches, shown, style, &|_| 0);
        lenses
            .iter()
            .map(|lens| format!("{:?} {} {:?}\n", lens.range, lens.title, lens.click))
            .collect::<String>()
    };
    expect![[r#"
        7..12 ▶ Run a Select { entry: "first", launch: "a" }
        7..12 ▶ Run inferred 1 x 32 Select { entry: "first", launch: "inferred" }
        7..12 ⚠ bad: warplens.toml:9:8: `grid` must be a list such as `[1]`, not an integer Nothing
        68..74 ▶ Run commented Select { entry: "second", launch: "commented" }
        68..74 ▶ Run inferred 1 x 32 Select { entry: "second", launch: "inferred" }
    "#]]
    .assert_eq(&show(None, LensStyle::Plain));
    expect![[r#"
        7..12 ▶ Run a Select { entry: "first", launch: "a" }
        7..12 3 launches ▾ Pick { entry: "first" }
        7..12 ⚠ bad: warplens.toml:9:8: `grid` must be a list such as `[1]`, not an integer Edit { entry: "first" }
        7..12 Edit Launch Edit { entry: "first" }
        68..74 ▶ Run commented Select { entry: "second", launch: "commented" }
        68..74 2 launches ▾ Pick { entry: "second" }
        68..74 Edit Launch Edit { entry: "second" }
    "#]]
    .assert_eq(&show(None, LensStyle::Extension));
}

#[test]
fn the_lens_of_a_kernel_shows_the_result_of_its_run() {
    let text = ".entry k()";
    let kernels = kernels(text);
    let launches = launches_in(warplens_syntax::ptx::LANGUAGE, text, &kernels, None);
    let shown = testing::shown(testing::TEXT, testing::result());
    let lenses = lenses(&kernels, &launches, Some(&shown), LensStyle::Plain, &|_| 0);
    let titles: Vec<_> = lenses.iter().map(|lens| lens.title.as_str()).collect();
    expect!["l: 6 warp instructions, 87% of lanes, 1 finding | ■ Stop | ▶ Run inferred 1 x 32"]
        .assert_eq(&titles.join(" | "));
}

#[test]
fn the_extension_shows_the_result_first_and_shortcuts_last() {
    let text = ".entry k()";
    let kernels = kernels(text);
    let launches = launches_in(warplens_syntax::ptx::LANGUAGE, text, &kernels, None);
    let shown = testing::shown(testing::TEXT, testing::result());
    let lenses = lenses(&kernels, &launches, Some(&shown), LensStyle::Extension, &|_| 0);
    let titles: Vec<_> = lenses.iter().map(|lens| format!("{:?}: {}", lens.rank, lens.title)).collect();
    expect![[r#"
        Run: ⚠ 6 instr · 87 % active
        Run: 1 finding
        Run: block 0, warp 0 of 1
        Run: l ▾
        Shortcut: Lanes Panel
        Shortcut: ■ Stop"#]]
    .assert_eq(&titles.join("\n"));
}

#[test]
fn the_lens_of_a_wave_kernel_shows_its_nesting_depth() {
    let mut kernels = kernels(".entry k()");
    kernels[0].note = crate::wave::note(Nesting { depth: 2, entries: 3 });
    let lenses = lenses(&kernels, &[], None, LensStyle::Plain, &|_| 0);
    let titles: Vec<_> = lenses.iter().map(|lens| lens.title.as_str()).collect();
    expect!["nesting depth 2, 3 of 32 stack entries"].assert_eq(&titles.join(" | "));
}
