//! Matrix descriptors as text, for hovers and the command line. The text comes from the same tables that execution reads.

use std::fmt::Write;

use crate::tensor::swizzle::Swizzle;
use warplens_sim_warp::objects::grouped;

use super::descriptor::{Descriptor, DescriptorKind, Offsets};

/// The matrix that a statement's descriptor stands for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MatrixUse {
    pub kind: DescriptorKind,
    /// `A`, `B`, or `source`.
    pub which: &'static str,
    /// Rows of A or columns of B, elements along K, and bits per element; `None` if a register decides.
    pub extent: Option<(u32, u32, u32)>,
    /// Whether the matrix is MN-major; `None` if a register decides.
    pub transposed: Option<bool>,
}

/// Describes bits without a statement. The bits that are constant in each kind of descriptor tell the kind.
pub fn describe_any(bits: u64) -> String {
    let kind = match bits >> 46 & 7 {
        0 => DescriptorKind::Warpgroup,
        _ => DescriptorKind::TensorMemory,
    };
    MatrixUse { kind, which: "", extent: None, transposed: None }.describe(bits)
}

impl MatrixUse {
    /// The role of the statement's register: `descriptor of A of wgmma: 64 x 16 elements of 16 bits, K-major`.
    pub fn title(&self) -> String {
        let which = if self.which.is_empty() { String::new() } else { format!(" of {}", self.which) };
        let mut title = format!("matrix descriptor{which} of `{}`", self.kind.name());
        if let Some((lines, depth, bits)) = self.extent {
            let _ = write!(title, ": {lines} x {depth} elements of {bits} bits");
        }
        match self.transposed {
            Some(true) => title += ", MN-major",
            Some(false) => title += ", K-major",
            None => {}
        }
        title
    }

    /// The fields of a value, the layout, and the addresses of some elements.
    pub fn describe(&self, bits: u64) -> String {
        let mut text = format!("`{bits:#018x}`: {}\n\n```text\n{}```", self.title(), self.fields(bits));
        let Ok(descriptor) = Descriptor::decode(bits, self.kind) else { return text };
        if let Some(extent) = self.shared_memory(&descriptor) {
            let _ = write!(text, "\n\n{extent}");
        }
        let majors = match self.transposed {
            Some(transposed) => vec![transposed],
            None => vec![false, true],
        };
        for transposed in majors {
            let _ = write!(text, "\n\n{}", self.layout(&descriptor, transposed));
        }
        if let Some(examples) = self.elements(&descriptor) {
            let _ = write!(text, "\n\n```text\n{examples}```");
        }
        text
    }

    fn fields(&self, bits: u64) -> String {
        let mut text = String::new();
        for field in self.kind.fields() {
            let (value, problem) = (field.of(bits), field.problem(bits, self.kind));
            if field.at.name == "reserved" && problem.is_none() {
                continue;
            }
            let shown = match (field.at.name, field.in_chunks) {
                ("swizzle", _) => match self.kind.swizzle(bits) {
                    Some(swizzle) => swizzle.name().to_owned(),
                    None => value.to_string(),
                },
                ("start address", _) => format!("{value:#x}"),
                (_, true) => format!("{} bytes", grouped(value)),
                _ => value.to_string(),
            };
            text += &field.at.line(&shown, problem.as_deref());
        }
        text
    }

    /// The range of shared memory that the matrix occupies, from its first byte to its last.
    fn shared_memory(&self, descriptor: &Descriptor) -> Option<String> {
        let ((lines, depth, bits), transposed) = (self.extent?, self.transposed?);
        let addresses = || descriptor.chunks(lines, depth, bits, transposed).map(|chunk| chunk.address);
        let (first, last) = (addresses().min()?, addresses().max()?);
        Some(format!(
            "In shared memory from {first:#x} to {:#x} ({} bytes).",
            last + 15,
            grouped(last + 16 - first)
        ))
    }

    fn elements(&self, descriptor: &Descriptor) -> Option<String> {
        let ((lines, depth, bits), transposed) = (self.extent?, self.transposed?);
        let line_name = self.line_name();
        let some = |count: u32| {
            let mut places = vec![0, 1, 8, count.saturating_sub(1)];
            places.retain(|place| *place < count);
            places.sort_unstable();
            places.dedup();
            places
        };
        let columns = some(depth);
        let mut text = format!("{line_name:<8}");
        columns.iter().for_each(|k| {
            let _ = write!(text, " {:>8}", format!("k {k}"));
        });
        text.push('\n');
        for line in some(lines) {
            let _ = write!(text, "{line:<8}");
            for &k in &columns {
                let (line, along) = if transposed { (k, line) } else { (line, k) };
                let byte = u64::from(along) * u64::from(bits) / 8;
                let address = descriptor.address(descriptor.offset(line.into(), byte, transposed));
                let _ = write!(text, " {:>8}", format!("{address:#x}"));
            }
            text.push('\n');
        }
        Some(text)
    }

    /// What a line of a K-major matrix is called.
    fn line_name(&self) -> &'static str {
        if self.which == "B" { "column" } else { "row" }
    }

    fn layout(&self, descriptor: &Descriptor, transposed: bool) -> String {
        let Offsets { lines, pitch, group, run, next } = descriptor.offsets(transposed);
        let (major, line, byte) = match transposed {
            false => ("K-major", self.line_name(), "byte"),
            true => ("MN-major", "k", "byte"),
        };
        let along = match run {
            u64::MAX => byte.to_owned(),
            _ => format!("{byte} % {run} + {byte} / {run} * {next}"),
        };
        let swizzle = match descriptor.swizzle {
            Swizzle::None => String::new(),
            swizzle => {
                let (shift, mask) = swizzle.pattern();
                format!(" then address ^ (address >> {shift} & {mask:#x})")
            }
        };
        let of = if transposed { "the byte along M or N" } else { "the byte along K" };
        let unused = match run {
            u64::MAX => " The leading byte offset is not used.",
            _ => "",
        };
        format!(
            "{major}: `{:#x} + {line} % {lines} * {pitch} + {line} / {lines} * {group} + {along}`{swizzle}, where `byte` is {of}.{unused}",
            descriptor.start
        )
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(text: &str, expected: Expect) {
        expected.assert_eq(text);
    }

    #[test]
    fn descriptors_without_a_statement() {
        check(
            &describe_any(0x4000_0040_0001_0400),
            expect![[r#"
                `0x4000004000010400`: matrix descriptor of `wgmma`

                ```text
                bits 0-13   start address        0x4000
                bits 16-29  leading byte offset  16 bytes
                bits 32-45  stride byte offset   1,024 bytes
                bits 49-51  base offset          0
                bits 62-63  swizzle              128b
                ```

                K-major: `0x4000 + row % 8 * 128 + row / 8 * 1024 + byte` then address ^ (address >> 3 & 0x70), where `byte` is the byte along K. The leading byte offset is not used.

                MN-major: `0x4000 + k % 8 * 128 + k / 8 * 1024 + byte % 128 + byte / 128 * 16` then address ^ (address >> 3 & 0x70), where `byte` is the byte along M or N."#]],
        );
        check(
            &describe_any(0x4000_4040_0001_0400),
            expect![[r#"
                `0x4000404000010400`: matrix descriptor of `tcgen05`

                ```text
                bits 0-13   start address        0x4000
                bits 16-29  leading byte offset  16 bytes
                bits 32-45  stride byte offset   1,024 bytes
                bits 46-48  constant             1
                bits 49-51  base offset          0
                bit 52      leading address mode 0
                bits 61-63  swizzle              128b
                ```

                K-major: `0x4000 + row % 8 * 128 + row / 8 * 1024 + byte` then address ^ (address >> 3 & 0x70), where `byte` is the byte along K. The leading byte offset is not used.

                MN-major: `0x4000 + k % 8 * 128 + k / 8 * 1024 + byte % 128 + byte / 128 * 16` then address ^ (address >> 3 & 0x70), where `byte` is the byte along M or N."#]],
        );
        check(
            &describe_any(0x6010_8040_0001_0400),
            expect![[r#"
                `0x6010804000010400`: matrix descriptor of `tcgen05`

                ```text
                bits 0-13   start address        0x4000
                bits 16-29  leading byte offset  16 bytes
                bits 32-45  stride byte offset   1,024 bytes
                bits 46-48  constant             2 INVALID: must be 1
                bits 49-51  base offset          0
                bit 52      leading address mode 1 INVALID: must be 0
                bits 61-63  swizzle              3 INVALID: must be 0, 1, 2, 4 or 6
                ```"#]],
        );
    }

    proptest::proptest! {
        #[test]
        fn any_bits_are_described(bits: u64, lines in 0u32..300, depth in 0u32..130, wide in 0usize..4, flags: [bool; 2]) {
            let kind = if flags[0] { DescriptorKind::Warpgroup } else { DescriptorKind::TensorMemory };
            let extent = Some((lines, depth, [4, 8, 16, 32][wide]));
            let text = MatrixUse { kind, which: "A", extent, transposed: Some(flags[1]) }.describe(bits);
            let invalid = Descriptor::decode(bits, kind).is_err();
            proptest::prop_assert_eq!(text.contains("INVALID"), invalid);
            proptest::prop_assert!(!describe_any(bits).is_empty());
        }
    }

    fn matrix(which: &'static str, extent: (u32, u32, u32), transposed: bool) -> MatrixUse {
        let (extent, transposed) = (Some(extent), Some(transposed));
        MatrixUse { kind: DescriptorKind::Warpgroup, which, extent, transposed }
    }

    #[test]
    fn descriptor_of_rows() {
        check(
            &matrix("A", (64, 16, 16), false).describe(0x4000_0040_0001_0402),
            expect![[r#"
            `0x4000004000010402`: matrix descriptor of A of `wgmma`: 64 x 16 elements of 16 bits, K-major

            ```text
            bits 0-13   start address        0x4020
            bits 16-29  leading byte offset  16 bytes
            bits 32-45  stride byte offset   1,024 bytes
            bits 49-51  base offset          0
            bits 62-63  swizzle              128b
            ```

            In shared memory from 0x4020 to 0x5fdf (8,128 bytes).

            K-major: `0x4020 + row % 8 * 128 + row / 8 * 1024 + byte` then address ^ (address >> 3 & 0x70), where `byte` is the byte along K. The leading byte offset is not used.

            ```text
            row           k 0      k 1      k 8     k 15
            0          0x4020   0x4022   0x4030   0x403e
            1          0x40b0   0x40b2   0x40a0   0x40ae
            8          0x4420   0x4422   0x4430   0x443e
            63         0x5fd0   0x5fd2   0x5fc0   0x5fce
            ```"#]],
        );
    }

    #[test]
    fn descriptor_of_transposed_columns() {
        check(
            &matrix("B", (128, 16, 16), true).describe(0x4000_0040_0100_0400),
            expect![[r#"
            `0x4000004001000400`: matrix descriptor of B of `wgmma`: 128 x 16 elements of 16 bits, MN-major

            ```text
            bits 0-13   start address        0x4000
            bits 16-29  leading byte offset  4,096 bytes
            bits 32-45  stride byte offset   1,024 bytes
            bits 49-51  base offset          0
            bits 62-63  swizzle              128b
            ```

            In shared memory from 0x4000 to 0x57ff (6,144 bytes).

            MN-major: `0x4000 + k % 8 * 128 + k / 8 * 1024 + byte % 128 + byte / 128 * 4096` then address ^ (address >> 3 & 0x70), where `byte` is the byte along M or N.

            ```text
            column        k 0      k 1      k 8     k 15
            0          0x4000   0x4090   0x4400   0x47f0
            1          0x4002   0x4092   0x4402   0x47f2
            8          0x4010   0x4080   0x4410   0x47e0
            127        0x507e   0x50ee   0x547e   0x578e
            ```"#]],
        );
    }

    #[test]
    fn descriptor_without_swizzle() {
        check(
            &matrix("B", (8, 16, 16), false).describe(0x0000_0020_0008_0200),
            expect![[r#"
                `0x0000002000080200`: matrix descriptor of B of `wgmma`: 8 x 16 elements of 16 bits, K-major

                ```text
                bits 0-13   start address        0x2000
                bits 16-29  leading byte offset  128 bytes
                bits 32-45  stride byte offset   512 bytes
                bits 49-51  base offset          0
                bits 62-63  swizzle              none
                ```

                In shared memory from 0x2000 to 0x20ff (256 bytes).

                K-major: `0x2000 + column % 8 * 16 + column / 8 * 512 + byte % 16 + byte / 16 * 128`, where `byte` is the byte along K.

                ```text
                column        k 0      k 1      k 8     k 15
                0          0x2000   0x2002   0x2080   0x208e
                1          0x2010   0x2012   0x2090   0x209e
                7          0x2070   0x2072   0x20f0   0x20fe
                ```"#]],
        );
    }
}
