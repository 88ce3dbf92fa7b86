//! Control information: how an instruction is scheduled. On Maxwell and Pascal, a separate control word holds
//! the information for three instructions; from Volta on, it is part of the instruction.

use std::fmt;

/// The control information of an instruction, 21 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Control(pub u32);

impl Control {
    /// The number of instructions that a control word of Maxwell or Pascal covers.
    pub const GROUP: u32 = 3;

    /// The control information of the instruction at position `place` in the group of a control word.
    pub const fn of_word(word: u64, place: u32) -> Control {
        Control((word >> (21 * place)) as u32 & 0x1f_ffff)
    }

    pub const fn of_high_word(high: u64) -> Control {
        Control((high >> 41) as u32 & 0x1f_ffff)
    }

    /// The number of issue cycles before the next instruction.
    pub const fn stall(self) -> u8 {
        (self.0 & 0xf) as u8
    }

    /// Whether the scheduler prefers to switch to another warp.
    pub const fn yields(self) -> bool {
        self.0 & 0x10 == 0
    }

    /// The scoreboard that stays set until the result is written.
    pub const fn write_scoreboard(self) -> Option<u8> {
        scoreboard(self.0 >> 5)
    }

    /// The scoreboard that stays set until the sources are read.
    pub const fn read_scoreboard(self) -> Option<u8> {
        scoreboard(self.0 >> 8)
    }

    /// The scoreboards that the instruction waits for, one bit each.
    pub const fn wait_mask(self) -> u8 {
        (self.0 >> 11) as u8 & 0x3f
    }

    pub fn waits(self) -> impl Iterator<Item = u8> {
        (0..6).filter(move |bit| self.wait_mask() >> bit & 1 != 0)
    }

    /// The register slots whose operand is kept for the next instruction, one bit each.
    pub const fn reuse(self) -> u8 {
        (self.0 >> 17) as u8 & 0xf
    }
}

const fn scoreboard(bits: u32) -> Option<u8> {
    match bits & 7 {
        7 => None,
        number => Some(number as u8),
    }
}

impl fmt::Display for Control {
    /// `B01----:R-:W2:Y:S05`, the notation of common tools.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("B")?;
        for bit in 0..6 {
            if self.wait_mask() >> bit & 1 != 0 { write!(f, "{bit}")? } else { f.write_str("-")? }
        }
        for (letter, scoreboard) in [('R', self.read_scoreboard()), ('W', self.write_scoreboard())] {
            match scoreboard {
                Some(number) => write!(f, ":{letter}{number}")?,
                None => write!(f, ":{letter}-")?,
            }
        }
        let yields = if self.yields() { 'Y' } else { '-' };
        write!(f, ":{yields}:S{:02}", self.stall())
    }
}

#[cfg(test)]
mod tests {
    use super::Control;

    #[test]
    fn records_of_maxwell() {
        let word = 0x001c_c400_e220_07f6;
        let shown: Vec<String> = (0..3).map(|place| Control::of_word(word, place).to_string()).collect();
        assert_eq!(shown, ["B------:R-:W-:-:S06", "B------:R-:W0:-:S01", "B------:R-:W1:-:S01"]);
        let second = Control::of_word(0x001f_c441_fe00_075f, 1);
        assert_eq!((second.to_string().as_str(), second.reuse()), ("B0-----:R-:W-:-:S00", 1));
    }

    #[test]
    fn records_from_volta_on() {
        let shown = |high| Control::of_high_word(high).to_string();
        assert_eq!(shown(0x000e_2200_0000_2100), "B------:R-:W0:-:S01");
        assert_eq!(shown(0x004f_ca00_078e_0205), "B--2---:R-:W-:Y:S05");
        assert_eq!(shown(0x002f_e200_0f8e_0206), "B-1----:R-:W-:-:S01");
    }
}
