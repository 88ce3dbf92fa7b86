//! `warplens fmt`, as a user runs it.

use crate::support::Folder;
use crate::support::transcript::check;
use expect_test::expect;

const PLAIN: &str = ".version 8.5\n.entry k() { add.u32 %r1,%r2,1; // sum\n}\n";
const FORMATTED: &str = "\
.version 8.5
.entry k()
{
\tadd.u32 \t%r1, %r2, 1;            // sum
}
";

#[test]
fn a_file_is_formatted_in_place() {
    let folder = Folder::new();
    let file = folder.write("k.ptx", PLAIN);
    check(
        folder.path(),
        &["fmt", "k.ptx"],
        "",
        expect![[r#"
            --
            exit 0
        "#]],
    );
    assert_eq!(std::fs::read_to_string(file).expect("it is there"), FORMATTED);
}

#[test]
fn a_check_lists_the_files_and_changes_none() {
    let folder = Folder::new();
    let file = folder.write("a.ptx", PLAIN);
    folder.write("b.ptx", FORMATTED);
    check(
        folder.path(),
        &["fmt", "--check", "a.ptx", "b.ptx"],
        "",
        expect![[r#"
            a.ptx
            --
            exit 1
        "#]],
    );
    assert_eq!(std::fs::read_to_string(file).expect("it is there"), PLAIN);
    check(
        folder.path(),
        &["fmt", "--check", "b.ptx"],
        "",
        expect![[r#"
            --
            exit 0
        "#]],
    );
}

/// A diff that is not shown by a terminal can be applied: it has every byte of the file.
#[test]
fn a_diff_has_the_bytes_of_the_file() {
    let folder = Folder::new();
    folder.write("k.ptx", PLAIN.replace('\n', "\r\n").replace("sum", "\u{1b}sum\u{202e}"));
    let output = std::process::Command::new(crate::support::server())
        .args(["fmt", "--diff", "k.ptx"])
        .current_dir(folder.path())
        .output();
    let diff = String::from_utf8(output.expect("it runs").stdout).expect("it is text");
    assert!(diff.contains("-.entry k() { add.u32 %r1,%r2,1; // \u{1b}sum\u{202e}\r\n"), "{diff:?}");
}

#[cfg(unix)]
#[test]
fn a_link_on_the_command_line_stays_one() {
    let folder = Folder::new();
    let file = folder.write("k.ptx", PLAIN);
    let link = folder.path().join("link.ptx");
    std::os::unix::fs::symlink("k.ptx", &link).expect("a link can be made");
    check(
        folder.path(),
        &["fmt", "link.ptx"],
        "",
        expect![[r#"
        --
        exit 0
    "#]],
    );
    assert!(link.symlink_metadata().expect("it is there").is_symlink());
    assert_eq!(std::fs::read_to_string(file).expect("it is there"), FORMATTED);
}

#[test]
fn standard_input_is_formatted_to_standard_output() {
    let folder = Folder::new();
    check(
        folder.path(),
        &["fmt", "-"],
        PLAIN,
        expect![[r#"
            .version 8.5
            .entry k()
            {
            	add.u32 	%r1, %r2, 1;            // sum
            }
            --
            exit 0
        "#]],
    );
}

/// A failing write simulates a full disk: file sizes are limited to one block.
#[cfg(target_os = "linux")]
#[test]
fn a_failing_write_leaves_the_old_text() {
    use std::process::Command;

    let folder = Folder::new();
    let text = format!(".version 8.5\n.entry k() {{\n{}}}\n", "add.u32 %r1,%r2,1;\n".repeat(500));
    let file = folder.write("k.ptx", &text);
    let format = || {
        let mut limited = Command::new("sh");
        limited
            .args(["-c", "trap '' XFSZ; ulimit -f 1; exec \"$0\" fmt k.ptx"])
            .arg(crate::support::server());
        let output = limited.current_dir(folder.path()).output().expect("a shell runs");
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(error.starts_with("warplens: k.ptx: cannot be written: "), "{error}");
        assert_eq!(std::fs::read_to_string(&file).expect("it is there"), text);
    };
    format();
    assert_eq!(folder.path().read_dir().expect("it is there").count(), 1, "nothing is left beside");
    // A file with several names is written in place.
    std::fs::hard_link(&file, folder.path().join("other.ptx")).expect("a link can be made");
    format();
}

#[test]
fn items_with_syntax_errors_are_not_formatted_and_reported() {
    let folder = Folder::new();
    let text = ".version   8.5\n.entry k() { add.u32   %r1 %r2; }\n.func g() {ret;}\n";
    let file = folder.write("k.ptx", text);
    check(
        folder.path(),
        &["fmt", "k.ptx"],
        "",
        expect![[r#"
            --
            warplens: k.ptx:2:26: syntax error: the enclosing item was not formatted (run `warplens check` for details)
            exit 1
        "#]],
    );
    expect![[r#"
        .version 8.5
        .entry k() { add.u32   %r1 %r2; }
        .func g()
        {
        	ret;
        }
    "#]]
    .assert_eq(&std::fs::read_to_string(file).expect("it is there"));
}

#[test]
fn wave_is_formatted_too() {
    check(
        Folder::new().path(),
        &["fmt", "--language", "wave-asm", "-"],
        ".kernel k\nif p1\n  halt;now\n endif\n.end",
        expect![[r#"
            .kernel k
                if p1
                    halt ;now
                endif
            .end
            --
            exit 0
        "#]],
    );
}

#[test]
fn what_cannot_be_formatted_says_why() {
    let folder = Folder::new();
    folder.write("k.txt", "hello\n");
    check(
        folder.path(),
        &["fmt", "k.txt", "nowhere.ptx"],
        "",
        expect![[r#"
            --
            warplens: k.txt: cannot determine the language; use --language ptx or --language wave-asm or --language cuda-sass
            warplens: nowhere.ptx: cannot be read: No such file or directory (os error 2)
            exit 2
        "#]],
    );
}

#[test]
fn listings_are_read_only() {
    let folder = Folder::new();
    folder.write("listings/k.sass", "/*0000*/ EXIT ;\n");
    check(
        folder.path(),
        &["fmt", "listings/k.sass", "listings"],
        "",
        expect![[r#"
            --
            warplens: listings/k.sass: SASS is read-only: a tool prints it, and it is not formatted
            exit 2
        "#]],
    );
}

/// Toolchain 0.1.2 has no correct form of a call in a later kernel, and a `continue` needs several lines.
#[test]
fn wave_that_a_dialect_cannot_express_is_reported() {
    let folder = Folder::new();
    folder.write(
        "k.wave",
        ".kernel a\n    call f\n    halt\nf:\n    return\n.end\n.kernel b\n    mov_sr r0, sr_lane_id\n    mov_imm r1, 3\n    loop\n        icmp_lt p1, r0, r1\n        continue p1\n        icmp_eq p1, r0, r1\n        break p1\n    endloop\n    halt\n.end\n.kernel c\n    call g\n    halt\ng:\n    return\n.end\n",
    );
    check(
        folder.path(),
        &["fmt", "--spelling", "toolchain-0.1.2", "k.wave"],
        "",
        expect![[r#"
        --
        warplens: k.wave:22: not rewritten: toolchain 0.1.2 computes a wrong call target in every kernel but the first: move this kernel to the start of the file
        exit 1
    "#]],
    );
    let written = std::fs::read_to_string(folder.path().join("k.wave")).expect("it is there");
    expect![[r#"
        .kernel a
            call f
            halt
        f:
            return
        .end
        .kernel b
            mov_sr r0, sr_lane_id
            mov_imm r1, 3
            loop
                icmp_lt p1, r0, r1
                ; continue p1
                if p1
                else
                    icmp_eq p1, r0, r1
                    break p1
                endif
            endloop
            halt
        .end
        .kernel c
            call g
            halt
        g:
            return
        .end
    "#]]
    .assert_eq(&written);
}

#[test]
fn wave_is_written_in_a_dialect() {
    let folder = Folder::new();
    folder.write(
        "k.wave",
        ".kernel k\n.workgroup_size 64\nicmp.lt p0, r0, 5\n@p0 iadd r1, r0, r0\ndevice_store.u32 r1, r0\nhalt\n.end\n",
    );
    check(
        folder.path(),
        &["fmt", "--spelling", "toolchain-0.1.2", "--check", "k.wave"],
        "",
        expect![[r#"
        k.wave
        --
        exit 1
    "#]],
    );
    check(
        folder.path(),
        &["fmt", "--spelling", "toolchain-0.1.2", "k.wave"],
        "",
        expect![[r#"
        --
        exit 0
    "#]],
    );
    let toolchain = std::fs::read_to_string(folder.path().join("k.wave")).expect("it is there");
    expect![[r#"
        .kernel k
        .workgroup_size 64, 1, 1
            mov_imm r2, 5
            icmp_lt p1, r0, r2
            @p1 iadd r1, r0, r0
            device_store_u32 r0, r1
            halt
        .end
    "#]]
    .assert_eq(&toolchain);
    check(
        folder.path(),
        &["check", "--accepts", "toolchain-0.1.2", "k.wave"],
        "",
        expect![[r#"
            1 file checked: no errors, no warnings
            --
            exit 0
        "#]],
    );
    check(
        folder.path(),
        &["fmt", "--spelling", "guide", "-", "--language", "wave-asm"],
        &toolchain,
        expect![[r#"
        .kernel k
        .workgroup_size 64
            mov_imm r2, 5
            icmp.lt p1, r0, r2
            @p1 iadd r1, r0, r0
            device_store.u32 r1, r0
            halt
        .end
        --
        exit 0
    "#]],
    );
}

#[test]
fn code_without_an_equivalent_is_reported_with_its_line() {
    let text = ".kernel k\n\n\n\n\nlocal_atomic_cas r1, r2, r3, r4\nhalt\n.end\n";
    check(
        Folder::new().path(),
        &["fmt", "--spelling", "toolchain-0.1.2", "--language", "wave-asm", "-"],
        text,
        expect![[r#"
            .kernel k


                local_atomic_cas r1, r2, r3, r4
                halt
            .end
            --
            warplens: -:4: not rewritten: toolchain 0.1.2 assembles this as an atomic add and has no compare-and-swap: take a lock with `atomic_exchange`
            exit 1
        "#]],
    );
}

#[test]
fn ptx_has_one_dialect() {
    let folder = Folder::new();
    folder.write("k.ptx", PLAIN);
    check(
        folder.path(),
        &["fmt", "--spelling", "guide", "k.ptx"],
        "",
        expect![[r#"
            --
            warplens: k.ptx: `--spelling` applies only to languages with dialects; PTX has none
            exit 2
        "#]],
    );
}

/// The commands see the listing that the JSON of a disassembler contains, so they would overwrite the JSON.
#[test]
fn a_file_whose_text_was_converted_is_not_written() {
    const JSON: &str = "[{\"ELF\":{},\"SM\":{\"version\":{\"major\":8,\"minor\":0}}},\
        [{\"function-name\":\"k\",\"start\":0,\"length\":16,\"sass-instructions\":[{\"opcode\":\"EXIT\"}]}]]\n";
    let folder = Folder::new();
    let file = folder.write("disassembly.ptx", JSON);
    let other = folder.write("k.ptx", PLAIN);
    for arguments in [
        &["fmt", "disassembly.ptx", "k.ptx"][..],
        &["fmt", "--diff", "disassembly.ptx"],
        &["fmt", "--check", "disassembly.ptx"],
    ] {
        check(
            folder.path(),
            arguments,
            "",
            expect![[r#"
                --
                warplens: disassembly.ptx: not edited, because it is the JSON or graph of a disassembler, which was converted to a listing
                exit 2
            "#]],
        );
    }
    assert_eq!(std::fs::read_to_string(file).expect("it is there"), JSON);
    assert_eq!(std::fs::read_to_string(other).expect("it is there"), FORMATTED);
}
