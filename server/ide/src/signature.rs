//! Signatures: the forms of a statement, with the ranges of their parameters.

use text_size::{TextRange, TextSize};

/// The maximum number of forms that are listed; those that match best are included.
pub(crate) const MAX_FORMS: usize = 24;

/// The forms of a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignatureHelp {
    /// The forms.
    pub signatures: Vec<Signature>,
    /// The index of the form that matches best.
    pub active: usize,
}

/// One form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    /// The form as a line.
    pub label: String,
    /// Its summary, in markdown.
    pub documentation: String,
    /// Its operands.
    pub parameters: Vec<SignatureParameter>,
    /// The operand being typed; `None` after the last one.
    pub active: Option<usize>,
}

/// An operand of a form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignatureParameter {
    /// Its range in the label.
    pub range: TextRange,
    /// Its description, in markdown.
    pub documentation: String,
}

/// Builds a label with the ranges of its parameters.
#[derive(Default)]
pub(crate) struct Label {
    text: String,
    parameters: Vec<SignatureParameter>,
}

impl Label {
    pub(crate) fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    pub(crate) fn push_parameter(&mut self, text: &str, documentation: String) {
        let start = TextSize::of(self.text.as_str());
        self.text.push_str(text);
        let range = TextRange::at(start, TextSize::of(text));
        self.parameters.push(SignatureParameter { range, documentation });
    }

    /// The signature, with the parameter of this index active if it exists.
    pub(crate) fn finish(self, documentation: String, active: usize) -> Signature {
        let active = (active < self.parameters.len()).then_some(active);
        Signature { label: self.text, documentation, parameters: self.parameters, active }
    }
}
