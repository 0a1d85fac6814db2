// The items of the record, in order.
import type { Approval, SessionStore, Execution, Message } from './sessionStore';
import type { Outgoing } from './outbox';
import { isRead, type Reads } from './reads';
import { seenOf, type Tries } from './tries';

export type Item =
  | { kind: 'message'; key: string; message: Message; tries?: Tries }
  | { kind: 'live'; key: string }
  | { kind: 'voided'; key: string }
  | { kind: 'tries'; key: string; tries: Tries }
  | { kind: 'reads'; key: string; reads: Reads }
  | { kind: 'approval'; key: string; approval: Approval }
  | { kind: 'running'; key: string; executions: Execution[] }
  | { kind: 'agents'; key: string; sessions: string[] }
  | { kind: 'outgoing'; key: string; outgoing: Outgoing };

/** The AI's text if its answer could not be parsed. */
const unreadable = 'ai_response_invalid_format';

export const isUnreadable = (m: Message): boolean => m.ai_message?.pre_text === unreadable;

/** The text of an AI message. */
export function answerText(m: Message): string {
  if (!m.ai_message) return m.text_content ?? '';
  return isUnreadable(m)
    ? ''
    : [m.ai_message.pre_text, m.ai_message.report, m.text_content].filter(Boolean).join('\n\n');
}

/** An interim remark, not the answer itself. */
export function goesOn(m?: Message): boolean {
  const said = m?.ai_message;
  return !!said && ((said.data_commands?.length ?? 0) > 0 || (said.action_commands?.length ?? 0) > 0);
}

/** The text of a person's message. Events omit `linear_text` if one segment contains all of it. */
export const writtenText = (m: Message): string =>
  (m.rich_content ? (m.rich_content.linear_text ?? m.rich_content.segments[0]?.text) : m.text_content) ?? '';

/** An answer without text for the person: only commands. */
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

/** The items of a chat. Queued messages are shown at the composer, and a message that reports that a question was set
 * aside is hidden while the question itself is shown. */
export function itemsOf(c: SessionStore, outgoing: readonly Outgoing[] = []): Item[] {
  const waits = c.session?.waiting_context;
  const hidden = hiddenBy(c);
  const reported = new Set<string>();
  const placed: { seq: number; item: Item }[] = [];
  const reads = new Map<string, Reads>();
  const seen = seenOf(c.placed, c.picked);
  for (const tries of seen.tries)
    placed.push({ seq: tries.after + 0.5, item: { kind: 'tries', key: `tries-${tries.group}`, tries } });
  for (const message of c.placed.concat(c.queued)) {
    if (hidden.has(message.id)) continue;
    for (const r of message.system_message?.command_results ?? []) if (r.execution_id) reported.add(r.execution_id);
    if (message.status === 'queued' || seen.hidden.has(message.id) || saysNothing(message)) continue;
    const round = message.round_id;
    if (round && isRead(message)) {
      const known = reads.get(round);
      if (known) {
        known.messages.push(message);
        continue;
      }
      const made = { round, messages: [message], running: [] };
      reads.set(round, made);
      placed.push({ seq: message.seq!, item: { kind: 'reads', key: `reads-${round}`, reads: made } });
      continue;
    }
    placed.push({ seq: message.seq ?? Infinity, item: { kind: 'message', key: message.id, message } });
  }
  for (const { approval, seq } of c.approvals.values()) {
    placed.push({
      seq: approval.status === 'open' ? Infinity : seq,
      item: { kind: 'approval', key: approval.id, approval },
    });
  }
  placed.sort((a, b) => (a.seq === b.seq ? 0 : a.seq - b.seq));
  const items = withTries(placed.map((p) => p.item));
  for (const id of c.live.keys()) items.push({ kind: 'live', key: id });
  if (c.voided) items.push({ kind: 'voided', key: 'voided' });
  items.push(...running(c, reported, reads));
  if (waits?.kind === 'agents' && waits.agents?.length)
    items.push({ kind: 'agents', key: 'agents', sessions: waits.agents });
  for (const one of outgoing) items.push({ kind: 'outgoing', key: one.key, outgoing: one });
  return items;
}

/** The choice among several answers belongs to the one shown, if that is the last of its round. */
function withTries(items: Item[]): Item[] {
  return items.flatMap((item, i): Item[] => {
    const [before, after] = [items[i - 1], items[i + 1]];
    const answers = (x?: Item) => x?.kind === 'message' && x.message.sender === 'AI' && !goesOn(x.message);
    if (item.kind === 'tries' && answers(before)) return [];
    if (item.kind === 'message' && after?.kind === 'tries' && answers(item)) return [{ ...item, tries: after.tries }];
    return [item];
  });
}

/** Messages that repeat a card of the record. */
function hiddenBy(c: SessionStore): Set<string | undefined> {
  const cards = [...c.approvals.values()].map((a) => a.approval);
  const hidden = new Set(cards.map((a) => a.cancel_message_id).filter(Boolean));
  const waits = c.session?.waiting_context;
  if (waits?.kind === 'agents') hidden.add(waits.cancel_message_id);
  for (const card of cards) {
    const comment = (card.decision as { comment?: string } | null)?.comment;
    if (!comment) continue;
    const shown = [...c.messages.values()].find(
      (m) => isComment(m) && m.round_id === card.round_id && m.text_content === comment,
    );
    hidden.add(shown?.id);
  }
  return hidden;
}

/** A person's comment on a decision, not a message of its own. */
export const isComment = (m: Message): boolean => m.sender === 'USER' && !m.rich_content && !!m.text_content;

/** Running commands without a result yet: reads join the line of their round. */
function running(c: SessionStore, reported: ReadonlySet<string>, reads: ReadonlyMap<string, Reads>): Item[] {
  const round = c.session?.round_id;
  const now = [...c.executions.values()].filter(
    (e) =>
      !reported.has(e.id) &&
      e.kind !== 'control' &&
      e.round_id === round &&
      (e.status === 'APPROVED' || e.status === 'STARTED'),
  );
  const items: Item[] = [];
  const read = now.filter((e) => e.kind === 'query' && !e.command.startsWith('AGENT.'));
  if (read.length && round) {
    const known = reads.get(round);
    if (known) known.running = read;
    else items.push({ kind: 'reads', key: `reads-${round}`, reads: { round, messages: [], running: read } });
  }
  const acts = now.filter((e) => !read.includes(e));
  if (acts.length) items.push({ kind: 'running', key: 'running', executions: acts });
  return items;
}

/** Whether the record has messages of more than one person. */
export const severalPeople = (items: Item[]): boolean =>
  new Set(
    items.flatMap((item) =>
      item.kind === 'message' && item.message.sender === 'USER' && item.message.sender_id
        ? [item.message.sender_id]
        : [],
    ),
  ).size > 1;
