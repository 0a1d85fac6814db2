import { describe, expect, it } from 'vitest';
import type { Automation, Seed } from '../draft/draft';
import { asPatch, exported, fileName, FileError, readFile, type InFile } from './fileFormat';

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
  tags: [],
  commands: ['*'],
  triggers: [{ type: 'webhook' }],
  webhook_url: 'http://x/v1/hooks/aut_1/secret',
  schedule: { type: 'cron', expression: '0 8 * * *', time_zone: 'UTC' },
  version: 4,
  next_run_at: null,
  budgets: { max_tokens_per_round: null, max_cost_per_round: null, max_cost_per_session: null, max_cost_per_day: 1.5 },
} as unknown as Automation;
const seed = (segments: unknown[]) => ({ segments }) as unknown as Seed;
const read = (text: string) => {
  try {
    return readFile(text);
  } catch (thrown) {
    return (thrown as FileError).code;
  }
};

describe('automations in files', () => {
  it('contain what the API accepts, without secrets and empty values', () => {
    expect(exported(automation, seed([{ type: 'text', text: 'Look.' }]))).toEqual({
      name: 'Report',
      enabled: true,
      schedule: { type: 'cron', expression: '0 8 * * *', time_zone: 'UTC' },
      misfire: 'once',
      overlap: 'skip',
      require_validation: false,
      completion: 'auto',
      triggers: [{ type: 'webhook' }],
      budgets: { max_cost_per_day: 1.5 },
      seed: { text: 'Look.' },
    });
  });

  it('keep the blocks of their request, without what the server computes', () => {
    const one = exported(
      automation,
      seed([
        { type: 'text', text: 'how is ' },
        { type: 'enrichment', enrichment: { type: 'USE', config: { tool_id: 'tol_1' }, summary: 'Sleep' } },
      ]),
    );
    expect(one.seed).toEqual({
      segments: [
        { type: 'text', text: 'how is ' },
        { type: 'enrichment', enrichment: { type: 'USE', config: { tool_id: 'tol_1' } } },
      ],
    });
  });

  it('are parsed, or the problem is described', () => {
    const file = JSON.stringify({ automations: [exported(automation, seed([{ type: 'text', text: 'Look.' }]))] });
    expect(read(file)).toHaveLength(1);
    expect(read('automations:\n- name: x')).toBe('json');
    expect(read('[]')).toBe('shape');
    expect(read('null')).toBe('shape');
    expect(read('{"automations": [{}]}')).toBe('name');
    expect(read('{"automations": [{"name": "a"}, {"name": "a"}]}')).toBe('twice');
  });

  it('also reset what the file omits', () => {
    const patch = asPatch({
      name: 'Report',
      seed: { text: 'Look.' },
      budgets: { max_cost_per_day: 2 },
    } as unknown as InFile);
    expect(patch).toMatchObject({
      schedule: null,
      tags: [],
      commands: ['*'],
      triggers: [],
      budgets: { max_cost_per_day: 2, max_cost_per_round: null },
    });
    const schedule = { type: 'cron', expression: '0 8 * * *', time_zone: 'UTC' };
    expect(asPatch({ name: 'Report', schedule } as unknown as InFile).schedule).toEqual({
      starts_at: null,
      ...schedule,
    });
  });

  it('have names that are valid on every system', () => {
    expect(fileName([{ name: 'Été: l’eau / 1' }], '2026-03-02')).toBe('ete-l-eau-1-2026-03-02.json');
    expect(fileName([{ name: '日報' }], '2026-03-02')).toBe('automations-2026-03-02.json');
    expect(fileName([{ name: 'a' }, { name: 'b' }], '2026-03-02')).toBe('automations-2026-03-02.json');
  });
});
