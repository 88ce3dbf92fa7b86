// The labels of a source that stand before statements. Pure.

const LABEL = /^\s*([.$%@\w]+):(?!:)/;
/** Lines between a label and its statement: blank ones, comments, directives and braces. */
const BETWEEN = /^\s*(?:$|\/\/|;|#|\*|\/\*(?!.*\*\/\s*\S)|\.|[{}])/;

/** By line, the label of each statement that has one: on its line, or on the lines before it. */
export function labelsOf(text: (line: number) => string, statements: Iterable<number>): Record<number, string> {
  const labels: Record<number, string> = {};
  for (const line of statements) {
    for (let at = line; at >= 0; at--) {
      const label = LABEL.exec(text(at))?.[1];
      if (label) labels[line] = label;
      if (label || (at < line && !BETWEEN.test(text(at)))) break;
    }
  }
  return labels;
}
