//! Maps opcodes to the methods that decode them.

use super::decoder::Decoder;
use super::instruction::Inst;
use super::operands::{INT, Kind};
use super::unsupported::Decoded;
use crate::program::Op;

const FLOAT: [Kind; 3] = [Kind::Float; 3];

/// Modifiers that change no value in a simulator without caches, in which accesses happen one after another.
const CACHE: &str = "E SYS STRONG WEAK GPU CTA SM VC CONSTANT CI CG CS CV LU WT NA EF EL EU LTC64B LTC128B \
    LTC256B PRIVATE U BYPASS MMIO P Q IL EVICT_FIRST EVICT_LAST NORMAL DEFAULT ACCESS HINT \
    CLUSTER RELAXED ACQUIRE WB INVALL";
const WIDTHS: &str = "U8 S8 U16 S16 32 64 128";
const ATOMIC_OPERATIONS: &str = "ADD MIN MAX INC DEC AND OR XOR EXCH CAS CAST SPIN POPC";
const ATOMIC_TYPES: &str = "S32 U32 64 U64 S64 F32 F64 F16x2 BF16_V2 BF16x2 FTZ RN 32";
const COMPARISONS: &str = "F LT EQ LE GT NE GE NUM NAN LTU EQU LEU GTU NEU GEU T";
const PACKINGS: &str = "PACK_AB UNPACK_B PACK_AB_MERGE_C UNPACK_B_MERGE_C";

type Method<'l> = fn(&mut Decoder<'l>, &Inst<'_>) -> Decoded;

impl<'l> Decoder<'l> {
    /// The operation of an instruction. An error says why it is not simulated.
    pub(super) fn operation(&mut self, inst: &Inst<'_>) -> Decoded {
        let opcode = inst.ins.opcode.as_str();
        if let Some((modifiers, decode)) = Self::simulated(opcode) {
            inst.allow(modifiers)?;
            return decode(self, inst);
        }
        match opcode {
            "PRMT" | "UPRMT" => self.permute(inst),
            "CSETP" => self.test_cc(inst),
            "MUFU" => self.mufu(inst),
            "SHFL" => self.shuffle(inst),
            "MEMBAR" | "FENCE" => self.fence(inst),
            "NOP" | "ERRBAR" | "CGAERRBAR" | "CCTL" | "CCTLL" | "DEPBAR" | "LDGDEPBAR" | "ARRIVES"
            | "ENDCOLLECTIVE" | "TEXDEPBAR" | "PMTRIG" | "PREEXIT" | "ACQBULK" => self.nothing(inst),
            _ => self.control(inst),
        }
    }

    /// The modifiers of an opcode that are simulated, separated by spaces, and the method that decodes it.
    fn simulated(opcode: &str) -> Option<(&'static [&'static str], Method<'l>)> {
        Some(match opcode {
            "MOV" | "MOV32I" | "UMOV" => (&["64 U32 64.U32"], Self::mov),
            "SEL" | "USEL" => (&["64"], Self::select),
            "IADD3" | "UIADD3" => (&["X RS LS 64 PO"], Self::add3),
            "IADD" | "IADD32I" | "VIADD" | "UIADD" | "UVIADD" => {
                (&["X SAT PO 64 S32 ISAT U8x4 S8x4 U16x2 S16x2 16x2 S U32"], Self::add)
            }
            "IMAD" | "UIMAD" => (&["WIDE HI U32 S32 X MOV SHL IADD SAT CC LO"], Self::multiply_add),
            "IMUL" | "IMUL32I" | "MUL" => (&["HI U32 S32"], Self::multiply),
            "XMAD" => (&["PSL MRG CLO CHI CBCC CSFU S16 U16"], Self::xmad),
            "ISCADD" | "ISCADD32I" => (&[""], Self::scaled_add),
            "LEA" | "ULEA" => (&["HI X SX32"], Self::lea),
            "LOP3" | "ULOP3" => (&["LUT PAND NZ Z"], Self::lop3),
            "LOP" | "LOP32I" => (&["AND OR XOR PASS_B NZ Z"], Self::lop),
            "SHF" | "USHF" => (&["L R W U32 S32 U64 S64 HI LO"], Self::funnel),
            "SHL" | "SHR" => (&["W U32 S32"], Self::shift),
            "IABS" => (&[""], Self::absolute),
            "POPC" | "UPOPC" | "BREV" | "UBREV" | "FLO" | "UFLO" => (&["U32 S32 SH"], Self::count_bits),
            "SGXT" | "USGXT" | "BMSK" | "UBMSK" | "BFE" | "BFI" => (&["U32 S32 W BREV"], Self::field),
            "IMNMX" | "VIMNMX" | "UIMNMX" | "UVIMNMX" | "VIMNMX3" | "VIADDMNMX" => {
                (&["U32 S32 U64 S64 U8x4 S8x4 U16x2 S16x2 RELU XHI XLO"], Self::extremum)
            }
            "ISETP" | "UISETP" | "ISET" | "ICMP" => {
                (&[COMPARISONS, "AND OR XOR U32 S32 U64 S64 X EX BF"], Self::compare)
            }
            "IDP" => (&["4A 2A LO HI U8 S8 U16 S16"], Self::dot),
            "VABSDIFF" | "VABSDIFF4" => (&["U32 S32 U8 S8 ACC SD"], Self::difference),
            "VMNMX" => (&["MX MN MAX MIN ACC S32 U32"], Self::video_extremum),
            "I2I" | "UI2I" => (&["S8 U8 S16 U16 S32 U32 SAT"], Self::clamp),
            "I2IP" => (&["S8 U8 S32 SAT"], |this, inst| {
                this.plain(inst, Op::PackBytes { signed: inst.has("S8") }, INT)
            }),
            "PLOP3" | "UPLOP3" => (&["LUT"], Self::plop3),
            "PSETP" | "UPSETP" | "PSET" => (&["AND OR XOR BF"], Self::combine_predicates),
            "P2R" | "UP2UR" => (&["B0 B1 B2 B3"], Self::pack_predicates),
            "R2P" | "UR2UP" => (&["B0 B1 B2 B3"], Self::unpack_predicates),
            "FADD" | "FADD32I" | "FMUL" | "FMUL32I" | "FFMA" | "FFMA32I" | "UFADD" | "UFMUL" | "UFFMA" => {
                (&["FTZ SAT RN RM RP RZ D2 D4 D8 M2 M4 M8 FMZ"], Self::float)
            }
            "FADD2" | "FMUL2" | "FFMA2" => (&["FTZ RN RM RP RZ SAT"], Self::float_pair),
            "FMNMX" | "UFMNMX" | "FMNMX3" | "DMNMX" => (&["FTZ NAN XORSIGN"], Self::float_extremum),
            "FSEL" | "UFSEL" => {
                (&["FTZ"], |this, inst| this.plain(inst, Op::SelectFloat { flush: inst.has("FTZ") }, FLOAT))
            }
            "FSETP" | "UFSETP" | "FSET" | "UFSET" | "FCMP" | "DSETP" | "DSET" => {
                (&[COMPARISONS, "FTZ BF AND OR XOR MIN MAX"], Self::float_compare)
            }
            "FCHK" => (&["DIVIDE"], Self::float_check),
            "RRO" => (&["EX2 SINCOS"], |this, inst| this.plain(inst, Op::MoveFloat, FLOAT)),
            "DADD" | "DMUL" | "DFMA" => (&["RN RM RP RZ"], Self::double),
            "HADD2" | "HMUL2" | "HFMA2" | "HADD2_32I" | "HMUL2_32I" | "HFMA2_32I" => {
                (&["MMA F32 FTZ SAT RELU BF16_V2 MRG_H0 MRG_H1"], Self::half)
            }
            "HSETP2" | "HSET2" => (&[COMPARISONS, "FTZ BF AND OR XOR BF16_V2 H_AND"], Self::half_compare),
            "F2FP" | "UF2FP" => {
                (&[PACKINGS, "F16 BF16 E4M3 E5M2 F32 RZ RN RELU SATFINITE"], Self::pack_floats)
            }
            "HMNMX2" | "VHMNMX" => (&["FTZ NAN XORSIGN BF16_V2"], Self::half_extremum),
            "I2F" | "I2FP" | "UI2F" | "UI2FP" => {
                (&["F16 F32 F64 BF16 S8 U8 S16 U16 S32 U32 S64 U64 RN RM RP RZ"], Self::int_to_float)
            }
            "F2I" | "UF2I" => (
                &["FTZ NTZ F16 F32 F64 BF16 S8 U8 S16 U16 S32 U32 S64 U64 TRUNC FLOOR CEIL ROUND"],
                Self::float_to_int,
            ),
            "F2F" | "FRND" | "UFRND" => {
                (&["FTZ F16 F32 F64 BF16 ROUND TRUNC FLOOR CEIL RN RM RP RZ SAT PASS"], Self::float_to_float)
            }
            "LDG" | "LD" | "LDS" | "LDL" => (&[CACHE, WIDTHS, "ENL2 256"], Self::load),
            "STG" | "ST" | "STS" | "STL" => {
                (&[CACHE, WIDTHS, "ENL2 256"], |this, inst| this.store(inst, Op::Store))
            }
            "LDC" | "ULDC" | "LDCU" => (&[CACHE, WIDTHS], Self::load_constant),
            "LDGSTS" => (&[CACHE, "64 128 ZFILL"], Self::copy),
            "ATOM" | "ATOMG" | "ATOMS" | "RED" | "REDG" => {
                (&[CACHE, ATOMIC_OPERATIONS, ATOMIC_TYPES], Self::atomic)
            }
            "LDSLK" => (&[CACHE, WIDTHS], Self::load_locked),
            "STSUL" => (&[CACHE, WIDTHS], |this, inst| this.store(inst, Op::StoreUnlock)),
            "LDSM" => (&["16 M88 MT88 2 4"], Self::matrix_load),
            "STSM" => (&["16 M88 MT88 2 4"], Self::matrix_store),
            "MOVM" => (&["16 MT88"], Self::matrix_transpose),
            "HMMA" | "IMMA" => {
                (&["16816 1688 1684 8816 16832 F16 F32 BF16 TF32 S8 U8 SAT"], Self::matrix_product)
            }
            "QMMA" => (&["16816 16832 F16 F32 E4M3 E5M2 E3M2 E2M3 E2M1"], Self::matrix_product),
            "QSPC" => (&["E S D L G"], Self::in_window),
            "S2R" | "S2UR" | "CS2R" | "CS2UR" => (&["32 64"], Self::special_register),
            "LEPC" => (&[""], Self::own_address),
            "USETMAXREG" => (&["DEALLOC TRY_ALLOC CTAPOOL"], Self::request_registers),
            "R2UR" => (&["OR FILL"], |this, inst| this.plain(inst, Op::FirstLane, INT)),
            "B2R" => (&["RESULT"], Self::barrier_result),
            "VOTE" | "VOTEU" => (&["ALL ANY EQ"], Self::vote),
            "MATCH" => (&["ALL ANY U64 U32"], Self::match_values),
            "REDUX" | "CREDUX" => (&["SUM OR XOR AND MIN MAX S32 U32"], Self::reduce),
            "ELECT" => (&[""], Self::elect),
            _ => return None,
        })
    }

    /// An operation with the operands as they are written.
    pub(super) fn plain(&mut self, inst: &Inst<'_>, op: Op, kinds: [Kind; 3]) -> Decoded {
        self.assemble(op, inst, &inst.shape(), kinds)
    }
}
