// The first kernel: a new document that runs, and reports of problems.
import * as vscode from 'vscode';

/** A kernel with a divergent branch; each thread writes one element. */
const KERNEL = `.version 8.0
.target sm_80
.address_size 64

.visible .entry kernel(
	.param .u64 .ptr .global .align 4 out
)
{
	.reg .pred	%p<2>;
	.reg .b32	%r<4>;
	.reg .b64	%rd<4>;

	mov.u32		%r1, %tid.x;
	setp.lt.u32	%p1, %r1, 12;
	@%p1 bra	SMALL;
	shr.u32		%r2, %r1, 1;
	bra		JOIN;
SMALL:
	shl.b32		%r2, %r1, 1;
JOIN:
	ld.param.u64	%rd1, [out];
	mul.wide.u32	%rd2, %r1, 4;
	add.u64		%rd3, %rd1, %rd2;
	st.global.u32	[%rd3], %r2;
	ret;
}
`;

/** Opens a new document with a kernel that can be run. */
export async function newKernel(): Promise<void> {
  const document = await vscode.workspace.openTextDocument({ language: 'ptx', content: KERNEL });
  await vscode.window.showTextDocument(document, { viewColumn: besideWalkthrough() });
}

/** A column beside the walkthrough, whose page takes the focus back when the command completes its step. */
function besideWalkthrough(): vscode.ViewColumn {
  const { all } = vscode.window.tabGroups;
  const isWalkthrough = ({ activeTab }: vscode.TabGroup) => activeTab !== undefined && activeTab.input === undefined;
  if (!all.some(isWalkthrough)) return vscode.ViewColumn.Active;
  return all.find((group) => !isWalkthrough(group))?.viewColumn ?? vscode.ViewColumn.Beside;
}

/** Opens VS Code's form for issues, with the versions that a report needs. */
export async function reportIssue(context: vscode.ExtensionContext): Promise<void> {
  const { version } = context.extension.packageJSON as { version: string };
  const details = [
    `Warplens ${version}, VS Code ${vscode.version}, ${process.platform} ${process.arch}`,
    '',
    '**Steps**',
    '',
    '**Expected and actual result**',
    '',
    '**Kernel** (the smallest that shows it)',
  ];
  await vscode.commands.executeCommand('workbench.action.openIssueReporter', {
    extensionId: context.extension.id,
    issueBody: details.join('\n'),
  });
}
