// What the record shows, in order.
import type { Approval, SessionStore, Execution, Message } from './sessionStore';
import { seenOf, type Tries } from './tries';

export type Item =
  | { kind: 'message'; key: string; message: Message }
  | { kind: 'live'; key: string }
  | { kind: 'voided'; key: string }
  | { kind: 'tries'; key: string; tries: Tries }
  | { kind: 'approval'; key: string; approval: Approval }
  | { kind: 'running'; key: string; executions: Execution[] }
  | { kind: 'agents'; key: string; sessions: string[] };

/** The text of what the AI says when its answer could not be read. */
const unreadable = 'ai_response_invalid_format';

export const isUnreadable = (m: Message): boolean => m.ai_message?.pre_text === unreadable;

/** What an AI message says. */
export function answerText(m: Message): string {
  if (!m.ai_message) return m.text_content ?? '';
  return isUnreadable(m) ? '' : [m.ai_message.pre_text, m.text_content].filter(Boolean).join('\n\n');
}

/** What a person wrote. Events leave `linear_text` out where one segment has all of it. */
export const writtenText = (m: Message): string =>
  (m.rich_content ? (m.rich_content.linear_text ?? m.rich_content.segments[0]?.text) : m.text_content) ?? '';

/** An answer that said nothing to the person: it only gave commands. */
export function saysNothing(m: Message): boolean {
  return (
    m.sender === 'AI' && m.status !== 'interrupted' && !isUnreadable(m) && answerText(m).trim() === '' && !thoughts(m)
  );
}

export const thoughts = (m: Message): string =>
  (m.ai_raw?.thinking ?? [])
    .map((x) => x.text)
    .filter(Boolean)
    .join('\n\n');

/** The items of a chat. Queued messages stand at the composer, and a message that
 * says that a question was set aside is hidden while the question itself is shown. */
export function itemsOf(c: SessionStore): Item[] {
  const waits = c.session?.waiting_context;
  const hidden = new Set([...c.approvals.values()].map((a) => a.approval.cancel_message_id).filter(Boolean));
  if (waits?.kind === 'agents') hidden.add(waits.cancel_message_id);
  const reported = new Set<string>();
  const placed: { seq: number; item: Item }[] = [];
  const seen = seenOf(c.placed, c.picked);
  for (const tries of seen.tries)
    placed.push({ seq: tries.after + 0.5, item: { kind: 'tries', key: `tries-${tries.group}`, tries } });
  for (const message of c.messages.values()) {
    if (hidden.has(message.id)) continue;
    for (const r of message.system_message?.command_results ?? []) if (r.execution_id) reported.add(r.execution_id);
    if (message.status === 'queued' || seen.hidden.has(message.id) || saysNothing(message)) continue;
    placed.push({ seq: message.seq ?? Infinity, item: { kind: 'message', key: message.id, message } });
  }
  for (const { approval, seq } of c.approvals.values()) {
    placed.push({
      seq: approval.status === 'open' ? Infinity : seq,
      item: { kind: 'approval', key: approval.id, approval },
    });
  }
  placed.sort((a, b) => (a.seq === b.seq ? 0 : a.seq - b.seq));
  const items = placed.map((p) => p.item);
  for (const id of c.live.keys()) items.push({ kind: 'live', key: id });
  if (c.voided) items.push({ kind: 'voided', key: 'voided' });
  const running = [...c.executions.values()].filter(
    (e) =>
      !reported.has(e.id) &&
      e.kind !== 'control' &&
      e.round_id === c.session?.round_id &&
      (e.status === 'APPROVED' || e.status === 'STARTED'),
  );
  if (running.length) items.push({ kind: 'running', key: 'running', executions: running });
  if (waits?.kind === 'agents' && waits.agents?.length)
    items.push({ kind: 'agents', key: 'agents', sessions: waits.agents });
  return items;
}

/** Whether more than one person wrote what is shown. */
export const severalPeople = (items: Item[]): boolean =>
  new Set(
    items.flatMap((item) =>
      item.kind === 'message' && item.message.sender === 'USER' && item.message.sender_id
        ? [item.message.sender_id]
        : [],
    ),
  ).size > 1;
