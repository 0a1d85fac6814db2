/** Where a command's data can be viewed. */
export interface DataLink {
  noun: 'tool' | 'zone' | 'document' | 'automation';
  href: string;
}

const nouns: [RegExp, DataLink['noun'], string][] = [
  [/^tol_\w+$/, 'tool', '/data/tools/'],
  [/^zon_\w+$/, 'zone', '/data/zones/'],
  [/^doc_\w+$/, 'document', '/data/documents/'],
  [/^aut_\w+$/, 'automation', '/automations/'],
];

/** The links of a command, from the ids in its parameters and result; the first of each kind. */
export function linksOf(...values: unknown[]): DataLink[] {
  const found = new Map<string, DataLink>();
  const look = (value: unknown, depth: number): void => {
    if (typeof value === 'string') {
      const noun = nouns.find(([id]) => id.test(value));
      if (noun && !found.has(noun[1])) found.set(noun[1], { noun: noun[1], href: noun[2] + value });
    } else if (typeof value === 'object' && value !== null && depth > 0) {
      for (const inner of Object.values(value).slice(0, 20)) look(inner, depth - 1);
    }
  };
  for (const value of values) look(value, 2);
  return [...found.values()];
}
