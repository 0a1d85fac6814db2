import { beforeEach, describe, expect, it, vi } from 'vitest';
import {
  contentOf,
  draftOf,
  emptyDraft,
  freeLabel,
  joinDrafts,
  keepDraft,
  present,
  readDraft,
  sameDraft,
  type Draft,
} from './drafts';

const sleep = { label: 'Sleep', type: 'USE' as const, config: { tool_id: 'tol_1' } };

class Store {
  // the browser's storage
  [name: string]: unknown;
  getItem(name: string) {
    return (this[name] as string) ?? null;
  }
  setItem(name: string, value: string) {
    this[name] = value;
  }
  removeItem(name: string) {
    delete this[name];
  }
}
beforeEach(() => vi.stubGlobal('localStorage', new Store()));

describe('a draft', () => {
  it('is kept for its chat alone', () => {
    keepDraft('ses_1', { text: 'half', references: [sleep] });
    expect([readDraft('ses_1'), readDraft('ses_2'), readDraft(undefined)]).toEqual([
      { text: 'half', references: [sleep] },
      emptyDraft,
      emptyDraft,
    ]);
    keepDraft('ses_1', emptyDraft);
    expect(readDraft('ses_1')).toEqual(emptyDraft);
  });

  it('survives storage that is full, blocked or has foreign content', () => {
    localStorage.setItem('fermata.draft.ses_1', '{"text": 7}');
    expect(readDraft('ses_1')).toEqual(emptyDraft);
    vi.stubGlobal('localStorage', {
      getItem() {
        throw new Error('no');
      },
      setItem() {
        throw new Error('full');
      },
    });
    keepDraft('ses_1', { text: 'x', references: [] });
    expect(readDraft('ses_1')).toEqual(emptyDraft);
  });

  it('is sent as text, or as segments in their order', () => {
    expect(contentOf({ text: ' hello \n', references: [sleep] })).toEqual({ text: 'hello' });
    const draft: Draft = {
      text: 'how is @[Sleep], and @[Sleep 2]?',
      references: [sleep, { ...sleep, label: 'Sleep 2', type: 'POINTER' }],
    };
    expect(contentOf(draft)).toEqual({
      segments: [
        { type: 'text', text: 'how is ' },
        { type: 'enrichment', enrichment: { type: 'USE', config: { tool_id: 'tol_1' } } },
        { type: 'text', text: ', and ' },
        { type: 'enrichment', enrichment: { type: 'POINTER', config: { tool_id: 'tol_1' } } },
        { type: 'text', text: '?' },
      ],
    });
  });

  it('drops a reference with its token', () => expect(present({ text: 'how is it', references: [sleep] })).toEqual([]));

  it('is restored from a sent message', () => {
    const back = draftOf([
      { type: 'text', text: 'how is ' },
      { type: 'enrichment', enrichment: { type: 'USE', config: { tool_id: 'tol_1' }, summary: 'data of Sleep [x]' } },
    ]);
    expect(back.text).toBe('how is @[data of Sleep  x]');
    expect(contentOf(back)).toHaveProperty('segments.length', 2);
    expect(draftOf([], 'plain')).toEqual({ text: 'plain', references: [] });
  });

  it('is compared with the sent message, text and files separately', () => {
    const file = { id: 'fil_1', name: 'a.png', media_type: 'image/png' as const, bytes: 9, sha256: '' };
    const sent = [
      { type: 'text' as const, text: 'look' },
      { type: 'file' as const, file },
    ];
    const back = draftOf(sent, 'look [a.png]');
    expect(back.text).toBe('look');
    expect(contentOf({ ...back, text: 'look again' })).toEqual({ text: 'look again', file_ids: ['fil_1'] });
    expect(sameDraft(back, draftOf(sent))).toBe(true);
    expect(sameDraft(back, { ...back, text: 'look!' })).toBe(false);
    expect(sameDraft(back, { ...back, files: [] })).toBe(false);
  });

  it('is joined with the current text, with distinct tokens', () => {
    const joined = joinDrafts({ text: 'a @[Sleep]', references: [sleep] }, { text: 'b @[Sleep]', references: [sleep] });
    expect(joined.text).toBe('a @[Sleep]\n\nb @[Sleep 2]');
    expect(contentOf(joined)).toHaveProperty('segments.length', 4);
    expect(joinDrafts({ text: 'a', references: [] }, emptyDraft).text).toBe('a');
  });

  it('has labels of its own, short ones', () => {
    expect(freeLabel({ text: '', references: [sleep] }, 'Sleep')).toBe('Sleep 2');
    expect(freeLabel(emptyDraft, 'x'.repeat(10_000)).length).toBe(60);
    expect(freeLabel(emptyDraft, ' ]\n')).toBe('?');
  });
});
