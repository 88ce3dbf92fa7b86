//! A small read-only language, one item a line: `name: opcode opcode …`. It knows `add`, `halt` and nothing else.

use std::sync::Arc;

use text_size::TextRange;
use warplens_ide::lanes::{
    Decoded, DocumentKernel, Flow, Found, LaunchProblem, Model, Numbers, Simulator, Statement,
};
use warplens_ide::language::LanguageSupport;
use warplens_ide::{SemanticToken, Symbol, SymbolKind, TokenKind, TokenModifiers};
use warplens_ide_db::{Database, Db, File, FilePosition, Item, LanguageQueries, Problem, items};
use warplens_sim_launch::{Body, Kernel};
use warplens_sim_warp::memory::DeviceMemory;
use warplens_sim_warp::{
    Cancelled, Control, Executable, LaunchConfig, LineTrace, ModelInfo, Output, RunOptions, RunResult,
    StatementId, Status, Totals, Visit, WarpTrace,
};
use warplens_sim_wave::launch_rules::WaveKernel;
use warplens_syntax::{
    ItemKind, Language, LanguageInfo, Lexed, Parser, Scanned, SyntaxKind, SyntaxToken, Tail,
};

pub(crate) const LANGUAGE: Language = &LanguageInfo {
    id: "lines",
    title: "Lines",
    extensions: &["lines"],
    shared_ids: &[],
    sniff: |line| line.starts_with("lines:"),
    line_comments: &["#"],
    assembler: None,
    has_dialects: false,
    scan,
    lex,
    parse_item,
    parse_chunk: None,
};

fn scan(text: &str, start: usize, _: &Tail<'_>) -> Scanned {
    let end = text[start..].find('\n').map(|length| start + length + 1);
    let name = text[start..end.unwrap_or(text.len())].find(':').map(|length| start..start + length);
    let kind = if name.is_some() { ItemKind::Kernel } else { ItemKind::Other };
    let examined = end.unwrap_or(text.len() + 1);
    Scanned { end: end.unwrap_or(text.len()), examined, kind, name, open_comment: false }
}

fn lex(text: &str) -> Lexed {
    let mut lexed = Lexed::with_capacity(text);
    let kind = |char: char| match char {
        ':' => SyntaxKind::COLON,
        _ if char.is_whitespace() => SyntaxKind::WHITESPACE,
        _ => SyntaxKind::IDENT,
    };
    let mut chars = text.char_indices().peekable();
    while let Some((_, char)) = chars.next() {
        let next = chars.peek();
        if next.is_none_or(|(_, next)| kind(*next) != kind(char) || char == ':') {
            lexed.push(kind(char), next.map_or(text.len(), |(at, _)| *at));
        }
    }
    lexed
}

fn parse_item(parser: &mut Parser<'_>) {
    let item = parser.start();
    if parser.at(SyntaxKind::IDENT) {
        let name = parser.start();
        parser.bump();
        name.complete(parser, SyntaxKind::NAME);
        parser.expect(SyntaxKind::COLON, "missing `:` after this name");
    }
    while parser.current() != SyntaxKind::EOF {
        parser.bump();
    }
    item.complete(parser, SyntaxKind::ITEM);
}

/// The words of an item: its label, then its instructions.
fn words(db: &dyn Db, item: Item<'_>) -> Vec<SyntaxToken> {
    let tokens = item.parse(db).syntax().descendants_with_tokens();
    let tokens = tokens.filter_map(|element| element.into_token());
    tokens.filter(|token| token.kind() == SyntaxKind::IDENT).collect()
}

fn meaning(opcode: &str) -> Option<&'static str> {
    match opcode {
        "add" => Some("adds"),
        "halt" => Some("ends the lane"),
        _ => None,
    }
}

/// The features of the language.
pub(crate) const LINES: LanguageSupport = LanguageSupport {
    queries: LanguageQueries { symbols, check_item, ..LanguageQueries::EMPTY },
    tokens,
    hover,
    simulator: Some(&Lines),
    ..LanguageSupport::new(LANGUAGE)
};

fn symbols<'db>(db: &'db dyn Db, item: Item<'db>) -> Vec<Symbol> {
    let words = words(db, item);
    let label = words.first().map(|label| Symbol {
        name: label.text().to_owned(),
        detail: None,
        kind: SymbolKind::Kernel,
        range: label.text_range(),
        focus: label.text_range(),
        children: Vec::new(),
    });
    label.into_iter().collect()
}

fn check_item<'db>(db: &'db dyn Db, _file: File, item: Item<'db>, problems: &mut Vec<Problem>) {
    for word in words(db, item).iter().skip(1).filter(|word| meaning(word.text()).is_none()) {
        let message = format!("unknown instruction `{}`", word.text());
        problems.push(Problem::error(word.text_range(), "unknown-instruction", message));
    }
}

fn tokens(db: &dyn Db, item: Item<'_>, range: TextRange, tokens: &mut Vec<SemanticToken>) {
    for (index, word) in words(db, item).iter().enumerate() {
        let kind = if index == 0 { TokenKind::Label } else { TokenKind::Opcode };
        let token = SemanticToken { range: word.text_range(), kind, modifiers: TokenModifiers::default() };
        tokens.extend(range.intersect(token.range).map(|_| token));
    }
}

fn hover(position: &FilePosition<'_>) -> Option<(TextRange, String)> {
    let word = position.token()?;
    Some((word.text_range(), format!("`{}` {}", word.text(), meaning(word.text())?)))
}

/// The simulator of the language.
struct Lines;

impl Simulator for Lines {
    fn language(&self) -> Language {
        LANGUAGE
    }

    fn models(&self) -> &'static [ModelInfo] {
        &[ModelInfo { name: "in-order", former_names: &[], rule: "the only one", forward_progress: true }]
    }

    fn kernels<'db>(&self, db: &'db dyn Db, _: File) -> Box<dyn Fn(Item<'db>) -> Option<Found> + 'db> {
        Box::new(move |item| {
            let name = item.parse(db).syntax().first_token()?;
            let kernel = Kernel::new(name.text().into(), WaveKernel { workgroup: None });
            Some(Found { kernel, name: name.text_range(), note: None, variant: None, is_unnamed: false })
        })
    }

    fn decode<'db>(
        &self,
        db: &'db Database,
        file: File,
        kernel: &DocumentKernel,
        _model: Model,
    ) -> Result<Decoded<'db>, LaunchProblem> {
        let words = words(db, items(db, file)[kernel.item]);
        let range = |word: &SyntaxToken| word.text_range() + kernel.start;
        let statement = |word| Statement {
            range: range(word),
            opcode: range(word),
            flow: Flow::default(),
            registers: Box::default(),
            meanings: Box::default(),
            address: None,
            source: None,
            code: None,
            numbers: Numbers::Determined,
            condition: None,
        };
        let statements: Vec<Statement> = words.iter().skip(1).map(statement).collect();
        let program = Arc::new(Program { statements: statements.len() as u32 });
        let broken = Box::default();
        Ok(Decoded { program, progressing: None, statements, broken, body: Box::new(Body::default) })
    }
}

/// A kernel whose statements run in order, each in all lanes.
#[derive(Debug, PartialEq)]
struct Program {
    statements: u32,
}

impl Executable for Program {
    fn run(&self, _: LaunchConfig, _: &RunOptions, _: Control<'_>) -> Result<RunResult, Cancelled> {
        const ALL: u64 = 0xffff_ffff;
        let line = |statement| LineTrace {
            statement: StatementId(statement),
            count: 1,
            active: ALL as _,
            executed: ALL as _,
            active_lanes: 32,
            executed_lanes: 32,
            visits: [Visit { active: ALL as _, executed: ALL as _, repeat: 1 }].into(),
            truncated: false,
            counters: None,
        };
        let lines: Vec<LineTrace> = (0..self.statements).map(line).collect();
        let count = u64::from(self.statements);
        let totals = Totals {
            warp_instructions: count,
            thread_instructions: 32 * count,
            executed_thread_instructions: 32 * count,
        };
        let warp = WarpTrace {
            cta: [0; 3],
            warp: 0,
            launched: ALL as _,
            lines: lines.clone(),
            registers: None,
            reconvergences: Vec::new(),
        };
        Ok(RunResult {
            status: Status::Finished,
            findings: Vec::new(),
            totals,
            summed: lines,
            warps: vec![warp],
            warps_truncated: false,
            memory: DeviceMemory::new(0x1000, 0x1000),
            output: Output::default(),
            model_diff: None,
            accessed: None,
            order_log: None,
            values: None,
            last_store: None,
            notes: Vec::new(),
        })
    }
}
