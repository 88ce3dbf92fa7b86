//! Rules about declarations that depend neither on the version nor on another item, found by testing the
//! assembler. Mistakes are data; messages are worded elsewhere.

use text_size::TextRange;
use warplens_syntax::Node;
use warplens_syntax::SyntaxKind::*;

use super::super::DeclarationMistake::*;
use super::super::{
    Constant, DeclarationMistake, Dimension, FunctionKind, Initializer, Linkage, Parameter, Problem,
    ProblemKind, Signature, Space, Type, TypeKind, Variable, VectorLength,
};
use super::constant;

const VECTOR_BITS: u32 = 128;
/// The maximum alignment of a function's parameters in bytes.
const PARAMETER_ALIGNMENT: u32 = 128;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum DeclarationSite {
    Module,
    Function,
}

impl DeclarationSite {
    pub(super) fn space(self) -> Space {
        match self {
            DeclarationSite::Module => Space::Global,
            DeclarationSite::Function => Space::Reg,
        }
    }
}

/// Checks one declarator of a `VARIABLE` and reports its first mistake.
pub(super) fn variable(
    node: Node<'_>,
    declarator: Node<'_>,
    variable: &Variable,
    site: DeclarationSite,
    problems: &mut Vec<Problem>,
) {
    let judged = Judged { node, declarator };
    let found = judged
        .linkage(variable, site)
        .or_else(|| judged.shape(variable.space, variable.ty, variable.vector, &variable.dimensions))
        .or_else(|| judged.packed_parameter(variable.space, variable.ty, &variable.dimensions))
        .or_else(|| judged.space(variable, site))
        .or_else(|| judged.numbers())
        .or_else(|| judged.name_count())
        .or_else(|| judged.dimensions(variable))
        .or_else(|| judged.initializer(variable));
    // A number without a value has already been reported.
    let is_reported = |range: TextRange| problems.iter().any(|problem| range.contains_range(problem.range));
    let found = found.filter(|(range, _)| !is_reported(*range));
    problems.extend(found.map(|(range, kind)| Problem { range, kind: ProblemKind::Declaration(kind) }));
}

/// The function or prototype that has the parameters.
#[derive(Clone, Copy)]
pub(super) struct Holder {
    pub(super) kind: FunctionKind,
    /// The assembler checks parameters more strictly if a body follows.
    pub(super) has_body: bool,
    /// Of a `.callprototype`, whose parameters need no names.
    pub(super) is_prototype: bool,
}

/// Checks the parameters of a `FUNCTION` or `CALL_PROTOTYPE`.
pub(super) fn parameters(node: Node<'_>, signature: &Signature, holder: Holder, problems: &mut Vec<Problem>) {
    let lists = [(RETURN_LIST, &signature.returns), (PARAM_LIST, &signature.params)];
    for (list, params) in lists {
        let nodes = node.child(list).into_iter().flat_map(Node::nodes).filter(|node| node.kind() == PARAM);
        for (index, (node, param)) in nodes.zip(params.iter()).enumerate() {
            let is_last = index + 1 == params.len();
            let found = parameter(node, param, holder, list == RETURN_LIST, is_last);
            problems
                .extend(found.map(|(range, kind)| Problem { range, kind: ProblemKind::Declaration(kind) }));
        }
    }
    let returns = &signature.returns;
    if returns.len() > 1
        && let Some(memory) = returns.iter().find(|param| param.space != Space::Reg)
    {
        let kind = ProblemKind::Declaration(SeveralResults);
        problems.push(Problem { range: memory.range, kind });
    }
}

type Found = Option<(TextRange, DeclarationMistake)>;

fn parameter(node: Node<'_>, param: &Parameter, holder: Holder, is_return: bool, is_last: bool) -> Found {
    let declarator = node.child(DECLARATOR).unwrap_or(node);
    let judged = Judged { node, declarator };
    let is_entry = holder.kind == FunctionKind::Entry;
    let space = judged.part(STATE_SPACE);
    match param.space {
        Space::Param => {}
        Space::Reg if !is_entry => {}
        _ if is_entry => return Some((space, EntryParameter)),
        _ => return Some((space, ParameterSpace)),
    }
    if !is_entry && !holder.is_prototype && node.child(POINTER).is_some() {
        return Some((judged.part(POINTER), PointerParameter));
    }
    if !is_entry
        && !holder.is_prototype
        && let Some(nameless) = declarator.token(UNDERSCORE)
    {
        return Some((nameless.range(), NamelessParameter));
    }
    let is_unsized = matches!(param.dimensions.first(), Some(Dimension(None | Some(0))));
    if is_unsized && (is_entry || is_return || !is_last) {
        return Some((judged.part_of(declarator, DIMENSION), UnsizedParameter));
    }
    if let Some(second) = declarator.nodes().filter(|node| node.kind() == DIMENSION).nth(1) {
        return Some((second.range(), ParameterDimensions));
    }
    if declarator.child(NAME_COUNT).is_some() {
        return Some((judged.part_of(declarator, NAME_COUNT), ArrayOfNames));
    }
    let elements = || judged.elements(param);
    if let Some(found) = judged.numbers().or_else(elements).or_else(|| judged.instruction_type(param.ty)) {
        return Some(found);
    }
    if !holder.has_body {
        return None;
    }
    if !is_entry
        && param.space == Space::Param
        && param.align.is_some_and(|align| align > PARAMETER_ALIGNMENT)
    {
        return Some((judged.part(ALIGNMENT), ParameterAlignment));
    }
    let is_opaque = param.ty.is_some_and(|ty| ty.kind() == TypeKind::Opaque);
    if is_opaque && !is_entry && param.space == Space::Param {
        return Some((judged.part(TYPE_NAME), OpaqueScope));
    }
    if param.space == Space::Reg && !param.dimensions.is_empty() {
        return Some((judged.part_of(declarator, DIMENSION), RegisterArray));
    }
    judged
        .shape(param.space, param.ty, param.vector, &param.dimensions)
        .or_else(|| judged.packed_parameter(param.space, param.ty, &param.dimensions))
}

/// A declaration with the nodes to which its mistakes point.
struct Judged<'a> {
    node: Node<'a>,
    declarator: Node<'a>,
}

impl Judged<'_> {
    fn part(&self, kind: warplens_syntax::SyntaxKind) -> TextRange {
        self.part_of(self.node, kind)
    }

    fn part_of(&self, node: Node<'_>, kind: warplens_syntax::SyntaxKind) -> TextRange {
        node.child(kind).map_or(self.declarator.range(), Node::range)
    }

    fn linkage(&self, variable: &Variable, site: DeclarationSite) -> Found {
        // If no state space follows, this word was meant to be one, which is reported elsewhere.
        self.node.child(STATE_SPACE)?;
        let found = match (variable.linkage?, site) {
            (_, DeclarationSite::Function) => LocalLinkage,
            (Linkage::Common, DeclarationSite::Module) if variable.space != Space::Global => CommonSpace,
            (Linkage::Common, DeclarationSite::Module) if is_opaque(variable.ty) => CommonOpaque,
            _ => return None,
        };
        Some((self.part(LINKAGE), found))
    }

    fn instruction_type(&self, ty: Option<Type>) -> Found {
        let ty = ty?;
        let storage = warplens_isa::ptx::type_(self.node.child(TYPE_NAME)?.token(DOT_WORD)?.text)?.storage?;
        // Memory is addressed by bytes.
        let storage = if ty.bits() < 8 { ".b8" } else { storage };
        Some((self.part(TYPE_NAME), InstructionType { ty, storage }))
    }

    /// In `.param`, the assembler accepts arrays of vectors, but no vector.
    fn shape(
        &self,
        space: Space,
        ty: Option<Type>,
        vector: Option<VectorLength>,
        dimensions: &[Dimension],
    ) -> Found {
        if let Some(found) = self.instruction_type(ty) {
            return Some(found);
        }
        let ty = ty?;
        let is_pred = ty.kind() == TypeKind::Predicate;
        if is_pred && space != Space::Reg {
            return Some((self.part(TYPE_NAME), PredicateInMemory));
        }
        let vector = vector?;
        let bits = ty.bits() * vector.count();
        let found = match vector {
            _ if is_pred => PredicateVector,
            VectorLength::V8 => DeclarationMistake::VectorLength,
            _ if bits > VECTOR_BITS => VectorTooWide { bits },
            _ if space == Space::Param && dimensions.is_empty() => VectorParameter,
            _ => return None,
        };
        Some((self.part(VECTOR_SIZE), found))
    }

    /// The assembler accepts arrays of `.f16x2` in `.param`, but no scalar.
    fn packed_parameter(&self, space: Space, ty: Option<Type>, dimensions: &[Dimension]) -> Found {
        let is_wrong = space == Space::Param && ty == Some(Type::F16x2) && dimensions.is_empty();
        is_wrong.then(|| (self.part(TYPE_NAME), PackedParameter))
    }

    fn elements(&self, param: &Parameter) -> Found {
        let count = param.dimensions.first()?.0.filter(|count| *count > u64::from(u32::MAX))?;
        Some((self.part_of(self.declarator, DIMENSION), TooManyElements(count)))
    }

    fn space(&self, variable: &Variable, site: DeclarationSite) -> Found {
        let found = match (variable.space, site) {
            (Space::Sreg, _) => SpecialRegisterSpace,
            (Space::Tex, DeclarationSite::Function) => OpaqueScope,
            _ if is_opaque(variable.ty) && site == DeclarationSite::Function => OpaqueScope,
            (space, DeclarationSite::Module) if is_opaque(variable.ty) && space != Space::Global => {
                OpaqueSpace
            }
            _ => return None,
        };
        Some((self.part(STATE_SPACE), found))
    }

    /// Sizes and counts must be plain numbers; the assembler evaluates no expressions there.
    fn numbers(&self) -> Found {
        let holders = self.declarator.nodes().chain(self.node.child(ALIGNMENT));
        let holders = holders.filter(|node| matches!(node.kind(), DIMENSION | NAME_COUNT | ALIGNMENT));
        for value in holders.filter_map(|node| node.nodes().next()) {
            let is_number = match value.kind() {
                LITERAL => value.token(INT_NUMBER).is_some(),
                NAME_REF => true,
                _ => false,
            };
            if !is_number && value.kind() != ERROR {
                return Some((value.range(), NoNumber));
            }
        }
        None
    }

    /// `name<n>` with too many names to count.
    fn name_count(&self) -> Found {
        let count = self.declarator.child(NAME_COUNT)?.nodes().next()?;
        let value = constant::count(count, &mut Vec::new())?;
        (value >= u64::from(u32::MAX)).then_some((count.range(), NameCount(value)))
    }

    fn dimensions(&self, variable: &Variable) -> Found {
        let mut dimensions = self.declarator.nodes().filter(|node| node.kind() == DIMENSION);
        let first = dimensions.next();
        if let (Some(first), Some(count)) = (first, self.declarator.child(NAME_COUNT)) {
            return Some((first.range().cover(count.range()), ArrayOfNames));
        }
        if variable.space == Space::Reg {
            return Some((first?.range(), RegisterArray));
        }
        let is_empty = |dimension: &Dimension| matches!(dimension.0, None | Some(0));
        let mut inner = dimensions.zip(variable.dimensions.iter().skip(1));
        if let Some((inner, _)) = inner.find(|(_, dimension)| is_empty(dimension)) {
            return Some((inner.range(), InnerDimension));
        }
        let has_values =
            matches!(&variable.initializer, Some(Initializer::List(values)) if !values.is_empty());
        let is_complete = !is_empty(variable.dimensions.first()?) || has_values;
        let is_extern = variable.linkage == Some(Linkage::Extern);
        (!is_complete && !is_extern).then_some((first?.range(), MissingSize))
    }

    fn initializer(&self, variable: &Variable) -> Found {
        let node = self.declarator.child(INITIALIZER)?;
        if self.declarator.child(NAME_COUNT).is_some() {
            return Some((node.range(), ArrayOfNames));
        }
        if !matches!(variable.space, Space::Global | Space::Const) {
            return Some((node.range(), NoInitializer(variable.space)));
        }
        if variable.linkage == Some(Linkage::Extern) {
            return Some((node.range(), ExternInitializer));
        }
        let ty = variable.ty?;
        match ty.kind() {
            TypeKind::Opaque => return self.opaque_initializer(node),
            _ if matches!(ty, Type::F16 | Type::F16x2) => {
                return Some((node.range(), HalfInitializer(ty)));
            }
            _ => {}
        }
        let sizes: Vec<Option<u64>> = variable.dimensions.iter().map(|dimension| dimension.0).collect();
        let shape = Shape { sizes: &sizes, vector: variable.vector, ty };
        shape.value(node.nodes().next()?, variable.initializer.as_ref()?)
    }

    /// References are initialized with words in braces, `{ addr_mode_0 = wrap }`, which are ignored.
    fn opaque_initializer(&self, node: Node<'_>) -> Found {
        let value = node.nodes().next()?;
        (value.kind() != INITIALIZER_LIST).then_some((value.range(), Unbraced))
    }
}

struct Shape<'s> {
    /// The dimensions, outermost first.
    sizes: &'s [Option<u64>],
    vector: Option<VectorLength>,
    ty: Type,
}

impl Shape<'_> {
    fn value(&self, node: Node<'_>, value: &Initializer) -> Found {
        match (value, self.sizes, self.vector) {
            (Initializer::Invalid, ..) => self.invalid(node),
            (Initializer::List(values), [size, inner @ ..], vector) => {
                if let Some(size) = size
                    && (values.len() as u64) > *size
                {
                    let last = node.nodes().filter(|node| node.kind() != ERROR).last();
                    let range = last.map_or(node.range(), Node::range);
                    let found = TooManyValues { size: *size, values: values.len() as u64 };
                    return Some((range, found));
                }
                Shape { sizes: inner, vector, ty: self.ty }.values(node, values)
            }
            (Initializer::List(values), [], Some(vector)) => {
                let count = vector.count();
                if values.len() as u64 != u64::from(count) {
                    return Some((node.range(), VectorValues { count }));
                }
                Shape { sizes: &[], vector: None, ty: self.ty }.values(node, values)
            }
            (Initializer::List(_), [], None) => Some((node.range(), Braced)),
            (_, [], None) => self.scalar(node, value),
            // The assembler counts the values of an array before it checks for braces.
            _ => Some((node.range(), Unbraced)),
        }
    }

    fn values(&self, node: Node<'_>, values: &[Initializer]) -> Found {
        let nodes = node.nodes().filter(|node| node.kind() != ERROR);
        nodes.zip(values).find_map(|(node, value)| self.value(node, value))
    }

    fn scalar(&self, node: Node<'_>, value: &Initializer) -> Found {
        let kind = self.ty.kind();
        let found = match value {
            Initializer::Constant(Constant::Signed(_) | Constant::Unsigned(_)) if kind == TypeKind::Float => {
                IntegerValue(self.ty)
            }
            Initializer::Constant(Constant::Single(_) | Constant::Double(_))
                if matches!(kind, TypeKind::Signed | TypeKind::Unsigned) =>
            {
                FloatValue(self.ty)
            }
            Initializer::Address { mask: Some(mask), .. } if !is_byte_mask(*mask) => Mask(*mask),
            Initializer::Address { mask, .. }
                if !matches!((self.ty, mask), (Type::U32 | Type::U64, _) | (Type::U8, Some(_))) =>
            {
                AddressValue(self.ty)
            }
            Initializer::Address { .. } if !is_address_form(node) => AddressForm,
            _ => return None,
        };
        Some((node.range(), found))
    }

    fn invalid(&self, node: Node<'_>) -> Found {
        node.token(STRING).map(|string| (string.range(), StringValue))
    }
}

fn is_opaque(ty: Option<Type>) -> bool {
    ty.is_some_and(|ty| ty.kind() == TypeKind::Opaque)
}

/// `0xff`, `0xff00` …
fn is_byte_mask(mask: u64) -> bool {
    mask != 0 && mask.trailing_zeros().is_multiple_of(8) && mask >> mask.trailing_zeros() == 0xff
}

/// `name` or `generic(name)` with numbers added, possibly inside `0xff( )`.
fn is_address_form(node: Node<'_>) -> bool {
    let mut node = node;
    if node.kind() == CALL_EXPR && node.nodes().next().is_some_and(|mask| mask.kind() == LITERAL) {
        let Some(inner) = node.nodes().nth(1) else { return false };
        node = inner;
    }
    while node.kind() == BIN_EXPR {
        let Some(base) = node.nodes().next().filter(|_| node.token(PLUS).is_some()) else { return false };
        node = base;
    }
    match node.kind() {
        NAME_REF => true,
        CALL_EXPR => node.nodes().nth(1).is_some_and(|name| name.kind() == NAME_REF),
        _ => false,
    }
}
