// An agent's definition, as edited in its form.
import type { Schemas } from '../../api/client';
import { difference } from '../../api/mergePatch';

type Agent = Schemas['Agent'];

export interface Draft {
  name: string;
  description: string;
  system_prompt: string;
  strategy: string;
  success_criteria: string;
  exit_report: string;
  commands: string[];
  provider_id: string;
  model: string;
  max_turns: string;
  token_budget: string;
  enabled: boolean;
}

export const draftOf = (a: Agent | null): Draft => ({
  name: a?.name ?? '',
  description: a?.description ?? '',
  system_prompt: a?.system_prompt ?? '',
  strategy: a?.strategy ?? '',
  success_criteria: a?.success_criteria ?? '',
  exit_report: a?.exit_report ?? '',
  commands: a?.commands ?? [],
  provider_id: a?.provider_id ?? '',
  model: a?.model ?? '',
  max_turns: String(a?.max_turns ?? 7),
  token_budget: String(a?.token_budget ?? 15_000),
  enabled: a?.enabled ?? true,
});

/** The definition described by the form. */
export const agentOf = (d: Draft): Schemas['NewAgent'] => ({
  name: d.name.trim(),
  description: d.description.trim(),
  system_prompt: d.system_prompt.trim(),
  strategy: d.strategy.trim() || null,
  success_criteria: d.success_criteria.trim() || null,
  exit_report: d.exit_report.trim() || null,
  commands: d.commands,
  provider_id: d.provider_id || null,
  model: d.model.trim() || null,
  max_turns: Number(d.max_turns),
  token_budget: Number(d.token_budget),
  enabled: d.enabled,
});

/** The changed fields, for PATCH. */
export const patchOf = (before: Draft, now: Draft): Schemas['AgentPatch'] =>
  difference({ ...agentOf(before) }, { ...agentOf(now) });
