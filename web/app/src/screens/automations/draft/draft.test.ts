import { describe, expect, it } from 'vitest';
import {
  changed,
  conditionOf,
  draftOf,
  incomplete,
  rebase,
  nameFrom,
  newDraft,
  patchOf,
  wholeOf,
  type Automation,
  type Seed,
} from './draft';
import { insert, partAt, partsOf, remove, segmentsOf, setText } from './requestParts';

const use = { type: 'USE' as const, config: { tool_id: 'tol_1' } };

describe('the message', () => {
  it('is a single text if it has no blocks', () => {
    const parts = partsOf([]);
    expect(segmentsOf(setText(parts, parts[0]!.key, ' Sum up. '))).toEqual({ text: 'Sum up.' });
  });

  it('inserts a block at the cursor, with texts around it', () => {
    const [only] = partsOf([{ type: 'text', text: 'how is my sleep' }]);
    const parts = insert([only!], only!.key, 7, use, 'data of Sleep');
    expect(parts.map((p) => p.block?.type ?? p.text)).toEqual(['how is ', 'USE', 'my sleep']);
    const twice = insert(parts, parts[2]!.key, 0, use, 'again');
    expect(twice.map((p) => p.block?.type ?? p.text)).toEqual(['how is ', 'USE', '', 'USE', 'my sleep']);
    expect(segmentsOf(twice)).toHaveProperty('segments.length', 4); // the empty text is not sent
    expect(partAt(twice, 2)?.summary).toBe('again');
    const back = remove(parts, parts[1]!.key);
    expect(back.map((p) => p.text)).toEqual(['how is my sleep']);
  });
});

const automation = {
  id: 'aut_1',
  name: 'Report',
  provider_id: null,
  enabled: true,
  disabled_reason: null,
  misfire: 'once',
  overlap: 'skip',
  automation_validation: null,
  require_validation: false,
  completion: 'auto',
  tags: ['a', 'b'],
  commands: ['SHOP.*'],
  triggers: [{ type: 'entry_created', tool_id: 'tol_1', condition: { required: ['data'] } }],
  schedule: { type: 'interval', expression: '2h', time_zone: 'UTC', starts_at: '2026-01-01T08:00:00' },
  budgets: { max_tokens_per_round: null, max_cost_per_round: null, max_cost_per_session: null, max_cost_per_day: 1.5 },
} as unknown as Automation;
const seed = { segments: [{ type: 'text', text: 'Look.' }] } as unknown as Seed;

describe('the request', () => {
  it('is empty if nothing was changed', () => {
    const before = draftOf(automation, seed, 'UTC');
    expect(patchOf(before, structuredClone(before))).toEqual({});
    expect(changed(before, structuredClone(before))).toBe(false);
  });

  it('is only the changed fields, without the schedule', () => {
    const before = draftOf(automation, seed, 'UTC');
    expect(patchOf(before, { ...before, name: 'Other', budgets: { ...before.budgets, max_cost_per_day: '' } })).toEqual(
      {
        name: 'Other',
        budgets: {
          max_tokens_per_round: null,
          max_cost_per_round: null,
          max_cost_per_session: null,
          max_cost_per_day: null,
        },
      },
    );
  });

  it('drops a start that the new kind of schedule does not have', () => {
    const before = draftOf(automation, seed, 'UTC');
    expect(patchOf(before, { ...before, when: { ...before.when, kind: 'daily' } }).schedule).toEqual({
      type: 'cron',
      expression: '0 8 * * *',
      time_zone: 'UTC',
      starts_at: null,
    });
  });

  it('derives its name from the text if none was given', () => {
    const draft = newDraft('UTC');
    draft.parts = partsOf([{ type: 'text', text: 'Sum up my entries of yesterday. Be short.' }]);
    expect(wholeOf(draft)).toMatchObject({
      name: 'Sum up my entries of yesterday',
      tags: [],
      commands: ['*'],
      seed: { text: 'Sum up my entries of yesterday. Be short.' },
    });
    expect(nameFrom(partsOf([{ type: 'text', text: `Many ${'words '.repeat(30)}` }])).length).toBeLessThanOrEqual(60);
  });

  it('applies local edits on top of a concurrent save', () => {
    const before = draftOf(automation, seed, 'UTC');
    const theirs = draftOf({ ...automation, name: 'Theirs', tags: ['theirs'] }, seed, 'UTC');
    const both = rebase(before, { ...before, tags: 'mine', overlap: 'queue' }, theirs);
    expect(both).toMatchObject({ name: 'Theirs', tags: 'mine', overlap: 'queue' });
    expect(both.parts).toBe(theirs.parts);
  });

  it('is not sent while incomplete', () => {
    const whole = draftOf(automation, seed, 'UTC');
    expect(incomplete(whole)).toBe(false);
    expect(incomplete({ ...whole, parts: partsOf([]) })).toBe(true);
    expect(incomplete({ ...whole, triggers: [{ type: 'entry_created', toolID: '', condition: '' }] })).toBe(true);
    expect(incomplete({ ...whole, triggers: [{ type: 'webhook', toolID: '', condition: '{' }] })).toBe(true);
    expect(incomplete({ ...whole, budgets: { ...whole.budgets, max_cost_per_day: '-1' } })).toBe(true);
    expect(incomplete({ ...whole, budgets: { ...whole.budgets, max_cost_per_day: '0,5' } })).toBe(false);
  });

  it('rejects a condition that is not an object', () => {
    expect(conditionOf(' ')).toBeUndefined();
    expect(conditionOf('{"a": 1}')).toEqual({ a: 1 });
    expect(() => conditionOf('[1]')).toThrow();
    expect(() => conditionOf('{')).toThrow();
  });
});
