// The attempts at one question: which one is shown, and which messages are hidden as a result.
import type { Message } from './sessionStore';

/** The line below a round with more than one answer. */
export interface Tries {
  group: string; // the round that answered first
  rounds: string[]; // the attempts, in order
  shown: number; // the one shown, from 0
  current: boolean; // it is the one in the prompt
  last: boolean; // in the last round another one can be selected
  message: string; // a message of the attempt shown
  after: number; // the number of the message above the line
}

export interface Seen {
  hidden: Set<string>;
  tries: Tries[];
}

const groupOf = (m: Message): string | undefined => m.retry_of ?? m.round_id;
const asks = (m: Message): boolean => m.sender === 'USER' && !!m.rich_content;
const fromOutside = (m: Message): boolean => m.system_message?.type === 'EXTERNAL_RESULT';

/** The visible messages, in order. picked: the attempt that the person views, by group. */
export function seenOf(placed: Message[], picked: ReadonlyMap<string, string>): Seen {
  const seen: Seen = { hidden: new Set(), tries: [] };
  const groups = new Map<string, Message[]>();
  for (const m of placed) {
    const group = groupOf(m);
    if (group) groups.set(group, [...(groups.get(group) ?? []), m]);
  }
  const end = placed.at(-1);
  for (const [group, messages] of groups)
    see(seen, group, messages, picked.get(group), !!end && groupOf(end) === group);
  return seen;
}

function see(seen: Seen, group: string, messages: Message[], picked: string | undefined, last: boolean): void {
  const answers = messages.filter((m) => m.sender !== 'USER' && !fromOutside(m));
  const rounds = [...new Set(answers.map((m) => m.round_id!))];
  const current = answers.findLast((m) => m.status !== 'superseded')?.round_id;
  const shown = picked && rounds.includes(picked) ? picked : current;
  const belongs = shown === current ? (m: Message) => m.status !== 'superseded' : tryOf(messages, shown!);
  const visible = messages.filter((m) => belongs(m));
  for (const m of messages) if (!visible.includes(m)) seen.hidden.add(m.id);
  if (rounds.length < 2 || !shown || !visible.length) return;
  seen.tries.push({
    group,
    rounds,
    shown: rounds.indexOf(shown),
    current: shown === current,
    last,
    message: answers.find((m) => m.round_id === shown)!.id,
    after: visible.at(-1)!.seq ?? 0,
  });
}

/** The messages of one attempt: its own, its input, and external results. */
function tryOf(messages: Message[], round: string): (m: Message) => boolean {
  const own = messages.filter((m) => m.round_id === round);
  const begun = own[0]?.seq ?? 0;
  const question = own.some(asks) ? undefined : messages.findLast((m) => asks(m) && (m.seq ?? 0) < begun);
  return (m) => m.round_id === round || fromOutside(m) || m === question;
}
