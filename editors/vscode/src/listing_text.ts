// Tells listings of machine code from style sheets, which have the extension `.sass` too. Pure.

/** The lines that are searched. */
const MAX_LINES = 20_000;

const ADDRESS = String.raw`(?:/\*[0-9a-f]{4,}\*/|(?:=>)?\s*0x[0-9a-f]{6,}\b.*:)`;
const OPCODE = String.raw`(?:\{\s*)?(?:@!?U?P\w+\s+)?[A-Z][A-Z0-9_]+(?:\.\w+)*`;
const REGISTERS = String.raw`\s[^;]*\bU?(?:R(?:\d+|Z)|P(?:\d|T))\b[^;]*;`;
const HEADER = String.raw`(?:code for sm_|Function : |\.headerflags\b|\.section\s+\.text\.)`;
const LINE = new RegExp(String.raw`^\s*(?:${HEADER}|${ADDRESS}\s*${OPCODE}\b|${OPCODE}${REGISTERS})`, 'm');

/** Whether a text has a line that only a listing has: a header, an address with an opcode, or an instruction with registers. */
export function isListing(text: string): boolean {
  return LINE.test(text.split('\n', MAX_LINES).join('\n'));
}
