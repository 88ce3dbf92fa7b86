//! What names stand for in a file of C++: constants, variables that nothing changes, macros, and functions of one `return`.

use std::cell::Cell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;

use super::lists::{MOST, inside, parts, template_start};
use crate::c::lexer::Lexer;
use crate::c::literal;
use crate::launches::value::{Names, Type, Value, is_builtin, value};
use crate::template::Template;
use crate::tokens::{Kind, Token, group_end, span};

mod read;

/// How many scopes around a name are searched.
const MAX_NESTING: usize = 64;

/// A file of C++, as far as launches need it.
pub(super) struct File<'t> {
    source: &'t str,
    /// The tokens outside of macros and of branches that a constant disables.
    pub(super) tokens: Vec<Token>,
    pub(super) sites: Vec<Site<'t>>,
    macros: HashMap<&'t str, Option<Macro<'t>>>,
    functions: HashMap<&'t str, Vec<Function<'t>>>,
    scopes: Vec<Scope<'t>>,
    /// The declarations of each name in each scope.
    declared: HashMap<&'t str, BTreeMap<usize, Declarations>>,
    /// The names that are assigned through a member: `options.n = 1`.
    written: HashSet<&'t str>,
    /// The variables that `cuModuleGetFunction` sets, with the names of their kernels.
    loaded: HashMap<&'t str, Option<String>>,
    /// How many names may still be looked up.
    budget: Cell<usize>,
}

/// A launch that may be readable.
pub(super) struct Site<'t> {
    pub(super) kind: SiteKind,
    /// The first `<`, or the name of the called function.
    pub(super) token: usize,
    pub(super) at: At<'t>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SiteKind {
    Angles,
    Call,
}

/// A position, from which names are looked up.
#[derive(Debug, Clone, Default)]
pub(super) struct At<'t> {
    scope: usize,
    token: usize,
    /// The parameters and loop variables of the statement, which have no scope of their own.
    hidden: Vec<&'t str>,
}

/// The body of a macro.
struct Macro<'t> {
    /// `None` for a macro without parentheses.
    parameters: Option<Vec<&'t str>>,
    body: Vec<Token>,
}

/// A function whose body is one `return`, or whose body is not known.
struct Function<'t> {
    parameters: Vec<&'t str>,
    /// Whether a parameter is a reference.
    has_references: bool,
    /// The returned expression.
    returned: Option<Range<usize>>,
    is_float: bool,
    scope: usize,
    token: usize,
}

#[derive(Default)]
struct Scope<'t> {
    parent: Option<usize>,
    is_type: bool,
    /// The name of a type or namespace.
    name: Option<&'t str>,
}

/// The declarations of a name in a scope.
#[derive(Default)]
struct Declarations {
    /// In text order.
    all: Vec<Declared>,
    /// Whether something may give the variable another value.
    is_written: bool,
}

/// A declared name.
struct Declared {
    token: usize,
    value: Option<Initial>,
    is_constant: bool,
}

/// The initial value of a variable.
#[derive(Debug, Clone)]
struct Initial {
    tokens: Range<usize>,
    ty: Declares,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Declares {
    Integer,
    Float,
    Extents,
    /// `auto`
    Any,
}

impl<'t> File<'t> {
    pub(super) fn text_of(&self, token: Token) -> &'t str {
        token.text(self.source)
    }

    /// The word at an index; empty after the last one.
    pub(super) fn word(&self, at: usize) -> &'t str {
        self.tokens.get(at).map_or("", |token| self.text_of(*token))
    }

    pub(super) fn at<'f>(&'f self, at: &'f At<'t>) -> Lookup<'f, 't> {
        Lookup { file: self, scope: at.scope, token: at.token, hidden: &at.hidden, bound: Vec::new() }
    }

    /// The kernel that a variable of the driver holds.
    pub(super) fn loaded_function(&self, argument: &[Token]) -> Option<String> {
        let [variable] = argument else { return None };
        self.loaded.get(self.text_of(*variable))?.clone()
    }

    /// The declarations that a name may mean at a position, those of the innermost scope: the scope, and how many of its declarations.
    fn declarations(&self, name: &str, scope: usize, token: usize) -> Option<(usize, usize)> {
        let all = self.declared.get(name)?;
        let mut scope = Some(scope);
        for _ in 0..MAX_NESTING {
            let inner = scope?;
            if let Some(here) = all.get(&inner) {
                let before = here.all.partition_point(|declared| declared.token < token);
                // A member that is declared later is meant by functions before it.
                if before > 0 || self.scopes[inner].is_type {
                    return (before > 0).then_some((inner, before));
                }
            }
            scope = self.scopes[inner].parent;
        }
        None
    }

    /// The value of a name in a scope, if its first `count` declarations all give it the same one.
    fn value_in(&self, name: &str, (scope, count): (usize, usize), depth: u32) -> Option<Value> {
        let declared = self.declared.get(name)?.get(&scope)?;
        let is_written = declared.is_written || self.written.contains(name);
        let mut found = None;
        for declared in declared.all.iter().take(count) {
            self.spend()?;
            if is_written && !declared.is_constant {
                return None;
            }
            let value = self.initial(declared, scope, depth)?;
            if found.is_some_and(|found| found != value) {
                return None;
            }
            found = Some(value);
        }
        found
    }

    fn spend(&self) -> Option<()> {
        self.budget.set(self.budget.get().checked_sub(1)?);
        Some(())
    }

    fn initial(&self, declared: &Declared, scope: usize, depth: u32) -> Option<Value> {
        let Initial { tokens, ty } = declared.value.as_ref()?;
        let at = At { scope, token: declared.token, hidden: Vec::new() };
        let tokens = &self.tokens[tokens.clone()];
        let lookup = self.at(&at);
        match ty {
            Declares::Extents => extents(&lookup, tokens, depth),
            Declares::Integer => value(&lookup, tokens, depth)?.truncated(),
            Declares::Float => match value(&lookup, tokens, depth)? {
                Value::Integer(value) => Some(Value::Float(value as f64)),
                value => Some(value),
            },
            Declares::Any => value(&lookup, tokens, depth),
        }
    }
}

/// The value of a `dim3` that is initialized with an expression, or with up to three of them.
fn extents(names: &Lookup<'_, '_>, tokens: &[Token], depth: u32) -> Option<Value> {
    if let Some(value) = value(names, tokens, depth) {
        return value.truncated()?.extents().map(Value::Extents);
    }
    let parts = parts(tokens);
    let mut extents = [1; 3];
    if parts.len() > 3 {
        return None;
    }
    for (extent, part) in extents.iter_mut().zip(parts) {
        let Value::Integer(value) = value(names, part, depth)?.truncated()? else { return None };
        *extent = value;
    }
    Some(Value::Extents(extents))
}

/// Names at a position of a file.
pub(super) struct Lookup<'f, 't> {
    file: &'f File<'t>,
    scope: usize,
    token: usize,
    hidden: &'f [&'t str],
    /// The parameters of the function or macro that is evaluated.
    bound: Vec<(&'t str, Option<Value>)>,
}

impl Names for Lookup<'_, '_> {
    const IS_C: bool = true;

    fn text(&self, token: Token) -> &str {
        self.file.text_of(token)
    }

    fn name(&self, name: &str, depth: u32) -> Option<Value> {
        let file = self.file;
        file.spend()?;
        if let Some((_, value)) = self.bound.iter().find(|(bound, _)| *bound == name) {
            return *value;
        }
        if let Some(defined) = file.macros.get(name) {
            let Macro { parameters: None, body } = defined.as_ref()? else { return None };
            return is_whole(body).then(|| value(self, body, depth))?;
        }
        if let Some((owner, member)) = name.rsplit_once("::") {
            let scopes = file.declared.get(member)?.keys();
            let mut meant = scopes.filter(|scope| file.scopes[**scope].name == Some(owner));
            let (scope, None) = (meant.next()?, meant.next()) else { return None };
            return file.value_in(member, (*scope, usize::MAX), depth);
        }
        if self.hidden.contains(&name) {
            return None;
        }
        file.value_in(name, file.declarations(name, self.scope, self.token)?, depth)
    }

    fn call(&self, name: &str, arguments: &[&[Token]], depth: u32) -> Option<Option<Value>> {
        let file = self.file;
        let bind = |parameters: &[&'_ str]| -> Vec<Option<Value>> {
            parameters.iter().zip(arguments).map(|(_, argument)| value(self, argument, depth)).collect()
        };
        if let Some(defined) = file.macros.get(name) {
            let Some(Macro { parameters: Some(parameters), body }) = defined else { return Some(None) };
            let is_separate = |argument: &&[Token]| is_whole(argument);
            let is_safe = arguments.iter().all(is_separate) || encloses(file, body, parameters);
            if parameters.len() != arguments.len() || !is_whole(body) || !is_safe {
                return Some(None);
            }
            let bound = parameters.iter().copied().zip(bind(parameters)).collect();
            let Lookup { scope, token, hidden, .. } = *self;
            return Some(value(&Lookup { file, scope, token, hidden, bound }, body, depth));
        }
        let mut fitting =
            file.functions.get(name)?.iter().filter(|it| it.parameters.len() == arguments.len());
        let (Some(function), None) = (fitting.next(), fitting.next()) else { return Some(None) };
        let Some(returned) = function.returned.clone() else { return Some(None) };
        let bound = function.parameters.iter().copied().zip(bind(&function.parameters)).collect();
        let lookup = Lookup { file, scope: function.scope, token: function.token, hidden: &[], bound };
        let found = value(&lookup, &file.tokens[returned], depth);
        Some(if function.is_float { found } else { found.and_then(Value::truncated) })
    }

    fn entry(&self, _: &str, _: &str, _: u32) -> Option<Value> {
        None
    }
}

/// Whether operators beside the tokens cannot separate them: one token, or all in parentheses.
fn is_whole(tokens: &[Token]) -> bool {
    match tokens {
        [_] => true,
        [first, .., _] => first.is(b'(') && group_end(tokens, 0) == tokens.len(),
        [] => false,
    }
}

/// Whether a macro has each use of a parameter in parentheses, or between a comma and another.
fn encloses(file: &File<'_>, body: &[Token], parameters: &[&str]) -> bool {
    body.iter().enumerate().all(|(at, token)| {
        let is_parameter = token.kind == Kind::Name && parameters.contains(&file.text_of(*token));
        let is_open = |token: &Token| token.is(b'(') || token.is(b',');
        let is_close = |token: &Token| token.is(b')') || token.is(b',');
        !is_parameter || at > 0 && is_open(&body[at - 1]) && body.get(at + 1).is_some_and(is_close)
    })
}
