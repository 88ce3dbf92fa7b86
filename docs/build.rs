//! Lists the pages for `lib.rs`, by folder and name.

use std::fmt::Write;
use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let mut tables = String::new();
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
            let _ = writeln!(tables, "    ({name:?}, include_str!({page:?})),");
        }
        tables += "];\n";
    }
    let out = env::var("OUT_DIR").map_err(io::Error::other)?;
    fs::write(Path::new(&out).join("pages.rs"), tables)
}
