//! Directives, state spaces and types.

use text_size::{TextRange, TextSize};
use warplens_ide_db::ptx::module_target;
use warplens_ide_db::{CompletionKind, FilePosition, token_covering};
use warplens_isa::ptx as isa;
use warplens_isa::ptx::{Directive, Status};
use warplens_syntax::SyntaxKind;

use crate::proposals::{Proposal, Proposals};
use crate::snippet::Snippet;

pub(super) fn in_body(proposals: &mut Proposals) {
    variables(&[".reg", ".shared", ".local", ".param", ".global", ".const"], proposals);
    let groups = ["control-flow", "debug"];
    proposals
        .extend(directives(|directive| groups.contains(&directive.group) || directive.name == ".pragma"));
}

/// The first lines of a file, with the version that the newest widely used target requires.
pub(super) fn header(proposals: &mut Proposals) {
    let insert = Snippet::template(".version ‹8.0›\n.target ‹sm_80›\n.address_size 64\n\n");
    proposals.add(Proposal {
        insert,
        ..Proposal::word(".version .target .address_size", CompletionKind::Snippet, 0)
            .with_detail("the header of a file")
    });
}

pub(super) fn in_module(proposals: &mut Proposals) {
    proposals.add(kernel());
    proposals.extend(directives(|directive| {
        matches!(directive.group, "module" | "function" | "linking" | "debug") || directive.name == ".pragma"
    }));
    variables(&[".global", ".const", ".shared"], proposals);
}

fn kernel() -> Proposal {
    let insert = Snippet::template(
        ".visible .entry ‹name›(\n\t.param .u64 ‹out›\n)\n{\n\t.reg .b32 %r<‹8›>;\n\n\t‹›\n\tret;\n}",
    );
    Proposal {
        insert,
        ..Proposal::word(".visible .entry", CompletionKind::Snippet, 0).with_detail("a new kernel")
    }
}

/// The declarations that can follow a linkage directive.
pub(super) fn after_linkage(proposals: &mut Proposals) {
    proposals.extend(directives(|directive| matches!(directive.name, ".entry" | ".func")));
    variables(&[".global", ".const", ".shared"], proposals);
}

/// The types and attributes that can follow the state space of a declaration.
pub(super) fn after_space(proposals: &mut Proposals) {
    types(proposals);
    proposals.extend(isa::directive(".align").map(|entry| directive(entry, 1)));
    for length in [".v2", ".v4"] {
        proposals.add(Proposal::word(length, CompletionKind::Type, 1).with_detail("a vector"));
    }
}

pub(super) fn in_parameters(proposals: &mut Proposals) {
    proposals.extend(
        isa::state_space(".param")
            .map(|entry| Proposal::known(".param", entry.summary, CompletionKind::Space, 0)),
    );
    after_space(proposals);
    proposals.extend(isa::directive(".ptr").map(|entry| directive(entry, 1)));
}

fn types(proposals: &mut Proposals) {
    let storable = isa::types().iter().filter(|ty| ty.storage.is_none());
    proposals.extend(storable.map(|ty| Proposal::known(ty.name, ty.summary, CompletionKind::Type, 0)));
}

/// The directives that are allowed between parameters and body.
pub(super) fn performance(proposals: &mut Proposals) {
    proposals.extend(directives(|directive| matches!(directive.group, "performance" | "cluster")));
}

/// The values of `.target`. Targets that the version of the file lacks are sorted last.
pub(super) fn targets(position: &FilePosition<'_>, proposals: &mut Proposals) {
    let version = module_target(position.db, position.file).version;
    let newest_first = isa::targets().iter().rev();
    proposals.extend(newest_first.map(|target| {
        match version.is_none_or(|version| target.since <= version) {
            true => Proposal::word(target.name, CompletionKind::Constant, 0).with_detail(target.generation),
            false => Proposal::word(target.name, CompletionKind::Constant, 2)
                .with_detail(format!("requires .version {}", target.since)),
        }
    }));
    proposals.extend(
        isa::target_options().iter().map(|option| {
            Proposal::word(option.name, CompletionKind::Constant, 1).with_detail(option.summary)
        }),
    );
}

pub(super) fn versions(proposals: &mut Proposals) {
    let newest_first = isa::versions().iter().rev();
    proposals.extend(newest_first.map(|release| {
        Proposal::word(release.version.to_string(), CompletionKind::Constant, 0).with_detail(release.toolkit)
    }));
}

/// The strings of `.pragma`, if the position is in one.
pub(super) fn pragmas(position: &FilePosition<'_>) -> Option<Proposals> {
    let before = position.offset.checked_sub(1.into())?;
    let string =
        token_covering(&position.tree(), before).filter(|token| token.kind() == SyntaxKind::STRING)?;
    let start = string.text_range().start() + TextSize::of('"');
    let is_closed = string.text().len() > 1 && string.text().ends_with('"');
    let is_inside = position.offset >= start && (position.offset < string.text_range().end() || !is_closed);
    let is_pragma = string.parent().is_some_and(|parent| parent.kind() == SyntaxKind::PRAGMA_DIRECTIVE);
    if !is_inside || !is_pragma {
        return None;
    }
    let mut proposals = Proposals::replacing(TextRange::new(start, position.offset));
    proposals.extend(
        isa::pragmas()
            .iter()
            .map(|pragma| Proposal::known(pragma.name, pragma.summary, CompletionKind::Constant, 0)),
    );
    Some(proposals)
}

/// The pragmas as strings.
pub(super) fn quoted_pragmas(proposals: &mut Proposals) {
    proposals.extend(isa::pragmas().iter().map(|pragma| {
        let label = format!("\"{}\"", pragma.name);
        let insert = Snippet::text(&label);
        Proposal {
            label,
            insert,
            ..Proposal::known(pragma.name, pragma.summary, CompletionKind::Constant, 0)
        }
    }));
}

fn directives(is_wanted: impl Fn(&Directive) -> bool) -> impl Iterator<Item = Proposal> {
    let wanted = isa::directives().iter().filter(move |directive| is_wanted(directive));
    wanted.map(|entry| directive(entry, if entry.status == Status::Current { 1 } else { 3 }))
}

fn directive(entry: &Directive, rank: u32) -> Proposal {
    let deprecated = entry.status != Status::Current;
    Proposal { deprecated, ..Proposal::known(entry.name, entry.summary, CompletionKind::Directive, rank) }
}

/// Declarations in these state spaces, with placeholders for their types and names.
fn variables(spaces: &[&str], proposals: &mut Proposals) {
    proposals
        .extend(spaces.iter().filter_map(|space| Some(variable(space, isa::state_space(space)?.summary))));
}

fn variable(space: &str, summary: &str) -> Proposal {
    let insert = match space {
        ".reg" => Snippet::template(".reg .‹b32› %‹r›<‹8›>;"),
        _ => Snippet::template(&format!("{space} .‹b32› ‹name›;")),
    };
    Proposal { insert, ..Proposal::known(space, summary, CompletionKind::Space, 1) }
}
