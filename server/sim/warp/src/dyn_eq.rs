//! Equality of trait objects.

use std::any::Any;

/// Types whose trait objects can be compared.
pub trait DynEq: Any {
    fn dyn_eq(&self, other: &dyn Any) -> bool;
}

impl<T: Any + PartialEq> DynEq for T {
    fn dyn_eq(&self, other: &dyn Any) -> bool {
        other.downcast_ref::<T>() == Some(self)
    }
}
