// Hatches, so that blocks differ without colour.

/** A colour with one of four hatches: none, `/`, `\`, dots. */
export function hatchOf(context: CanvasRenderingContext2D, colour: string, background: string, kind: number): string | CanvasPattern {
  if (kind === 0) return colour;
  const ratio = window.devicePixelRatio || 1;
  const size = Math.round(8 * ratio);
  const tile = document.createElement('canvas');
  tile.width = tile.height = size;
  const drawing = tile.getContext('2d') as CanvasRenderingContext2D;
  drawing.scale(size / 8, size / 8);
  drawing.fillStyle = colour;
  drawing.fillRect(0, 0, 8, 8);
  drawing.strokeStyle = drawing.fillStyle = background;
  drawing.globalAlpha = 0.75;
  drawing.lineWidth = 1.4;
  drawing.beginPath();
  if (kind === 3) {
    drawing.arc(4, 3, 1.2, 0, 7);
    drawing.fill();
  } else {
    for (const at of [-8, 0, 8]) {
      drawing.moveTo(at, kind === 1 ? 8 : 0);
      drawing.lineTo(at + 8, kind === 1 ? 0 : 8);
    }
    drawing.stroke();
  }
  const pattern = context.createPattern(tile, 'repeat');
  pattern?.setTransform(new DOMMatrix().scale(8 / size));
  return pattern ?? colour;
}
