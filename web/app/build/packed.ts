// What the server sends to browsers that take brotli: packed here, because that is slow and done once.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import type { Plugin } from 'vite';

/** Files that become smaller by so much are worth a second copy in the binary. */
const worth = 0.9;

export function packed(): Plugin {
  return {
    name: 'packed',
    apply: 'build',
    // Of what was written: before that, not all that changes a file has had its turn.
    writeBundle({ dir }, bundle) {
      for (const name of Object.keys(bundle).filter((name) => /\.(js|css|html)$/.test(name))) {
        const path = join(dir!, name);
        const plain = readFileSync(path);
        const small = brotliCompressSync(plain);
        if (small.length < plain.length * worth) writeFileSync(`${path}.br`, small);
      }
    },
  };
}
