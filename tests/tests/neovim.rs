//! The server and the debugger in headless Neovim: sessions as a user would have them (tests/neovim).

use std::path::{Path, PathBuf};
use std::process::Command;

use expect_test::expect;
use warplens_test_support::{runs, skip};

const SOURCE: &str = include_str!("../../examples/divergence.ptx");
const RECIPES: &str = include_str!("../../docs/editors.md");

#[test]
fn a_session_in_neovim() {
    if !runs("nvim") {
        return skip("Neovim (nvim) was not found");
    }
    let answer = session("session", &[]);
    expect![[r#"
        hover: **`bra`** · control flow · §9.7.14.3
        definition of the label: line 25
        lenses: 1, command warplens.selectLaunch
        lanes at line 22: split 16 | 16
        lanes at line 23: 16/32 odd
        lanes at line 24: 16/32 odd
        lanes at line 26: 16/32 even
        lanes at line 28: join 32
        lanes at line 32: x4 32>24>16>8
        lanes at line 33: x4 32>24>16>8
        lanes at line 34: x4 32>24>16>8
        lanes at line 35: x4 32>24>16>8
        lanes at line 38: join 32
        lanes at line 39: 4 of 32 @ 28-31
        error: unknown instruction `frob`
        error: undeclared register `%r1`
    "#]]
    .assert_eq(&answer);
}

/// The folder of nvim-dap: `WARPLENS_NVIM_DAP`, or where Neovim finds plugins.
fn nvim_dap() -> Option<PathBuf> {
    if let Some(given) = std::env::var_os("WARPLENS_NVIM_DAP") {
        return Some(given.into());
    }
    let packages = Path::new(&std::env::var_os("HOME")?).join(".local/share/nvim/site/pack");
    let folders = std::fs::read_dir(packages)
        .ok()?
        .flatten()
        .flat_map(|package| ["start", "opt"].map(|kind| package.path().join(kind).join("nvim-dap")));
    folders.into_iter().find(|folder| folder.is_dir())
}

#[test]
fn a_session_of_nvim_dap() {
    if !runs("nvim") {
        return skip("Neovim (nvim) was not found");
    }
    let Some(plugin) = nvim_dap() else {
        return skip("nvim-dap was not found; WARPLENS_NVIM_DAP names its folder");
    };
    let answer = session("debug", &[("WARPLENS_NVIM_DAP", &plugin)]);
    expect![[r#"
        continue: entry, step 0 of 31, line 17
        frame: divergence  lanes 0-31
        to the breakpoint: breakpoint, step 12 of 31, line 32
        sum: 101 4 103 10 105 16 107 22 | 109 28 111 34 113 40 115 46 | 117 52 119 58 121 64 123 70 | 125 76 127 82 129 88 131 94
        step back: step, step 11 of 31, line 35
        step over: step, step 12 of 31, line 32
        reverse: entry, step 0 of 31, line 17
        why: mov.u32 %r1, %tid.x; = 00000005
        ended
    "#]]
    .assert_eq(&answer);
}

/// The recipe for nvim-dap.
fn recipe() -> &'static str {
    let blocks = RECIPES.split("```lua\n").skip(1).filter_map(|rest| rest.split("```").next());
    blocks.into_iter().find(|block| block.contains("require('dap')")).expect("docs/editors.md has a recipe")
}

/// Runs a session of tests/neovim and returns its output.
fn session(name: &str, environment: &[(&str, &Path)]) -> String {
    let folder = std::env::temp_dir().join(format!("warplens-neovim-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder can be made");
    let (file, recipe_file) = (folder.join("divergence.ptx"), folder.join("recipe.lua"));
    std::fs::write(&file, SOURCE).expect("the file can be written");
    let server = env!("CARGO_BIN_EXE_warplens-under-test");
    std::fs::write(&recipe_file, recipe().replace("'warplens', args", &format!("'{server}', args")))
        .expect("the recipe can be written");
    let output = folder.join("answer.txt");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("neovim/{name}.lua"));
    let run = Command::new("nvim")
        .args(["--headless", "--clean", "-n", "-c"])
        .arg(format!("luafile {}", script.display()))
        .current_dir(&folder)
        .env("HOME", &folder)
        .env("WARPLENS_SERVER", server)
        .env("WARPLENS_FILE", &file)
        .env("WARPLENS_RECIPE", &recipe_file)
        .env("WARPLENS_OUTPUT", &output)
        .envs(environment.iter().copied())
        .output()
        .expect("Neovim runs");
    let answer = std::fs::read_to_string(&output)
        .unwrap_or_else(|_| panic!("no answer: {}", String::from_utf8_lossy(&run.stderr)));
    std::fs::remove_dir_all(&folder).expect("the temporary folder can be removed");
    answer
}
