// A copy of a drawing that needs no style sheet.

/** The drawing as a file: variables of the theme are replaced by their values. */
export function standalone(drawing: SVGElement, style: CSSStyleDeclaration): string {
  const copy = drawing.cloneNode(true) as SVGElement;
  const value = (text: string) =>
    text.replace(/var\((--[\w-]+)\)/g, (_, name: string) => style.getPropertyValue(name).trim() || 'currentColor');
  for (const element of [copy, ...copy.querySelectorAll('*')]) {
    for (const { name, value: old } of [...element.attributes]) if (old.includes('var(')) element.setAttribute(name, value(old));
    for (const name of ['tabindex', 'role']) element.removeAttribute(name);
  }
  const sheet = document.createElementNS('http://www.w3.org/2000/svg', 'style');
  sheet.textContent = value(
    'text { font: 12px system-ui, sans-serif; fill: var(--fg) } .dim { fill: var(--dim) } .mono { font-family: monospace }',
  );
  const back = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
  for (const [name, text] of Object.entries({ width: '100%', height: '100%', fill: value('var(--bg)') })) back.setAttribute(name, text);
  copy.prepend(sheet, back);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(copy)}\n`;
}
