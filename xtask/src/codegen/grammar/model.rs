//! Lowers a grammar to what the typed tree needs: nodes with their accessors, and choices between nodes.

use anyhow::{Result, bail};
use ungrammar::{Grammar, Rule};

use super::tokens::{PUNCTUATION, TOKENS};

pub(super) struct Model {
    pub(super) nodes: Vec<Node>,
    pub(super) choices: Vec<Choice>,
}

/// A rule with a kind of its own.
pub(super) struct Node {
    pub(super) name: String,
    pub(super) kind: String,
    pub(super) rule: String,
    pub(super) fields: Vec<Field>,
}

/// A rule that is a choice between nodes. A member may also be a choice.
pub(super) struct Choice {
    pub(super) name: String,
    pub(super) rule: String,
    pub(super) nodes: Vec<String>,
    pub(super) choices: Vec<String>,
}

/// An accessor of a node.
#[derive(PartialEq, Eq)]
pub(super) struct Field {
    pub(super) method: String,
    pub(super) target: Target,
    pub(super) many: bool,
    /// Which of the matching children it returns (for `lhs` and `rhs` of the same type).
    pub(super) nth: usize,
}

/// What an accessor returns.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Target {
    Node(String),
    Token(Vec<String>),
}

pub(super) fn lower(grammar: &Grammar) -> Result<Model> {
    let mut model = Model { nodes: Vec::new(), choices: Vec::new() };
    for id in grammar.iter() {
        let data = &grammar[id];
        let rule = format!("{} = {}", data.name, show(grammar, &data.rule, true));
        match members(grammar, &data.rule) {
            Some(members) => {
                let (choices, nodes) = members.into_iter().partition(|member| is_choice(grammar, member));
                model.choices.push(Choice { name: data.name.clone(), rule, nodes, choices });
            }
            None => {
                let mut fields = Vec::new();
                collect(grammar, &data.rule, None, false, &mut fields)?;
                model.nodes.push(Node {
                    name: data.name.clone(),
                    kind: snake(&data.name).to_uppercase(),
                    rule,
                    fields,
                });
            }
        }
    }
    Ok(model)
}

/// The kind name of a token, given its text in the grammar.
pub(super) fn token_kind(token: &str) -> Option<String> {
    let punctuation = PUNCTUATION.iter().find(|(text, _)| *text == token).map(|(_, kind)| *kind);
    let named = TOKENS.iter().find(|(name, _)| *name == token).map(|(name, _)| name.to_uppercase());
    punctuation.map(str::to_owned).or(named)
}

/// The names of the nodes, if a rule is only a choice between nodes.
fn members(grammar: &Grammar, rule: &Rule) -> Option<Vec<String>> {
    let Rule::Alt(alternatives) = rule else { return None };
    alternatives
        .iter()
        .map(|alternative| match alternative {
            Rule::Node(node) => Some(grammar[*node].name.clone()),
            _ => None,
        })
        .collect()
}

fn is_choice(grammar: &Grammar, name: &str) -> bool {
    grammar.iter().any(|id| grammar[id].name == name && members(grammar, &grammar[id].rule).is_some())
}

fn collect(
    grammar: &Grammar,
    rule: &Rule,
    label: Option<&str>,
    many: bool,
    fields: &mut Vec<Field>,
) -> Result<()> {
    match rule {
        Rule::Labeled { label, rule } => collect(grammar, rule, Some(label), many, fields)?,
        Rule::Opt(rule) => collect(grammar, rule, label, many, fields)?,
        Rule::Rep(rule) => collect(grammar, rule, label, true, fields)?,
        Rule::Node(node) => {
            let name = &grammar[*node].name;
            push(fields, label, many, Target::Node(name.clone()));
        }
        Rule::Token(_) => {
            let kinds = token_kinds(grammar, rule)?;
            push(fields, label, many, Target::Token(kinds));
        }
        Rule::Alt(_) if label.is_some() => {
            let kinds = token_kinds(grammar, rule)?;
            push(fields, label, many, Target::Token(kinds));
        }
        Rule::Seq(rules) | Rule::Alt(rules) => {
            for rule in rules {
                collect(grammar, rule, label, many, fields)?;
            }
        }
    }
    Ok(())
}

fn token_kinds(grammar: &Grammar, rule: &Rule) -> Result<Vec<String>> {
    match rule {
        Rule::Token(token) => match token_kind(&grammar[*token].name) {
            Some(kind) => Ok(vec![kind]),
            None => bail!(
                "token '{}' is in no table of xtask/src/codegen/grammar/tokens.rs",
                grammar[*token].name
            ),
        },
        Rule::Alt(rules) => {
            let kinds: Result<Vec<_>> = rules.iter().map(|rule| token_kinds(grammar, rule)).collect();
            Ok(kinds?.concat())
        }
        _ => bail!("a labeled choice must be between tokens"),
    }
}

/// Adds an accessor. If the name is already used, the accessor becomes a list.
fn push(fields: &mut Vec<Field>, label: Option<&str>, many: bool, target: Target) {
    let single = single_name(label, &target);
    let plural = plural_name(label, &target);
    if let Some(field) =
        fields.iter_mut().find(|field| field.target == target && [&single, &plural].contains(&&field.method))
    {
        field.many |= many || label.is_none() || matches!(target, Target::Token(_));
        field.method = if field.many && !is_punctuation(&target) { plural } else { single };
        field.many &= !is_punctuation(&target);
        return;
    }
    let many = many && !is_punctuation(&target);
    let nth = match target {
        Target::Node(_) => fields.iter().filter(|field| field.target == target && !field.many).count(),
        Target::Token(_) => 0,
    };
    fields.push(Field { method: if many { plural } else { single }, target, many, nth });
}

/// Separators and brackets have an accessor each, because a list of commas is useless.
fn is_punctuation(target: &Target) -> bool {
    let Target::Token(kinds) = target else { return false };
    kinds.iter().all(|kind| PUNCTUATION.iter().any(|(_, punctuation)| punctuation == kind))
}

fn single_name(label: Option<&str>, target: &Target) -> String {
    match (label, target) {
        (Some(label), Target::Node(_)) => label.to_owned(),
        (Some(label), Target::Token(_)) => format!("{label}_token"),
        (None, Target::Node(name)) => snake(name),
        (None, Target::Token(kinds)) => format!("{}_token", kinds.concat().to_lowercase()),
    }
}

fn plural_name(label: Option<&str>, target: &Target) -> String {
    match (label, target) {
        (Some(label), _) => label.to_owned(),
        (None, Target::Node(name)) => pluralised(&snake(name)),
        (None, Target::Token(kinds)) => format!("{}_tokens", kinds.concat().to_lowercase()),
    }
}

fn pluralised(word: &str) -> String {
    if word.ends_with('s') { word.to_owned() } else { format!("{word}s") }
}

fn snake(name: &str) -> String {
    let mut snake = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.extend(letter.to_lowercase());
    }
    snake
}

/// The rule as text, for the documentation of the generated type.
fn show(grammar: &Grammar, rule: &Rule, top: bool) -> String {
    let list = |rules: &[Rule], separator: &str| {
        let parts: Vec<_> = rules.iter().map(|rule| show(grammar, rule, false)).collect();
        let joined = parts.join(separator);
        if top { joined } else { format!("({joined})") }
    };
    match rule {
        Rule::Labeled { label, rule } => format!("{label}:{}", show(grammar, rule, false)),
        Rule::Node(node) => grammar[*node].name.clone(),
        Rule::Token(token) => format!("'{}'", grammar[*token].name),
        Rule::Seq(rules) => list(rules, " "),
        Rule::Alt(rules) => list(rules, " | "),
        Rule::Opt(rule) => format!("{}?", show(grammar, rule, false)),
        Rule::Rep(rule) => format!("{}*", show(grammar, rule, false)),
    }
}
