//! Addresses: what is in brackets, and what may be without them.

use warplens_isa::ptx::OperandKind;

use super::{BRACKETED, Checker, HANDLES, Named, Written, Wrong};
use crate::ptx::forms::rule::{AddressSpace, Count, OperandRule, TypeSet};
use crate::ptx::{AddressForm, AddressSize, NameId, Operand, Space, Type, TypeKind};

impl Checker<'_> {
    /// `[a+4]`, `a[4]`, `a+4`
    pub(super) fn address(&self, rule: &OperandRule, operand: Operand) -> Option<Wrong> {
        let Operand::Address { form, .. } = operand else { return None };
        let kinds = rule.kinds;
        let is_taken = match form {
            AddressForm::Bracketed => kinds.has_any(BRACKETED) || kinds.has_any(HANDLES),
            AddressForm::Subscript => kinds.has_any(&[OperandKind::Address, OperandKind::Symbol]),
            // As a number, the sum of an address and a constant stands wherever a constant does.
            AddressForm::Sum => kinds.has_any(&[OperandKind::Immediate, OperandKind::Symbol]),
        };
        if !is_taken {
            return Some(Wrong::Kind(self.written(operand)));
        }
        if form == AddressForm::Sum || !kinds.has_any(BRACKETED) && !kinds.has_any(HANDLES) {
            return self.address_type(rule, Written::Sum);
        }
        let address = self.function.address(operand)?;
        match address.base {
            Operand::Register { name, .. } => self.base_register(rule, name),
            Operand::Symbol(name) => self.base_symbol(rule, name),
            Operand::Constant(_) => {
                let is_local = matches!(rule.space, AddressSpace::Unsaid | AddressSpace::Of(Space::Local));
                (!is_local).then_some(Wrong::AbsoluteAddress)
            }
            _ => None,
        }
        .or_else(|| match address.index {
            Some(Operand::Register { name, .. }) => self.index_register(name),
            _ => None,
        })
        .or_else(|| self.coordinates(rule, address.rest))
    }

    /// The coordinates in a tensor, which come last in the brackets: as many registers of 32 bits as it has dimensions.
    fn coordinates(&self, rule: &OperandRule, rest: &[Operand]) -> Option<Wrong> {
        let Count::Braced(count) = rule.count else { return None };
        if !rule.kinds.has(OperandKind::TensorAddress) {
            return None;
        }
        let elements = match rest.last() {
            Some(Operand::Vector(list)) => self.function.operands(*list),
            _ => &[],
        };
        if elements.len() != count as usize {
            return Some(Wrong::Length { have: elements.len(), takes: rule.count });
        }
        elements.iter().find_map(|element| match element {
            Operand::Register { name, .. } => match self.named(*name) {
                Named::Register(Some(have), _) if have.bits() != 32 => {
                    let takes = Some(TypeSet::holding(Type::B32));
                    Some(Wrong::RegisterType { name: *name, have, takes })
                }
                _ => None,
            },
            _ => None,
        })
    }

    fn base_register(&self, rule: &OperandRule, name: NameId) -> Option<Wrong> {
        let Named::Register(ty, vector) = self.named(name) else { return None };
        let ty = ty?;
        if vector.is_some() || !is_integer(ty) {
            return Some(Wrong::AddressRegister(name, ty));
        }
        let is_wide =
            matches!(rule.space, AddressSpace::Generic | AddressSpace::Of(Space::Global | Space::Const));
        let is_narrow = is_wide && self.address_size == Some(AddressSize::Bits64) && ty.bits() != 64;
        is_narrow.then_some(Wrong::AddressWidth(name, ty))
    }

    fn index_register(&self, name: NameId) -> Option<Wrong> {
        let Named::Register(Some(ty), _) = self.named(name) else { return None };
        (!is_integer(ty)).then_some(Wrong::AddressRegister(name, ty))
    }

    fn base_symbol(&self, rule: &OperandRule, name: NameId) -> Option<Wrong> {
        let have = match self.named(name) {
            Named::Unknown | Named::Register(..) => return None,
            Named::Label | Named::Function => return Some(Wrong::NoAddress(name)),
            Named::Parameter => Space::Param,
            Named::Variable(space, _) => space,
        };
        let fits = match rule.space {
            AddressSpace::Unsaid => true,
            AddressSpace::Generic => matches!(have, Space::Global | Space::Shared | Space::Local),
            AddressSpace::Of(space) => have == space,
        };
        (!fits).then_some(Wrong::AddressSpace { name, have, takes: rule.space })
    }
}

fn is_integer(ty: Type) -> bool {
    matches!(ty.kind(), TypeKind::Unsigned | TypeKind::Signed | TypeKind::Bits)
}
