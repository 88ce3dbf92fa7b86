//! A small handwritten run, to test the display without a simulator.

use std::sync::Arc;

use text_size::{TextRange, TextSize};
use warplens_sim_launch::CudaKernel;
use warplens_sim_launch::{Format, Kernel, PlacedBuffer, Resolved, launches, resolve};
use warplens_sim_warp::ScalarType;
use warplens_sim_warp::memory::DeviceMemory;
use warplens_sim_warp::{
    Finding, FindingKind, LineTrace, Mask, Output, Reconvergence, RegisterValues, Related, RunResult,
    Severity, StatementId, Status, Totals, TracedRegister, TracedVisit, Values, Visit, WarpId, WarpTrace,
};

use crate::findings::Unexpected;
use crate::launches::{DocumentName, LaunchFile, LaunchSource};
use crate::program::{Flow, Numbers, Statement};
use crate::run::{Cooperation, Verdict};
use crate::simulator::{DocumentKernel, Simulator};
use crate::view::{LaneView, ViewedRun};

/// Every statement of the text ends with a semicolon; lanes reconverge after a `bra` at the statement after `JOIN:`.
pub(crate) const TEXT: &str = "\
    mov %r1, 7;
    @%p1 bra JOIN;
    add %r1, 1; sub %r2, 1;
    @%p2 st [x], %r1;
JOIN:
    st [y], %r1;
    exit;
";

/// The visits of the first warp at each statement of [`TEXT`].
pub(crate) const VISITS: [&[(Mask, Mask, u64)]; 6] = [
    &[(ALL, ALL, 1)],
    &[(ALL, 0xff, 1)],
    &[(0xffff_ff00, 0xffff_ff00, 1)],
    &[(0xffff_ff00, 0xffff_ff00, 1)],
    &[(0xffff_ff00, 0x0000_0f00, 1)],
    &[(ALL, ALL, 1)],
];

pub(crate) const ALL: Mask = 0xffff_ffff;

pub(crate) fn trace(statement: u32, visits: &[(Mask, Mask, u64)]) -> LineTrace {
    let lanes = |mask: Mask, repeat: u64| u64::from(mask.count_ones()) * repeat;
    LineTrace {
        statement: StatementId(statement),
        count: visits.iter().map(|visit| visit.2).sum(),
        active: visits.iter().fold(0, |union, visit| union | visit.0),
        executed: visits.iter().fold(0, |union, visit| union | visit.1),
        active_lanes: visits.iter().map(|visit| lanes(visit.0, visit.2)).sum(),
        executed_lanes: visits.iter().map(|visit| lanes(visit.1, visit.2)).sum(),
        visits: visits.iter().map(|&(active, executed, repeat)| Visit { active, executed, repeat }).collect(),
        truncated: false,
        counters: None,
    }
}

pub(crate) fn statements(text: &str) -> Vec<Statement> {
    let mut statements = Vec::new();
    let mut start = 0;
    let after_join = text.find("JOIN:").map(|at| text[..at].matches(';').count());
    for (end, _) in text.match_indices(';') {
        let piece = &text[start..end];
        let from = end - piece.trim_start().trim_start_matches("JOIN:").trim_start().len();
        let opcode = from
            + text[from..end]
                .find(|c: char| c.is_alphabetic() && !text[from..].starts_with('@'))
                .unwrap_or(0);
        let opcode = if text[from..].starts_with('@') {
            from + text[from..end].find(' ').unwrap_or(0) + 1
        } else {
            opcode
        };
        let size = |offset: usize| TextSize::try_from(offset).expect("a short text");
        let word = text[opcode..end].find([' ', ';']).unwrap_or(end - opcode);
        let reconvergence = after_join.map(|index| StatementId(index as u32));
        statements.push(Statement {
            range: TextRange::new(size(from), size(end + 1)),
            opcode: TextRange::at(size(opcode), size(word)),
            flow: if text[opcode..].starts_with("bra") {
                Flow::Branch { reconvergence }
            } else {
                Flow::Plain
            },
            registers: match text[opcode..].starts_with("mov") {
                true => [("%r1".into(), ScalarType::S32)].into(),
                false => [].into(),
            },
            condition: None,
            meanings: Box::default(),
            address: None,
            source: None,
            code: None,
            numbers: Numbers::Determined,
        });
        start = end + 1;
    }
    statements
}

pub(crate) fn result() -> RunResult {
    let lines: Vec<_> =
        VISITS.iter().enumerate().map(|(index, visits)| trace(index as u32, visits)).collect();
    let values =
        (0..32).map(|lane| (lane != 31).then_some(if lane == 1 { 0xffff_ffff } else { lane })).collect();
    let registers = vec![RegisterValues { name: "%r1".into(), bits: 32, lanes: values }];
    let mut memory = DeviceMemory::new(0x1000, 0x10000);
    let bytes: Vec<u8> =
        [1.5f32, f32::NAN, f32::NEG_INFINITY].iter().flat_map(|value| value.to_le_bytes()).collect();
    memory.allocate_with("y", &bytes).expect("fits");
    RunResult {
        status: Status::Finished,
        findings: vec![Finding {
            kind: FindingKind::DivergentBarrier,
            severity: Severity::Error,
            message: "lanes wait apart".to_owned(),
            statement: Some(StatementId(1)),
            cta: [0; 3],
            warp: 0,
            visit: None,
            lanes: 0xf,
            related: vec![Related { statement: StatementId(5), message: "the others".to_owned() }],
            advice: None,
            racing: None,
            guess: None,
            has_computed_address: false,
            starts_late: false,
            schedule: None,
        }],
        totals: Totals { warp_instructions: 6, thread_instructions: 168, executed_thread_instructions: 124 },
        summed: lines.clone(),
        warps: vec![WarpTrace {
            cta: [0; 3],
            warp: 0,
            launched: ALL,
            lines,
            registers: Some(registers),
            reconvergences: vec![Reconvergence { statement: StatementId(5), parts: vec![0xffff_ff00, 0xff] }],
        }],
        warps_truncated: false,
        memory,
        output: Output::default(),
        model_diff: None,
        accessed: None,
        order_log: None,
        last_store: None,
        notes: Vec::new(),
        values: None,
    }
}

pub(crate) fn resolved() -> Resolved {
    let listed =
        launches("[[launch]]\nname = 'l'\nfile = 'k.ptx'\n", Format::Toml).expect("well formed").remove(0);
    let kernel = CudaKernel { address_bytes: Some(8), ..CudaKernel::default() };
    let kernel = Kernel::new("k".into(), kernel);
    let launch = listed.usable().expect("well formed");
    let mut resolved = resolve(&launch, &kernel, 1 << 20, &|_| Err(String::new().into())).expect("fits");
    resolved.buffers.push(PlacedBuffer {
        name: "y".into(),
        element: ScalarType::F32,
        address: 0x1000,
        len: 12,
        deferred: None,
    });
    resolved
}

/// The values of `%r1` after the first statement: -1 in lane 1, undefined in the last lane.
fn values() -> Values {
    let low = (0..32).map(|lane| if lane == 1 { 0xffff_ffff } else { lane }).collect();
    let held = TracedRegister {
        name: "%r1".into(),
        bits: 32,
        written: true,
        known: ALL >> 1,
        low,
        high: Box::default(),
    };
    let seen = TracedVisit {
        statement: StatementId(0),
        visit: 1,
        active: ALL,
        executed: ALL,
        registers: vec![held],
        stack: None,
    };
    Values {
        visits: vec![seen],
        steps: Vec::new(),
        notes: None,
        truncated: false,
        moment: None,
        stored_at: None,
    }
}

pub(crate) fn shown(text: &str, result: RunResult) -> LaneView {
    let warp = Some(WarpId { cta: [0; 3], warp: 0 });
    let resolved = resolved();
    let failures = Unexpected::of(&resolved, &result);
    let run = ViewedRun {
        resolved: Arc::new(resolved),
        source: LaunchSource::File,
        model: crate::ptx::Ptx.default_model(),
        broken: Arc::default(),
        program: None,
        has_notes: true,
        verdict: Verdict { found: false, missing: Vec::new() },
        cooperation: Cooperation::default(),
    };
    LaneView::new(run, statements(text).into(), Arc::new(result), failures.into(), warp)
        .with_values(Some(Arc::new(values())), None)
}

/// The kernels of a text that has nothing but their headers.
pub(crate) fn kernels(text: &str) -> Vec<DocumentKernel> {
    let kernels = text.match_indices(".entry ").map(|(at, word)| {
        let start = at + word.len();
        let name = text[start..].split('(').next().unwrap_or_default();
        let size = |offset: usize| TextSize::try_from(offset).unwrap();
        DocumentKernel {
            kernel: Kernel::new(name.into(), CudaKernel::default()),
            name: TextRange::at(size(start), TextSize::of(name)),
            start: size(at),
            item: 0,
            note: None,
            qualified: None,
        }
    });
    kernels.collect()
}

/// A launch file beside the folder of the document `sub/k.ptx`.
pub(crate) fn launch_file(text: &str) -> LaunchFile {
    LaunchFile {
        text: text.into(),
        format: Format::Toml,
        path: "warplens.toml".to_owned(),
        document: DocumentName::relative("sub/k.ptx"),
    }
}
