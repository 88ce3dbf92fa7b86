// The language ids that the server supports.

/** Machine code. */
export const SASS = 'cuda-sass';

/** The former id of machine code, which extensions for style sheets use. */
export const FORMER_SASS = 'sass';

export const LANGUAGES = ['ptx', 'wave-asm', SASS];
