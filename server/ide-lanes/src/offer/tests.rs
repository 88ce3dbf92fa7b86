use expect_test::{Expect, expect};
use warplens_hir::wave::Nesting;
use warplens_sim::launch::{Format, PtxKernel};

use super::*;
use crate::launch_file::DocumentName;
use crate::lens::{LensStyle, lenses};
use crate::testing;

const TEXT: &str = "\
.entry first()
// @launch { name = 'commented', grid = [4] }
.entry second()
";

fn kernels(text: &str) -> Vec<KernelPlace> {
    let places = text.match_indices(".entry ").map(|(at, word)| {
        let start = at + word.len();
        let name = text[start..].split('(').next().unwrap_or_default();
        let size = |offset: usize| TextSize::try_from(offset).unwrap();
        KernelPlace {
            kernel: Kernel::new(name.into(), PtxKernel::default()),
            name: TextRange::at(size(start), TextSize::of(name)),
            start: size(at),
            item: 0,
            note: None,
            qualified: None,
        }
    });
    places.collect()
}

fn file(text: &str) -> LaunchFile {
    LaunchFile {
        text: text.into(),
        format: Format::Toml,
        path: "warplens.toml".to_owned(),
        document: DocumentName::relative("sub/k.ptx"),
    }
}

fn check(text: &str, launches: Option<&str>, expect: Expect) {
    let file = launches.map(file);
    let show = |offer: Offer| {
        let Offer { name, entry, grid, block, source, problem, .. } = offer;
        let entry = entry.unwrap_or_default();
        let problem = problem.map_or(String::new(), |problem| format!(" PROBLEM {problem}"));
        format!("{} {name}: {entry} {grid:?} {block:?}{problem}\n", source.as_str())
    };
    let offers = offers(warplens_syntax::ptx::LANGUAGE, text, &kernels(text), file.as_ref());
    let answer: String = offers.into_iter().map(show).collect();
    expect.assert_eq(&answer);
}

#[test]
fn files_then_comments_then_inferred() {
    check(
        TEXT,
        Some(
            "[[launch]]\nname = 'a'\nfile = './sub/k.ptx'\nentry = 'first'\nblock = [64]\n[[launch]]\nname = 'b'\nfile = 'other.ptx'\n",
        ),
        expect![[r#"
            toml a: first [1, 1, 1] [64, 1, 1]
            comment commented: second [4, 1, 1] [32, 1, 1]
            inferred inferred: first [1, 1, 1] [32, 1, 1]
            inferred inferred: second [1, 1, 1] [32, 1, 1]
        "#]],
    );
}

#[test]
fn the_kernel_must_be_named() {
    let launch = "[[launch]]\nname = 'a'\nfile = 'sub/k.ptx'\n";
    check(
        TEXT,
        Some(launch),
        expect![[r#"
            toml a:  [1, 1, 1] [1, 1, 1] PROBLEM warplens.toml:1:1: the file has several kernels: set entry to one of `first`, `second`
            comment commented: second [4, 1, 1] [32, 1, 1]
            inferred inferred: first [1, 1, 1] [32, 1, 1]
            inferred inferred: second [1, 1, 1] [32, 1, 1]
        "#]],
    );
    check(
        ".entry only()",
        Some(launch),
        expect![[r#"
        toml a: only [1, 1, 1] [32, 1, 1]
        inferred inferred: only [1, 1, 1] [32, 1, 1]
    "#]],
    );
    check(
        "",
        Some(launch),
        expect![[r#"
            toml a:  [1, 1, 1] [1, 1, 1] PROBLEM warplens.toml:1:1: the file has no kernel
        "#]],
    );
    check(
        TEXT,
        Some(&format!("{launch}entry = 'third'\n")),
        expect![[r#"
            toml a:  [1, 1, 1] [1, 1, 1] PROBLEM warplens.toml:4:9: unknown kernel `third`: the file has `first`, `second`
            comment commented: second [4, 1, 1] [32, 1, 1]
            inferred inferred: first [1, 1, 1] [32, 1, 1]
            inferred inferred: second [1, 1, 1] [32, 1, 1]
        "#]],
    );
}

#[test]
fn broken_files_and_launches() {
    check(
        TEXT,
        Some("[[launch]\n"),
        expect![[r#"
            toml warplens.toml:  [1, 1, 1] [1, 1, 1] PROBLEM warplens.toml:1:10: invalid TOML: unclosed array table, expected `]`
            comment commented: second [4, 1, 1] [32, 1, 1]
            inferred inferred: first [1, 1, 1] [32, 1, 1]
            inferred inferred: second [1, 1, 1] [32, 1, 1]
        "#]],
    );
    check(
        TEXT,
        Some("[[launch]]\nname = 'a'\nfile = 'sub/k.ptx'\nentry = 'first'\ngrid = 1\n"),
        expect![[r#"
        toml a: first [1, 1, 1] [32, 1, 1] PROBLEM warplens.toml:5:8: `grid` must be a list such as `[1]`, not an integer
        comment commented: second [4, 1, 1] [32, 1, 1]
        inferred inferred: first [1, 1, 1] [32, 1, 1]
        inferred inferred: second [1, 1, 1] [32, 1, 1]
    "#]],
    );
    check(
        "// @launch { grid = 1 }\n.entry k()",
        None,
        expect![[r#"
            comment grid 1: k [1, 1, 1] [32, 1, 1] PROBLEM line 1, column 21: `grid` must be a list such as `[1]`, not an integer
            inferred inferred: k [1, 1, 1] [32, 1, 1]
        "#]],
    );
}

#[test]
fn lenses_over_kernels() {
    let file = file(
        "[[launch]]\nname = 'a'\nfile = 'sub/k.ptx'\nentry = 'first'\n[[launch]]\nname = 'bad'\nfile = 'sub/k.ptx'\nentry = 'first'\ngrid = 1\n",
    );
    let kernels = kernels(TEXT);
    let offers = offers(warplens_syntax::ptx::LANGUAGE, TEXT, &kernels, Some(&file));
    let show = |shown: Option<&crate::shown::Shown>, style| {
        let lenses = lenses(&kernels, &offers, shown, style, &|_| 0);
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
        7..12 Edit Launch Edit { entry: "first" }
        7..12 ⚠ bad: warplens.toml:9:8: `grid` must be a list such as `[1]`, not an integer Edit { entry: "first" }
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
    let offers = offers(warplens_syntax::ptx::LANGUAGE, text, &kernels, None);
    let shown = testing::shown(testing::TEXT, testing::result());
    let lenses = lenses(&kernels, &offers, Some(&shown), LensStyle::Plain, &|_| 0);
    let titles: Vec<_> = lenses.iter().map(|lens| lens.title.as_str()).collect();
    expect!["l: 6 warp instructions, 87% of lanes, 1 finding | ■ Stop | ▶ Run inferred 1 x 32"]
        .assert_eq(&titles.join(" | "));
}

#[test]
fn the_lens_of_a_wave_kernel_shows_its_nesting_depth() {
    let mut kernels = kernels(".entry k()");
    kernels[0].note = crate::wave::note(Nesting { depth: 2, entries: 3 });
    let lenses = lenses(&kernels, &[], None, LensStyle::Plain, &|_| 0);
    let titles: Vec<_> = lenses.iter().map(|lens| lens.title.as_str()).collect();
    expect!["nesting depth 2, 3 of 32 stack entries"].assert_eq(&titles.join(" | "));
}
