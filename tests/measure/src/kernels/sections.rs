//! Extracts the part of a listing about one kernel, so that a run decodes only that kernel and not the whole
//! module.

/// The start of a section heading: `//----- .text.k0 -----`.
const HEADING: &str = "//---";

/// The listing of a kernel: the lines before the first section, and the sections whose name ends with the kernel's name.
pub(super) fn of_kernel(listing: &str, kernel: &str) -> String {
    let mut is_kept = true;
    let mut text = String::new();
    for line in listing.split_inclusive('\n') {
        if line.starts_with(HEADING) {
            let name = line.trim().trim_matches(['/', '-']).trim();
            is_kept = name.strip_suffix(kernel).is_some_and(|section| section.ends_with('.'));
        }
        if is_kept {
            text += line;
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::of_kernel;

    #[test]
    fn a_kernel_has_its_sections() {
        let listing = "\t.target\tsm_90\n//----- .nv.info.k1 -----\none\n//----- .text.k11 -----\nother\n\
                       //----- .text.k1 -----\nk1:\n//----- .nv.info -----\nall\n";
        assert_eq!(
            of_kernel(listing, "k1"),
            "\t.target\tsm_90\n//----- .nv.info.k1 -----\none\n//----- .text.k1 -----\nk1:\n"
        );
    }
}
