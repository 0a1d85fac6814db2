// An automation as edited in the form, and its conversion to requests.
import type { Schemas } from '../../../api/client';
import { isEmpty, partsOf, segmentsOf, type Part } from './requestParts';
import { missing, newWhen, sameSchedule, scheduleOf, whenOf, type When } from '../../../schedule/schedule';

export type Automation = Schemas['Automation'];
export type Seed = Schemas['Seed'];

/** A trigger with its condition as typed. */
export interface TriggerDraft {
  type: string;
  toolID: string;
  condition: string;
}
export const budgetNames = [
  'max_tokens_per_round',
  'max_cost_per_round',
  'max_cost_per_session',
  'max_cost_per_day',
] as const;
type Budgets = Record<(typeof budgetNames)[number], string>;

export interface Draft {
  name: string;
  parts: Part[];
  when: When;
  triggers: TriggerDraft[];
  provider: string;
  misfire: Automation['misfire'];
  overlap: Automation['overlap'];
  completion: Automation['completion'];
  requireValidation: boolean;
  validation: NonNullable<Automation['automation_validation']> | '';
  tags: string;
  commands: string;
  budgets: Budgets;
}

export const newDraft = (zone: string): Draft => ({
  name: '',
  parts: partsOf([]),
  when: newWhen(zone),
  triggers: [],
  provider: '',
  misfire: 'once',
  overlap: 'skip',
  completion: 'auto',
  requireValidation: false,
  validation: '',
  tags: '',
  commands: '*',
  budgets: { max_tokens_per_round: '', max_cost_per_round: '', max_cost_per_session: '', max_cost_per_day: '' },
});

const typed = (n: number | null | undefined) => (n === null || n === undefined ? '' : String(n));

export function draftOf(a: Automation, seed: Seed, zone: string): Draft {
  return {
    name: a.name,
    parts: partsOf(seed.segments),
    when: whenOf(a.schedule, zone),
    triggers: a.triggers.map((t) => ({
      type: t.type,
      toolID: t.tool_id ?? '',
      condition: t.condition ? JSON.stringify(t.condition, null, 2) : '',
    })),
    provider: a.provider_id ?? '',
    misfire: a.misfire,
    overlap: a.overlap,
    completion: a.completion,
    requireValidation: a.require_validation,
    validation: a.automation_validation ?? '',
    tags: a.tags.join(', '),
    commands: a.commands.join(', '),
    budgets: Object.fromEntries(budgetNames.map((name) => [name, typed(a.budgets[name])])) as Budgets,
  };
}

/** Parses a condition: undefined if empty; throws if it is not a JSON object. */
export function conditionOf(text: string): Record<string, unknown> | undefined {
  if (!text.trim()) return undefined;
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new SyntaxError('{ … }');
  return value as Record<string, unknown>;
}

const amount = (text: string) => (text.trim() === '' ? null : Number(text.replace(',', '.')));

/** The default name: the beginning of the request. */
export function nameFrom(parts: Part[]): string {
  const first = parts
    .map((p) => p.text ?? '')
    .join(' ')
    .trim()
    .split(/[\n.!?;]/)[0]!
    .trim();
  return first.length > 60 ? `${first.slice(0, 59).replace(/\s+\S*$/, '')}…` : first;
}

/** The complete request body. */
export function wholeOf(d: Draft) {
  return {
    name: d.name.trim() || nameFrom(d.parts),
    provider_id: d.provider || null,
    schedule: scheduleOf(d.when),
    misfire: d.misfire,
    overlap: d.overlap,
    completion: d.completion,
    require_validation: d.requireValidation,
    automation_validation: d.validation || null,
    tags: tagsOf(d.tags),
    commands: tagsOf(d.commands.toUpperCase()),
    triggers: d.triggers.map((t) => ({
      type: t.type as Schemas['Trigger']['type'],
      ...(t.type === 'entry_created' ? { tool_id: t.toolID } : {}),
      condition: conditionOf(t.condition) as Schemas['Trigger']['condition'],
    })),
    budgets: Object.fromEntries(budgetNames.map((name) => [name, amount(d.budgets[name])])),
    seed: segmentsOf(d.parts),
  };
}

export const tagsOf = (text: string) => [
  ...new Set(
    text
      .split(',')
      .map((tag) => tag.trim())
      .filter(Boolean),
  ),
];

/** The changed fields only: sending a schedule restarts it from now. */
export function patchOf(before: Draft, now: Draft): Schemas['AutomationPatch'] {
  const old = wholeOf(before);
  const all = wholeOf(now);
  const patch = Object.fromEntries(
    Object.entries(all).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(old[name as keyof typeof old]),
    ),
  ) as Schemas['AutomationPatch'];
  if (sameSchedule(old.schedule, all.schedule)) delete patch.schedule;
  else if (all.schedule && before.when.startsAt && !all.schedule.starts_at)
    patch.schedule = { ...all.schedule, starts_at: null };
  return patch;
}

// The keys of parts are local to the page.
const shape = (d: Draft) => ({ ...d, parts: segmentsOf(d.parts) });
export const changed = (before: Draft, now: Draft) => JSON.stringify(shape(before)) !== JSON.stringify(shape(now));

/** A concurrent save, with the local edits applied on top. */
export function rebase(before: Draft, mine: Draft, theirs: Draft): Draft {
  const [b, m] = [shape(before), shape(mine)];
  const own = (Object.keys(m) as (keyof Draft)[]).filter((name) => JSON.stringify(b[name]) !== JSON.stringify(m[name]));
  return { ...theirs, ...Object.fromEntries(own.map((name) => [name, mine[name]])) };
}

/** Whether a condition is valid. */
export function conditionWrong(text: string): string | undefined {
  try {
    conditionOf(text);
    return undefined;
  } catch (thrown) {
    return (thrown as Error).message;
  }
}

/** Whether a local error makes the request pointless, because the server would reject it. */
export const incomplete = (d: Draft): boolean =>
  isEmpty(d.parts) ||
  missing(d.when) !== null ||
  d.triggers.some((t) => conditionWrong(t.condition) !== undefined || (t.type === 'entry_created' && !t.toolID)) ||
  budgetNames.some((name) => amountWrong(d.budgets[name]));

export const amountWrong = (text: string): boolean => text.trim() !== '' && !(Number(text.replace(',', '.')) > 0);
