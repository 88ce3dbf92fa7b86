//! Evaluates expressions for each lane of a warp.

use warplens_sim_warp::recording::{CellId, Space};
use warplens_sim_warp::{Class, Mask, ScalarType};

use super::parse::{Binary, Expression, Function, MemorySpace, Node, Unary};

/// A value of a lane.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Value {
    Integer(i128),
    Float(f64),
}

impl Value {
    pub(crate) fn is_true(self) -> bool {
        match self {
            Value::Integer(value) => value != 0,
            Value::Float(value) => value != 0.0,
        }
    }

    fn float(self) -> f64 {
        match self {
            Value::Integer(value) => value as f64,
            Value::Float(value) => value,
        }
    }

    pub(crate) fn integer(self) -> i128 {
        match self {
            Value::Integer(value) => value,
            Value::Float(value) => value as i128,
        }
    }

    /// The value of bits that are read as a type.
    pub(crate) fn of_bits(bits: u128, ty: ScalarType) -> Value {
        let width = ty.bits().min(127);
        let bits = bits & ((1 << width) - 1);
        match ty.class() {
            Class::Float if ty.bits() <= 64 && !matches!(ty, ScalarType::F16x2 | ScalarType::Bf16x2) => {
                Value::Float(ty.float_of_bits(bits as u64))
            }
            Class::Signed => Value::Integer((bits as i128) << (128 - width) >> (128 - width)),
            _ => Value::Integer(bits as i128),
        }
    }
}

/// By lane of the warp; `None` where a lane has no value.
pub(crate) type Lanes = Vec<Option<Value>>;

/// What an expression is evaluated in: a warp before a step.
pub(crate) trait Scope {
    fn width(&self) -> u32;
    fn active(&self) -> Mask;
    /// The bits of a register, and the type as which they are read.
    fn register(&self, name: &str) -> Option<(CellId, ScalarType)>;
    fn bits(&self, cell: CellId, lane: u32) -> Option<u128>;
    /// A special register, a variable's address, or a name of the debugger, in a lane.
    fn special(&self, name: &str, lane: u32) -> Option<i128>;
    fn byte(&self, space: Space, lane: u32, address: u64) -> Option<u8>;
    /// The memory at an address without a named space.
    fn space_of(&self, address: u64) -> (Space, u64);
}

impl Expression {
    /// The value in each lane.
    ///
    /// # Errors
    /// A name that is not known, with its position in the text.
    pub(crate) fn evaluate(&self, scope: &dyn Scope) -> Result<Lanes, super::ParseError> {
        evaluate(&self.0, scope)
    }

    /// Whether any active lane satisfies the condition.
    pub(crate) fn holds(&self, scope: &dyn Scope) -> Result<bool, super::ParseError> {
        let active = scope.active();
        let lanes = self.evaluate(scope)?;
        let holds = |(lane, value): (usize, &Option<Value>)| {
            active >> lane & 1 == 1 && value.is_some_and(Value::is_true)
        };
        Ok(lanes.iter().enumerate().any(holds))
    }
}

fn evaluate(node: &Node, scope: &dyn Scope) -> Result<Lanes, super::ParseError> {
    let width = scope.width() as usize;
    Ok(match node {
        Node::Integer(value) => vec![Some(Value::Integer(*value)); width],
        Node::Float(value) => vec![Some(Value::Float(*value)); width],
        Node::Name { text, offset } => return name(text, *offset, scope),
        Node::Unary(operator, one) => {
            let apply = |value: Value| match (operator, value) {
                (Unary::Negate, Value::Float(value)) => Value::Float(-value),
                (Unary::Negate, Value::Integer(value)) => Value::Integer(value.wrapping_neg()),
                (Unary::Not, value) => Value::Integer(i128::from(!value.is_true())),
                (Unary::Complement, value) => Value::Integer(!value.integer()),
            };
            evaluate(one, scope)?.into_iter().map(|value| value.map(apply)).collect()
        }
        Node::Binary(operator, left, right) => {
            let (left, right) = (evaluate(left, scope)?, evaluate(right, scope)?);
            left.into_iter().zip(right).map(|(left, right)| binary(*operator, left, right)).collect()
        }
        Node::Call(function, one) => call(*function, evaluate(one, scope)?, bits(one, scope), scope),
        Node::Memory { space, address, ty } => {
            let addresses = evaluate(address, scope)?;
            let read = |(lane, address): (usize, Option<Value>)| {
                load(*space, address?.integer() as u64, lane as u32, *ty, scope)
            };
            addresses.into_iter().enumerate().map(read).collect()
        }
        Node::As(one, ty) => match register(one, scope) {
            Some((cell, _)) => {
                (0..width as u32).map(|lane| Some(Value::of_bits(scope.bits(cell, lane)?, *ty))).collect()
            }
            None => {
                let convert = |value: Value| match ty.class() {
                    Class::Float => Value::Float(value.float()),
                    _ => Value::of_bits(value.integer() as u128, *ty),
                };
                evaluate(one, scope)?.into_iter().map(|value| value.map(convert)).collect()
            }
        },
    })
}

/// The bits of the widest operand; `None` if there are only literals and special registers.
fn bits(node: &Node, scope: &dyn Scope) -> Option<u32> {
    match node {
        Node::Integer(_) | Node::Float(_) => None,
        Node::Name { text, .. } => scope.register(text).map(|(_, ty)| ty.bits()),
        Node::Unary(_, one) | Node::Call(_, one) => bits(one, scope),
        Node::Binary(_, left, right) => bits(left, scope).max(bits(right, scope)),
        Node::Memory { ty, .. } | Node::As(_, ty) => Some(ty.bits()),
    }
}

fn register(node: &Node, scope: &dyn Scope) -> Option<(CellId, ScalarType)> {
    if let Node::Name { text, .. } = node { scope.register(text) } else { None }
}

fn name(text: &str, offset: usize, scope: &dyn Scope) -> Result<Lanes, super::ParseError> {
    let lanes = 0..scope.width();
    if let Some((cell, ty)) = scope.register(text) {
        return Ok(lanes.map(|lane| Some(Value::of_bits(scope.bits(cell, lane)?, ty))).collect());
    }
    let values: Lanes = lanes.map(|lane| scope.special(text, lane).map(Value::Integer)).collect();
    if values.iter().all(Option::is_none) {
        let message = format!("`{text}` is not a register, a special register or a variable of this kernel");
        return Err(super::ParseError { offset, message });
    }
    Ok(values)
}

fn binary(operator: Binary, left: Option<Value>, right: Option<Value>) -> Option<Value> {
    let flag = |value: bool| Some(Value::Integer(value.into()));
    // An unknown side does not matter if the other one decides.
    match (operator, left, right) {
        (Binary::And, Some(one), _) | (Binary::And, _, Some(one)) if !one.is_true() => return flag(false),
        (Binary::Or, Some(one), _) | (Binary::Or, _, Some(one)) if one.is_true() => return flag(true),
        _ => {}
    }
    let (left, right) = (left?, right?);
    let is_float = matches!(left, Value::Float(_)) || matches!(right, Value::Float(_));
    let (x, y) = (left.float(), right.float());
    let (a, b) = (left.integer(), right.integer());
    let order = if is_float { x.partial_cmp(&y) } else { Some(a.cmp(&b)) };
    let arithmetic = |float: f64, integer: Option<i128>| match is_float {
        true => Some(Value::Float(float)),
        false => integer.map(Value::Integer),
    };
    let shift = u32::try_from(b).ok();
    match operator {
        Binary::And => flag(left.is_true() && right.is_true()),
        Binary::Or => flag(left.is_true() || right.is_true()),
        Binary::BitOr => Some(Value::Integer(a | b)),
        Binary::BitXor => Some(Value::Integer(a ^ b)),
        Binary::BitAnd => Some(Value::Integer(a & b)),
        Binary::Equal => flag(order.is_some_and(|order| order.is_eq())),
        Binary::NotEqual => flag(order.is_none_or(|order| order.is_ne())),
        Binary::Less => flag(order.is_some_and(|order| order.is_lt())),
        Binary::LessEqual => flag(order.is_some_and(|order| order.is_le())),
        Binary::Greater => flag(order.is_some_and(|order| order.is_gt())),
        Binary::GreaterEqual => flag(order.is_some_and(|order| order.is_ge())),
        Binary::ShiftLeft => shift.map(|shift| Value::Integer(a.checked_shl(shift).unwrap_or(0))),
        Binary::ShiftRight => shift.map(|shift| Value::Integer(a >> shift.min(127))),
        Binary::Add => arithmetic(x + y, Some(a.wrapping_add(b))),
        Binary::Subtract => arithmetic(x - y, Some(a.wrapping_sub(b))),
        Binary::Multiply => arithmetic(x * y, Some(a.wrapping_mul(b))),
        Binary::Divide => arithmetic(x / y, a.checked_div(b)),
        Binary::Remainder => arithmetic(x % y, a.checked_rem(b)),
    }
}

/// `bits` is the number of bits of the widest operand.
fn call(function: Function, lanes: Lanes, bits: Option<u32>, scope: &dyn Scope) -> Lanes {
    let active = scope.active();
    let width = lanes.len();
    let among = || {
        let is_active = |(lane, _): &(usize, &Option<Value>)| active >> *lane & 1 == 1;
        lanes.iter().enumerate().filter(is_active).filter_map(|(_, value)| *value)
    };
    let all = |value: Option<Value>| vec![value; width];
    match function {
        Function::Any => all(Some(Value::Integer(among().any(Value::is_true).into()))),
        Function::All => all(Some(Value::Integer(among().all(Value::is_true).into()))),
        Function::Minimum => {
            all(among().reduce(|one, other| if other.float() < one.float() { other } else { one }))
        }
        Function::Maximum => {
            all(among().reduce(|one, other| if other.float() > one.float() { other } else { one }))
        }
        Function::Count => {
            let mask = u128::MAX >> (128 - bits.unwrap_or(64));
            let count = |value: Value| Value::Integer((value.integer() as u128 & mask).count_ones().into());
            lanes.into_iter().map(|value| value.map(count)).collect()
        }
        Function::Absolute => {
            let absolute = |value: Value| match value {
                Value::Integer(value) => Value::Integer(value.wrapping_abs()),
                Value::Float(value) => Value::Float(value.abs()),
            };
            lanes.into_iter().map(|value| value.map(absolute)).collect()
        }
    }
}

impl MemorySpace {
    pub(crate) fn resolve(self, address: u64, scope: &dyn Scope) -> (Space, u64) {
        match self {
            MemorySpace::Any => scope.space_of(address),
            MemorySpace::Global => (Space::Global, address),
            MemorySpace::Shared => (Space::Shared, address),
            MemorySpace::Local => (Space::Local, address),
        }
    }
}

fn load(space: MemorySpace, address: u64, lane: u32, ty: ScalarType, scope: &dyn Scope) -> Option<Value> {
    let (space, address) = space.resolve(address, scope);
    let mut bits = 0;
    for byte in 0..u64::from(ty.bits() / 8) {
        bits |= u128::from(scope.byte(space, lane, address.wrapping_add(byte))?) << (8 * byte);
    }
    Some(Value::of_bits(bits, ty))
}
