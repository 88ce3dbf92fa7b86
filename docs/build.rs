//! Lists the pages for `lib.rs`, by folder and name: whole, or in the module of the browser, which shows no page but those of its site,
//! their title and their summary.

use std::fmt::Write;
use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let mut tables = String::new();
    let is_module = env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|target| target == "wasm32");
    for folder in ["diagnostics", "findings"] {
        println!("cargo:rerun-if-changed={folder}");
        let path = Path::new(&env::var("CARGO_MANIFEST_DIR").map_err(io::Error::other)?).join(folder);
        let pages = fs::read_dir(path)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
        let mut pages: Vec<_> =
            pages.iter().filter(|page| page.extension().is_some_and(|it| it == "md")).collect();
        pages.sort();
        let _ = writeln!(tables, "const {}: &[(&str, &str)] = &[", folder.to_uppercase());
        for page in pages {
            let name = page.file_stem().unwrap_or_default();
            if is_module {
                let text = fs::read_to_string(page)?;
                let head: Vec<_> = text.split("\n\n").take(2).collect();
                let _ = writeln!(tables, "    ({name:?}, {:?}),", head.join("\n\n"));
            } else {
                let _ = writeln!(tables, "    ({name:?}, include_str!({page:?})),");
            }
        }
        tables += "];\n";
    }
    let out = env::var("OUT_DIR").map_err(io::Error::other)?;
    fs::write(Path::new(&out).join("pages.rs"), tables)
}
