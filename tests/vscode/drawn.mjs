// Where lanes are drawn: read in the page, from the pseudo-elements of decorations.

/** The lines of a view, with the boxes of their cells, labels and words. To be evaluated in the page with `.view-lines`. */
export function drawnLines(view) {
  const isText = (style) => /^".+"$/.test(style.content);
  const isStrip = (style) => (style.maskImage || style.webkitMaskImage)?.startsWith('url');
  const lineOf = (line) => {
    const { top, height } = line.getBoundingClientRect();
    const start = line.firstElementChild.getBoundingClientRect().left;
    /** The box of a pseudo-element, which is placed absolutely or is all that its span has. */
    const box = (span, style, inset) => {
      const own = span.getBoundingClientRect();
      const margin = parseFloat(style.marginLeft);
      const isPlaced = style.position === 'absolute';
      const left = (isPlaced ? start + parseFloat(style.left) : own.left) + margin;
      const right = isPlaced ? left + parseFloat(style.width) : own.right;
      return { left, right, top: top + inset, bottom: top + height - inset };
    };
    const drawn = {
      top: parseFloat(line.style.top),
      y: top,
      height,
      text: (line.textContent ?? '').replaceAll('\u00a0', ' '),
      labels: [],
      words: [],
    };
    for (const span of line.querySelectorAll('span')) {
      const [before, after] = [getComputedStyle(span, '::before'), getComputedStyle(span, '::after')];
      if (isStrip(before)) {
        drawn.cells = {
          ...box(span, before, height / 2 - 5),
          image: before.maskImage || before.webkitMaskImage,
          color: before.backgroundColor,
        };
      }
      if (isText(after)) drawn.labels.push({ ...box(span, after, 3), text: after.content.slice(1, -1), color: after.color });
    }
    const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      for (const word of node.textContent.matchAll(/[^\s\u00a0]+/g)) {
        range.setStart(node, word.index);
        range.setEnd(node, word.index + word[0].length);
        for (const { left, right, top, bottom } of range.getClientRects()) drawn.words.push({ word: word[0], left, right, top, bottom });
      }
    }
    return drawn;
  };
  return [...view.querySelectorAll(':scope > .view-line')].map(lineOf).sort((a, b) => a.top - b.top);
}
