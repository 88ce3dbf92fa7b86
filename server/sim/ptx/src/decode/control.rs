//! Branches, calls, exits and barriers.

use warplens_hir::ptx::{
    DeclarationKind, Instruction, NameId, Operand, OperandList, Parameter, Resolution, Signature, SymbolKind,
    TableKind, Type,
};

use super::function::{FunctionDecoder, shape};
use super::instruction::Decoded;
use super::modifiers::Modifiers;
use super::{Result, Why};
use crate::program::{
    Barrier, BarrierKind, Call, Callee, Formal, Guard, NO_SLOT, Op, Passing, Promise, Slots, Switch, System,
    Uniformity,
};

impl<'l> FunctionDecoder<'l, '_> {
    pub(super) fn control(&mut self, instruction: Instruction<'l>, m: &mut Modifiers<'_>) -> Decoded {
        let uniformity = if m.take("uni") { Uniformity::Asserted } else { Uniformity::Unknown };
        match instruction.opcode() {
            "bra" => self.branch(instruction, uniformity),
            "brx" => self.switch(instruction, uniformity, m),
            "call" => self.call(instruction, uniformity),
            "ret" => Ok((Op::Return(uniformity), Slots::default())),
            "exit" => Ok((Op::Exit, Slots::default())),
            "trap" => Ok((Op::Trap, Slots::default())),
            "bar" if m.take("warp") => {
                let _ = m.take("sync");
                let &[members] = instruction.operands() else { return Err(Why::operands()) };
                Ok((Op::WarpSync, Slots { a: self.source(members, Type::B32)?, ..Slots::default() }))
            }
            opcode => self.barrier(opcode == "bar", instruction, m),
        }
    }

    fn label(&self, name: NameId) -> Result<u32> {
        let symbol = self.hir.name(name).resolution.symbol().map(|symbol| &self.hir.symbol(symbol).kind);
        match symbol {
            Some(SymbolKind::Label { target }) => Ok(target.index() as u32),
            _ => Err(Why::new("its target is not a label of this function")),
        }
    }

    fn branch(&mut self, instruction: Instruction<'l>, uniformity: Uniformity) -> Decoded {
        let &[Operand::Symbol(name)] = instruction.operands() else { return Err(Why::operands()) };
        let (b, c) = self.joins(instruction.id());
        let (a, e) = (self.label(name)?, NO_SLOT);
        Ok((Op::Branch(uniformity), Slots { a, b, c, e, ..Slots::default() }))
    }

    fn switch(
        &mut self,
        instruction: Instruction<'l>,
        uniformity: Uniformity,
        m: &mut Modifiers<'_>,
    ) -> Decoded {
        let _ = m.take("idx");
        let &[index, Operand::Symbol(table)] = instruction.operands() else { return Err(Why::operands()) };
        let index = self.source(index, Type::U32)?;
        let symbol = self.hir.name(table).resolution.symbol().map(|symbol| &self.hir.symbol(symbol).kind);
        let Some(SymbolKind::Table { kind: TableKind::Branch, targets }) = symbol else {
            return Err(Why::new("its table is not a `.branchtargets` of this function"));
        };
        let targets = targets.iter().map(|&name| self.label(name)).collect::<Result<_>>()?;
        let (op, s) = self.with_entry(|id| Op::Switch(id, uniformity), Switch { index, targets })?;
        let (b, c) = self.joins(instruction.id());
        Ok((op, Slots { b, c, ..s }))
    }

    fn call(&mut self, instruction: Instruction<'l>, uniformity: Uniformity) -> Decoded {
        let (results, rest) = match instruction.operands() {
            [Operand::Arguments(results), rest @ ..] => (Some(*results), rest),
            rest => (None, rest),
        };
        let (&callee, rest) = rest.split_first().ok_or_else(Why::operands)?;
        let (arguments, rest) = match rest {
            [Operand::Arguments(arguments), rest @ ..] => (Some(*arguments), rest),
            rest => (None, rest),
        };
        let table = rest.first().copied();
        let (callee, signature) = self.callee(callee, table)?;
        let promise = match callee {
            Callee::Indirect(_) => self.promise(table),
            Callee::Direct(_) | Callee::System(_) => None,
        };
        let params = signature.map_or(&[][..], |signature| &signature.params);
        let returns = signature.map_or(&[][..], |signature| &signature.returns);
        let arguments = self.passed(arguments, params, false)?;
        let results = self.passed(results, returns, true)?;
        self.with_entry(|id| Op::Call(id, uniformity), Call { callee, arguments, results, promise })
    }

    fn callee(
        &mut self,
        callee: Operand,
        prototype: Option<Operand>,
    ) -> Result<(Callee, Option<&'l Signature>)> {
        if let Operand::Register { .. } = callee {
            let (place, _) = self.place(callee)?;
            return Ok((Callee::Indirect(place), self.prototype(prototype)));
        }
        let Operand::Symbol(name) = callee else { return Err(Why::operands()) };
        let Resolution::External(text) = self.hir.name(name).resolution else { return Err(Why::operands()) };
        match self.linked.function_index(text) {
            Some(index) => {
                let linked = self.linked;
                Ok((Callee::Direct(index), Some(&linked.functions[index as usize].signature)))
            }
            None => match (System::from_name(text), self.linked.declarations.get(text)) {
                (Some(system), Some(DeclarationKind::Function { signature, .. })) => {
                    Ok((Callee::System(system), Some(signature)))
                }
                _ => Err(Why(smol_str::format_smolstr!("the body of `{text}` is not in this module"))),
            },
        }
    }

    /// What the prototype or the table of an indirect call promises.
    fn promise(&self, operand: Option<Operand>) -> Option<Promise> {
        let signature = shape(self.prototype(operand)?);
        let Some(Operand::Symbol(name)) = operand else { return None };
        let symbol = self.hir.symbol(self.hir.name(name).resolution.symbol()?);
        let targets = match &symbol.kind {
            SymbolKind::Table { kind: TableKind::Call, targets } => {
                let index = |name: &NameId| match self.hir.name(*name).resolution {
                    Resolution::External(text) => self.linked.function_index(text),
                    _ => None,
                };
                Some(targets.iter().filter_map(index).collect())
            }
            _ => None,
        };
        Some(Promise { name: symbol.name.clone(), signature, targets })
    }

    fn prototype(&self, operand: Option<Operand>) -> Option<&'l Signature> {
        let Some(Operand::Symbol(name)) = operand else { return None };
        let symbol = self.hir.name(name).resolution.symbol()?;
        match &self.hir.symbol(symbol).kind {
            SymbolKind::Prototype(signature) => Some(signature),
            SymbolKind::Table { kind: TableKind::Call, targets } => {
                let Resolution::External(text) = self.hir.name(*targets.first()?).resolution else {
                    return None;
                };
                let linked = self.linked;
                match linked.declarations.get(text)? {
                    DeclarationKind::Function { signature, .. } => Some(signature),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Arguments or results, one formal each.
    fn passed(
        &mut self,
        list: Option<OperandList>,
        formals: &[Parameter],
        result: bool,
    ) -> Result<Vec<Formal>> {
        let hir = self.hir;
        let operands = list.map_or(&[][..], |list| hir.operands(list));
        let mut passed = Vec::with_capacity(operands.len());
        for (index, &operand) in operands.iter().enumerate() {
            let formal = formals.get(index);
            let size = formal.map_or(4, |formal| formal.bytes() as u32);
            passed.push(match operand {
                Operand::Sink => Formal { at: Passing::Nowhere, size },
                Operand::Symbol(name) => {
                    let (at, bytes) = self.param_variable(name).ok_or_else(Why::operands)?;
                    Formal { at: Passing::Local(at), size: bytes }
                }
                Operand::Register { component: None, .. } if self.is_vector(operand) => {
                    let elements = self.elements(operand)?.into_iter();
                    passed.extend(elements.map(|(place, bits)| Formal {
                        at: Passing::Register(place),
                        size: bits.div_ceil(8),
                    }));
                    continue;
                }
                _ => {
                    let ty = formal.and_then(|formal| formal.ty).unwrap_or(Type::B32);
                    let (place, bits) =
                        if result { self.place(operand)? } else { self.source_place(operand, ty)? };
                    Formal { at: Passing::Register(place), size: bits.div_ceil(8) }
                }
            });
        }
        Ok(passed)
    }

    fn barrier(&mut self, aligned: bool, instruction: Instruction<'l>, m: &mut Modifiers<'_>) -> Decoded {
        let _ = m.take("cta");
        if m.take("cluster") {
            return self.cluster_barrier(m);
        }
        let aligned = m.take("aligned") || aligned;
        let kind = m.choose(&[
            ("sync", Some(BarrierKind::Sync)),
            ("arrive", Some(BarrierKind::Arrive)),
            ("red", None),
        ]);
        let reductions = [
            ("popc", BarrierKind::ReduceCount),
            ("and", BarrierKind::ReduceAnd),
            ("or", BarrierKind::ReduceOr),
        ];
        let kind = kind.ok_or_else(Why::form)?;
        let reduces = kind.is_none();
        let kind = kind.or_else(|| m.choose(&reductions)).ok_or_else(Why::form)?;
        let mut operands = instruction.operands();
        let (mut d, mut predicate) = (None, Guard::ALWAYS);
        if reduces {
            let _ = m.ty()?;
            let [first, middle @ .., last] = operands else { return Err(Why::operands()) };
            d = Some(self.place(*first)?.0);
            predicate = self.condition(*last)?;
            operands = middle;
        }
        let (id, count) = match *operands {
            [id] => (self.source(id, Type::U32)?, None),
            [id, count] => (self.source(id, Type::U32)?, Some(self.source(count, Type::U32)?)),
            [] => (self.constant_word(0), None),
            _ => return Err(Why::operands()),
        };
        self.with_entry(Op::Barrier, Barrier { kind, aligned, id, count, predicate, d })
    }

    /// `setmaxnreg`
    pub(super) fn register_count(&mut self, instruction: Instruction<'_>, m: &mut Modifiers<'_>) -> Decoded {
        let increases = m.require(&[("inc", true), ("dec", false)])?;
        let _ = (m.take("sync"), m.take("aligned"), m.ty()?);
        let &[count] = instruction.operands() else { return Err(Why::operands()) };
        let count = u16::try_from(self.number(count)?).map_err(|_| Why::operands())?;
        Ok((Op::RegisterCount { count, increases }, Slots::default()))
    }

    /// `barrier.cluster.arrive`, `barrier.cluster.wait`
    fn cluster_barrier(&mut self, m: &mut Modifiers<'_>) -> Decoded {
        let arrive = match m.take("relaxed") {
            true => BarrierKind::ClusterArriveRelaxed,
            false => BarrierKind::ClusterArrive,
        };
        let kind = m.require(&[("arrive", arrive), ("wait", BarrierKind::ClusterWait)])?;
        let aligned = m.take("aligned");
        m.ignore_caching();
        let id = self.constant_word(0);
        let barrier = Barrier { kind, aligned, id, count: None, predicate: Guard::ALWAYS, d: None };
        self.with_entry(Op::Barrier, barrier)
    }
}
