//! Several registers: in braces, or one vector register.

use warplens_isa::ptx::OperandKind;

use super::{Checker, Misfit, Named, OperandPlace, Report, Written, Wrong, writes};
use crate::ptx::forms::rule::{Count, OperandRule};
use crate::ptx::{ConstantId, Operand, OperandList, Type, TypeKind};

impl Checker<'_> {
    /// `{a, b}`
    pub(super) fn vector(
        &self,
        rule: &OperandRule,
        list: OperandList,
        place: OperandPlace,
        report: Report<'_>,
    ) {
        let elements = self.function.operands(list);
        let is_taken = match rule.count {
            Count::One => rule.kinds.has(OperandKind::Vector),
            _ => true,
        };
        if !is_taken {
            return report(Misfit { place, wrong: Wrong::Kind(Written::Vector) });
        }
        let is_long = match rule.count {
            Count::One | Count::Any => true,
            Count::OneOrBraced => elements.len() == 1,
            Count::Braced(count) => elements.len() == count as usize,
        };
        if !is_long {
            let wrong = Wrong::Length { have: elements.len(), takes: rule.count };
            return report(Misfit { place, wrong });
        }
        if !elements.is_empty() && elements.iter().all(|element| *element == Operand::Sink) {
            return report(Misfit { place, wrong: Wrong::OnlySinks });
        }
        let mut before = None;
        for (index, element) in elements.iter().enumerate() {
            let wrong = match element {
                Operand::Sink if writes(rule) => None,
                Operand::Constant(_) if writes(rule) => Some(Wrong::Kind(Written::Constant)),
                Operand::Constant(id) => self.element_constant(rule, *id),
                // Special registers may stand among the registers that are packed.
                Operand::Special { .. } => None,
                element => self.scalar(rule, *element).or_else(|| self.mixed(*element, &mut before)),
            };
            if let Some(wrong) = wrong {
                report(Misfit { place: OperandPlace { element: Some(index), ..place }, wrong });
                return;
            }
        }
    }

    /// A constant among the registers that are packed: of bits, any.
    fn element_constant(&self, rule: &OperandRule, id: ConstantId) -> Option<Wrong> {
        let is_bits = rule.ty.is_none_or(|ty| ty.kind() == TypeKind::Bits);
        (!is_bits || !rule.kinds.has(OperandKind::Immediate)).then(|| self.constant(rule, id)).flatten()
    }

    /// The registers of a vector have one size, and one kind beside `.bN`.
    fn mixed(&self, element: Operand, before: &mut Option<Type>) -> Option<Wrong> {
        let Operand::Register { name, .. } = element else { return None };
        let Named::Register(Some(second), _) = self.named(name) else { return None };
        let first = *before.get_or_insert(second);
        if first.kind() == TypeKind::Bits {
            *before = Some(second);
        }
        let class = |ty: Type| match ty.kind() {
            TypeKind::Unsigned | TypeKind::Signed => Some(Type::B32),
            TypeKind::Bits => None,
            _ => Some(ty),
        };
        let is_one = match (class(first), class(second)) {
            (Some(first), Some(second)) => first == second,
            _ => true,
        };
        (first.bits() != second.bits() || !is_one).then_some(Wrong::Mixed { first, second })
    }

    /// A vector register in place of braces.
    pub(super) fn vector_register(&self, rule: &OperandRule, operand: Operand) -> Option<Wrong> {
        let wrong = match operand {
            Operand::Register { name, component } => {
                let Named::Register(ty, vector) = self.named(name) else { return None };
                let vector = vector.filter(|_| component.is_none());
                let is_long = match rule.count {
                    Count::Braced(count) => vector.is_some_and(|vector| vector.count() == count),
                    _ => true,
                };
                if is_long {
                    return self.register_type(rule, name, ty?);
                }
                Wrong::VectorRegister { name, have: vector, takes: rule.count }
            }
            Operand::Special { component: None, .. } => return self.scalar(rule, operand),
            Operand::Symbol(name) if self.named(name) == Named::Unknown => return None,
            Operand::Missing => return None,
            other => Wrong::Kind(self.written(other)),
        };
        Some(wrong)
    }
}
