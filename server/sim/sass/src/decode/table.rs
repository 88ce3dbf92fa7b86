//! Maps opcodes to the methods that decode them.

use super::decoder::Decoder;
use super::instruction::Inst;
use super::unsupported::Decoded;
use crate::program::Op;

impl Decoder<'_> {
    /// The operation of an instruction. An error says why it is not simulated.
    pub(super) fn operation(&mut self, inst: &Inst<'_>) -> Decoded {
        let opcode = inst.ins.opcode.as_str();
        match opcode {
            "MOV" | "MOV32I" | "UMOV" => self.mov(inst),
            "SEL" | "USEL" => self.select(inst),
            "PRMT" | "UPRMT" => self.permute(inst),
            "IADD3" | "UIADD3" => self.add3(inst),
            "IADD" | "IADD32I" | "VIADD" | "UIADD" | "UVIADD" => self.add(inst),
            "IMAD" | "UIMAD" => self.multiply_add(inst),
            "IMUL" | "IMUL32I" => self.multiply(inst),
            "XMAD" => self.xmad(inst),
            "ISCADD" | "ISCADD32I" => self.scaled_add(inst),
            "LEA" | "ULEA" => self.lea(inst),
            "LOP3" | "ULOP3" => self.lop3(inst),
            "LOP" | "LOP32I" => self.lop(inst),
            "SHF" | "USHF" => self.funnel(inst),
            "SHL" | "SHR" => self.shift(inst),
            "IABS" => self.absolute(inst),
            "POPC" | "UPOPC" | "BREV" | "UBREV" | "FLO" | "UFLO" => self.count_bits(inst),
            "SGXT" | "USGXT" | "BMSK" | "UBMSK" | "BFE" | "BFI" => self.field(inst),
            "IMNMX" | "VIMNMX" | "UIMNMX" | "UVIMNMX" | "VIMNMX3" | "VIADDMNMX" => self.extremum(inst),
            "IDP" => self.dot(inst),
            "VABSDIFF" | "VABSDIFF4" => self.difference(inst),
            "VMNMX" => self.video_extremum(inst),
            "I2I" | "UI2I" => self.clamp(inst),
            "I2IP" => self.pack_bytes(inst),
            "ISETP" | "UISETP" | "ISET" | "ICMP" => self.compare(inst),
            "PLOP3" | "UPLOP3" => self.plop3(inst),
            "PSETP" | "UPSETP" | "PSET" => self.combine_predicates(inst),
            "CSETP" => self.test_cc(inst),
            "P2R" | "UP2UR" => self.pack_predicates(inst),
            "R2P" | "UR2UP" => self.unpack_predicates(inst),
            "FADD" | "FADD32I" | "FMUL" | "FMUL32I" | "FFMA" | "FFMA32I" | "UFADD" | "UFMUL" | "UFFMA" => {
                self.float(inst)
            }
            "FADD2" | "FMUL2" | "FFMA2" => self.float_pair(inst),
            "FMNMX" | "UFMNMX" | "FMNMX3" | "DMNMX" => self.float_extremum(inst),
            "FSETP" | "UFSETP" | "FSET" | "UFSET" | "FCMP" | "DSETP" | "DSET" => self.float_compare(inst),
            "FSEL" | "UFSEL" => self.float_select(inst),
            "FCHK" => self.float_check(inst),
            "MUFU" => self.mufu(inst),
            "RRO" => self.range_reduction(inst),
            "DADD" | "DMUL" | "DFMA" => self.double(inst),
            "HADD2" | "HMUL2" | "HFMA2" | "HADD2_32I" | "HMUL2_32I" | "HFMA2_32I" => self.half(inst),
            "HMNMX2" | "VHMNMX" => self.half_extremum(inst),
            "HSETP2" | "HSET2" => self.half_compare(inst),
            "I2F" | "I2FP" | "UI2F" | "UI2FP" => self.int_to_float(inst),
            "F2I" | "UF2I" => self.float_to_int(inst),
            "F2F" | "FRND" | "UFRND" => self.float_to_float(inst),
            "F2FP" | "UF2FP" => self.pack_floats(inst),
            "LDG" | "LD" | "LDS" | "LDL" => self.load(inst),
            "STG" | "ST" | "STS" | "STL" => self.store(inst, Op::Store),
            "LDC" | "ULDC" | "LDCU" => self.load_constant(inst),
            "LDGSTS" => self.copy(inst),
            "LDSM" => self.matrix_load(inst),
            "MOVM" => self.matrix_transpose(inst),
            "HMMA" | "IMMA" => self.matrix_product(inst),
            "ATOM" | "ATOMG" | "ATOMS" | "RED" | "REDG" => self.atomic(inst),
            "QSPC" => self.in_space(inst),
            "LDSLK" => self.load_locked(inst),
            "STSUL" => self.store(inst, Op::StoreUnlock),
            "S2R" | "S2UR" | "CS2R" | "CS2UR" => self.special_register(inst),
            "R2UR" => self.first_lane(inst),
            "B2R" => self.barrier_result(inst),
            "SHFL" => self.shuffle(inst),
            "VOTE" | "VOTEU" => self.vote(inst),
            "MATCH" => self.match_values(inst),
            "REDUX" | "CREDUX" => self.reduce(inst),
            "ELECT" => self.elect(inst),
            "MEMBAR" | "FENCE" => self.fence(inst),
            "NOP" | "ERRBAR" | "CGAERRBAR" | "CCTL" | "CCTLL" | "DEPBAR" | "LDGDEPBAR" | "ARRIVES"
            | "ENDCOLLECTIVE" | "TEXDEPBAR" | "PMTRIG" | "PREEXIT" | "ACQBULK" => self.nothing(inst),
            _ => self.control(inst),
        }
    }
}
