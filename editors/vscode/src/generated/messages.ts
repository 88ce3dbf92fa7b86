// Types of messages, generated from the structs of the server: see tests/support/src/typescript.rs.
// docs/lsp-extensions.md documents them.
import type { Location, WorkspaceEdit } from 'vscode-languageclient';

/** The answer of `warplens/assemble`. */
export type Assembled = { text: string, target: string, };

/** The machine code in the answer of `warplens/compare`, if it was compared. */
export type ComparedCode = { target?: string, listing?: string, };

/** The answer of `warplens.link`. */
export type DocumentLink = {
/** The address, or without the setting `warplens.web.url` the fragment. */
link: string, };

/** The answer of `warplens.draftLaunch`. */
export type Draft = {
/** The kernel. */
entry: string,
/** The name of the launch, which no other launch of the document has. */
name: string,
/** The line of the kernel's name. */
line: number | null,
/** The launch as a comment. */
comment: string,
/** The launch as a table of a launch file. */
table: string,
/** The launch file of the document. */
launchFile: string | null, };

/** The answer of `warplens.expectBuffer`: one of these. */
export type ExpectedBuffer = {
/** The change of the text of the launch. */
edit: WorkspaceEdit | null,
/** An inferred launch with the expectation, to be written by the client. */
draft: Draft | null, };

/** A launch in the answer of `warplens.listLaunches`. */
export type ListedLaunch = { name: string,
/** The kernel; `null` if it cannot be determined. */
entry: string | null,
/** The name of a mangled kernel in its source. */
sourceName?: string, grid: Array<number>, block: Array<number>, source: 'toml' | 'comment' | 'host' | 'inferred',
/** Where it is written. */
location?: Location,
/** Why it cannot be run. */
problem?: string, };

/** The answer of `warplens/listing`. */
export type Listing = { text: string, };

/** A divergence model, for the pick list of a client. */
export type Model = { name: string,
/** The id of the language that it applies to. */
language: string,
/** Its rule, in one line. */
rule: string, };

/** The argument of the commands about launches. */
export type Selection = { uri: string, entry?: string,
/** A name, a launch, or `null` for no launch. The default is the first launch. */
launch?: string | object | null, cta?: Array<number>, warp?: number,
/** Another document, whose launch is run in this one. */
launchOf?: string,
/** The divergence model. The default is the model of the launch, or else of the settings. */
model?: string,
/** The buffer that `warplens.expectBuffer` is about. */
buffer?: string, };

/** The answer of `warplens/targets`. */
export type Targets = {
/** The target that the file states. */
own: string,
/** The targets that it can be assembled for, with the default of `warplens/assemble` first. */
targets: Array<string>, };

/** The answer of `warplens/warps`. */
export type WarpsOfRun = { version: number, entry: string, launch: string, };
