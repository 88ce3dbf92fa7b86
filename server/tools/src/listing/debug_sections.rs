//! Removes the sections of a listing that only debuggers read, because their bytes bury the code.

/// Starts the heading of a section: `//--------------------- .debug_line`.
const HEADING: &str = "//-----------";

/// Prefixes of the names of debug sections.
const DEBUG: [&str; 2] = [".debug_", ".nv_debug_"];

pub fn without_debug_sections(listing: &str) -> String {
    let mut kept = String::with_capacity(listing.len());
    let mut is_kept = true;
    for line in listing.split_inclusive('\n') {
        if line.starts_with(HEADING) {
            let name = line.trim_start_matches(['/', '-']).trim_start();
            is_kept = !DEBUG.iter().any(|start| name.starts_with(start));
        }
        if is_kept {
            kept.push_str(line);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_they_are_removed() {
        let section = |name: &str| format!("//--------------------- {name}  -----\n\t.section\t{name}\n");
        let names = [".debug_frame", ".nv_debug_ptx_txt", ".text.debug_", ".debug_line", ".nv.info"];
        let listing = format!("\t.target\tsm_90\n\n{}", names.map(section).concat());
        let expected = format!("\t.target\tsm_90\n\n{}{}", section(".text.debug_"), section(".nv.info"));
        assert_eq!(without_debug_sections(&listing), expected);
    }
}
