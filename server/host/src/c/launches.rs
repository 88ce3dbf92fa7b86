//! Launches in CUDA C++.

mod lists;
mod names;

use crate::launches::value::{MAX_DEPTH, Value, value};
use crate::launches::{HostLaunch, Number, extents, is_block};
use crate::tokens::{Kind, Token, group_end};
use lists::{MOST, inside, parts, template_start};
use names::{At, File, Site, SiteKind};

pub(crate) fn launches(text: &str) -> Vec<HostLaunch> {
    let file = File::read(text);
    let launch = |site: &Site<'_>| match site.kind {
        SiteKind::Angles => angles(&file, site.token, &site.at),
        SiteKind::Call => call(&file, site.token, &site.at),
    };
    file.sites.iter().filter_map(launch).collect()
}

/// The launch whose `<<<` starts at a token.
fn angles(file: &File<'_>, open: usize, at: &At) -> Option<HostLaunch> {
    let tokens = file.tokens.as_slice();
    let (first, kernel, template) = kernel_before(file, open, at)?;
    let close = close_of(tokens, open + 3)?;
    let configuration = parts(&tokens[open + 3..close]);
    let arguments = inside(tokens, close + 3)?;
    let scope = file.at(at);
    let size = |index: usize| value(&scope, configuration.get(index)?, MAX_DEPTH);
    let shared = match configuration.get(2) {
        Some(_) => match size(2)? {
            Value::Integer(bytes) => Some(u32::try_from(bytes).ok()?),
            _ => return None,
        },
        None => Some(0),
    };
    let number = |part: &&[Token]| match value(&scope, part, MAX_DEPTH)? {
        Value::Integer(value) => Some(Number::Integer(value)),
        Value::Float(value) => Some(Number::Float(value)),
        Value::Extents(_) => None,
    };
    let launch = HostLaunch {
        kernel,
        template,
        range: tokens[first].start..tokens[arguments.end].end,
        grid: extents(size(0)?.truncated()?.extents()?)?,
        block: extents(size(1)?.truncated()?.extents()?)?,
        shared,
        is_cooperative: false,
        arguments: Some(parts(&tokens[arguments]).iter().map(number).collect()),
        added: 0,
    };
    is_block(launch.block).then_some(launch)
}

/// The functions of the runtime and the driver that launch a kernel.
const COOPERATIVE: [&str; 2] = ["cudaLaunchCooperativeKernel", "cuLaunchCooperativeKernel"];

/// The launch by a call of `cudaLaunchKernel` or `cuLaunchKernel` at a token.
fn call(file: &File<'_>, name: usize, at: &At) -> Option<HostLaunch> {
    let tokens = file.tokens.as_slice();
    let list = inside(tokens, name + 1)?;
    let parts = parts(&tokens[list.clone()]);
    let function = file.word(name);
    let scope = file.at(at);
    let size = |index: usize| value(&scope, parts.get(index)?, MAX_DEPTH);
    let integer = |index: usize| match size(index)? {
        Value::Integer(value) => Some(value),
        _ => None,
    };
    let axes = |first: usize| Some([integer(first)?, integer(first + 1)?, integer(first + 2)?]);
    let is_driver = function.starts_with("cuL");
    let (kernel, template) = match is_driver {
        true => (file.loaded_function(parts.first()?)?, Vec::new()),
        false => kernel_in(file, parts.first()?, at)?,
    };
    let (grid, block, shared) = match is_driver {
        true => (axes(1)?, axes(4)?, 7),
        false => (size(1)?.extents()?, size(2)?.extents()?, 4),
    };
    let launch = HostLaunch {
        kernel,
        template,
        range: tokens[name].start..tokens[list.end].end,
        grid: extents(grid)?,
        block: extents(block)?,
        shared: match parts.get(shared) {
            Some(_) => Some(u32::try_from(integer(shared)?).ok()?),
            None => Some(0),
        },
        is_cooperative: COOPERATIVE.contains(&function),
        arguments: None,
        added: 0,
    };
    is_block(launch.block).then_some(launch)
}

type Named = (String, Vec<Option<String>>);

/// The first token of the name of a kernel before the token `end`, its name and its template arguments.
fn kernel_before(file: &File<'_>, end: usize, at: &At) -> Option<(usize, String, Vec<Option<String>>)> {
    let tokens = file.tokens.as_slice();
    let mut last = end.checked_sub(1)?;
    let mut template = Vec::new();
    if tokens[last].is(b'>') {
        let open = template_start(tokens, last)?;
        template =
            parts(&tokens[open + 1..last]).iter().map(|part| template_argument(file, part, at)).collect();
        last = open.checked_sub(1)?;
    }
    (tokens[last].kind == Kind::Name).then_some(())?;
    let mut name = file.word(last).to_owned();
    let mut first = last;
    while first >= 3
        && tokens[first - 1].is(b':')
        && tokens[first - 2].is(b':')
        && tokens[first - 3].kind == Kind::Name
    {
        first -= 3;
        name = format!("{}::{name}", file.word(first));
    }
    Some((first, name, template))
}

/// The kernel in `(void*)kernel<float>`, `&kernel`, `reinterpret_cast<void*>(kernel)`.
fn kernel_in(file: &File<'_>, argument: &[Token], at: &At) -> Option<Named> {
    let mut argument = argument;
    if let [cast, ..] = argument
        && file.text_of(*cast).ends_with("_cast")
    {
        let open = argument.iter().position(|token| token.is(b'('))?;
        argument = &argument[open + 1..argument.len() - 1];
    } else if argument.first().is_some_and(|first| first.is(b'(')) {
        argument = &argument[group_end(argument, 0)..];
    }
    let argument = match argument {
        [reference, name @ ..] if reference.is(b'&') => name,
        name => name,
    };
    let last =
        file.tokens.partition_point(|token| token.start <= argument.last().map_or(0, |last| last.start));
    let (first, name, template) = kernel_before(file, last, at)?;
    (file.tokens[first].start == argument.first()?.start).then_some((name, template))
}

/// A template argument, as the demangled name of the kernel has it. `None` if it is not known.
fn template_argument(file: &File<'_>, tokens: &[Token], at: &At) -> Option<String> {
    if let Some(Value::Integer(value)) = value(&file.at(at), tokens, MAX_DEPTH) {
        return Some(value.to_string());
    }
    let words: Vec<&str> = tokens.iter().map(|token| file.text_of(*token)).collect();
    let known = match words.join(" ").as_str() {
        "int" | "int32_t" => "int",
        "unsigned" | "unsigned int" | "uint32_t" => "unsigned int",
        "float" => "float",
        "double" => "double",
        "char" => "char",
        "half" | "__half" => "__half",
        "__nv_bfloat16" | "nv_bfloat16" => "__nv_bfloat16",
        "long" | "int64_t" => "long",
        "size_t" | "unsigned long" | "uint64_t" => "unsigned long",
        _ => return None,
    };
    Some(known.to_owned())
}

/// The `>>>` before the parenthesis of the arguments.
fn close_of(tokens: &[Token], from: usize) -> Option<usize> {
    let mut depth = 0usize;
    for (at, token) in tokens.iter().enumerate().skip(from).take(MOST) {
        match token.kind {
            Kind::Punctuation(b'(' | b'[' | b'{') => depth += 1,
            Kind::Punctuation(b')' | b']' | b'}') => depth = depth.checked_sub(1)?,
            Kind::Punctuation(b';') => return None,
            Kind::Punctuation(b'>') if depth == 0 && is_adjacent(tokens, at, b'>') => {
                return tokens.get(at + 3)?.is(b'(').then_some(at);
            }
            _ => {}
        }
    }
    None
}

/// Whether three of a character start at `at`.
fn is_adjacent(tokens: &[Token], at: usize, byte: u8) -> bool {
    tokens.get(at..at + 3).is_some_and(|three| {
        three.iter().all(|token| token.is(byte)) && three.windows(2).all(|pair| pair[0].end == pair[1].start)
    })
}
