//! Variables, parameters and signatures, which look alike in modules and functions.

use text_size::TextRange;
use warplens_syntax::SyntaxKind::{self, *};
use warplens_syntax::{Node, Token};

use super::super::{
    Dimension, FunctionKind, Initializer, Linkage, Parameter, PerformanceDirective, Pointer, Problem,
    ProblemKind, Signature, Space, Type, TypeKind, Variable, VectorLength,
};
use super::constant;
use super::rules::{self, DeclarationSite, Holder};

/// Deeper initializers have no value, so that the recursion does not overflow the stack.
const DEPTH: u32 = 32;

pub(super) struct Outside<'a> {
    pub(super) kind: FunctionKind,
    /// `.entry` or `.func`
    pub(super) keyword: TextRange,
    pub(super) linkage: Option<Linkage>,
    pub(super) name: Option<Token<'a>>,
    pub(super) signature: Signature,
    /// The name tokens of `signature.returns`; `param_names` holds those of `signature.params`.
    pub(super) return_names: Vec<Option<Token<'a>>>,
    pub(super) param_names: Vec<Option<Token<'a>>>,
    pub(super) has_body: bool,
}

pub(super) fn function<'a>(node: Node<'a>, problems: &mut Vec<Problem>) -> Outside<'a> {
    let keyword = node.token(DOT_WORD);
    let (returns, return_names) = parameters(node.child(RETURN_LIST), problems);
    let (params, param_names) = parameters(node.child(PARAM_LIST), problems);
    let is_func = keyword.is_some_and(|keyword| keyword.text == ".func");
    let outside = Outside {
        kind: if is_func { FunctionKind::Func } else { FunctionKind::Entry },
        keyword: keyword.map_or(TextRange::empty(node.range().start()), Token::range),
        linkage: word(node, LINKAGE, Linkage::from_name),
        name: declared_name(node),
        signature: Signature { returns, params, directives: directives(node, problems) },
        return_names,
        param_names,
        has_body: node.child(BLOCK).is_some(),
    };
    let holder = Holder { kind: outside.kind, has_body: outside.has_body, is_prototype: false };
    rules::parameters(node, &outside.signature, holder, problems);
    outside
}

pub(super) fn prototype(node: Node<'_>, problems: &mut Vec<Problem>) -> Signature {
    let signature = Signature {
        returns: parameters(node.child(RETURN_LIST), problems).0,
        params: parameters(node.child(PARAM_LIST), problems).0,
        directives: directives(node, problems),
    };
    let holder = Holder { kind: FunctionKind::Func, has_body: false, is_prototype: true };
    rules::parameters(node, &signature, holder, problems);
    signature
}

fn directives(node: Node<'_>, problems: &mut Vec<Problem>) -> Box<[PerformanceDirective]> {
    // A directive with a syntax error is not checked further.
    let is_whole = |node: &Node<'_>| node.child(ERROR).is_none();
    let directives = node.nodes().filter(|node| node.kind() == FUNCTION_DIRECTIVE).filter(is_whole);
    directives
        .filter_map(|node| {
            let name = node.token(DOT_WORD)?.word().into();
            let is_plain =
                node.nodes().all(|value| value.token(INT_NUMBER).is_some() || value.kind() == NAME_REF);
            let values = node.nodes().filter(|value| value.token(STRING).is_none());
            let values = values.filter_map(|value| constant::count(value, problems)).collect();
            Some(PerformanceDirective { name, values, is_plain, range: node.range() })
        })
        .collect()
}

type Names<'a> = Vec<Option<Token<'a>>>;

fn parameters<'a>(list: Option<Node<'a>>, problems: &mut Vec<Problem>) -> (Box<[Parameter]>, Names<'a>) {
    let params = list.into_iter().flat_map(Node::nodes).filter(|node| node.kind() == PARAM);
    let (params, names): (Vec<_>, Vec<_>) = params.map(|node| parameter(node, problems)).unzip();
    (params.into(), names)
}

fn parameter<'a>(node: Node<'a>, problems: &mut Vec<Problem>) -> (Parameter, Option<Token<'a>>) {
    let shape = Shape::of(node, DeclarationSite::Function, problems);
    let declarator = node.child(DECLARATOR);
    let (name, pointer) = (declarator.and_then(declared_name), node.child(POINTER));
    let parameter = Parameter {
        name: name.map(|name| name.text.into()),
        name_range: name.map_or(TextRange::empty(node.range().end()), Token::range),
        range: node.range(),
        space: shape.space,
        align: shape.align,
        vector: shape.vector,
        ty: shape.ty,
        pointer: pointer.map(|node| Pointer { space: space(node), align: alignment(node, problems) }),
        dimensions: declarator.map_or_else(Box::default, |node| dimensions(node, problems)),
        range_count: declarator.and_then(|node| range_count(node, problems)),
    };
    (parameter, name)
}

/// The part of a declaration before its names.
pub(super) struct Shape {
    pub(super) linkage: Option<Linkage>,
    pub(super) space: Space,
    pub(super) align: Option<u32>,
    pub(super) vector: Option<VectorLength>,
    pub(super) ty: Option<Type>,
}

impl Shape {
    /// Reads a `VARIABLE` or `PARAM`.
    pub(super) fn of(node: Node<'_>, site: DeclarationSite, problems: &mut Vec<Problem>) -> Shape {
        Shape {
            linkage: word(node, LINKAGE, Linkage::from_name),
            space: space(node).unwrap_or(if node.kind() == PARAM { Space::Param } else { site.space() }),
            align: alignment(node, problems),
            vector: word(node, VECTOR_SIZE, VectorLength::from_name),
            ty: ty(node, problems),
        }
    }

    /// Whether it is a texture, sampler or surface, whose initial values are special words.
    pub(super) fn is_opaque(&self) -> bool {
        self.ty.is_some_and(|ty| ty.kind() == TypeKind::Opaque)
    }

    pub(super) fn variable(
        &self,
        node: Node<'_>,
        declarator: Node<'_>,
        site: DeclarationSite,
        problems: &mut Vec<Problem>,
    ) -> Variable {
        let initializer = declarator.child(INITIALIZER);
        let variable = Variable {
            space: self.space,
            linkage: self.linkage,
            align: self.align,
            vector: self.vector,
            ty: self.ty,
            dimensions: open_dimensions(declarator, problems),
            range_count: range_count(declarator, problems),
            initializer: initializer.map(|node| match node.nodes().next() {
                Some(value) => initial_value(value, problems, 0),
                None => Initializer::Invalid,
            }),
        };
        rules::variable(node, declarator, &variable, site, problems);
        variable
    }
}

pub(super) fn declared_name(node: Node<'_>) -> Option<Token<'_>> {
    node.child(NAME)?.token(IDENT)
}

/// `<n>`, clamped to the range of register numbers.
pub(super) fn range_count(declarator: Node<'_>, problems: &mut Vec<Problem>) -> Option<u32> {
    let count = declarator.child(NAME_COUNT)?.nodes().next();
    let count = count.and_then(|count| constant::count(count, problems)).unwrap_or(0);
    Some(u32::try_from(count).unwrap_or(u32::MAX))
}

fn space(node: Node<'_>) -> Option<Space> {
    word(node, STATE_SPACE, Space::from_name)
}

fn word<T>(node: Node<'_>, child: SyntaxKind, meaning: fn(&str) -> Option<T>) -> Option<T> {
    meaning(node.child(child)?.token(DOT_WORD)?.word())
}

fn ty(node: Node<'_>, problems: &mut Vec<Problem>) -> Option<Type> {
    let token = node.child(TYPE_NAME)?.token(DOT_WORD)?;
    let ty = Type::from_name(token.word());
    if ty.is_none() {
        let kind = ProblemKind::UnknownType(token.text.into());
        problems.push(Problem { range: token.range(), kind });
    }
    ty
}

fn alignment(node: Node<'_>, problems: &mut Vec<Problem>) -> Option<u32> {
    let value = node.child(ALIGNMENT)?.nodes().next()?;
    let align = constant::count(value, problems)?;
    match u32::try_from(align) {
        Ok(small) if small.is_power_of_two() => Some(small),
        _ => {
            problems.push(Problem { range: value.range(), kind: ProblemKind::Alignment(align) });
            None
        }
    }
}

fn dimensions(declarator: Node<'_>, problems: &mut Vec<Problem>) -> Box<[Dimension]> {
    let dimensions = declarator.nodes().filter(|node| node.kind() == DIMENSION);
    dimensions
        .map(|node| Dimension(node.nodes().next().and_then(|size| constant::count(size, problems))))
        .collect()
}

/// The dimensions of a variable. A first dimension of 0 is treated like an omitted one.
fn open_dimensions(declarator: Node<'_>, problems: &mut Vec<Problem>) -> Box<[Dimension]> {
    let mut dimensions = dimensions(declarator, problems);
    if let Some(first @ Dimension(Some(0))) = dimensions.first_mut() {
        *first = Dimension(None);
    }
    dimensions
}

fn initial_value(node: Node<'_>, problems: &mut Vec<Problem>, depth: u32) -> Initializer {
    if node.kind() == INITIALIZER_LIST {
        if depth == DEPTH {
            return Initializer::Invalid;
        }
        let values = node.nodes().filter(|node| node.kind() != ERROR);
        return Initializer::List(values.map(|value| initial_value(value, problems, depth + 1)).collect());
    }
    if node.token(STRING).is_some() {
        return Initializer::Invalid;
    }
    address(node, problems).unwrap_or_else(|| match constant::evaluate(node, problems) {
        super::super::Constant::Invalid => Initializer::Invalid,
        value => Initializer::Constant(value),
    })
}

/// `sym`, `generic(sym)`, `0xff(sym)`, each with constants added.
fn address(node: Node<'_>, problems: &mut Vec<Problem>) -> Option<Initializer> {
    let (mut node, mut added) = (node, 0i64);
    while node.kind() == BIN_EXPR && symbol(node).is_some() {
        let sign = if node.token(MINUS).is_some() { -1 } else { 1 };
        let constant = constant::count(node.nodes().nth(1)?, problems)? as i64;
        added = added.wrapping_add(constant.wrapping_mul(sign));
        node = node.nodes().next()?;
    }
    if node.kind() == INDEX_EXPR {
        added = added.wrapping_add(constant::count(node.nodes().nth(1)?, problems)? as i64);
        node = node.nodes().next()?;
    }
    let name = symbol(node)?;
    let (mut generic, mut mask) = (false, None);
    if node.kind() == CALL_EXPR {
        let (function, argument) = (node.nodes().next()?, node.nodes().nth(1)?);
        match function.token(IDENT) {
            Some(word) if word.text == "generic" => generic = true,
            Some(_) => return Some(Initializer::Invalid),
            None => mask = constant::count(function, problems),
        }
        if let Some(Initializer::Address { offset, generic: inner, .. }) = address(argument, problems) {
            added = added.wrapping_add(offset);
            generic |= inner;
        }
    }
    Some(Initializer::Address { symbol: name.text.into(), offset: added, generic, mask })
}

/// The names whose addresses an initializer uses, including those inside braces.
pub(super) fn symbols(initializer: Node<'_>) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    let mut open: Vec<Node<'_>> = initializer.nodes().collect();
    open.reverse();
    while let Some(node) = open.pop() {
        if node.kind() == INITIALIZER_LIST {
            let inner = open.len();
            open.extend(node.nodes());
            open[inner..].reverse();
        } else {
            found.extend(symbol(node));
        }
    }
    found
}

/// The name whose address an initial value uses: the leftmost one, or the one in the parentheses.
pub(super) fn symbol(node: Node<'_>) -> Option<Token<'_>> {
    let mut node = node;
    loop {
        node = match node.kind() {
            NAME_REF => return node.token(IDENT).filter(|token| token.text != "WARP_SZ"),
            BIN_EXPR | INDEX_EXPR => node.nodes().next()?,
            CALL_EXPR => node.nodes().nth(1)?,
            _ => return None,
        };
    }
}
