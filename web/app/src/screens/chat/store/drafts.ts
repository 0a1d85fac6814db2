// Drafts, stored in the browser by chat, so that a reload loses nothing.
import { storageName } from '../../../api/base';
import type { Schemas } from '../../../api/client';

export type EnrichmentType = Schemas['Enrichment']['type'];

/** A reference in a draft. The text contains its token, e.g. "@[Sleep]". */
export interface Reference {
  label: string;
  type: EnrichmentType;
  config: Record<string, unknown>;
}
export interface Draft {
  text: string;
  references: Reference[];
  /** The files uploaded for it. */
  files?: Schemas['FileReference'][];
}

export const emptyDraft: Draft = { text: '', references: [] };
export const isEmpty = (draft: Draft): boolean => draft.text.trim() === '' && !draft.files?.length;
/** Whether two drafts have the same text and files. */
export const sameDraft = (a: Draft, b: Draft): boolean =>
  a.text === b.text && (a.files ?? []).map((f) => f.id).join() === (b.files ?? []).map((f) => f.id).join();
export const tokenOf = (label: string): string => `@[${label}]`;

const name = (session: string | undefined) => storageName(`draft.${session ?? 'new'}`);

export function readDraft(session: string | undefined): Draft {
  try {
    const said = JSON.parse(localStorage.getItem(name(session)) ?? 'null') as Partial<Draft> | null;
    if (typeof said?.text !== 'string') return emptyDraft;
    const files = Array.isArray(said.files) && said.files.length ? { files: said.files } : {};
    return { text: said.text, references: Array.isArray(said.references) ? said.references : [], ...files };
  } catch {
    return emptyDraft;
  }
}

export function keepDraft(session: string | undefined, draft: Draft): void {
  try {
    if (draft.text || draft.files?.length) localStorage.setItem(name(session), JSON.stringify(draft));
    else localStorage.removeItem(name(session));
  } catch {
    /* too long for the browser's storage: it lasts as long as the page */
  }
}

/** A label that is unique in the draft, without the characters that end a token. */
export function freeLabel(draft: Draft, wanted: string): string {
  const plain =
    wanted
      .replace(/[[\]\n]/g, ' ')
      .trim()
      .slice(0, 60) || '?';
  let label = plain;
  for (let n = 2; draft.references.some((r) => r.label === label); n++) label = `${plain} ${n}`;
  return label;
}

/** The references whose token is still in the text. */
export const present = (draft: Draft): Reference[] =>
  draft.references.filter((r) => draft.text.includes(tokenOf(r.label)));

/** The request: text alone, or segments in order; files at the end. */
export function contentOf(draft: Draft): Schemas['MessageContent'] {
  const ids = draft.files?.map((file) => file.id) ?? [];
  if (!ids.length) return wordsOf(draft);
  if (draft.text.trim()) return { ...wordsOf(draft), file_ids: ids };
  return { segments: ids.map((file_id) => ({ type: 'file', file_id })) };
}

function wordsOf(draft: Draft): Schemas['MessageContent'] {
  const references = present(draft);
  if (!references.length) return { text: draft.text.trim() };
  const segments: Schemas['SegmentInput'][] = [];
  let rest = draft.text.trim();
  while (rest) {
    const next = references
      .map((r) => ({ r, at: rest.indexOf(tokenOf(r.label)) }))
      .filter((x) => x.at >= 0)
      .toSorted((a, b) => a.at - b.at)[0];
    const text = next ? rest.slice(0, next.at) : rest;
    if (text) segments.push({ type: 'text', text });
    if (!next) break;
    segments.push({ type: 'enrichment', enrichment: { type: next.r.type, config: next.r.config } });
    rest = rest.slice(next.at + tokenOf(next.r.label).length);
  }
  return { segments };
}

/** The draft of a sent message that is to be edited. */
export function draftOf(
  segments: readonly Schemas['Segment'][] | readonly Schemas['SegmentInput'][],
  text = '',
): Draft {
  const draft: Draft = { text: '', references: [] };
  for (const s of segments) {
    if (s.type === 'text') draft.text += s.text ?? '';
    if (s.type === 'file' && 'file' in s && s.file) draft.files = [...(draft.files ?? []), s.file];
    if (s.type !== 'enrichment' || !s.enrichment) continue;
    const summary = 'summary' in s.enrichment ? s.enrichment.summary : undefined;
    const label = freeLabel(draft, summary ?? s.enrichment.type);
    draft.references.push({ label, type: s.enrichment.type, config: s.enrichment.config });
    draft.text += tokenOf(label);
  }
  return draft.text || draft.files ? draft : { text, references: [] };
}

/** Two drafts joined: the returned message, then the current text. */
export function joinDrafts(first: Draft, second: Draft): Draft {
  if (isEmpty(second)) return first;
  const files = [...(first.files ?? []), ...(second.files ?? [])];
  const apart = first.text && second.text ? '\n\n' : '';
  const joined: Draft = {
    text: first.text + apart,
    references: [...first.references],
    ...(files.length ? { files } : {}),
  };
  let text = second.text;
  for (const r of second.references) {
    const label = freeLabel(joined, r.label);
    if (label !== r.label) text = text.replace(tokenOf(r.label), tokenOf(label));
    joined.references.push({ ...r, label });
  }
  return { ...joined, text: joined.text + text };
}
