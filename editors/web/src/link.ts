// The state of the page as the fragment of a link: a version, then compressed JSON. Nothing of it leaves the page. Pure.
import { deflateSync, Inflate, strFromU8, strToU8 } from 'fflate';

export const LANGUAGES = ['ptx', 'wave', 'sass'] as const;

export type Language = (typeof LANGUAGES)[number];

/** A kernel, as the page writes it into links. */
export interface Kernel {
  text: string;
  language: Language;
}

/** What a link holds: the text of a kernel, and what is shown of which run. */
export interface LinkState extends Kernel {
  /** The launch, with the keys of a launch file (docs/launches.md). */
  launch?: { [key: string]: unknown };
  /** The block of the shown warp: x, y, z. */
  cta?: number[];
  /** The shown warp of its block, from 0. */
  warp?: number;
  /** The line of the cursor, from 0. */
  line?: number;
  /** The shown visit of that line, from 1. */
  visit?: number;
  /** The tab of the lanes panel. */
  tab?: string;
  /** The kernel beside it. */
  compare?: Kernel;
  /** What an exercise asks for; the check is the `expect` of its launch. */
  task?: string;
}

/** The version that is written. Older ones are read too. */
const VERSION = 1;
/** The most bytes of the JSON. */
const MAX_BYTES = 1_000_000;
/** The deepest nesting of the JSON: a launch with a tensor map in a structure has 8 levels. */
const MAX_DEPTH = 32;
/** Compressed bytes that are inflated at once. They become at most a thousand times as many, so a bomb is noticed early. */
const PIECE = 1024;

/** The fragment of a state, without `#`. Fails if the state is too large. */
export function encodeFragment(state: LinkState): string {
  const json = strToU8(JSON.stringify(state));
  if (json.length > MAX_BYTES) throw new Error('The kernel is too large for a link, which holds at most 1 MB.');
  return `${VERSION}.${base64Url(deflateSync(json, { level: 9 }))}`;
}

/** The state in a fragment, which is given without `#`, or the reason that there is none. */
export function decodeFragment(fragment: string): LinkState | { error: string } {
  try {
    return checked(JSON.parse(nested(inflated(payload(fragment)))));
  } catch (error) {
    if (error instanceof LinkError) return { error: error.message };
    return { error: 'The link is damaged: a part of it is missing or was changed. Copy the whole link again.' };
  }
}

/** A reason that is more precise than damage. */
class LinkError extends Error {}

/** The compressed bytes. */
function payload(fragment: string): Uint8Array {
  const dot = fragment.indexOf('.');
  const version = /^\d{1,9}$/.test(fragment.slice(0, Math.max(dot, 0))) ? Number(fragment.slice(0, dot)) : undefined;
  if (version === undefined) throw new LinkError('This is not a link of Warplens: it does not start with a version, such as “1.”.');
  if (version !== VERSION)
    throw new LinkError(`The link has version ${version}, and this page reads version ${VERSION}: open the link in the page that made it.`);
  // Four characters have three bytes, and bytes that cannot be compressed only become a little more.
  if (fragment.length > MAX_BYTES * 1.4) throw tooLarge();
  const encoded = fragment.slice(dot + 1);
  if (!/^[\w-]+$/.test(encoded)) throw new Error('not base64url');
  const text = atob(encoded.replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < bytes.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes;
}

/** The text that was compressed. Fails if a part is missing. */
function inflated(bytes: Uint8Array): string {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const inflate = new Inflate((chunk) => {
    size += chunk.length;
    if (size > MAX_BYTES) throw tooLarge();
    chunks.push(chunk);
  });
  for (let at = 0; at < bytes.length; at += PIECE) inflate.push(bytes.subarray(at, at + PIECE), at + PIECE >= bytes.length);
  const all = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return strFromU8(all);
}

function tooLarge(): LinkError {
  return new LinkError('The link holds more than 1 MB, so it is not read.');
}

/** The JSON, unless it nests so deeply that parsing it could exhaust the stack. */
function nested(json: string): string {
  let depth = 0;
  let isString = false;
  for (let at = 0; at < json.length; at++) {
    const char = json[at];
    if (isString && char === '\\') at++;
    else if (char === '"') isString = !isString;
    else if (isString) continue;
    else if (char === '[' || char === '{') depth++;
    else if (char === ']' || char === '}') depth--;
    if (depth > MAX_DEPTH) throw new LinkError(`The link nests more than ${MAX_DEPTH} levels, so it is not read.`);
  }
  return json;
}

/** The known members of a parsed state, each of its type. */
function checked(parsed: unknown): LinkState {
  if (!isObject(parsed)) throw new LinkError('The link holds no kernel.');
  const state: LinkState = kernelIn(parsed);
  const { launch, cta, warp, line, visit, tab, compare, task } = parsed;
  if (isObject(launch)) state.launch = launch;
  if (Array.isArray(cta) && cta.length === 3 && cta.every((index) => isIndex(index))) state.cta = cta as number[];
  if (isIndex(warp)) state.warp = warp;
  if (isIndex(line)) state.line = line;
  if (isIndex(visit)) state.visit = visit;
  if (typeof tab === 'string') state.tab = tab;
  if (isObject(compare)) state.compare = kernelIn(compare);
  if (typeof task === 'string') state.task = task;
  return state;
}

function kernelIn({ text, language }: Record<string, unknown>): Kernel {
  if (typeof text !== 'string') throw new LinkError('The link holds no kernel.');
  const known = LANGUAGES.find((other) => other === language);
  if (!known) throw new LinkError('The link names no language that Warplens knows: `ptx`, `wave` or `sass`.');
  return { text, language: known };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isIndex(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function base64Url(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
