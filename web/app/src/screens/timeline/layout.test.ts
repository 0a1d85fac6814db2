import { describe, expect, it } from 'vitest';
import { curl } from './curl';
import { gapsOf, layout } from './layout';
import { isFree, itemsOf, type Approval, type Item, type Line } from './model';

const iso = (ms: number) => new Date(Date.UTC(2026, 0, 1) + ms).toISOString();
const at = (ms: number) => Date.UTC(2026, 0, 1) + ms;
const step = (number: number, ms: number, phase: string, status: string) =>
  ({
    kind: 'transition',
    at: iso(ms),
    round_id: 'r',
    duration_ms: null,
    transition: { number, from: 'IDLE', phase, event: 'X', status, round_id: 'r', epoch: 1, at: iso(ms) },
  }) as Line;
const call = (id: string, ms: number, length: number) =>
  ({
    kind: 'roundtrip',
    at: iso(ms),
    round_id: 'r',
    duration_ms: length,
    roundtrip: {
      id,
      outcome: 'answered',
      started_at: iso(ms),
      first_token_at: iso(ms + length / 2),
      ended_at: iso(ms + length),
    },
  }) as Line;

describe('the rows of a timeline', () => {
  it('tell a wait from its transition to the next one, and what works now', () => {
    const items = itemsOf(
      [step(1, 0, 'EXECUTING_ENRICHMENTS', 'queued'), step(2, 5000, 'CALLING_AI', 'running')],
      [],
      at(9000),
    );
    expect(items.map((i) => [i.kind, i.at - at(0), i.end === null ? null : i.end - at(0), i.open])).toEqual([
      ['transition', 0, null, false],
      ['wait', 0, 5000, false],
      ['transition', 5000, null, false],
      ['wait', 5000, 9000, true],
    ]);
  });

  it('have one row for a question, not two', () => {
    const question = { id: 'apr_1', created_at: iso(1), settled_at: null, round_id: 'r' } as Approval;
    const items = itemsOf([step(1, 0, 'WAITING_VALIDATION', 'requires_action')], [question], at(100));
    expect(items.map((i) => i.kind)).toEqual(['transition', 'approval']);
    expect(items[1]).toMatchObject({ open: true, end: at(100) });
  });

  it('leave out lines of a kind that is not known', () => {
    expect(
      itemsOf([{ kind: 'dream', at: iso(0), round_id: null, duration_ms: null } as unknown as Line], [], at(0)),
    ).toEqual([]);
  });
});

it('is free where the demo alone was called', () => {
  const of = (...models: string[]) => models.map((model) => ({ roundtrip: { model } }) as Line);
  expect(isFree([step(1, 0, 'IDLE', 'idle'), ...of('fermata-demo', 'fermata-demo')])).toBe(true);
  expect(isFree(of('fermata-demo', 'small'))).toBe(false); // the price of the other is unknown
  expect(isFree([step(1, 0, 'IDLE', 'idle')])).toBe(false);
});

describe('the axis', () => {
  const long = 2 * 3600_000;
  const items = itemsOf([call('a', 0, 1000), call('b', 1000 + long, 3000)], [], at(long));

  it('folds the idle between two calls and leaves the calls their proportions', () => {
    const { rows, x } = layout(items, items, new Set());
    expect(rows.map((r) => r.kind)).toEqual(['item', 'gap', 'item']);
    const width = (item: Item) => x(item.end!) - x(item.at);
    expect(width(items[1]!) / width(items[0]!)).toBeCloseTo(3);
    expect(x(items[1]!.at) - x(items[0]!.end!)).toBeCloseTo(0.05);
    expect([x(items[0]!.at), x(items[1]!.end!)]).toEqual([0, 1]);
  });

  it('gives an unfolded gap its true width', () => {
    const { x, gaps } = layout(items, items, new Set(gapsOf(items, 2000).map((g) => g.id)));
    expect(gaps).toHaveLength(1);
    expect(x(items[1]!.at) - x(items[0]!.end!)).toBeGreaterThan(0.99);
  });

  it('does not call a wait for a person work: it is folded too, and ends where the answer came', () => {
    const question = { id: 'apr_1', created_at: iso(1000), settled_at: iso(1000 + long), round_id: 'r' } as Approval;
    const all = itemsOf([call('a', 0, 1000), call('b', 1000 + long, 1000)], [question], at(long));
    expect(gapsOf(all, 2000)).toHaveLength(1);
  });

  it('does not call a command that waits for a yes work', () => {
    const asked = (id: string, started: number | null) =>
      ({
        kind: 'execution',
        at: iso(started ?? 1000),
        round_id: 'r',
        duration_ms: null,
        execution: {
          id,
          status: started === null ? 'PLANNED' : 'SUCCESS',
          created_at: iso(1000),
          started_at: started === null ? null : iso(started),
          ended_at: started === null ? null : iso(started + 10),
        },
      }) as unknown as Line;
    expect(gapsOf(itemsOf([call('a', 0, 1000), asked('e', null)], [], at(long)), 2000)).toMatchObject([
      { start: at(1000), end: at(long) },
    ]);
    expect(gapsOf(itemsOf([call('a', 0, 1000), asked('e', long)], [], at(0)), 2000)).toMatchObject([
      { start: at(1000), end: at(long) },
    ]);
  });

  it('keeps the fold where only some rows are shown', () => {
    const { rows } = layout(items, items.slice(0, 1), new Set());
    expect(rows.map((r) => r.kind)).toEqual(['item', 'gap']);
  });

  it('holds when nothing happened, or all at once', () => {
    expect(layout([], [], new Set()).rows).toEqual([]);
    const instant = itemsOf([step(1, 0, 'COMPLETED', 'ended')], [], at(0));
    expect(layout(instant, instant, new Set()).x(at(0))).toBe(0);
  });

  it('folds ten thousand rows', () => {
    const many = itemsOf(
      Array.from({ length: 10_000 }, (_, i) => call(`c${i}`, i * 90_000, 1000)),
      [],
      at(0),
    );
    const { x, rows } = layout(many, many, new Set());
    expect(rows).toHaveLength(19_999);
    expect(many.every((item, i) => i === 0 || x(item.at) > x(many[i - 1]!.at))).toBe(true);
  });
});

describe('the command line', () => {
  it('names the key without writing it, and holds against quotes', () => {
    expect(curl('http://h/v1/sessions/ses_1/timeline', false)).toBe("curl -s 'http://h/v1/sessions/ses_1/timeline'");
    expect(curl("http://h'/x", true)).toBe(`curl -s -H "Authorization: Bearer $FERMATA_KEY" 'http://h'\\''/x'`);
  });
});
