//! The walk over a function: its parameters, then the statements of its body in text order.

use rustc_hash::FxHashMap;
use text_size::TextRange;
use warplens_syntax::SyntaxKind::*;
use warplens_syntax::{Elements, Node, NodeOrToken, Token};

use super::super::model::Parts;
use super::super::{
    Constant, ConstantId, DeclarationMistake, InlineAssembly, InstructionId, Linkage, NameId, Operand,
    Parameter, Problem, ProblemKind, Role, SourceLocation, SourcePosition, Space, SymbolKind, TableKind,
    Type, VectorLength,
};
use super::constant;
use super::declaration::{self, Outside, Shape};
use super::literal;
use super::mnemonic::MnemonicInterner;
use super::rules::DeclarationSite;
use super::scopes::{NewSymbol, Scopes};
use crate::ptx::model::{InstructionData, ListData};

/// Longer ranges of labels are cut off; no real table has that many.
const LABEL_RANGE: u32 = 1 << 16;

/// The tables of a function under construction.
#[derive(Default)]
pub(super) struct Body<'a> {
    pub(super) scopes: Scopes<'a>,
    pub(super) problems: Vec<Problem>,
    pub(super) mnemonics: MnemonicInterner<'a>,
    pub(super) instructions: Vec<InstructionData>,
    pub(super) operands: Vec<Operand>,
    pub(super) lists: Vec<ListData>,
    pub(super) constants: Vec<Constant>,
    pub(super) constant_ids: FxHashMap<Constant, ConstantId>,
    /// Operands whose list is not complete yet.
    pub(super) scratch: Vec<Operand>,
    /// The operands of the current instruction. The vector is kept to reuse its memory.
    pub(super) nodes: Vec<Node<'a>>,
    pub(super) locations: Vec<SourceLocation>,
    /// The number of locations at the start of the inline assembly that the walk is in.
    locations_before_assembly: Option<usize>,
}

impl<'a> Body<'a> {
    /// Reserves what a function of this length in bytes usually needs, because the tables of a long one would
    /// otherwise be reallocated many times.
    pub(super) fn with_capacity_for(bytes: usize) -> Body<'a> {
        Body {
            scopes: Scopes::with_capacity_for(bytes),
            instructions: Vec::with_capacity(bytes / 64),
            operands: Vec::with_capacity(bytes / 32),
            ..Body::default()
        }
    }

    /// Opens the scope of the function and declares its parameters.
    pub(super) fn function(&mut self, item: TextRange, outside: &Outside<'a>) {
        self.scopes.enter(item);
        let found = self.problems.len();
        self.parameters(&outside.signature.returns, &outside.return_names, true);
        if let Some(name) = outside.name {
            self.scopes.refer_outside(name, Role::Declaration);
        }
        self.parameters(&outside.signature.params, &outside.param_names, false);
        // The assembler does not compare the names of the parameters of an external function.
        if outside.linkage == Some(Linkage::Extern) && !outside.has_body {
            self.problems.truncate(found);
        }
    }

    fn parameters(&mut self, params: &[Parameter], names: &[Option<Token<'a>>], is_return: bool) {
        for (index, (param, name)) in params.iter().zip(names).enumerate() {
            let Some(name) = name.filter(|name| name.kind == IDENT) else { continue };
            let kind = match param.space {
                Space::Reg => register(param.ty, param.vector, param.range_count),
                _ => SymbolKind::Param { is_return, index: index as u32 },
            };
            let is_range = param.range_count.is_some();
            self.scopes.declare(NewSymbol { name, kind, is_range }, &mut self.problems);
        }
    }

    /// Lowers the body. Nested blocks are kept on an explicit stack, because the text may nest them to any
    /// depth.
    pub(super) fn block(&mut self, body: Node<'a>) {
        let mut open: Vec<(Elements<'a>, bool)> = vec![(body.elements(), false)];
        while let Some((elements, _)) = open.last_mut() {
            match elements.next() {
                Some(NodeOrToken::Token(token)) if token.kind == COMMENT => self.comment(token.text),
                Some(NodeOrToken::Token(_)) => {}
                Some(NodeOrToken::Node(node)) => match node.kind() {
                    BLOCK => {
                        self.scopes.enter(node.range());
                        open.push((node.elements(), true));
                    }
                    CHUNK => open.push((node.elements(), false)),
                    _ => self.statement(node),
                },
                None => {
                    if let Some((_, true)) = open.pop() {
                        self.scopes.leave(&mut self.problems);
                    }
                }
            }
        }
    }

    /// Closes the scope of the function and returns its tables.
    pub(super) fn finish(mut self) -> Parts {
        self.scopes.leave(&mut self.problems);
        self.problems.sort_by_key(|problem| problem.range.start());
        Parts {
            scopes: self.scopes.scopes.into(),
            symbols: self.scopes.symbols.into(),
            mnemonics: self.mnemonics.mnemonics.into(),
            instructions: self.instructions.into(),
            operands: self.operands.into(),
            lists: self.lists.into(),
            constants: self.constants.into(),
            referents: self.scopes.referents.into(),
            words: self.scopes.words.into(),
            names: self.scopes.names.into(),
            problems: self.problems.into(),
            locations: self.locations.into(),
        }
    }

    pub(super) fn statement(&mut self, node: Node<'a>) {
        match node.kind() {
            INSTRUCTION => self.instruction(node),
            LABEL => {
                let target = InstructionId::new(self.instructions.len());
                self.label(node, SymbolKind::Label { target });
            }
            VARIABLE => self.variables(node),
            BRANCH_TARGETS => self.table(node, TableKind::Branch),
            CALL_TARGETS => self.table(node, TableKind::Call),
            CALL_PROTOTYPE => self.prototype(node),
            LOC_DIRECTIVE => self.location(node),
            FUNCTION => self.prototype_of_module(node),
            ALIAS_DIRECTIVE => self.alias(node),
            _ => {}
        }
    }

    fn label(&mut self, label: Node<'a>, kind: SymbolKind) {
        if let Some(name) = declaration::declared_name(label) {
            self.scopes.declare(NewSymbol { name, kind, is_range: false }, &mut self.problems);
        }
    }

    fn variables(&mut self, node: Node<'a>) {
        let shape = Shape::of(node, DeclarationSite::Function, &mut self.problems);
        for declarator in node.nodes().filter(|node| node.kind() == DECLARATOR) {
            let variable = shape.variable(node, declarator, DeclarationSite::Function, &mut self.problems);
            let Some(name) = declaration::declared_name(declarator) else { continue };
            let is_range = variable.range_count.is_some();
            let kind = match variable.space {
                Space::Reg => register(variable.ty, variable.vector, variable.range_count),
                _ => SymbolKind::Variable(Box::new(variable)),
            };
            self.scopes.declare(NewSymbol { name, kind, is_range }, &mut self.problems);
            if let Some(initializer) = declarator.child(INITIALIZER) {
                self.initial_names(initializer);
            }
        }
    }

    fn initial_names(&mut self, initializer: Node<'a>) {
        for name in declaration::symbols(initializer) {
            let id = self.scopes.refer(name, Role::Read);
            let space = match self.scopes.symbol_of(id).map(|symbol| &symbol.kind) {
                None => continue,
                Some(SymbolKind::Variable(variable)) => match variable.space {
                    Space::Global | Space::Const => continue,
                    space => Some(space),
                },
                Some(SymbolKind::Param { .. }) => Some(Space::Param),
                Some(_) => None,
            };
            let kind = ProblemKind::Declaration(DeclarationMistake::AddressOf(space));
            self.problems.push(Problem { range: name.range(), kind });
        }
    }

    /// `name: .branchtargets A, B, L<3>;` The name is declared first, so that names stay in text order; its
    /// targets are filled in afterwards.
    fn table(&mut self, node: Node<'a>, kind: TableKind) {
        let declared = self.scopes.symbols.len();
        if let Some(label) = node.child(LABEL) {
            self.label(label, SymbolKind::Table { kind, targets: Box::default() });
        }
        let mut targets = Vec::new();
        for target in node.nodes().filter(|node| node.kind() != LABEL) {
            self.table_targets(target, kind, &mut targets);
        }
        if let Some(symbol) = self.scopes.symbols.get_mut(declared) {
            symbol.kind = SymbolKind::Table { kind, targets: targets.into() };
        }
    }

    fn table_targets(&mut self, target: Node<'a>, kind: TableKind, targets: &mut Vec<NameId>) {
        let role = match kind {
            TableKind::Branch => Role::Target,
            TableKind::Call => Role::Call,
        };
        let name = |node: Node<'a>| node.token(IDENT);
        match target.kind() {
            NAME_REF => targets.extend(name(target).map(|name| self.scopes.refer(name, role))),
            MEMBER => {
                self.problems.push(Problem { range: target.range(), kind: ProblemKind::PartOfName });
                if let Some(name) = target.child(NAME_REF) {
                    self.table_targets(name, kind, targets);
                }
            }
            NAME_RANGE => {
                let count = target.child(NAME_COUNT).and_then(|count| count.nodes().next());
                let count = count.and_then(|count| constant::count(count, &mut self.problems)).unwrap_or(0);
                let count = u32::try_from(count).unwrap_or(LABEL_RANGE).min(LABEL_RANGE);
                let Some(prefix) = target.child(NAME_REF).and_then(name) else { return };
                for index in 0..count {
                    let text = format!("{}{index}", prefix.text);
                    targets.push(self.scopes.refer_as(text.into(), prefix.start, Role::Implied));
                }
            }
            _ => {}
        }
    }

    fn prototype(&mut self, node: Node<'a>) {
        let signature = Box::new(declaration::prototype(node, &mut self.problems));
        if let Some(label) = node.child(LABEL) {
            self.label(label, SymbolKind::Prototype(signature));
        }
    }

    /// `.extern .func f (.param .b32 x);` between statements. It declares a name of the module, not of the
    /// function.
    fn prototype_of_module(&mut self, node: Node<'a>) {
        if let Some(name) = declaration::function(node, &mut self.problems).name {
            self.scopes.refer_outside(name, Role::Declaration);
        }
    }

    /// `.alias f, g;` Both are names of the module, whatever the function declares.
    fn alias(&mut self, node: Node<'a>) {
        let names = node.nodes().filter(|node| node.kind() == NAME_REF);
        for name in names.filter_map(|name| name.token(IDENT)) {
            self.scopes.refer_outside(name, Role::Read);
        }
    }

    /// LLVM writes a `.loc` before each line of an inline assembly, and counts a source line on for each: those between the comments that
    /// enclose it are wrong, and the one before them holds.
    fn comment(&mut self, text: &str) {
        match InlineAssembly::of_comment(text) {
            Some(InlineAssembly::Begin) => self.locations_before_assembly = Some(self.locations.len()),
            Some(InlineAssembly::End) => {
                if let Some(count) = self.locations_before_assembly.take() {
                    self.locations.truncate(count);
                }
            }
            None => {}
        }
    }

    /// `.loc 1 2 3, function_name $name, inlined_at 1 4 5`
    fn location(&mut self, node: Node<'a>) {
        if let Some(position) = source_position(node) {
            let first = InstructionId::new(self.instructions.len());
            let inlined_at = node.nodes().filter_map(source_position).next();
            self.locations.push(SourceLocation { first, position, inlined_at });
        }
        let attributes = node.nodes().filter(|node| node.kind() == LOC_ATTRIBUTE);
        for name in attributes.flat_map(Node::nodes).filter_map(declaration::symbol) {
            self.scopes.refer(name, Role::Debug);
        }
    }
}

/// `1 2 3` directly in a node.
fn source_position(node: Node<'_>) -> Option<SourcePosition> {
    let mut numbers = node.tokens_of([INT_NUMBER]);
    let mut number = || literal::integer(numbers.next()?.text).as_integer();
    Some(SourcePosition { file: number()?, line: number()?, column: number()? })
}

fn register(ty: Option<Type>, vector: Option<VectorLength>, range_count: Option<u32>) -> SymbolKind {
    match range_count {
        Some(count) => SymbolKind::RegisterRange { ty, vector, count },
        None => SymbolKind::Register { ty, vector },
    }
}
