//! Reads the names of a file in one pass.

use super::*;

/// Words before a name that do not declare it.
const NO_TYPES: [&str; 17] = [
    "return",
    "else",
    "do",
    "goto",
    "case",
    "new",
    "delete",
    "throw",
    "using",
    "namespace",
    "operator",
    "sizeof",
    "typename",
    "co_return",
    "and",
    "or",
    "not",
];

/// Functions and keywords that do not change what they are passed.
const BY_VALUE: [&str; 23] = [
    "if",
    "while",
    "for",
    "switch",
    "return",
    "sizeof",
    "static_assert",
    "assert",
    "dim3",
    "printf",
    "fprintf",
    "malloc",
    "calloc",
    "free",
    "memset",
    "memcpy",
    "abs",
    "to_string",
    "int",
    "unsigned",
    "float",
    "double",
    "size_t",
];

/// The most tokens before a declared name that may be its type.
const MOST_OF_TYPE: usize = 32;

/// More parameters before a brace than any real file has.
const MAX_PENDING: usize = 1 << 10;

/// A use of a variable that may change it.
struct Write<'t> {
    name: &'t str,
    scope: usize,
    token: usize,
    /// Whether it is a member of something else: `options.n = 1`.
    is_member: bool,
    /// The function to which the variable is passed, which changes it only if it takes a reference.
    called: Option<&'t str>,
}

struct Reader<'t> {
    file: File<'t>,
    scope: usize,
    /// The first token of the statement, and whether an `=` was in it.
    statement: usize,
    has_value: bool,
    /// For each open parenthesis, the function that may change its arguments.
    calls: Vec<Option<&'t str>>,
    /// Parameters and loop variables: they are declared in the next braces.
    pending: Vec<&'t str>,
    writes: Vec<Write<'t>>,
    /// For each open condition, its branch and the scope at its start.
    saved: Vec<(usize, usize)>,
}

impl<'t> File<'t> {
    pub(in super::super) fn read(source: &'t str) -> File<'t> {
        let mut file = File {
            source,
            tokens: Vec::new(),
            sites: Vec::new(),
            macros: HashMap::new(),
            functions: HashMap::new(),
            scopes: vec![Scope::default()],
            declared: HashMap::new(),
            written: HashSet::new(),
            loaded: HashMap::new(),
            budget: Cell::new(source.len() + (1 << 12)),
        };
        let branches = file.lex();
        let mut reader = Reader {
            file,
            scope: 0,
            statement: 0,
            has_value: false,
            calls: Vec::new(),
            pending: Vec::new(),
            writes: Vec::new(),
            saved: Vec::new(),
        };
        let mut at = 0;
        while at < reader.file.tokens.len() {
            if reader.pending.len() > MAX_PENDING {
                reader.file.sites.clear();
                break;
            }
            reader.follow_conditions(branches[at]);
            at = reader.token(at).max(at + 1);
        }
        reader.finish()
    }

    /// Reads the tokens and the macros. Returns the condition and the branch of each token.
    fn lex(&mut self) -> Vec<(usize, usize)> {
        let mut lexer = Lexer::new(self.source);
        let mut branches = Vec::new();
        while let Some(token) = lexer.next() {
            if token.kind == Kind::MacroStart {
                self.read_macro(&mut lexer, token);
            } else {
                branches.push((lexer.conditions.depth(), lexer.conditions.branch()));
                self.tokens.push(token);
            }
        }
        branches
    }

    /// Reads the macro whose parameters are `start`. A macro that is defined in two ways is not known.
    fn read_macro(&mut self, lexer: &mut Lexer<'t>, start: Token) {
        let mut body = Vec::new();
        while let Some(token) = lexer.next().filter(|token| token.kind != Kind::MacroEnd) {
            body.push(token);
        }
        let before = &self.source[..start.start];
        let name = before.rsplit(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or_default();
        let list = start.text(self.source).strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
        let parameters = list.map(|list| list.split(',').map(str::trim).collect());
        let new = Macro { parameters, body };
        let text = |it: &Macro<'t>| self.source.get(span(&it.body).unwrap_or_default()).unwrap_or_default();
        let merged = match self.macros.get(name) {
            None => Some(new),
            Some(Some(old)) if text(old) == text(&new) && old.parameters == new.parameters => Some(new),
            Some(_) => None,
        };
        self.macros.insert(name, merged);
    }
}

impl<'t> Reader<'t> {
    fn word(&self, at: usize) -> &'t str {
        self.file.word(at)
    }

    fn kind(&self, at: usize) -> Option<Kind> {
        self.file.tokens.get(at).map(|token| token.kind)
    }

    fn is(&self, at: usize, byte: u8) -> bool {
        self.kind(at) == Some(Kind::Punctuation(byte))
    }

    /// Whether characters are side by side from `at` on.
    fn has(&self, at: usize, text: &[u8]) -> bool {
        let tokens = self.file.tokens.get(at..at + text.len()).unwrap_or_default();
        tokens.len() == text.len()
            && tokens.iter().zip(text).all(|(token, byte)| token.is(*byte))
            && tokens.windows(2).all(|pair| pair[0].end == pair[1].start)
    }

    /// Whether characters are side by side right before `at`.
    fn has_before(&self, at: usize, text: &[u8]) -> bool {
        at.checked_sub(text.len()).is_some_and(|start| self.has(start, text))
    }

    /// Each branch of a condition starts in the scope that was open before it.
    fn follow_conditions(&mut self, (depth, branch): (usize, usize)) {
        self.saved.truncate(depth);
        while self.saved.len() < depth {
            self.saved.push((branch, self.scope));
        }
        if let Some((last, scope)) = self.saved.last_mut()
            && *last != branch
        {
            *last = branch;
            self.scope = *scope;
        }
    }

    /// Reads the token at an index, and returns the next one to read.
    fn token(&mut self, at: usize) -> usize {
        match self.file.tokens[at].kind {
            Kind::Name => return self.name(at),
            Kind::Punctuation(b'(') => self.calls.push(self.called(at)),
            Kind::Punctuation(b')') => {
                self.calls.pop();
            }
            Kind::Punctuation(b'{') => self.open(at),
            Kind::Punctuation(b'}') => {
                self.scope = self.file.scopes[self.scope].parent.unwrap_or(0);
                if !self.has_value {
                    self.start_statement(at + 1);
                }
            }
            Kind::Punctuation(b';') if self.calls.is_empty() => {
                self.pending.clear();
                self.start_statement(at + 1);
            }
            Kind::Punctuation(b'=') if self.calls.is_empty() => self.has_value = true,
            Kind::Punctuation(b'<') if self.has(at, b"<<<") => {
                self.site(SiteKind::Angles, at);
                return at + 3;
            }
            _ => {}
        }
        at + 1
    }

    fn start_statement(&mut self, at: usize) {
        (self.statement, self.has_value) = (at, false);
    }

    fn site(&mut self, kind: SiteKind, token: usize) {
        let at = At { scope: self.scope, token, hidden: self.pending.clone() };
        self.file.sites.push(Site { kind, token, at });
    }

    /// Opens a scope at a brace: of a function, a type, a namespace, a block, or a list of values.
    fn open(&mut self, at: usize) {
        let is_list = self.has_value
            || at > 0 && (self.is(at - 1, b',') || self.kind(at - 1) == Some(Kind::Punctuation(b'(')));
        let is_function = at > 0 && self.is(at - 1, b')') && !is_list;
        let start = self.statement.min(at);
        let is_keyword = |at: &usize| matches!(self.word(*at), "struct" | "class" | "union" | "namespace");
        let keyword = if is_function || is_list { None } else { (start..at).find(is_keyword) };
        let name = keyword.and_then(|keyword| {
            // The bases of a type follow a single colon.
            let is_base = |at: usize| self.is(at, b':') && !self.is(at + 1, b':') && !self.is(at - 1, b':');
            let names = (keyword + 1..at).take_while(|at| !is_base(*at));
            names.filter(|at| self.kind(*at) == Some(Kind::Name)).last().map(|at| self.word(at))
        });
        if is_function {
            self.function(start, at);
        }
        let is_type = keyword.is_some_and(|at| self.word(at) != "namespace");
        self.file.scopes.push(Scope { parent: Some(self.scope), is_type, name });
        self.scope = self.file.scopes.len() - 1;
        for index in 0..self.pending.len() {
            self.declare(self.pending[index], at, None, false);
        }
        if is_function {
            self.pending.clear();
        }
        if !is_list {
            self.calls.clear();
            self.start_statement(at + 1);
        }
    }

    /// Notes the function whose body opens at `open`.
    fn function(&mut self, start: usize, open: usize) {
        let tokens = &self.file.tokens;
        let mut group = None;
        let mut at = start;
        while at < open {
            let end = if tokens[at].is(b'(') { group_end(tokens, at).min(open) } else { at + 1 };
            if end > at + 1 && at > start && tokens[at - 1].kind == Kind::Name {
                group = Some((at, end));
            }
            at = end;
        }
        let Some((first, end)) = group else { return };
        let list = &tokens[first + 1..end - 1];
        let parameter = |part: &[Token]| {
            let default = part.iter().position(|token| token.is(b'=')).unwrap_or(part.len());
            let name = part[..default].iter().rfind(|token| token.kind == Kind::Name);
            name.map_or("", |name| self.file.text_of(*name))
        };
        let near = (open + 2..(open + MOST).min(tokens.len())).find(|at| tokens[*at].is(b';'));
        let end = near.filter(|end| self.word(open + 1) == "return" && self.is(end + 1, b'}'));
        let function = Function {
            parameters: parts(list).into_iter().map(parameter).collect(),
            has_references: list.iter().any(|token| token.is(b'&')),
            returned: end.map(|end| open + 2..end),
            is_float: (start..first).any(|at| matches!(self.word(at), "float" | "double" | "auto")),
            scope: self.scope,
            token: open,
        };
        self.file.functions.entry(self.word(first - 1)).or_default().push(function);
    }

    /// The function that may change the arguments of the parenthesis at `at`.
    fn called(&self, at: usize) -> Option<&'t str> {
        let mut callee = at.checked_sub(1)?;
        if self.has_before(at, b">>>") {
            return None;
        }
        if self.is(callee, b'>') {
            callee = template_start(&self.file.tokens, callee)?.checked_sub(1)?;
        }
        (self.kind(callee)? == Kind::Name).then_some(())?;
        let name = self.word(callee);
        // `std::vector<float> x(n);`
        let is_declared = self.calls.is_empty()
            && callee > self.statement
            && (self.kind(callee - 1) == Some(Kind::Name) || self.is(callee - 1, b'>'));
        let is_of_cuda = |prefix: &str| {
            let rest = name.strip_prefix(prefix);
            rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()))
        };
        let is_known = BY_VALUE.contains(&name)
            || name.ends_with("_cast")
            || is_builtin(name)
            || is_of_cuda("cuda")
            || is_of_cuda("cu");
        (!is_known && !is_declared).then_some(name)
    }

    fn name(&mut self, at: usize) -> usize {
        match self.word(at) {
            "template" if self.is(at + 1, b'<') => return self.template(at + 1),
            "cuModuleGetFunction" => self.load_function(at),
            "cudaLaunchKernel"
            | "cudaLaunchCooperativeKernel"
            | "cuLaunchKernel"
            | "cuLaunchCooperativeKernel"
                if self.is(at + 1, b'(') =>
            {
                self.site(SiteKind::Call, at);
            }
            _ => {}
        }
        if self.declares(at) {
            self.declaration(at);
        } else if !self.is_declared_at(at) {
            self.note_write(at);
        }
        at + 1
    }

    fn is_declared_at(&self, at: usize) -> bool {
        let declared = self.file.declared.get(self.word(at)).and_then(|scopes| scopes.get(&self.scope));
        declared.is_some_and(|it| it.all.binary_search_by_key(&at, |declared| declared.token).is_ok())
    }

    /// The parameters of a template are not known. Returns the token after them.
    fn template(&mut self, open: usize) -> usize {
        let mut depth = 0usize;
        for at in open..self.file.tokens.len().min(open + MOST) {
            match self.file.tokens[at].kind {
                Kind::Punctuation(b'<') => depth += 1,
                Kind::Punctuation(b'>') => depth -= 1,
                Kind::Punctuation(b';' | b'{' | b'}') => return at,
                Kind::Name if [b',', b'>', b'='].iter().any(|next| self.is(at + 1, *next)) => {
                    self.pending.push(self.word(at));
                }
                _ => {}
            }
            if depth == 0 {
                self.start_statement(at + 1);
                return at + 1;
            }
        }
        open + 1
    }

    /// `cuModuleGetFunction(&variable, module, "kernel")`
    fn load_function(&mut self, at: usize) {
        let tokens = &self.file.tokens;
        let list = inside(tokens, at + 1).map(|list| parts(&tokens[list])).unwrap_or_default();
        let [[reference, variable], _, [name]] = list[..] else { return };
        if !reference.is(b'&') || name.kind != Kind::String {
            return;
        }
        let mut text = Template::default();
        literal::decode(self.file.source, name.start, name.end, &mut text);
        let loaded = Some(text.text);
        let variable = self.file.text_of(*variable);
        let known = self.file.loaded.entry(variable).or_insert_with(|| loaded.clone());
        if *known != loaded {
            *known = None;
        }
    }

    /// Whether the name at an index is declared there.
    fn declares(&self, at: usize) -> bool {
        if at <= self.statement {
            return false;
        }
        let is_typed = match self.file.tokens[at - 1].kind {
            Kind::Name => !NO_TYPES.contains(&self.word(at - 1)),
            Kind::Punctuation(b'>' | b'*' | b'&') if self.follows_type(at) => {
                let starts =
                    self.kind(self.statement) == Some(Kind::Name) && self.word(self.statement) != "return";
                starts && (!self.calls.is_empty() || !self.has_value)
            }
            _ => false,
        };
        let is_comparison = self.has(at + 1, b"==");
        let ends = match self.kind(at + 1) {
            Some(Kind::Punctuation(b'=' | b'[' | b',')) => true,
            Some(Kind::Punctuation(b')' | b':')) => !self.calls.is_empty(),
            Some(Kind::Punctuation(b';' | b'(' | b'{')) => self.calls.is_empty(),
            _ => false,
        };
        is_typed && ends && !is_comparison
    }

    /// Whether a type may be before the `*`, `&` or `>` in front of a name.
    fn follows_type(&self, at: usize) -> bool {
        let is_mark = |at: &usize| self.is(*at, b'*') || self.is(*at, b'&');
        let ty = (self.statement..at).rev().find(|at| !is_mark(at));
        ty.is_some_and(|ty| self.kind(ty) == Some(Kind::Name) || self.is(ty, b'>'))
    }

    /// Declares the name at an index, and those that follow in the statement.
    fn declaration(&mut self, at: usize) {
        if !self.calls.is_empty() {
            return self.pending.push(self.word(at));
        }
        let before: Vec<&str> =
            (self.statement.max(at.saturating_sub(MOST_OF_TYPE))..at).map(|at| self.word(at)).collect();
        let has = |words: &[&str]| before.iter().any(|word| words.contains(word));
        let is_constant = has(&["const", "constexpr", "constinit"]);
        let ty = match before.last() {
            _ if has(&["extern", "typedef"]) => None,
            Some(&("*" | ">")) => None,
            _ if has(&["dim3", "uint3"]) => Some(Declares::Extents),
            _ if has(&["float", "double"]) => Some(Declares::Float),
            _ if has(&["auto"]) => Some(Declares::Any),
            // Other types may be classes, which `=` seldom initializes with a number.
            Some(ty) if self.is(at + 1, b'=') || Type::of(ty).is_some() => Some(Declares::Integer),
            _ => None,
        };
        let is_reference = before.last() == Some(&"&") && !is_constant;
        let mut name = at;
        loop {
            let value = self.initial_value(name);
            if let Some(bound) = value.clone().filter(|_| is_reference) {
                bound.for_each(|at| self.write(at, None));
            }
            let initial = value.clone().zip(ty).map(|(tokens, ty)| Initial { tokens, ty });
            self.declare(self.word(name), name, initial, is_constant);
            // `int n = 1024, m(512);`
            let end =
                value.map_or(name + 1, |value| match self.is(value.end, b')') || self.is(value.end, b'}') {
                    true => value.end + 1,
                    false => value.end,
                });
            let follows = self.is(end, b',') && self.kind(end + 1) == Some(Kind::Name);
            let is_declarator = [b'=', b',', b';', b'{', b'('].iter().any(|next| self.is(end + 2, *next));
            if !follows || !is_declarator {
                return;
            }
            name = end + 1;
        }
    }

    /// The tokens of the initial value of the name at an index.
    fn initial_value(&self, name: usize) -> Option<Range<usize>> {
        let tokens = &self.file.tokens;
        let first = name + 1;
        match tokens.get(first)?.kind {
            Kind::Punctuation(b'(' | b'{') => inside(tokens, first),
            Kind::Punctuation(b'=') => {
                let mut end = first + 1;
                while end < first + MOST {
                    match tokens.get(end)?.kind {
                        Kind::Punctuation(b',' | b';' | b')' | b'}') => return Some(first + 1..end),
                        Kind::Punctuation(b'(' | b'[' | b'{') => end = inside(tokens, end)?.end + 1,
                        _ => end += 1,
                    }
                }
                None
            }
            _ => None,
        }
    }

    fn declare(&mut self, name: &'t str, token: usize, value: Option<Initial>, is_constant: bool) {
        let declared = Declared { token, value, is_constant };
        let scopes = self.file.declared.entry(name).or_default();
        scopes.entry(self.scope).or_default().all.push(declared);
    }

    /// Notes whether the use of a name at an index may change a variable.
    fn note_write(&mut self, at: usize) {
        // `n.x = 4`
        let end = if self.is(at + 1, b'.') { at + 3 } else { at + 1 };
        let is_assigned = self.is(end, b'=') && !self.has(end, b"==");
        let operators: [&[u8]; 10] = [b"+=", b"-=", b"*=", b"/=", b"%=", b"&=", b"|=", b"^=", b"<<=", b">>="];
        let is_updated = operators.iter().any(|operator| self.has(end, operator));
        let counts = |operator: &[u8]| self.has(end, operator) || self.has_before(at, operator);
        let is_counted = counts(b"++") || counts(b"--");
        if is_assigned || is_updated || is_counted || self.is_pointed(at) || self.has_before(at, b">>") {
            return self.write(at, None);
        }
        let called = self.calls.last().copied().flatten();
        let is_argument = at > 0 && (self.is(at - 1, b'(') || self.is(at - 1, b','));
        if called.is_some() && is_argument && (self.is(at + 1, b')') || self.is(at + 1, b',')) {
            self.write(at, called);
        }
    }

    /// Whether the address of the name at an index is taken, other than for the arguments of a launch: `void* args[] = { &n, &x };`
    fn is_pointed(&self, at: usize) -> bool {
        let operand = at.checked_sub(2).and_then(|before| Some((before, self.kind(before)?)));
        let is_operator = operand.is_some_and(|(before, kind)| match kind {
            Kind::Name => self.word(before) != "return",
            kind => matches!(kind, Kind::Number | Kind::Punctuation(b')' | b']')),
        });
        let is_list =
            self.has_value && (self.statement..self.statement + 2).any(|at| self.word(at) == "void");
        at > 0 && self.is(at - 1, b'&') && !is_operator && !is_list
    }

    fn write(&mut self, at: usize, called: Option<&'t str>) {
        let is_member = self.has_before(at, b".") || self.has_before(at, b"->");
        let write = Write { name: self.word(at), scope: self.scope, token: at, is_member, called };
        self.writes.push(write);
    }

    /// Marks the variables that may change.
    fn finish(mut self) -> File<'t> {
        let file = &mut self.file;
        for write in &self.writes {
            let takes_values = write.called.is_some_and(|called| {
                let functions = file.functions.get(called);
                let has_references = |all: &Vec<Function<'_>>| all.iter().any(|it| it.has_references);
                file.macros.contains_key(called) || functions.is_some_and(|all| !has_references(all))
            });
            if takes_values {
                continue;
            }
            let meant = file.declarations(write.name, write.scope, write.token).filter(|_| !write.is_member);
            let Some((scope, _)) = meant else {
                file.written.insert(write.name);
                continue;
            };
            let declared = file.declared.get_mut(write.name).and_then(|scopes| scopes.get_mut(&scope));
            declared.into_iter().for_each(|declared| declared.is_written = true);
        }
        self.file
    }
}
