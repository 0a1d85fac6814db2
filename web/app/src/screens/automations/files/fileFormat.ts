// The file format of automations: the one that `fermata automations export -f json` writes and `import` reads.
import type { Schemas } from '../../../api/client';
import type { Automation, Seed } from '../draft/draft';

export type InFile = Schemas['NewAutomation'] & Record<string, unknown>;

const kept = [
  'name',
  'provider_id',
  'enabled',
  'schedule',
  'misfire',
  'overlap',
  'automation_validation',
  'require_validation',
  'completion',
  'tags',
  'triggers',
  'budgets',
] as const;

/** Removes null and empty values; undefined if nothing is left. */
function filled(value: unknown): unknown {
  if (value === null || value === undefined) return undefined;
  if (Array.isArray(value)) return value.length ? value : undefined;
  if (typeof value !== 'object') return value;
  const fields = Object.entries(value).filter(([, v]) => v !== null);
  return fields.length ? Object.fromEntries(fields) : undefined;
}

/** An automation as exported, without its webhook address and grants. */
export function exported(a: Automation, seed: Seed): Record<string, unknown> {
  const fields = kept.map((name) => [name, filled(a[name])] as const).filter(([, v]) => v !== undefined);
  const segments = seed.segments.map((s) =>
    s.enrichment
      ? { type: s.type, enrichment: { type: s.enrichment.type, config: s.enrichment.config } }
      : { type: s.type, text: s.text ?? '' },
  );
  const only = seed.segments.length === 1 && !seed.segments[0]!.enrichment;
  // An empty list of commands allows none; an omitted one allows all.
  const commands = a.commands.length === 1 && a.commands[0] === '*' ? {} : { commands: a.commands };
  return { ...Object.fromEntries(fields), ...commands, seed: only ? { text: seed.segments[0]!.text } : { segments } };
}

export class FileError extends Error {
  constructor(
    readonly code: 'json' | 'shape' | 'name' | 'twice',
    readonly detail: string,
  ) {
    super(code);
  }
}

/** Parses a file; throws a FileError that describes the problem. */
export function readFile(text: string): InFile[] {
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch (thrown) {
    throw new FileError('json', (thrown as Error).message);
  }
  const all = (file as { automations?: unknown } | null)?.automations;
  if (!Array.isArray(all)) throw new FileError('shape', '');
  const seen = new Set<string>();
  all.forEach((one: unknown, i) => {
    const name = (one as { name?: unknown } | null)?.name;
    if (typeof name !== 'string' || !name) throw new FileError('name', String(i + 1));
    if (seen.has(name)) throw new FileError('twice', name);
    seen.add(name);
  });
  return all as InFile[];
}

/** The patch that makes an existing automation equal to the file: a plain merge patch would keep fields that the file
 * omits. */
export function asPatch(one: InFile): Schemas['AutomationPatch'] {
  return {
    provider_id: null,
    misfire: 'once',
    overlap: 'skip',
    automation_validation: null,
    require_validation: false,
    completion: 'auto',
    tags: [],
    commands: ['*'],
    triggers: [],
    ...one,
    schedule: one.schedule ? { starts_at: null, ...one.schedule } : null,
    budgets: {
      max_tokens_per_round: null,
      max_cost_per_round: null,
      max_cost_per_session: null,
      max_cost_per_day: null,
      ...one.budgets,
    },
  } as Schemas['AutomationPatch'];
}

/** The name of the file. */
export function fileName(automations: { name: string }[], day: string): string {
  const plain =
    automations.length === 1
      ? automations[0]!.name
          .normalize('NFKD')
          .replace(/\p{M}/gu, '')
          .replace(/[^\w]+/g, '-')
          .replace(/^-+|-+$/g, '')
          .slice(0, 60)
          .toLowerCase()
      : '';
  return `${plain || 'automations'}-${day}.json`;
}
