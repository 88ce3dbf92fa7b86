//! Completion in PTX.

pub(crate) mod context;
mod declarations;
mod modifiers;
mod opcodes;
mod operands;

use warplens_ide_db::FilePosition;

use crate::proposals::Proposals;
use crate::ptx::completion::context::{Context, Statement};

pub(super) fn module(proposals: &mut Proposals) {
    declarations::header(proposals);
    declarations::in_module(proposals);
}

pub(super) fn proposals(position: &FilePosition<'_>) -> Proposals {
    if let Some(pragmas) = declarations::pragmas(position) {
        return pragmas;
    }
    let statement = Statement::before(position);
    let mut proposals = Proposals::replacing(statement.word);
    match statement.context() {
        Context::Statement => {
            opcodes::propose(&mut proposals);
            declarations::in_body(&mut proposals);
        }
        Context::Opcode => opcodes::propose(&mut proposals),
        Context::Guard => operands::guard(position, &mut proposals),
        Context::Modifier { opcode, written } => modifiers::propose(opcode, &written, &mut proposals),
        Context::Component { register } => operands::components(register, &mut proposals),
        Context::Operand(operand) => operands::propose(position, &operand, &mut proposals),
        Context::Declaration => declarations::after_space(&mut proposals),
        Context::BodyDirective => declarations::in_body(&mut proposals),
        Context::Labels => operands::labels(position, &mut proposals),
        Context::Functions => operands::functions(position, &mut proposals),
        Context::Pragma => declarations::quoted_pragmas(&mut proposals),
        Context::Module => declarations::in_module(&mut proposals),
        Context::AfterLinkage => declarations::after_linkage(&mut proposals),
        Context::Parameter => declarations::in_parameters(&mut proposals),
        Context::AfterParameters => declarations::performance(&mut proposals),
        Context::Target => declarations::targets(position, &mut proposals),
        Context::Version => declarations::versions(&mut proposals),
        Context::Nothing => {}
    }
    proposals
}
