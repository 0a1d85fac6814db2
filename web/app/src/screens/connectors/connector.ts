// A connector in words: its state, and how many of its commands are enabled.
import type { Schemas } from '../../api/client';
import type { StatusKind } from '../../ui/Status';

export type Connector = Schemas['Connector'];
export type Command = Schemas['ConnectorCommand'];

/** The state of a connector: from its last check, or paused because its last calls failed. */
export type ConnectorStatus = Connector['status'] | 'paused';

export function statusOf(c: Pick<Connector, 'status' | 'paused_until'>, now: number): ConnectorStatus {
  if (c.status !== 'disabled' && c.status !== 'needs_sign_in' && c.paused_until && Date.parse(c.paused_until) > now)
    return 'paused';
  return c.status;
}

export const levelOf: Record<ConnectorStatus, StatusKind> = {
  ready: 'ok',
  unreachable: 'bad',
  needs_sign_in: 'asks',
  disabled: 'paused',
  paused: 'waits',
};

/** Whether its commands are defined by a person; otherwise its server lists them. */
export const isWritten = (c: Pick<Connector, 'kind'>): boolean => c.kind !== 'mcp';

/** Its target for display: an address, or a program with arguments. */
export function addressOf(c: Pick<Connector, 'config'>): string {
  const { base_url, url, command, args } = c.config as Record<string, unknown>;
  if (typeof command === 'string') return [command, ...(Array.isArray(args) ? args : [])].join(' ');
  return String(base_url ?? url ?? '');
}

/** Whether an allow list contains a command with this prefix. */
export const namesPrefix = (list: readonly string[] | null | undefined, prefix: string): boolean =>
  (list ?? []).some((name) => name.startsWith(`${prefix}.`));
