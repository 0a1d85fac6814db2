// Reads the record of a session from the server.
import { api, body } from '../../../api/client';
import type { Approval, Execution, Latest, Message, Roundtrip, Session } from './sessionStore';

const newest = 200; // the first page: queued messages, 100 at most, and the same number of others
const older = 200;

const path = (id: string) => ({ path: { session_id: id } });

export interface Page {
  messages: Message[];
  cursor: string | null;
}

/** Messages from the newest, or older than the cursor. */
export async function readMessages(id: string, after?: string): Promise<Page> {
  const { data, next_cursor } = await body(
    api.GET('/v1/sessions/{session_id}/messages', {
      params: { ...path(id), query: { order: 'desc', limit: after ? older : newest, ...(after ? { after } : {}) } },
    }),
  );
  return { messages: data, cursor: next_cursor };
}

export interface Round {
  executions: Execution[];
  roundtrip: Roundtrip | null;
}

/** The executions of a round, and its last answered call of the AI. */
export async function readRound(id: string, round: string | null): Promise<Round> {
  const found: Round = { executions: [], roundtrip: null };
  if (!round) return found;
  let after: string | undefined;
  for (let pages = 0; pages < 5; pages++) {
    const { data, next_cursor } = await body(
      api.GET('/v1/sessions/{session_id}/timeline', {
        params: { ...path(id), query: { round_id: round, limit: 200, ...(after ? { after } : {}) } },
      }),
    );
    for (const line of data) {
      if (line.execution) found.executions.push(line.execution);
      if (line.roundtrip?.purpose === 'answer') found.roundtrip = line.roundtrip;
    }
    if (!next_cursor) break;
    after = next_cursor;
  }
  return found;
}

async function readOpen(id: string): Promise<Approval[]> {
  const { data } = await body(
    api.GET('/v1/approvals', { params: { query: { session_id: id, status: 'open', limit: 200 } } }),
  );
  return data;
}

/** The newest part of everything. The session is loaded first: the rest is as new or newer. */
export async function readLatest(id: string): Promise<Latest> {
  const session: Session = await body(api.GET('/v1/sessions/{session_id}', { params: path(id) }));
  const [messages, approvals, round] = await Promise.all([
    readMessages(id),
    readOpen(id),
    readRound(id, session.round_id),
  ]);
  return { session, ...messages, approvals, ...round };
}
