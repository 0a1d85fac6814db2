// Renders the logo as PNG, which icons of installed pages have to be. A binary in the repository would have to be
// kept in sync with public/icon.svg.
import { crc32, deflateSync } from 'node:zlib';

interface Look {
  size: number;
  /** The share of the side that the logo takes. A mask may cut the rest. */
  scale?: number;
  /** The background extends to the edges: the system rounds them. */
  full?: boolean;
  /** White on transparent, as for a badge on Android. */
  badge?: boolean;
}

type Colour = readonly [number, number, number];
const ground: Colour = [0x1f, 0x4e, 0x79];
const white: Colour = [0xff, 0xff, 0xff];

// Signed distances to the shapes of icon.svg, in its 32 units; negative inside.
const arc = (x: number, y: number) =>
  y <= 21
    ? Math.abs(Math.hypot(x - 16, y - 21) - 10) - 1.5
    : Math.min(Math.hypot(x - 6, y - 21), Math.hypot(x - 26, y - 21)) - 1.5;
const dot = (x: number, y: number) => Math.hypot(x - 16, y - 20.5) - 2.6;
const card = (x: number, y: number) => {
  const dx = Math.max(Math.abs(x - 16) - 9, 0);
  const dy = Math.max(Math.abs(y - 16) - 9, 0);
  return Math.hypot(dx, dy) - 7;
};

/** The coverage of a pixel, by its distance in pixels. */
const covered = (distance: number) => Math.min(1, Math.max(0, 0.5 - distance));

function point({ size, scale = 1, full, badge }: Look, column: number, row: number): [number, number, number, number] {
  const unit = 32 / (size * scale);
  const x = (column + 0.5 - size / 2) * unit + 16;
  const y = (row + 0.5 - size / 2) * unit + 16;
  const mark = covered(Math.min(arc(x, y), dot(x, y)) / unit);
  if (badge) return [...white, Math.round(mark * 255)];
  const mix = (i: 0 | 1 | 2) => Math.round(ground[i] + (white[i] - ground[i]) * mark);
  return [mix(0), mix(1), mix(2), Math.round((full ? 1 : covered(card(x, y) / unit)) * 255)];
}

function chunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const out = Buffer.alloc(body.length + 8);
  out.writeUInt32BE(data.length, 0);
  body.copy(out, 4);
  out.writeUInt32BE(crc32(body), body.length + 4);
  return out;
}

/** The logo as a PNG. */
export function png(look: Look): Buffer {
  const { size } = look;
  const rows = Buffer.alloc(size * (size * 4 + 1));
  for (let row = 0; row < size; row++)
    for (let column = 0; column < size; column++)
      rows.set(point(look, column, row), row * (size * 4 + 1) + 1 + column * 4);
  const head = Buffer.alloc(13);
  head.writeUInt32BE(size, 0);
  head.writeUInt32BE(size, 4);
  head.set([8, 6, 0, 0, 0], 8); // eight bits each of red, green, blue and alpha
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

export const icons: Record<string, Look> = {
  'icons/icon-192.png': { size: 192 },
  'icons/icon-512.png': { size: 512 },
  'icons/maskable-512.png': { size: 512, scale: 0.75, full: true },
  'icons/touch-180.png': { size: 180, scale: 0.85, full: true },
  'icons/badge-96.png': { size: 96, badge: true },
};
