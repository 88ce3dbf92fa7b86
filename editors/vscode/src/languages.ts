// The language ids that the server reads.

export const LANGUAGES = ['ptx', 'wave-asm'];
