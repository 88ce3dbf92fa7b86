// Scripts that stand for an assembler and a disassembler, and the kernel whose machine code they print.
import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './session.mjs';

const stored = (name) => readFileSync(join(ROOT, 'tests', 'vscode', name), 'utf8');
export const PTX = stored('split.ptx');
export const SASS = stored('split.sass');

/** Lists two targets, rejects `odd`, and copies the text as the machine code. */
const PTXAS = `#!/bin/sh
if [ "$1" = --help ]; then echo "Allowed values: 'sm_80','sm_90'"; exit 0; fi
target=$2
while [ "$1" != -o ]; do input=$1; shift; done
if grep -q odd "$input"; then echo "ptxas $input, line 3; error   : it is odd" >&2; exit 255; fi
(echo "$target"; cat "$input") > "$2"
`;

/** Prints the stored listing; that of a text with \`seed\` has another constant. */
const NVDISASM = `#!/bin/sh
for file; do :; done
if grep -q seed "$file"; then change=s/0x7,/0x8,/; fi
sed "1s/sm_80/$(head -1 "$file")/;$change" "$(dirname "$0")/split.sass"
`;

/** Writes the scripts to the folder `tools` of the workspace. */
export function writeTools(bench) {
  bench.write('tools/split.sass', SASS);
  for (const [name, script] of Object.entries({ ptxas: PTXAS, nvdisasm: NVDISASM })) {
    bench.write(`tools/${name}`, script);
    chmodSync(join(bench.workspace, 'tools', name), 0o755);
  }
}
