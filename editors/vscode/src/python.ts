// Python files with Triton kernels: a code lens at each kernel runs the file without a GPU, in a terminal.
import { join } from 'node:path';
import * as vscode from 'vscode';
import { findProgram } from './home/process';
import { inform } from './inform';

const COMMAND = 'warplens.runPython';

/** Shows the findings of the run at their Python lines. */
const MATCHER = '$warplens-run';

/** A decorator of a kernel: `@triton.jit`, `@gluon.jit(…)`. */
const KERNEL = /^[ \t]*@(?:triton|gluon)\.jit\b/;

/** Offers to run Python files. Nothing runs before a click, and nothing in a workspace that is not trusted: a script may do anything. */
export function offerPython(context: vscode.ExtensionContext): vscode.Disposable {
  const provider: vscode.CodeLensProvider = {
    provideCodeLenses: (document) => (vscode.workspace.isTrusted ? kernels(document).map((line) => lens(document, line)) : []),
  };
  return vscode.Disposable.from(
    vscode.languages.registerCodeLensProvider({ language: 'python', scheme: 'file' }, provider),
    vscode.commands.registerCommand(COMMAND, (uri?: unknown) => run(context, typeof uri === 'string' ? uri : undefined)),
  );
}

function kernels(document: vscode.TextDocument): number[] {
  const lines = document.getText().split('\n');
  return lines.flatMap((text, line) => (KERNEL.test(text) ? [line] : []));
}

function lens(document: vscode.TextDocument, line: number): vscode.CodeLens {
  const title = '$(play) Run without a GPU';
  const tooltip = 'Runs this file, simulates its Triton kernels with Warplens, and saves their launches';
  return new vscode.CodeLens(new vscode.Range(line, 0, line, 0), {
    title,
    tooltip,
    command: COMMAND,
    arguments: [document.uri.toString()],
  });
}

async function run(context: vscode.ExtensionContext, uri?: string): Promise<void> {
  const document = uri ? await vscode.workspace.openTextDocument(vscode.Uri.parse(uri)) : vscode.window.activeTextEditor?.document;
  if (document?.languageId !== 'python') return inform('open a Python file to run it.');
  if (!vscode.workspace.isTrusted) return inform('a script runs only in a trusted workspace.');
  if (document.isDirty && !(await document.save())) return;
  const script = document.uri.fsPath;
  const folder = join((context.storageUri ?? context.globalStorageUri).fsPath, 'launches');
  const python = await interpreter(document.uri);
  const options = ['run', '--save', folder, ...(python ? ['--python', python] : []), script];
  const scope = vscode.workspace.getWorkspaceFolder(document.uri) ?? vscode.TaskScope.Workspace;
  const execution = new vscode.ProcessExecution(findProgram(context), options);
  const task = new vscode.Task({ type: 'warplens' }, scope, `run ${document.fileName}`, 'Warplens', execution, MATCHER);
  await vscode.tasks.executeTask(task);
}

/** The interpreter that is selected in the Python extension, if that is installed. */
async function interpreter(uri: vscode.Uri): Promise<string | undefined> {
  if (!vscode.extensions.getExtension('ms-python.python')) return undefined;
  const workspaceFolder = vscode.workspace.getWorkspaceFolder(uri)?.uri.fsPath;
  return vscode.commands.executeCommand<string | undefined>('python.interpreterPath', { workspaceFolder });
}
