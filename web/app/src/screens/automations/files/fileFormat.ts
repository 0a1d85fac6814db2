// Automations in files: the same that `fermata automations export -f json` writes and
// `import` reads.
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

/** A value without what is null or empty; undefined when nothing is left. */
function filled(value: unknown): unknown {
  if (value === null || value === undefined) return undefined;
  if (Array.isArray(value)) return value.length ? value : undefined;
  if (typeof value !== 'object') return value;
  const fields = Object.entries(value).filter(([, v]) => v !== null);
  return fields.length ? Object.fromEntries(fields) : undefined;
}

/** An automation as a file has it. The address of a webhook and grants stay here. */
export function exported(a: Automation, seed: Seed): Record<string, unknown> {
  const fields = kept.map((name) => [name, filled(a[name])] as const).filter(([, v]) => v !== undefined);
  const segments = seed.segments.map((s) =>
    s.enrichment
      ? { type: s.type, enrichment: { type: s.enrichment.type, config: s.enrichment.config } }
      : { type: s.type, text: s.text ?? '' },
  );
  const only = seed.segments.length === 1 && !seed.segments[0]!.enrichment;
  // An empty list of commands says: none. Left out, it is all.
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

/** Reads a file; throws a FileError that says what is wrong with it. */
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

/** What makes an automation that is there the same as in the file: a merge patch would
 * keep what the file leaves out. */
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

/** A name for the file. */
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
