// Types of messages, generated from the structs of the server: see tests/support/src/typescript.rs.
// docs/lsp-extensions.md documents them.

export type Launch = {
/** Unique among the launches of a file. */
name: string,
/** The source, relative to the launch file; absent in comments and on the command line. */
file?: string,
/** The kernel; optional if the source has only one. */
entry?: string,
/** Blocks (workgroups) in x, y, z. */
grid?: Array<number>,
/** Threads of a block (workgroup) in x, y, z. */
block?: Array<number>,
/** PTX, SASS: blocks of a cluster in x, y, z. */
cluster?: Array<number>,
/** Bytes of dynamic shared memory (`.extern .shared` arrays). */
dynamic_shared?: number,
/** PTX: whether all blocks are resident, so that the kernel may synchronize its grid. */
cooperative?: boolean,
/** The name of the divergence model. */
model?: string,
/** The schedule that is run instead of the default one. */
schedule?: string,
/** WAVE: lanes of a wave. */
wave_width?: number,
/** WAVE: bytes of device memory. */
device_memory?: number,
/** WAVE: bytes of a workgroup's local memory. */
local_memory?: number,
/** PTX: the buffers that the prerequisite grid writes. */
prerequisite_writes?: Array<string>,
/** WAVE: initial values of registers, equal in every lane. */
registers?: { [key in string]: number },
/** What an inferred launch assumes beyond the rules, because the kernel has findings otherwise: `block 256`. */
assumed?: Array<string>, };
