//! `syntax-error`, of what `cuobjdump -ptx` prints before a module.

use text_size::TextSize;
use warplens_ide_db::{Db, Diagnostic, File, Fixes, Item, ItemFix, Problem, items, placed_items};
use warplens_syntax::ItemKind;

use crate::codes;
use crate::context::fix_context;
use crate::ptx::symbols::first_token;

/// Whether an item is a header: `Fatbin ptx code:`, the lines below it, and what a shell or `cuobjdump` prints before it.
pub(super) fn is_header(db: &dyn Db, item: Item<'_>) -> bool {
    let begins = |line: &str| line.trim_start_matches(['\u{feff}', ' ', '\t']).starts_with("Fatbin ");
    item.kind(db) == ItemKind::Other && item.text(db).0.lines().any(begins)
}

/// Reports the headers of a file, each with the line on which its module starts.
pub(super) fn check(db: &warplens_ide_db::Database, file: File) -> Vec<Diagnostic> {
    // Counting lines reads the whole file, so files without a header skip it.
    if !items(db, file).iter().any(|item| is_header(db, *item)) {
        return Vec::new();
    }
    let context = fix_context(db, file, Fixes::Included);
    let mut found = Vec::new();
    let (mut line, mut modules) = (1, 0);
    let mut open: Option<(TextSize, Item<'_>)> = None;
    for (item, start) in placed_items(db, file) {
        let text = &item.text(db).0;
        let first = first_token(db, item);
        if is_header(db, item) {
            open.get_or_insert((start, item));
        } else if !first.is_empty() {
            if let Some((at, header)) = open.take() {
                let module = line + text[..usize::from(first.start())].matches('\n').count();
                found.push(problem(db, header, modules, Some(module)).in_file(&context, at));
            }
            modules += 1;
        }
        line += text.matches('\n').count();
    }
    found.extend(open.map(|(at, header)| problem(db, header, modules, None).in_file(&context, at)));
    found
}

/// The problem of a header after this many items of modules; `module` is the line of its module.
fn problem(db: &dyn Db, header: Item<'_>, before: usize, module: Option<usize>) -> Problem {
    let range = first_token(db, header);
    let error = |message: String| Problem::error(range, codes::SYNTAX, message);
    let Some(module) = module else {
        return error("a dump of `cuobjdump`, and no PTX module follows".to_owned());
    };
    if before > 0 {
        return error(format!(
            "a dump of `cuobjdump -ptx` with several modules, one of which starts at line {module}: extract them with `-xptx all`"
        ));
    }
    let message = format!(
        "a dump of `cuobjdump -ptx`; the module starts at line {module}: delete the lines before it, or extract it with `-xptx`"
    );
    let whole = text_size::TextRange::up_to(TextSize::of(&*header.text(db).0));
    error(message).with_fix(ItemFix::new("Delete the header").delete(whole))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::check;

    #[test]
    fn headers() {
        let header = "Fatbin ptx code:\n================\narch = sm_80\nptxasOptions = -O3 \n\n";
        let module = ".version 8.0\n.target sm_80\n.address_size 64\n";
        check(
            &format!("$ cuobjdump -ptx a.out\n\n{header}{module}.entry k() {{ ret; }}\n"),
            expect![[r#"
            1:`$` Error syntax-error: a dump of `cuobjdump -ptx`; the module starts at line 8: delete the lines before it, or extract it with `-xptx`
        "#]],
        );
        check(
            &format!("member /usr/lib/x.a:foo.o:\n\n{header}{module}.entry k() {{ ret; }}\n"),
            expect![[r#"
            1:`member` Error syntax-error: a dump of `cuobjdump -ptx`; the module starts at line 8: delete the lines before it, or extract it with `-xptx`
        "#]],
        );
        check(
            &format!("\u{feff}{header}{module}.entry k() {{ ret; }}\n"),
            expect![[r#"
            1:`Fatbin` Error syntax-error: a dump of `cuobjdump -ptx`; the module starts at line 6: delete the lines before it, or extract it with `-xptx`
        "#]],
        );
        check(
            &format!("{header}{module}.entry k() {{ ret; }}\n\n{header}{module}.entry j() {{ ret; }}\n"),
            expect![[r#"
                1:`Fatbin` Error syntax-error: a dump of `cuobjdump -ptx`; the module starts at line 6: delete the lines before it, or extract it with `-xptx`
                11:`Fatbin` Error syntax-error: a dump of `cuobjdump -ptx` with several modules, one of which starts at line 16: extract them with `-xptx all`
            "#]],
        );
        check(
            "Fatbin elf code:\n================\narch = sm_80\n",
            expect![[r#"
            1:`Fatbin` Error syntax-error: a dump of `cuobjdump`, and no PTX module follows
        "#]],
        );
    }
}
