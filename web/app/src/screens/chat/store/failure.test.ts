import { describe, expect, it } from 'vitest';
import { brokenBy, codeOf, cutBy, failureOf, partOf, retriesAt } from './failure';
import { aMessage } from './fixtures';
import type { Message } from './sessionStore';

type Said = NonNullable<Message['system_message']>;

const failed = (id: string, more: Partial<Said> = {}) =>
  aMessage(id, 2, {
    sender: 'SYSTEM',
    rich_content: undefined,
    system_message: { type: 'NETWORK_ERROR', summary: 'It failed.', ...more },
  });
const answer = (id: string, more: Partial<Message> = {}) =>
  aMessage(id, 2, { sender: 'AI', rich_content: undefined, ai_message: { pre_text: 'Half' }, ...more });

describe('why the AI gave no answer', () => {
  it.each([
    ['provider_rate_limited', { code: 'provider_rate_limited' }],
    ['provider_quota', { code: 'provider_quota' }],
    ['provider_network', { code: 'provider_network', detail: 'connection refused' }],
    ['provider_network', {}],
    ['provider_failed', { code: 'provider_network', detail: 'HTTP 500: Internal server error' }],
    ['provider_failed', { code: 'provider_network', detail: 'Internal server error' }],
    ['of_a_newer_server', { code: 'of_a_newer_server' }],
  ])('%s', (code, said) => {
    expect(failureOf(failed('a', said))?.code).toBe(code);
  });

  it('is reported by no other message', () => {
    expect(failureOf(aMessage('a', 1))).toBeNull();
    expect(failureOf(failed('a', { type: 'LIMIT_REACHED' }))).toBeNull();
  });
});

describe('an automatic retry', () => {
  const at = '2026-03-02T07:30:08.000Z';
  const limit = (id: string) => failed(id, { code: 'provider_rate_limited', retry_at: at });

  it('starts when the provider allows it, and only for the last entry', () => {
    expect(retriesAt([aMessage('q', 1), limit('a')])).toBe(Date.parse(at));
    expect(retriesAt([limit('a'), aMessage('q', 3)])).toBeNull();
    expect(retriesAt([failed('a')])).toBeNull();
    expect(retriesAt([])).toBeNull();
  });

  it('stops after several failures', () => {
    expect(retriesAt(['1', '2', '3', '4', '5'].map(limit))).not.toBeNull();
    expect(retriesAt(['1', '2', '3', '4', '5', '6'].map(limit))).toBeNull();
  });
});

describe('an incomplete answer', () => {
  it('was stopped by a person, or cut', () => {
    expect(partOf(answer('a'))).toBeNull();
    expect(partOf(answer('a', { status: 'interrupted' }))).toBe('stopped');
    expect(partOf(answer('a', { ai_message: { pre_text: 'Half', stop_reason: 'broken_off' } }))).toBe('cut');
    expect(
      partOf(answer('a', { status: 'interrupted', ai_message: { pre_text: 'Half', stop_reason: 'length' } })),
    ).toBe('cut');
    expect(partOf(aMessage('q', 1, { status: 'interrupted' }))).toBeNull();
  });

  it('names the failure that cut it', () => {
    const half = answer('a', { seq: 2, ai_message: { pre_text: 'Half', stop_reason: 'broken_off' } });
    const lost = failed('b', { code: 'provider_network' });
    const limit = failed('b', { code: 'provider_rate_limited' });
    expect(codeOf(lost, [aMessage('q', 1), half, lost])).toBe('cut');
    expect(cutBy(lost, [aMessage('q', 1), half, lost])?.id).toBe('a');
    expect(codeOf(lost, [aMessage('q', 1), lost])).toBe('provider_network');
    expect(codeOf(limit, [half, limit])).toBe('provider_rate_limited');
    expect(cutBy(half, [half])).toBeNull();
  });

  it('is missing if a question is the last entry', () => {
    expect(brokenBy([aMessage('q', 1)])).toBe('STOPPED');
    expect(brokenBy([aMessage('q', 1), failed('a')])).toBe('NETWORK_ERROR');
    expect(brokenBy([aMessage('q', 1), answer('a')])).toBeNull();
    expect(brokenBy([])).toBeNull();
  });
});
