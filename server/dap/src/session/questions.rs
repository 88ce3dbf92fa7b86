//! `warplens/why` and `warplens/lastWrite`.

use std::io::Write;

use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};
use warplens_ide_lanes::why::{Link, LinkOperand, Question};
use warplens_sim_warp::StatementId;
use warplens_sim_warp::recording::{EDIT, Space};

use super::{Answer, Failure, Session, control, read};
use crate::debuggee::{Debuggee, hex};
use crate::requested::number;
use crate::variables::place;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Asked {
    thread_id: Option<u64>,
    #[serde(default)]
    lane: u32,
    register: Option<String>,
    address: Option<Json>,
    space: Option<String>,
    step: Option<u64>,
    #[serde(default)]
    copies: bool,
}

/// The answer to *why*. A chain has thousands of links, which a tree of JSON values would take most of the time.
#[derive(Serialize)]
pub(super) struct Chain {
    chain: Vec<ChainLink>,
}

#[derive(Serialize)]
struct ChainLink {
    step: u64,
    line: u64,
    lane: u32,
    warp: u32,
    cta: [u32; 3],
    text: String,
    value: String,
    operands: Vec<ChainOperand>,
}

#[derive(Serialize)]
struct ChainOperand {
    name: String,
    value: Option<String>,
}

impl<W: Write + Send> Session<'_, W> {
    /// What is asked, and whether copies are listed; `None` about a register that no statement names.
    fn question(&mut self, command: &str, arguments: &Json) -> Result<Option<(Question, bool)>, Failure> {
        let Asked { thread_id, lane, register, address, space, step, copies } = read(command, arguments)?;
        let warp = self.warp_of_thread(thread_id)?;
        let (debuggee, interrupt) = self.running()?;
        control!(interrupt => control);
        if lane >= debuggee.width() {
            return Err(Failure(format!(
                "lane {lane} does not exist: a warp has the lanes 0 to {}",
                debuggee.width() - 1
            )));
        }
        let (steps, position) = (debuggee.steps(), debuggee.position);
        let before = step.unwrap_or(position);
        if before > steps {
            return Err(Failure(format!("`step` must be between 0 and {steps}")));
        }
        let byte = match &address {
            None => None,
            Some(address) => {
                let number = address_of(address)
                    .ok_or("`address` must be a number, or hexadecimal digits after 0x")?;
                let (space, address) = space_and_offset(debuggee, space.as_deref(), number)?;
                Some((space, debuggee.owner(space, warp, lane), address))
            }
        };
        let register = match &register {
            None => None,
            Some(name) => {
                let next = debuggee.next_of(warp, before, control)?;
                let activation = next.map(|next| debuggee.activation(next)).unwrap_or_default();
                let cell = debuggee.cell(activation, name);
                let Some(cell) = cell else {
                    if debuggee.may_declare(name) {
                        return Ok(None);
                    }
                    return Err(Failure(format!("the kernel has no register `{name}`")));
                };
                Some((warp, lane, cell))
            }
        };
        let place = place(register, byte).ok_or("`register` or `address` is missing")?;
        Ok(Some((Question { place, before }, copies)))
    }

    pub(super) fn why(&mut self, arguments: &Json) -> Result<Chain, Failure> {
        let Some((question, copies)) = self.question("warplens/why", arguments)? else {
            return Ok(Chain { chain: Vec::new() });
        };
        let (debuggee, interrupt) = self.running()?;
        control!(interrupt => control);
        let crate::debuggee::Debuggee { replay, facts, .. } = debuggee;
        let links =
            replay.why(question, copies, &|statement| facts.text_of(statement).to_owned(), control)?;
        Ok(Chain { chain: links.iter().map(|link| self.link(link)).collect::<Result<_, _>>()? })
    }

    /// The line of a statement, or of the step before which the user made a change.
    fn line_of_link(&mut self, statement: StatementId, step: u64) -> Result<u64, Failure> {
        let (debuggee, interrupt) = self.running()?;
        control!(interrupt => control);
        let statement = match statement {
            EDIT => {
                let next = debuggee.replay.with_event(step, control, |event| event.statement)?;
                next.unwrap_or(statement)
            }
            statement => statement,
        };
        let line = debuggee.line(statement);
        Ok(self.line(line))
    }

    fn link(&mut self, link: &Link) -> Result<ChainLink, Failure> {
        let line = self.line_of_link(link.statement, link.step)?;
        let debuggee = self.launched()?;
        let id = debuggee.id(link.warp);
        let operand = |operand: &LinkOperand| ChainOperand {
            name: operand.name.to_string(),
            value: operand.value.map(|value| hex(value, operand.bits)),
        };
        Ok(ChainLink {
            step: link.step,
            line,
            lane: link.lane,
            warp: id.warp,
            cta: id.cta,
            text: debuggee.text_of(link.statement).to_owned(),
            value: hex(link.value, link.bits),
            operands: link.operands.iter().map(operand).collect(),
        })
    }

    pub(super) fn last_write(&mut self, arguments: &Json) -> Answer {
        let Some((Question { place, before }, _)) = self.question("warplens/lastWrite", arguments)? else {
            return Ok(Json::Null);
        };
        let (debuggee, interrupt) = self.running()?;
        control!(interrupt => control);
        let Some(site) = debuggee.replay.last_write(place, before, control)? else { return Ok(Json::Null) };
        let text = debuggee.text_of(site.statement).to_owned();
        let (value, bits) = debuggee.replay.written_value(site, place, &text, control)?;
        let line = self.line_of_link(site.statement, site.step)?;
        let debuggee = self.launched()?;
        let id = debuggee.id(site.warp);
        Ok(json!({
            "step": site.step,
            "line": line,
            "lane": site.lane,
            "warp": id.warp,
            "cta": id.cta,
            "value": hex(value, bits),
        }))
    }
}

/// The memory region of a number that the client gives as an address, and the offset there.
fn space_and_offset(debuggee: &Debuggee, space: Option<&str>, number: u64) -> Result<(Space, u64), Failure> {
    let wanted = match space {
        None | Some("generic") => return Ok(debuggee.space_of(number)),
        Some("global" | "device") => return Ok((Space::Global, number)),
        Some("shared") => Space::Shared,
        Some("local") if debuggee.is_wave() => Space::Shared,
        Some("local") => Space::Local,
        Some(other) => {
            return Err(Failure(format!("unknown space `{other}`; expected global, shared or local")));
        }
    };
    // Generic addresses of shared and local memory are accepted too.
    let (found, within) = debuggee.space_of(number);
    Ok((wanted, if found == wanted { within } else { number }))
}

fn address_of(json: &Json) -> Option<u64> {
    match json {
        Json::Number(number) => number.as_u64(),
        Json::String(text) => number(text),
        _ => None,
    }
}
