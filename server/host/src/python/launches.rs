//! Launches of Triton, `kernel[grid](…, num_warps=8)`, and of Numba, `kernel[blocks, threads](…)`.

use std::cell::Cell;

use super::lexer::lex;
use super::strings::Source;
use crate::launches::value::{MAX_DEPTH, Names, Value, value};
use crate::launches::{HostLaunch, Number, extents, is_block};
use crate::tokens::{Budget, Kind, Token, arguments, group_end};

/// Threads of a warp.
const WARP: i128 = 32;
/// The warps of a Triton kernel that says nothing else.
const NUM_WARPS: i128 = 4;
/// The scratch memory that Triton passes after the arguments: that of the kernel, and that of its profiler.
const SCRATCH: usize = 2;

/// How many uses of a name cost as much as looking it up.
const USES: usize = 16;

pub(crate) fn launches(text: &str) -> Vec<HostLaunch> {
    let tokens = lex(text);
    let source = Source::new(text, &tokens);
    let mut budget = Budget::new(tokens.len());
    let names_left = Cell::new(tokens.len() + (1 << 12));
    let mut found = Vec::new();
    for (at, pair) in tokens.windows(2).enumerate() {
        if pair[0].kind != Kind::Name || !pair[1].is(b'[') {
            continue;
        }
        let grid_end = group_end(&tokens, at + 1);
        let end = group_end(&tokens, grid_end);
        if !budget.spend(|| end - at) {
            break;
        }
        if tokens.get(grid_end).is_some_and(|token| token.is(b'('))
            && let (Some(configuration), Some(list)) =
                (tokens.get(at + 2..grid_end - 1), tokens.get(grid_end + 1..end - 1))
        {
            let site =
                Site { source: &source, at, names_left: &names_left, configuration, list: arguments(list) };
            let range = tokens[at].start..tokens[end - 1].end;
            found.extend(site.launch().map(|launch| HostLaunch { range, ..launch }));
        }
    }
    found
}

/// What compiles a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Compiler {
    Triton,
    Numba,
}

/// `kernel[configuration](list)`
struct Site<'s, 't> {
    source: &'s Source<'t>,
    at: usize,
    names_left: &'s Cell<usize>,
    configuration: &'s [Token],
    list: Vec<&'s [Token]>,
}

impl<'t> Site<'_, 't> {
    fn launch(&self) -> Option<HostLaunch> {
        let kernel = self.source.word(self.at);
        let definition = self.source.definition(kernel);
        let compiler = match definition {
            Some(definition) => self.compiler(definition)?,
            // An imported kernel may be tuned, unless the launch says how many warps it has.
            None if self.named("num_warps").is_some() => Compiler::Triton,
            None => return None,
        };
        let lookup = self.lookup();
        let size = |tokens: &[Token]| value(&lookup, tokens, MAX_DEPTH);
        let (grid, block, shared) = match compiler {
            Compiler::Triton => {
                if self.named("num_ctas").is_some_and(|tokens| size(tokens) != Some(Value::Integer(1))) {
                    return None;
                }
                let warps = match self.named("num_warps") {
                    Some(tokens) => integer(size(tokens)?)?,
                    None => NUM_WARPS,
                };
                (self.grid()?, [warps * WARP, 1, 1], None)
            }
            Compiler::Numba => {
                let parts = arguments(self.configuration);
                let shared = match parts.get(3) {
                    Some(tokens) => u32::try_from(integer(size(tokens)?)?).ok()?,
                    None => 0,
                };
                (size(parts.first()?)?.extents()?, size(parts.get(1)?)?.extents()?, Some(shared))
            }
        };
        let arguments = definition.filter(|_| compiler == Compiler::Triton).and_then(|it| self.arguments(it));
        let launch = HostLaunch {
            kernel: kernel.to_owned(),
            template: Vec::new(),
            range: 0..0,
            grid: extents(grid)?,
            block: extents(block)?,
            shared,
            is_cooperative: false,
            arguments,
            added: if compiler == Compiler::Triton { SCRATCH } else { 0 },
        };
        is_block(launch.block).then_some(launch)
    }

    /// What compiles the function, according to its decorators. `None` if they choose the number of warps, or it is no kernel.
    fn compiler(&self, definition: usize) -> Option<Compiler> {
        let mut compiler = None;
        for decorator in self.source.decorators(definition) {
            let words: Vec<&str> = decorator.iter().map(|token| token.text(self.source.text)).collect();
            match words.as_slice() {
                ["triton" | "gluon", ".", "jit", ..] | ["jit", ..] => compiler = Some(Compiler::Triton),
                ["cuda", ".", "jit", ..] => compiler = Some(Compiler::Numba),
                _ => return None,
            }
        }
        compiler
    }

    /// The value of a named argument of the call.
    fn named(&self, wanted: &str) -> Option<&[Token]> {
        self.list.iter().find_map(|argument| match argument {
            [name, equals, value @ ..] if equals.is(b'=') && name.text(self.source.text) == wanted => {
                Some(value)
            }
            _ => None,
        })
    }

    fn lookup(&self) -> Lookup<'_, 't> {
        Lookup { site: self, at: self.at, bound: Vec::new() }
    }

    /// The grid of a Triton kernel: a tuple, or a function of the named arguments that returns one.
    fn grid(&self) -> Option<[i128; 3]> {
        let (mut tokens, mut at) = (self.configuration, self.at);
        if let [name] = tokens
            && let Some(found) = self.source.only_value(name.text(self.source.text), at)
        {
            (tokens, at) = (self.source.statement(found), found);
        }
        if let [lambda, _, colon, body @ ..] = tokens
            && lambda.text(self.source.text) == "lambda"
            && colon.is(b':')
        {
            tokens = body;
        }
        let lookup = Lookup { at, ..self.lookup() };
        let parts = arguments(tokens);
        let found = match parts.as_slice() {
            [whole] if !tokens.last()?.is(b',') => value(&lookup, whole, MAX_DEPTH)?,
            several => {
                let mut extents = [1; 3];
                (several.len() <= 3).then_some(())?;
                for (extent, part) in extents.iter_mut().zip(several) {
                    *extent = integer(value(&lookup, part, MAX_DEPTH)?)?;
                }
                Value::Extents(extents)
            }
        };
        match found {
            Value::Extents(extents) => Some(extents),
            _ => None,
        }
    }

    /// The arguments of the parameters that are not constants of the compiler. Numbers that are 1 and `None` become constants.
    fn arguments(&self, definition: usize) -> Option<Vec<Option<Number>>> {
        let parameters = self.source.parameters(definition)?;
        let mut found = Vec::new();
        for (index, parameter) in parameters.iter().enumerate() {
            let words: Vec<&str> = parameter.iter().map(|token| token.text(self.source.text)).collect();
            if words.contains(&"constexpr") {
                continue;
            }
            let is_positional = |argument: &&&[Token]| {
                !argument.get(1).is_some_and(|equals| equals.is(b'='))
                    && argument.first().is_some_and(|first| !first.is(b'*'))
            };
            let positional = self.list.get(index).filter(is_positional).copied();
            let passed = positional.or_else(|| self.named(words.first()?))?;
            let number = match value(&self.lookup(), passed, MAX_DEPTH) {
                Some(Value::Integer(1)) => continue,
                Some(Value::Integer(value)) => Some(Number::Integer(value)),
                Some(Value::Float(value)) => Some(Number::Float(value)),
                _ if matches!(passed, [only] if only.text(self.source.text) == "None") => continue,
                _ => None,
            };
            found.push(number);
        }
        Some(found)
    }
}

fn integer(value: Value) -> Option<i128> {
    match value {
        Value::Integer(value) => Some(value),
        _ => None,
    }
}

/// Names at a token of the file.
struct Lookup<'s, 't> {
    site: &'s Site<'s, 't>,
    at: usize,
    /// The parameters of the function that is evaluated.
    bound: Vec<(&'t str, Option<Value>)>,
}

impl Names for Lookup<'_, '_> {
    const IS_C: bool = false;

    fn text(&self, token: Token) -> &str {
        token.text(self.site.source.text)
    }

    fn name(&self, name: &str, depth: u32) -> Option<Value> {
        let left = self.site.names_left;
        left.set(left.get().checked_sub(1 + self.site.source.uses(name).len() / USES)?);
        if let Some((_, value)) = self.bound.iter().find(|(bound, _)| *bound == name) {
            return *value;
        }
        let found = self.site.source.only_value(name, self.at)?;
        value(
            &Lookup { site: self.site, at: found, bound: Vec::new() },
            self.site.source.statement(found),
            depth,
        )
    }

    fn call(&self, name: &str, passed: &[&[Token]], depth: u32) -> Option<Option<Value>> {
        let source = self.site.source;
        let definition = source.definition(name)?;
        let evaluate = || {
            let parameters = source.parameters(definition)?;
            let returned = source.only_return(definition)?;
            let names = parameters
                .iter()
                .map(|parameter| parameter.first().map_or("", |name| name.text(source.text)));
            let values = passed.iter().map(|argument| value(self, argument, depth));
            (parameters.len() == passed.len()).then_some(())?;
            let bound = names.zip(values).collect();
            value(&Lookup { site: self.site, at: definition, bound }, returned, depth)
        };
        Some(evaluate())
    }

    /// `meta["BLOCK"]` in the function that computes a grid.
    fn entry(&self, _: &str, key: &str, depth: u32) -> Option<Value> {
        value(&self.site.lookup(), self.site.named(key)?, depth)
    }
}
