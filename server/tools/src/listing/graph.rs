//! The output of `nvdisasm -cfg` and `-bbcfg`: Graphviz graphs whose nodes are blocks with the text of their
//! instructions. The nodes are not in code order: an edge from the lower side of a node leads to the next
//! block in the code.

use std::fmt::Write;

/// Whether a text begins like such a graph.
pub(super) fn is_graph(text: &str) -> bool {
    text.trim_start().starts_with("digraph f {") && text.contains("subgraph \"cluster_")
}

struct Block {
    name: String,
    lines: Vec<String>,
    /// The name of the next block in the code.
    next: Option<String>,
}

/// The listing; `None` if the graph has no block.
pub(super) fn listing(text: &str) -> Option<String> {
    let mut functions: Vec<(String, Vec<Block>)> = Vec::new();
    let mut node = String::new();
    for line in text.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix("subgraph \"cluster_") {
            functions.push((name.split('"').next().unwrap_or_default().to_owned(), Vec::new()));
        } else if let Some((from, to)) = follows(line) {
            let blocks = functions.iter_mut().flat_map(|(_, blocks)| blocks);
            let mut named = blocks.filter(|block| block.name == from);
            if let Some(block) = named.next_back() {
                block.next.get_or_insert_with(|| to.to_owned());
            }
        } else if let Some(label) = line.strip_prefix("[label=\"") {
            let (_, blocks) = functions.last_mut()?;
            blocks.push(Block { name: std::mem::take(&mut node), lines: lines(label), next: None });
        } else if let Some(name) = line.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
            name.clone_into(&mut node);
        }
    }
    functions.retain(|(_, blocks)| !blocks.is_empty());
    if functions.is_empty() {
        return None;
    }
    let mut out = String::new();
    for (name, blocks) in functions {
        out.push_str(&section(&name));
        in_code_order(blocks).iter().flat_map(|block| &block.lines).for_each(|line| {
            let _ = writeln!(out, "{line}");
        });
        out.push('\n');
    }
    Some(out)
}

/// The start of the section with the code of a function.
pub(super) fn section(function: &str) -> String {
    format!(
        "//--------------------- .text.{function} --------------------------\n\t.section\t.text.{function},\"ax\",@progbits\n"
    )
}

/// Reads an edge to the next block: `"k":exit0:s -> "BB0":entry:n [style=solid];`.
fn follows(line: &str) -> Option<(&str, &str)> {
    let (from, to) = line.split_once(" -> ")?;
    let from = from.strip_suffix(":s")?.strip_prefix('"')?;
    Some((from.split_once('"')?.0, to.strip_prefix('"')?.split_once('"')?.0))
}

/// Sorts the blocks by address, or without addresses by the edges to the next block.
fn in_code_order(mut blocks: Vec<Block>) -> Vec<Block> {
    let address = |block: &Block| {
        let first =
            block.lines.iter().find_map(|line| line.trim_start().strip_prefix("/*")?.split_once("*/"));
        first.and_then(|(digits, _)| u32::from_str_radix(digits, 16).ok())
    };
    if blocks.iter().all(|block| address(block).is_some()) {
        blocks.sort_by_key(address);
        return blocks;
    }
    let mut left: Vec<Option<Block>> = blocks.into_iter().map(Some).collect();
    let mut ordered = Vec::new();
    while let Some(start) = chain_start(&left) {
        let mut at = Some(start);
        while let Some(block) = at.and_then(|at| left[at].take()) {
            let next = block.next.as_ref();
            at = left
                .iter()
                .position(|other| other.as_ref().map(|other| &other.name) == next && next.is_some());
            ordered.push(block);
        }
    }
    ordered
}

/// The first block that no edge leads to as the next one, or the first of all.
fn chain_start(left: &[Option<Block>]) -> Option<usize> {
    let first = left.iter().position(Option::is_some)?;
    let is_followed =
        |block: &Block| left.iter().flatten().any(|other| other.next.as_ref() == Some(&block.name));
    // The first node is the entry, even if a loop leads back to it.
    if first == 0 {
        return Some(0);
    }
    let free = left.iter().position(|block| block.as_ref().is_some_and(|block| !is_followed(block)));
    Some(free.unwrap_or(first))
}

/// The lines of a label, without ports and escapes, with addresses written as in listings.
fn lines(label: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut chars = label.trim_end_matches(['"', ']']).chars().peekable();
    let mut depth = 0;
    while let Some(char) = chars.next() {
        let line = lines.last_mut().expect("never empty");
        match char {
            '\\' => match chars.next() {
                Some('l' | 'n' | 'r') => lines.push(String::new()),
                Some(escaped) => line.push(escaped),
                None => {}
            },
            // Fields of a record: `{<entry>`, `|<exit0>`, `}`.
            '{' | '}' | '|' => {}
            '<' => depth = 1,
            '>' => depth = 0,
            _ if depth > 0 => {}
            _ => line.push(char),
        }
    }
    let mut last = None;
    let lines = lines.iter().map(|line| addressed(line, &mut last));
    lines.filter(|line| !line.trim().is_empty() && !line.contains(".other\t")).collect()
}

/// Moves the address of a line such as `0008:   MOV R1, R2 ;` into a comment. The second instruction of a
/// pair has no address: it is in the next slot.
fn addressed(line: &str, last: &mut Option<u32>) -> String {
    let digits = line.split_once(':').and_then(|(digits, rest)| {
        let is_address = digits.len() >= 4 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        Some((is_address.then(|| u32::from_str_radix(digits, 16).ok()).flatten()?, rest))
    });
    if let Some((address, rest)) = digits {
        *last = Some(address);
        return format!("        /*{address:04x}*/       {rest}");
    }
    match *last {
        Some(before) if line.trim_end().ends_with('}') => {
            let next = before + 8;
            let next = if next.is_multiple_of(0x20) { next + 8 } else { next };
            format!("        /*{next:04x}*/       {line}")
        }
        _ => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn blocks_are_in_the_order_of_the_code() {
        let text = r#"digraph f {
subgraph "cluster_k" {
node [fontname="Courier",fontsize=10,shape=Mrecord];
"k"
[label="{<entry>	.other		k,\<no\ object\>\lk:\l\ \ ISETP.NE.AND\ P0,\ PT,\ R0,\ RZ,\ PT\ ;\l|<exit0>\ \ @P0\ BRA\ `(.L_x_1)\ ;\l}"]
"k":exit0:e -> ".L_x_1":entry:n [style=solid];
"k":exit0:s -> "BB0":entry:n [style=solid];
".L_x_1"
[label="{<entry>.L_x_1:\l\ \ EXIT\ ;\l}"]
"BB0"
[label="{<entry>\ \ MOV\ R1,\ c\[0x0\]\[0x28\]\ ;\l}"]
"BB0":entry:s -> ".L_x_1":entry:n [style=solid];
}
}
"#;
        assert!(is_graph(text));
        expect![[r#"
            //--------------------- .text.k --------------------------
            	.section	.text.k,"ax",@progbits
            k:
              ISETP.NE.AND P0, PT, R0, RZ, PT ;
              @P0 BRA `(.L_x_1) ;
              MOV R1, c[0x0][0x28] ;
            .L_x_1:
              EXIT ;

        "#]]
        .assert_eq(&listing(text).unwrap());
    }

    #[test]
    fn pairs_have_the_addresses_of_their_slots() {
        let label = r#"{<entry>0010:\ \{\ MOV32I\ R7,\ 0xf\ ;\l\ \ \ S2R\ R0,\ SR_TID.X\ \}\l}"]"#;
        assert_eq!(
            lines(label),
            ["        /*0010*/        { MOV32I R7, 0xf ;", "        /*0018*/          S2R R0, SR_TID.X }"]
        );
    }

    #[test]
    fn other_graphs_are_none() {
        assert!(!is_graph("digraph f {\n}\n") && !is_graph("digraph g {}"));
        assert_eq!(listing("digraph f {\nsubgraph \"cluster_k\" {\n}\n}"), None);
    }
}
