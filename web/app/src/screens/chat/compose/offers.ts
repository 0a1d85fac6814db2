import type { Schemas } from '../../../api/client';
import type { Reference } from '../store/drafts';

/** An object that can be referenced. */
export interface Offer {
  key: string;
  kind: 'tool' | 'zone' | 'type';
  name: string;
  of?: string;
  reference: Reference;
}

const plain = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();

/** Everything that can be referenced, in display order. */
export function offersOf(zones: Schemas['Zone'][], tools: Schemas['Tool'][], types: Schemas['ToolType'][]): Offer[] {
  const zoneName = new Map(zones.map((z) => [z.id, z.name]));
  return [
    ...tools.map((x): Offer => ({
      key: x.id,
      kind: 'tool',
      name: x.name,
      of: zoneName.get(x.zone_id),
      reference: { label: x.name, type: 'USE', config: { tool_id: x.id } },
    })),
    ...zones.map((x): Offer => ({
      key: x.id,
      kind: 'zone',
      name: x.name,
      reference: { label: x.name, type: 'POINTER', config: { zone_id: x.id } },
    })),
    ...types.map((x): Offer => ({
      key: x.id,
      kind: 'type',
      name: x.name,
      reference: { label: x.name, type: 'CREATE', config: { tool_type: x.id } },
    })),
  ];
}

/** The offers whose names contain all the words; names that begin with them come first. */
export function find(offers: Offer[], typed: string, most: number): Offer[] {
  const words = plain(typed).split(/\s+/).filter(Boolean);
  const hits = offers.filter((o) => words.every((w) => plain(`${o.name} ${o.of ?? ''}`).includes(w)));
  const begins = (o: Offer) => (words.length && plain(o.name).startsWith(words[0]!) ? 0 : 1);
  return hits.toSorted((a, b) => begins(a) - begins(b)).slice(0, most);
}
