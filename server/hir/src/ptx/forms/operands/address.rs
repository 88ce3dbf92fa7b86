//! Addresses and other brackets: their contents, and operands that may be written without brackets.

use warplens_isa::ptx::OperandKind;

use super::{Checker, Mismatch, Named, OperandError, OperandPosition, Report, Written};
use crate::ptx::forms::rule::{AddressSpace, OperandRule};
use crate::ptx::{Address, AddressForm, NameId, Operand, Resolution, Space, Type, TypeKind};

impl Checker<'_> {
    /// `[a, b, {c, d}]`: checks each part by its own rule.
    pub(super) fn brackets(
        &self,
        rules: &[OperandRule],
        operand: Operand,
        place: OperandPosition,
        report: Report<'_>,
    ) {
        let address = match operand {
            Operand::Missing => return,
            Operand::Address { form: AddressForm::Bracketed, .. } => self.function.address(operand),
            other => {
                let error = OperandError::Kind(self.written(other));
                return report(Mismatch { place, error });
            }
        };
        let Some(address) = address else { return };
        let have = 1 + address.rest.len();
        let required = rules.iter().filter(|rule| !rule.optional).count();
        if !(required..=rules.len()).contains(&have) {
            let error = OperandError::Inside { have, takes: (required, rules.len()) };
            return report(Mismatch { place, error });
        }
        let mut spare = have - required;
        let written = rules.iter().filter(|rule| {
            let is_there = !rule.optional || spare > 0;
            spare -= usize::from(rule.optional && is_there);
            is_there
        });
        let is_plain = address.index.is_none() && address.offset == 0;
        for (part, rule) in written.enumerate() {
            let place = OperandPosition { part: Some(part), ..place };
            let error = match part.checked_sub(1) {
                None if rule.kinds.has(OperandKind::Address) => self.base(rule, &address),
                None if !is_plain => Some(OperandError::Kind(Written::Sum)),
                None => {
                    self.operand(rule, address.base, place, report);
                    None
                }
                Some(rest) => {
                    self.operand(rule, address.rest[rest], place, report);
                    None
                }
            };
            if let Some(error) = error {
                report(Mismatch { place, error });
            }
        }
    }

    /// `[a+4]`, `a[4]`, `a+4`
    pub(super) fn address(&self, rule: &OperandRule, operand: Operand) -> Option<OperandError> {
        let Operand::Address { form, .. } = operand else { return None };
        let kinds = rule.kinds;
        let is_taken = match form {
            AddressForm::Bracketed => kinds.has(OperandKind::Address),
            AddressForm::Subscript => kinds.has_any(&[OperandKind::Address, OperandKind::Symbol]),
            // The sum of an address and a constant is a number, so it is allowed wherever a constant is.
            AddressForm::Sum => kinds.has_any(&[OperandKind::Immediate, OperandKind::Symbol]),
        };
        if !is_taken {
            return Some(OperandError::Kind(self.written(operand)));
        }
        let address = self.function.address(operand)?;
        if form == AddressForm::Sum || !kinds.has(OperandKind::Address) {
            let misplaced = match address.base {
                Operand::Symbol(name) => {
                    self.misplaced(rule, name).or_else(|| self.subscript(rule, form, name))
                }
                _ => None,
            };
            return misplaced.or_else(|| self.address_type(rule, Written::Sum));
        }
        if let Operand::Symbol(name) = address.base
            && let Some(error) = self.subscript(rule, form, name)
        {
            return Some(error);
        }
        if !address.rest.is_empty() {
            return Some(OperandError::Inside { have: 1 + address.rest.len(), takes: (1, 1) });
        }
        self.base(rule, &address)
    }

    /// `sym[4]`: the problem of a variable that is not an array. Those of the function are reported with the names.
    fn subscript(&self, rule: &OperandRule, form: AddressForm, name: NameId) -> Option<OperandError> {
        if form != AddressForm::Subscript {
            return None;
        }
        let is_outside =
            matches!(self.function.resolution(self.function.referent(name)), Resolution::External(_));
        if is_outside && matches!(self.named(name), Named::Variable(..)) && !self.is_array(name) {
            return Some(OperandError::NoArray(name));
        }
        let is_value = !rule.kinds.has(OperandKind::Address);
        if is_value { self.wide_address(rule, name) } else { None }
    }

    fn base(&self, rule: &OperandRule, address: &Address<'_>) -> Option<OperandError> {
        match address.base {
            Operand::Register { name, .. } => self.base_register(rule, name),
            Operand::Special { name, component } => match self.special_type(name, component) {
                None => self.special_register(name).map(|_| OperandError::SpecialVector(name)),
                Some(ty) => (!can_hold_address(ty)).then_some(OperandError::AddressRegister(name, ty)),
            },
            Operand::Symbol(name) if rule.registers.is_some() => match self.named(name) {
                Named::Unknown => None,
                _ => Some(OperandError::NoRegister(name)),
            },
            Operand::Symbol(name) => self.base_symbol(rule, name),
            Operand::Constant(_) => {
                let is_unsaid = rule.space == AddressSpace::Unspecified && rule.registers.is_none();
                let is_local = is_unsaid || rule.space == AddressSpace::Of(Space::Local);
                (!is_local).then_some(OperandError::AbsoluteAddress)
            }
            _ => None,
        }
        .or_else(|| match address.index {
            Some(Operand::Register { name, .. }) => match self.named(name) {
                Named::Register(Some(ty), _) if !can_hold_address(ty) => {
                    Some(OperandError::AddressRegister(name, ty))
                }
                _ => None,
            },
            _ => None,
        })
    }

    fn base_register(&self, rule: &OperandRule, name: NameId) -> Option<OperandError> {
        let Named::Register(ty, vector) = self.named(name) else { return None };
        let ty = ty?;
        if vector.is_some() || !can_hold_address(ty) {
            return Some(OperandError::AddressRegister(name, ty));
        }
        if let Some(registers) = rule.registers {
            let error = OperandError::RegisterType { name, have: ty, takes: rule.registers };
            return (!registers.has(ty)).then_some(error);
        }
        self.is_narrow(rule, ty).then_some(OperandError::AddressWidth(name, ty))
    }

    /// The error of a name in a state space that the form does not accept. A form may leave the space open.
    pub(super) fn misplaced(&self, rule: &OperandRule, name: NameId) -> Option<OperandError> {
        if rule.space == AddressSpace::Unspecified { None } else { self.base_symbol(rule, name) }
    }

    fn base_symbol(&self, rule: &OperandRule, name: NameId) -> Option<OperandError> {
        let have = match self.named(name) {
            Named::Unknown | Named::Register(..) => return None,
            Named::Label | Named::Function => return Some(OperandError::NoAddress(name)),
            Named::Parameter => Space::Param,
            Named::Variable(space, _) => space,
        };
        let fits = match rule.space {
            AddressSpace::Unspecified => true,
            AddressSpace::Generic => matches!(have, Space::Global | Space::Shared | Space::Local),
            AddressSpace::Of(space) => have == space,
        };
        (!fits).then_some(OperandError::AddressSpace { name, have, takes: rule.space })
    }
}

/// Whether a register of this type can hold an address.
fn can_hold_address(ty: Type) -> bool {
    is_integer(ty) && ty.bits() <= 64
}

pub(super) fn is_integer(ty: Type) -> bool {
    matches!(ty.kind(), TypeKind::Unsigned | TypeKind::Signed | TypeKind::Bits)
}
