// Kernels for the tests of the lanes panel.

/** A load with a stride of 128 bytes, and a store to shared memory with a bank conflict of all lanes. */
export const STRIDE = `.version 8.0
.target sm_80
.address_size 64

.visible .entry stride(
	.param .u64 .ptr .global .align 4 in,
	.param .u64 .ptr .global .align 4 out
)
{
	.shared .align 4 .b8 tile[4096];
	.reg .b32	%r<6>;
	.reg .b64	%rd<8>;

	mov.u32		%r1, %tid.x;
	ld.param.u64	%rd1, [in];
	mul.wide.u32	%rd2, %r1, 128;
	add.u64		%rd3, %rd1, %rd2;
	mov.u32		%r3, tile;
	shl.b32		%r4, %r1, 7;
	add.u32		%r3, %r3, %r4;
	ld.param.u64	%rd4, [out];
	mul.wide.u32	%rd5, %r1, 4;
	add.u64		%rd6, %rd4, %rd5;
	st.global.u32	[%rd6], %r1;
	ld.global.u32	%r2, [%rd3];


	st.shared.u32	[%r3], %r2;
	ret;
}
`;

/** The upper half of the expected values is wrong. */
export const STRIDE_LAUNCH = `[[launch]]
name = "wrong"
file = "stride.ptx"
block = [32]
args = [{ name = "in", buffer = "u32", len = 1024, fill = "iota" }, { name = "out", buffer = "u32", len = 32, fill = "zero" }]
expect = [{ name = "out", values = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0] }]
`;

/** A loop with a divergent branch, seven steps an iteration. */
export const loop = (iterations) => `.version 8.0
.target sm_80
.address_size 64

.visible .entry long()
{
	.reg .pred	%p<3>;
	.reg .b32	%r<6>;

	mov.u32		%r1, %laneid;
	mov.u32		%r2, 0;
	mov.u32		%r3, 0;
LOOP:
	and.b32		%r4, %r2, 31;
	setp.lt.u32	%p1, %r1, %r4;
	@%p1 bra	SKIP;
	add.u32		%r3, %r3, %r1;
SKIP:
	add.u32		%r2, %r2, 1;
	setp.lt.u32	%p2, %r2, ${iterations};
	@%p2 bra	LOOP;
	ret;
}
`;

/** About a million steps of one warp. */
export const LONG = loop(150_000);

/** Every lane stores to address 0 with its third statement. */
export const FAULT = `.version 8.0
.target sm_80
.address_size 64

.visible .entry fault()
{
	.reg .b32	%r<2>;
	.reg .b64	%rd<2>;

	mov.u32		%r1, %laneid;
	mov.u64		%rd1, 0;
	st.global.u32	[%rd1], %r1;
	ret;
}
`;

const HEAD = '.version 8.0\n.target sm_80\n.address_size 64\n\n';

/** A kernel with so many basic blocks: each lane skips some of them. */
export function blocks(count) {
  const skips = Array.from(
    { length: count >> 1 },
    (_, at) =>
      `\tand.b32\t\t%r2, %r1, ${1 << (at % 5)};\n\tsetp.eq.u32\t%p1, %r2, 0;\n\t@%p1 bra\tL${at};\n\tadd.u32\t\t%r3, %r3, ${at};\nL${at}:\n`,
  );
  return `${HEAD}.visible .entry blocks()\n{\n\t.reg .b32\t%r<4>;\n\t.reg .pred\t%p<2>;\n\tmov.u32\t\t%r1, %laneid;\n\tmov.u32\t\t%r3, 0;\n${skips.join('')}\tret;\n}\n`;
}

/** A kernel that writes so many registers. */
export function registers(count) {
  const writes = Array.from({ length: count }, (_, at) => `\tadd.u32\t\t%r${at + 1}, %r${at}, ${at};\n`);
  return `${HEAD}.visible .entry wide()\n{\n\t.reg .b32\t%r<${count + 1}>;\n\tmov.u32\t\t%r0, %tid.x;\n${writes.join('')}\tret;\n}\n`;
}

/** Lanes above 15 skip two instructions. */
export const BRANCH_SASS = `\tcode for sm_80
\t\tFunction : k
${[
  'S2R R0, SR_LANEID',
  'ISETP.GT.AND P0, PT, R0, 0xf, PT',
  'BSSY B0, 0x70',
  '@P0 BRA 0x60',
  'IADD3 R2, R0, 0x1, RZ',
  'BRA 0x60',
  'BSYNC B0',
  'EXIT',
]
  .map((text, at) => `        /*${(at * 16).toString(16).padStart(4, '0')}*/                   ${text} ;\n`)
  .join('')}\t\t..........
`;

/** A load of a word of each lane, its double, and a store: machine code. */
export const LOAD_SASS = `\tcode for sm_80
\t\tFunction : doubled
${[
  'S2R R0, SR_LANEID',
  'MOV R3, 0x4',
  'IMAD.WIDE R4, R0, R3, c[0x0][0x160]',
  'LDG.E R2, [R4.64]',
  'IADD3 R6, R2, R2, RZ',
  'STG.E [R4.64], R6',
  'EXIT',
]
  .map((text, at) => `        /*${(at * 16).toString(16).padStart(4, '0')}*/                   ${text} ;\n`)
  .join('')}\t\t..........
`;

export const LOAD_LAUNCH = `[[launch]]
name = "load"
file = "load.sass"
block = [32]
args = [{ name = "data", buffer = "u32", len = 32, fill = "iota" }]
`;
