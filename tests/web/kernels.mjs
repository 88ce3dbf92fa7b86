// Kernels that the tests open.

const kernel = (body, registers = '') => `.version 8.0
.target sm_80
.address_size 64

.visible .entry k(.param .u64 out)
{
	.reg .pred 	%p<2>;
	.reg .b32 	%r<4>;
	.reg .b64 	%rd<4>;
${registers}
	mov.u32 	%r1, %tid.x;
${body}
	ld.param.u64 	%rd1, [out];
	mul.wide.u32 	%rd2, %r1, 4;
	add.u64 	%rd3, %rd1, %rd2;
	st.global.u32 	[%rd3], %r2;
	ret;
}
`;

/** Stores the index of each thread times a number. */
export const times = (factor) => kernel(`	mul.lo.u32 	%r2, %r1, ${factor};`);

/** Never ends, and no two states are equal. */
export const ENDLESS = kernel('	mov.u32 	%r2, 0;\nLOOP:\n	add.u32 	%r2, %r2, 1;\n	bra 	LOOP;');
