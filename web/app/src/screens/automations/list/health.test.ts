import { expect, it } from 'vitest';
import type { Schemas } from '../../../api/client';
import { healthOf } from './health';

const automation = (more: object = {}) =>
  ({ provider_id: null, enabled: true, disabled_reason: null, ...more }) as Schemas['Automation'];
const run = (end_reason: string | null) =>
  ({ status: end_reason ? 'ended' : 'running', end_reason }) as Schemas['AutomationRun'];
const providers = [{ id: 'prv_1' }];

it.each([
  ['well', automation(), [], providers],
  ['well', automation({ provider_id: 'prv_1' }), [run('ERROR'), run('COMPLETED')], providers],
  ['failing', automation(), [run(null), run('ERROR'), run('TIMEOUT')], providers],
  ['well', automation(), [run('ERROR')], providers],
  ['paused', automation({ enabled: false }), [run('ERROR'), run('ERROR')], providers],
  ['stopped', automation({ enabled: false, disabled_reason: 'failures' }), [], providers],
  ['no_provider', automation({ provider_id: 'prv_gone' }), [], providers],
  ['well', automation({ provider_id: 'prv_gone' }), [], undefined],
] as const)('it is %s', (want, a, runs, known) => {
  expect(healthOf(a, [...runs], known && [...known])).toBe(want);
});
