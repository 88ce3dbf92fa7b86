// The addresses of documents as the server in a worker sees them. It only looks for launch files beside documents of the scheme `file`, so
// those of other schemes get a path below one with the name of their scheme. Pure.

/** `vscode-vfs://github/user/repository/k.ptx` */
const OTHER = /^(?!file:|https?:)([a-z][\w+.-]*):\/\/([^/]*)(\/.*)$/is;
/** `file:///@vscode-vfs/github/user/repository/k.ptx` */
const MAPPED = /^file:\/\/\/(?:@|%40)([a-z][\w+.-]*)\/([^/]*)(\/.*)$/is;
/** The authority of an address without one. */
const NO_AUTHORITY = '-';

/** The address that the server gets. */
export function toServer(address: string): string {
  const [, scheme, authority, path] = OTHER.exec(address) ?? [];
  return scheme === undefined ? address : `file:///@${scheme}/${encodeURIComponent(authority || NO_AUTHORITY)}${path}`;
}

/** The address that VS Code knows. */
export function toClient(address: string): string {
  const [, scheme, authority = '', path] = MAPPED.exec(address) ?? [];
  if (scheme === undefined) return address;
  const known = decodeURIComponent(authority);
  return `${scheme}://${known === NO_AUTHORITY ? '' : known}${path}`;
}

/** A message with every address in it changed: the texts and the names of members that are one as a whole. */
export function mapAddresses(message: unknown, map: (address: string) => string): unknown {
  if (typeof message === 'string') return map(message);
  if (Array.isArray(message)) return message.map((item) => mapAddresses(item, map));
  if (typeof message !== 'object' || message === null) return message;
  return Object.fromEntries(Object.entries(message).map(([key, value]) => [map(key), mapAddresses(value, map)]));
}
