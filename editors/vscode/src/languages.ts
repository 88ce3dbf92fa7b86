// The language ids that the server supports.

/** Machine code. */
export const SASS = 'cuda-sass';

/** The former id of machine code, which extensions for style sheets use. */
export const FORMER_SASS = 'sass';

/** Languages whose inline PTX the server analyzes. */
export const HOSTS = ['cuda-cpp', 'cpp', 'c', 'rust', 'python', 'julia', 'mojo'];

/** Without one of these words, a file has no inline PTX. */
export const INLINE = /asm/i;

/** Extensions with semantic tokens of their own. VS Code shows those of one extension only. */
const OTHERS: Record<string, string[]> = {
  'cuda-cpp': ['llvm-vs-code-extensions.vscode-clangd', 'ms-vscode.cpptools'],
  cpp: ['llvm-vs-code-extensions.vscode-clangd', 'ms-vscode.cpptools'],
  c: ['llvm-vs-code-extensions.vscode-clangd', 'ms-vscode.cpptools'],
  rust: ['rust-lang.rust-analyzer'],
  python: ['ms-python.vscode-pylance'],
  julia: ['julialang.language-julia'],
  mojo: ['modular-mojotools.vscode-mojo'],
};

/** The hosts whose colors no other extension computes. */
export function coloredHosts(isInstalled: (extension: string) => boolean): string[] {
  return HOSTS.filter((host) => !OTHERS[host]?.some(isInstalled));
}

export const LANGUAGES = ['ptx', 'wave-asm', SASS];

/** A register of one of the languages. */
export const REGISTER = /[%$]\w+(\.[xyz])?|\b(U?[RP]|[rp])\d+\b/;
