//! Launches that files of other languages write: the host code of a document's kernels.

use std::sync::Arc;

use warplens_host::HostLaunch;
use warplens_ide_db::source_name;
use warplens_sim_launch::{Launch, Number, Span};

use super::launch_file::HostFile;
use crate::simulator::DocumentKernel;

/// A launch in a host file.
pub(super) struct FoundLaunch {
    /// What it says; its arguments are not inferred yet.
    pub(super) launch: Launch,
    pub(super) at: Span,
    pub(super) path: Arc<str>,
}

/// The launches of the kernels in host files.
pub(super) fn host_launches(files: &[HostFile], kernels: &[DocumentKernel]) -> Vec<FoundLaunch> {
    let named: Vec<_> = kernels.iter().map(|kernel| (kernel, KernelName::new(&kernel.kernel.name))).collect();
    let mut found: Vec<FoundLaunch> = Vec::new();
    for file in files {
        // Reading a file takes longer than a search for the names.
        if !named.iter().any(|(_, name)| file.text.contains(name.last())) {
            continue;
        }
        for launch in file.launches() {
            let meant = named.iter().filter(|(kernel, name)| name.is_of(launch) && fits(launch, kernel));
            for (kernel, _) in meant {
                let new = in_file(file, launch, kernel);
                let key = |found: &FoundLaunch| (found.launch.name.clone(), found.launch.entry.clone());
                if !found.iter().any(|known| key(known) == key(&new)) {
                    found.push(new);
                }
            }
        }
    }
    found
}

/// Whether a kernel can be launched in this way.
fn fits(launch: &HostLaunch, kernel: &DocumentKernel) -> bool {
    let rules = &kernel.kernel.rules;
    let counts = launch.arguments.as_ref().zip(rules.parameters());
    // What a compiler adds depends on its version.
    let is_other = counts.is_some_and(|(passed, taken)| launch.added == 0 && passed.len() != taken);
    rules.accepts_block(launch.block) && !is_other
}

/// The launch of a kernel that a file writes.
fn in_file(file: &HostFile, launch: &HostLaunch, kernel: &DocumentKernel) -> FoundLaunch {
    let file_name = file.path.rsplit(['/', '\\']).next().unwrap_or_default();
    let line = file.text[..launch.range.start].matches('\n').count() + 1;
    let number = |number: &Option<warplens_host::Number>| match (*number)? {
        warplens_host::Number::Integer(value) => Some(Number::Integer(value)),
        warplens_host::Number::Float(value) => Some(Number::Float(value)),
    };
    let taken = kernel.kernel.rules.parameters();
    let arguments = launch.arguments.as_ref().filter(|passed| Some(passed.len() + launch.added) == taken);
    let found = Launch {
        name: format!("from {file_name}:{line}"),
        entry: Some(kernel.kernel.name.to_string()),
        grid: Some(launch.grid),
        block: Some(launch.block),
        dynamic_shared: launch.shared.filter(|bytes| *bytes > 0),
        cooperative: launch.is_cooperative.then_some(true),
        known: arguments.into_iter().flatten().map(number).collect(),
        ..Launch::default()
    };
    let at = Span { start: launch.range.start, end: launch.range.end };
    FoundLaunch { launch: found, at, path: Arc::clone(&file.path) }
}

/// The name of a kernel in its source.
struct KernelName {
    /// The namespaces and the name.
    path: Vec<String>,
    template: Vec<String>,
}

impl KernelName {
    fn new(entry: &str) -> KernelName {
        let name = source_name(entry).unwrap_or_else(|| entry.to_owned());
        let open = name.find('<').unwrap_or(name.len());
        let template =
            name[open..].strip_prefix('<').and_then(|rest| rest.strip_suffix('>')).unwrap_or_default();
        // Numba marks names with the version of a function.
        let part = |part: &str| part.split("[abi:").next().unwrap_or_default().to_owned();
        KernelName {
            path: name[..open].split("::").map(part).collect(),
            template: template_arguments(template),
        }
    }

    fn last(&self) -> &str {
        self.path.last().map_or("", |name| without_signature(name))
    }

    /// Whether a launch names this kernel. Arguments that are not known may be any.
    fn is_of(&self, launch: &HostLaunch) -> bool {
        let wanted: Vec<&str> = launch.kernel.split("::").collect();
        let [outer @ .., last] = wanted.as_slice() else { return false };
        let Some((name, namespaces)) = self.path.split_last() else { return false };
        let is_named = name == last || without_signature(name) == *last;
        let is_inside = namespaces.iter().rev().zip(outer.iter().rev()).all(|(one, other)| one == other);
        let is_instance = launch.template.len() <= self.template.len()
            && launch
                .template
                .iter()
                .zip(&self.template)
                .all(|(wanted, own)| wanted.as_ref().is_none_or(|wanted| wanted == plain_argument(own)));
        is_named && is_inside && outer.len() <= namespaces.len() && is_instance
    }
}

/// The name of a Triton kernel without the signature that older versions add: `add` for `add_0d1d2de`.
fn without_signature(name: &str) -> &str {
    let is_signature = |text: &str| {
        text.starts_with(|c: char| c.is_ascii_digit())
            && text.contains(['d', 'c'])
            && text.chars().all(|c| c.is_ascii_digit() || matches!(c, 'd' | 'c' | 'e'))
    };
    name.rsplit_once('_').filter(|(_, last)| is_signature(last)).map_or(name, |(name, _)| name)
}

/// A template argument without what demanglers add to numbers: `256` for `256u` and `(int)256`.
fn plain_argument(argument: &str) -> &str {
    let argument = argument.rsplit(')').next().unwrap_or(argument).trim();
    match argument {
        "true" => "1",
        "false" => "0",
        _ if argument.starts_with(|c: char| c.is_ascii_digit() || c == '-') => {
            argument.trim_end_matches(['u', 'l', 's', 'c'])
        }
        _ => argument,
    }
}

fn template_arguments(list: &str) -> Vec<String> {
    let mut depth = 0usize;
    let separates = |c: char| {
        match c {
            '<' | '(' => depth += 1,
            '>' | ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    };
    list.split(separates).map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_are_matched_by_name_and_template_arguments() {
        let names = |entry: &str, kernel: &str, template: &[Option<&str>]| {
            let launch = HostLaunch {
                kernel: kernel.to_owned(),
                template: template.iter().map(|part| part.map(str::to_owned)).collect(),
                range: 0..0,
                grid: [1; 3],
                block: [1; 3],
                shared: None,
                is_cooperative: false,
                arguments: None,
                added: 0,
            };
            KernelName::new(entry).is_of(&launch)
        };
        assert!(names("saxpy", "saxpy", &[]));
        assert!(names("_Z5saxpyifPKfPf", "saxpy", &[]));
        assert!(!names("_Z5saxpyifPKfPf", "axpy", &[]));
        assert!(names("add_0d1d2de", "add", &[]));
        assert!(!names("add_2", "add", &[]));
        let reduce = "_ZN4cuda6reduceIfLi256EEEvPT_";
        assert!(names(reduce, "reduce", &[Some("float"), Some("256")]));
        assert!(names(reduce, "cuda::reduce", &[Some("float")]));
        assert!(names(reduce, "reduce", &[None, Some("256")]));
        assert!(!names(reduce, "reduce", &[Some("float"), Some("128")]));
        assert!(!names(reduce, "reduce", &[Some("double")]));
        assert!(!names(reduce, "other::reduce", &[]));
        assert!(!names("_Z1kILb1ELj4EEvv", "k", &[Some("0")]));
        assert!(names("_Z1kILb1ELj4EEvv", "k", &[Some("1"), Some("4")]));
    }
}
