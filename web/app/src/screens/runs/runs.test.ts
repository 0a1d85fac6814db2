import { describe, expect, it } from 'vitest';
import { diff } from './diff';
import { addressOf, filterOf, queriesOf } from './filter';
import { merge, together, type Occurrence, type Run } from './merge';

const run = (minute: number) => ({ session_id: `ses_${minute}`, requested_at: `2026-03-02T08:${minute}:00Z` }) as Run;
const occurrence = (minute: number) =>
  ({ id: `occ_${minute}`, scheduled_at: `2026-03-02T08:${minute}:00Z` }) as Occurrence;
const ids = (items: { run?: Run; occurrence?: Occurrence }[]) =>
  items.map((i) => i.run?.session_id ?? i.occurrence?.id);

describe('runs and missed occurrences, in one list', () => {
  it('is ordered, newest first', () => {
    const { items } = merge(
      { items: [run(50), run(20)], more: false },
      { items: [occurrence(40), occurrence(10)], more: false },
    );
    expect(ids(items)).toEqual(['ses_50', 'occ_40', 'ses_20', 'occ_10']);
  });

  it('shows nothing that the next page of the other list might precede', () => {
    const { items, wants } = merge(
      { items: [run(50), run(30)], more: true },
      { items: [occurrence(40), occurrence(10)], more: true },
    );
    expect(ids(items)).toEqual(['ses_50', 'occ_40', 'ses_30']);
    expect(wants).toEqual({ runs: true, occurrences: false });
  });

  it('waits for a list that is not loaded yet', () => {
    expect(merge({ items: [], more: true }, { items: [occurrence(10)], more: false }).items).toEqual([]);
  });

  it('contains an item that moved between two pages once', () => {
    const pages = [
      { data: [run(50), run(40)], next_cursor: 'x' },
      { data: [run(40), run(30)], next_cursor: null },
    ];
    expect(together(pages, (r) => r.session_id)).toEqual({ items: [run(50), run(40), run(30)], more: false });
    expect(together<Run>(undefined, (r) => r.session_id)).toEqual({ items: [], more: false });
  });
});

describe('a filter', () => {
  const none = { automation: '', state: '', trigger: '', since: '', until: '' };
  it('requests everything without one', () => {
    expect(queriesOf(none)).toEqual({ runs: {}, occurrences: { states: 'DUE,SKIPPED,MISSED,COALESCED,FAILED' } });
  });
  it('omits a list that cannot match', () => {
    expect(queriesOf({ ...none, state: 'end:ERROR' })).toEqual({ runs: { end_reason: 'ERROR' }, occurrences: null });
    expect(queriesOf({ ...none, state: 'status:running' }).runs).toEqual({ status: 'running' });
    expect(queriesOf({ ...none, state: 'not_run', automation: 'aut_1' })).toEqual({
      runs: null,
      occurrences: { automation_id: 'aut_1', states: 'DUE,SKIPPED,MISSED,COALESCED,FAILED' },
    });
    expect(queriesOf({ ...none, trigger: 'MANUAL' }).occurrences).toBeNull();
    expect(queriesOf({ ...none, trigger: 'SCHEDULED' }).occurrences).not.toBeNull();
  });
  it('takes whole days, the last one with all its hours', () => {
    const { runs } = queriesOf({ ...none, since: '2026-03-02', until: '2026-03-02' });
    expect(Date.parse(runs!.until!) - Date.parse(runs!.since!)).toBe(86_400_000);
  });
  it('ignores an incomplete date', () => {
    expect(queriesOf({ ...none, since: '20' }).runs).toEqual({});
  });
});

describe('the difference of two texts', () => {
  it('is by words', () => {
    expect(diff('Sum up my entries.', 'Sum up all my notes.')).toEqual([
      { kind: 'same', text: 'Sum up ' },
      { kind: 'new', text: 'all ' },
      { kind: 'same', text: 'my ' },
      { kind: 'gone', text: 'entries.' },
      { kind: 'new', text: 'notes.' },
    ]);
  });
  it('joined, reproduces both texts, also long ones', () => {
    const before = Array.from({ length: 4000 }, (_, i) => `word${i}${i % 9 ? '' : '\n'}`).join(' ');
    const now = before.replace('word1800', 'other');
    const all = diff(before, now);
    expect(
      all
        .filter((p) => p.kind !== 'new')
        .map((p) => p.text)
        .join(''),
    ).toBe(before);
    expect(
      all
        .filter((p) => p.kind !== 'gone')
        .map((p) => p.text)
        .join(''),
    ).toBe(now);
    expect(all.length).toBeLessThan(8);
  });
  it('of equal texts is empty of changes', () => {
    expect(diff('a b', 'a b')).toEqual([{ kind: 'same', text: 'a b' }]);
    expect(diff('', '')).toEqual([]);
  });
});

describe('the address of a filter', () => {
  it('is read as it was written', () => {
    const filter = { automation: 'aut_1', state: 'end:ERROR', trigger: 'MANUAL', since: '2026-03-02', until: '' };
    expect(addressOf(filter)).toBe('/runs/automation=aut_1&state=end:ERROR&trigger=MANUAL&since=2026-03-02');
    expect(filterOf(addressOf(filter))).toEqual(filter);
    expect(addressOf(filterOf('/runs'))).toBe('/runs');
    expect(filterOf('/runs/nonsense=1&state=status:running').state).toBe('status:running');
    expect(Object.keys(filterOf('/runs/nonsense=1'))).not.toContain('nonsense');
  });
});
