// The language ids that the server supports.

export const LANGUAGES = ['ptx', 'wave-asm', 'sass'];
