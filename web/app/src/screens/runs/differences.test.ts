import { expect, it } from 'vitest';
import type { Schemas } from '../../api/client';
import { changesOf, ownSegments, relative, since, toolsOf } from './differences';

const block = (config: object) => ({ type: 'enrichment', enrichment: { type: 'USE', config } }) as Schemas['Segment'];
const words = (text: string, from?: object) => ({ type: 'text', text, ...(from && { from }) }) as Schemas['Segment'];
const did = (kind: string, status: string, params: object = {}) =>
  ({ kind: 'execution', execution: { kind, status, params } }) as unknown as Schemas['TimelineLine'];

it('external content of an event is not sent again', () => {
  expect(ownSegments([words('Look.'), words('{"n":1}', { origin: 'webhook' })])).toEqual([words('Look.')]);
});

it('the tools are the named and the used ones, each once', () => {
  expect(
    toolsOf(
      [words('a'), block({ tool_id: 'tol_1' })],
      [did('query', 'SUCCESS', { tool_id: 'tol_2' }), did('action', 'FAILED', { tool_id: 'tol_1' })],
    ),
  ).toEqual(['tol_1', 'tol_2']);
});

it('only changes count, including those with an unknown outcome', () => {
  expect(
    changesOf([did('query', 'SUCCESS'), did('action', 'SUCCESS'), did('action', 'FAILED'), did('action', 'UNKNOWN')]),
  ).toBe(2);
});

it('a change counts if it was made after the run was requested', () => {
  const run = { requested_at: '2026-03-02T08:00:00Z' };
  expect(since(run, '2026-03-02T08:00:01Z')).toBe(true);
  expect(since(run, '2026-03-02T07:59:59Z')).toBe(false);
  expect(since(run, undefined)).toBe(false);
});

it('relative times are detected', () => {
  expect(relative([block({ tool_id: 'tol_1', period: { from: '-6_DAY', to: '0_DAY' } })])).toBe(true);
  expect(relative([words('yesterday'), block({ tool_id: 'tol_1' })])).toBe(false);
});
