// Writes the bits of a register as a number. Pure.
import type { RegisterRow } from '../messages';
import { shortest } from '../numbers';

/** The formats by the number of hexadecimal digits of a register. */
const FORMATS: Record<number, string[]> = {
  2: ['hex', 'unsigned', 'signed'],
  4: ['hex', 'unsigned', 'signed', 'f16', 'bf16'],
  8: ['hex', 'unsigned', 'signed', 'f32', 'f16x2', 'bf16x2'],
  16: ['hex', 'unsigned', 'signed', 'f64', 'f32x2'],
};

/** The formats that the letter of a type stands for. */
const OF_TYPE: Record<string, string> = { b: 'hex', u: 'unsigned', s: 'signed' };

/** The formats that a user may choose besides that of the type. */
export function formatsOf({ type, bits }: RegisterRow): string[] {
  if (!bits) return [];
  const digits = bits.find((value) => value !== null)?.length ?? Number(/\d+/.exec(type)?.[0] ?? 0) / 4;
  const own = /^[bus]\d/.test(type) ? OF_TYPE[type.charAt(0)] : type;
  return (FORMATS[digits] ?? []).filter((format) => format !== own);
}

/** The values in a format by lane; in that of the type without one. */
export function valuesIn(row: RegisterRow, format: string | undefined): (string | null)[] {
  if (format === undefined || !formatsOf(row).includes(format)) return row.values;
  return (row.bits ?? []).map((bits) => bits && write(bits, format));
}

function write(bits: string, format: string): string {
  const whole = BigInt(`0x${bits}`);
  switch (format) {
    case 'hex':
      return bits;
    case 'unsigned':
      return whole.toString();
    case 'signed':
      return BigInt.asIntN(bits.length * 4, whole).toString();
    default: {
      const parts = format.endsWith('x2') ? [bits.slice(0, bits.length / 2), bits.slice(bits.length / 2)] : [bits];
      // The low half is the first element.
      return parts
        .reverse()
        .map((part) => float(part, format))
        .join(' ');
    }
  }
}

function float(bits: string, format: string): string {
  if (format === 'f64') return shortest(new Float64Array(new BigUint64Array([BigInt(`0x${bits}`)]).buffer)[0] ?? 0, 17);
  const number = Number.parseInt(bits, 16);
  if (format.startsWith('bf16')) return shortest(single(number * 0x10000), 4);
  if (format.startsWith('f16')) return shortest(half(number), 5);
  return shortest(single(number), 9);
}

function single(bits: number): number {
  return new Float32Array(new Uint32Array([bits >>> 0]).buffer)[0] ?? 0;
}

function half(bits: number): number {
  const [sign, exponent, fraction] = [bits >> 15 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
  if (exponent === 31) return fraction ? Number.NaN : sign * Infinity;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}
