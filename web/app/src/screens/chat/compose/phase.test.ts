import { describe, expect, it } from 'vitest';
import { anApproval, aSession } from '../store/fixtures';
import { words } from '../texts.compose';
import { modeOf } from './mode';
import { nameOfPeriod, periods } from './periods';
import { find, offersOf } from './offers';
import { deadlineOf, activityOf } from './phase';

const quiet = { writes: false, command: false };
const phases = [
  'EXECUTING_ENRICHMENTS',
  'COMPACTING_CONTEXT',
  'CALLING_AI',
  'PARSING_AI_RESPONSE',
  'EXECUTING_DATA_QUERIES',
  'EXECUTING_ACTIONS',
  'WAITING_VALIDATION',
  'WAITING_COMMUNICATION_RESPONSE',
  'WAITING_BUDGET',
  'WAITING_EXTERNAL_RESULT',
  'WAITING_COMPLETION_CONFIRMATION',
  'WAITING_NETWORK_RETRY',
  'RETRYING_AFTER_FORMAT_ERROR',
  'RETRYING_AFTER_ACTION_FAILURE',
  'AWAITING_SESSION_CLOSURE',
  'COMPLETED',
] as const;

describe('where a session stands', () => {
  it('has words for every phase, and for one that is not known', () => {
    for (const phase of phases) {
      const said = activityOf(aSession({ phase, status: phase === 'COMPLETED' ? 'ended' : 'running' }), quiet)!;
      expect(words.t.has(said.at), phase).toBe(true);
    }
    expect(activityOf(aSession({ phase: 'DREAMING' as never, status: 'running' }), quiet)).toEqual({
      does: 'acts',
      at: 'at.other',
    });
    expect(activityOf(aSession(), quiet)).toBeNull();
  });

  it('says first that it waits its turn or is set aside', () => {
    expect(activityOf(aSession({ status: 'queued', queue_position: 2 }), quiet)!.at).toBe('at.queued');
    expect(activityOf(aSession({ status: 'suspended', phase: 'CALLING_AI' }), quiet)!.at).toBe('at.suspended');
    expect(activityOf(aSession({ status: 'running', phase: 'CALLING_AI' }), { writes: true, command: false })!.at).toBe(
      'at.writes',
    );
  });

  it('knows what comes next by itself', () => {
    const at = '2026-03-02T08:00:00.000Z';
    const retry = aSession({
      status: 'waiting',
      phase: 'WAITING_NETWORK_RETRY',
      waiting_context: { kind: 'network_retry', at },
    });
    expect(deadlineOf(retry, [])).toEqual({ kind: 'retry', at: Date.parse(at) });
    expect(deadlineOf({ ...retry, status: 'suspended' }, [])).toBeNull();
    expect(deadlineOf(aSession(), [anApproval('apr_1'), anApproval('apr_2', { expires_at: at })])).toEqual({
      kind: 'expires',
      at: Date.parse(at),
    });
  });

  it('says what a message would meet', () => {
    expect([
      modeOf(null),
      modeOf(aSession()),
      modeOf(aSession({ status: 'queued' })),
      modeOf(aSession({ phase: 'CALLING_AI', status: 'running' })),
      modeOf(aSession({ phase: 'WAITING_VALIDATION', status: 'requires_action' })),
      modeOf(aSession({ phase: 'COMPLETED', status: 'ended' })),
    ]).toEqual(['free', 'free', 'busy', 'busy', 'wait', 'free']);
  });
});

describe('what can be referred to', () => {
  it('is found without accents and case, beginnings first', () => {
    const zone = { id: 'zon_1', name: 'Santé' };
    const tool = (id: string, name: string) => ({ id, name, zone_id: 'zon_1' });
    const offers = offersOf([zone] as never, [tool('tol_1', 'Mon sommeil'), tool('tol_2', 'Sommeil')] as never, []);
    expect(find(offers, 'SOM', 10).map((o) => o.key)).toEqual(['tol_2', 'tol_1']);
    expect(find(offers, 'sante', 10).map((o) => o.key)).toEqual(['zon_1', 'tol_1', 'tol_2']);
    expect(find(offers, '', 2)).toHaveLength(2);
  });

  it('has its period by a name', () => {
    expect([nameOfPeriod(undefined), nameOfPeriod(periods.lastweek), nameOfPeriod({ start: 'x' })]).toEqual([
      'none',
      'lastweek',
      'other',
    ]);
  });
});
