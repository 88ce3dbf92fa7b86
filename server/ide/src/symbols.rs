//! The outline of a file: kernels, functions and variables, and their contents.

use text_size::TextSize;
use warplens_ide_db::{Database, Db, File, Item, Symbol, placed_items};

/// The outline of an item, relative to it.
#[salsa::tracked(returns(deref))]
pub(crate) fn item_symbols<'db>(db: &'db dyn Db, item: Item<'db>) -> Box<[Symbol]> {
    (db.language(item.language(db)).symbols)(db, item).into()
}

/// The outline of a file, in text order.
pub(crate) fn symbols(db: &Database, file: File) -> Vec<Symbol> {
    let symbols = placed_items(db, file)
        .flat_map(|(item, start)| item_symbols(db, item).iter().map(move |symbol| moved(symbol, start)));
    symbols.collect()
}

fn moved(symbol: &Symbol, start: TextSize) -> Symbol {
    Symbol {
        range: symbol.range + start,
        focus: symbol.focus + start,
        children: symbol.children.iter().map(|child| moved(child, start)).collect(),
        ..symbol.clone()
    }
}

/// The maximum nesting depth. Deeper constructs become siblings, because clients process outlines recursively.
const MAX_DEPTH: usize = 64;

/// An outline while it is built from instructions, by their indices.
#[derive(Default)]
pub(crate) struct Outline {
    top: Vec<Symbol>,
    /// The open constructs, each with the instruction at which it ends.
    open: Vec<(Symbol, usize)>,
}

impl Outline {
    pub(crate) fn add(&mut self, symbol: Symbol) {
        self.open.last_mut().map_or(&mut self.top, |(open, _)| &mut open.children).push(symbol);
    }

    /// Whether a construct that ends at `end` can be opened here: it is within the innermost open one.
    pub(crate) fn nests(&self, end: usize) -> bool {
        self.open.last().is_none_or(|(_, outer)| end <= *outer) && self.open.len() < MAX_DEPTH
    }

    pub(crate) fn open(&mut self, symbol: Symbol, end: usize) {
        self.open.push((symbol, end));
    }

    pub(crate) fn close_at(&mut self, at: usize) {
        while let Some((symbol, _)) = self.open.pop_if(|(_, end)| *end <= at) {
            self.add(symbol);
        }
    }

    pub(crate) fn finish(mut self) -> Vec<Symbol> {
        self.close_at(usize::MAX);
        self.top
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use expect_test::{Expect, expect};

    use crate::fixture::{FILE, Fixture, open};
    use warplens_ide_db::Symbol;

    fn check(source: &str, expect: Expect) {
        let (fixture, analysis) = open(source);
        let mut shown = String::new();
        show(&fixture, &analysis.symbols(FILE).unwrap(), 0, &mut shown);
        expect.assert_eq(&shown);
    }

    fn show(fixture: &Fixture, symbols: &[Symbol], depth: usize, shown: &mut String) {
        for symbol in symbols {
            assert!(symbol.range.contains_range(symbol.focus), "{symbol:?}");
            let detail = symbol.detail.as_deref().unwrap_or("-");
            let place = fixture.show(symbol.focus);
            writeln!(
                shown,
                "{:depth$}{} {:?} {detail} {place}",
                "",
                symbol.name,
                symbol.kind,
                depth = 2 * depth
            )
            .unwrap();
            show(fixture, &symbol.children, depth + 1, shown);
        }
    }

    #[test]
    fn a_module() {
        check(
            "
.version 8.0
.target sm_80
.global .align 4 .f32 table[16], scale;
.extern .func (.param .b32 r) helper(.param .b32 a);
.visible .entry k(.param .u64 out) .maxntid 64 {
    .reg .b32 %r<8>;
    .shared .b8 tile[128];
L:  bra L;
}
.section .debug_str { .b8 0 }
",
            expect![[r#"
                table Variable .global variable, .f32, 64 bytes 4:`table`
                scale Variable .global variable, .f32, 4 bytes 4:`scale`
                helper Function function with 1 parameter, declared only 5:`helper`
                  r Parameter return parameter 0, .b32, 4 bytes 5:`r`
                  a Parameter parameter 0, .b32, 4 bytes 5:`a`
                k Kernel kernel with 1 parameter 6:`k`
                  out Parameter parameter 0, .u64, 8 bytes 6:`out`
                  tile Variable .shared variable, .b8, 128 bytes 8:`tile`
                  L Label label 9:`L`
                .debug_str Section - 11:`.debug_str`
            "#]],
        );
    }

    #[test]
    fn blocks_that_declare_something() {
        check(
            "
.func f() {
    { // callseq 0, 0
    .param .b64 a;
    {
L:  ret;
    }
    { ret; }
    } // callseq 0
    .shared .b8 tile[4];
}
",
            expect![[r#"
                f Function function with 0 parameters 2:`f`
                  { } Block callseq 0, 0 3:`{`
                    a Variable .param variable, .b64, 8 bytes 4:`a`
                    { } Block - 5:`{`
                      L Label label 6:`L`
                  tile Variable .shared variable, .b8, 4 bytes 10:`tile`
            "#]],
        );
    }

    #[test]
    fn a_wave_file() {
        check(
            ".kernel a
    .workgroup_size 64, 1, 1
out: halt
.end
.kernel b
    halt
.end
",
            expect![[r#"
                a Kernel kernel, workgroup 64 x 1 x 1 1:`a`
                  out Label - 3:`out`
                b Kernel kernel 5:`b`
            "#]],
        );
    }

    #[test]
    fn branches_and_loops_of_wave_nest() {
        check(
            ".kernel k
    icmp.lt p1, r0, 4
    loop
        if !p1
back:       nop
        else
            icmp.eq p2, r0, r1
            if p2
                break p3
            endif
        endif
        break p3
        continue p1
    endloop
    if p2
    halt
.end
",
            expect![[r#"
                k Kernel kernel 1:`k`
                  loop Block break p3, continue p1 3:`loop`
                    if !p1 Block icmp.lt p1, r0, 4 4:`if`
                      back Label - 5:`back`
                      else Block - 6:`else`
                        if p2 Block icmp.eq p2, r0, r1 8:`if`
            "#]],
        );
    }

    #[test]
    fn constructs_that_cross_and_very_deep_ones_are_shown_without_what_is_inside() {
        check(
            ".kernel k
    if p1
        loop
            if p2
    endif
        endloop
        endif
.end
",
            expect![[r#"
                k Kernel kernel 1:`k`
                  if p1 Block - 2:`if`
                    loop Block - 3:`loop`
                      if p2 Block - 4:`if`
            "#]],
        );
        let deep = format!(".kernel k\n{}{}.end\n", "if p1\n".repeat(5000), "endif\n".repeat(5000));
        let (_, analysis) = open(&deep);
        let mut symbols = analysis.symbols(FILE).unwrap();
        let mut depth = 0;
        while let Some(last) = symbols.pop() {
            symbols = last.children;
            depth += 1;
        }
        assert!(depth < 100, "{depth}");
    }
}
