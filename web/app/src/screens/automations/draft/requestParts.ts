// A message as edited: texts, with blocks between them that refer to data.
import type { Schemas } from '../../../api/client';

export type Enrichment = Schemas['EnrichmentInput'];
/** Either a text or a block. There is a text at both ends and between blocks, so that text can be inserted anywhere. */
export interface Part {
  key: number;
  text?: string;
  block?: Enrichment;
  summary?: string;
}

let next = 0;
const text = (words: string): Part => ({ key: next++, text: words });

/** Normalizes parts: a text at both ends and between blocks, and never two adjacent texts. */
function spaced(parts: Part[]): Part[] {
  const out: Part[] = [];
  for (const part of parts) {
    const last = out.at(-1);
    if (part.block) {
      if (!last || last.block) out.push(text(''));
      out.push(part);
    } else if (last && !last.block) {
      out[out.length - 1] = { ...last, text: join(last.text ?? '', part.text ?? '') };
    } else out.push(part);
  }
  if (!out.length || out.at(-1)!.block) out.push(text(''));
  return out;
}

const join = (a: string, b: string) => (a && b && !/\s$/.test(a) && !/^\s/.test(b) ? `${a} ${b}` : a + b);

export function partsOf(segments: Schemas['Segment'][]): Part[] {
  return spaced(
    segments.map((s) =>
      s.enrichment
        ? {
            key: next++,
            block: { type: s.enrichment.type, config: s.enrichment.config },
            summary: s.enrichment.summary,
          }
        : text(s.text ?? ''),
    ),
  );
}

/** The request: a single text if there are no blocks. */
export function segmentsOf(parts: Part[]): Schemas['MessageContent'] {
  if (!parts.some((p) => p.block))
    return {
      text: parts
        .map((p) => p.text)
        .join('')
        .trim(),
    };
  return {
    segments: parts
      .filter((p) => p.block || p.text?.trim())
      .map((p) =>
        p.block
          ? { type: 'enrichment' as const, enrichment: { type: p.block.type, config: p.block.config } }
          : { type: 'text' as const, text: p.text ?? '' },
      ),
  };
}

/** The part of the form for a pointer like /segments/2/enrichment: empty parts are not sent. */
export function partAt(parts: Part[], index: number): Part | undefined {
  return parts.filter((p) => p.block || p.text?.trim())[index];
}

export const isEmpty = (parts: Part[]) => parts.every((p) => !p.block && !p.text?.trim());

/** Inserts a block at the cursor in a text. */
export function insert(parts: Part[], key: number, caret: number, block: Enrichment, summary: string): Part[] {
  const at = parts.findIndex((p) => p.key === key && !p.block);
  const made: Part = { key: next++, block, summary };
  if (at < 0) return spaced([...parts, made]);
  const words = parts[at]!.text ?? '';
  return spaced([
    ...parts.slice(0, at),
    { key, text: words.slice(0, caret) },
    made,
    text(words.slice(caret)),
    ...parts.slice(at + 1),
  ]);
}

/** Stored parts, with keys for this page. */
export const rekeyed = (parts: Part[]): Part[] => parts.map((p) => ({ ...p, key: next++ }));

export const remove = (parts: Part[], key: number): Part[] => spaced(parts.filter((p) => p.key !== key));
export const setText = (parts: Part[], key: number, words: string): Part[] =>
  parts.map((p) => (p.key === key ? { ...p, text: words } : p));
