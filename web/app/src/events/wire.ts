// The messages between tabs about the stream. A change of their shapes needs a new version: tabs of two versions of
// the page then have a stream each.
import { storageName } from '../api/base';
import { passing, stored, type StreamEvent } from './types';

const version = 2;

/** A leading tab and its term: how often the lead was taken so far. */
export interface Leading {
  term: number;
  tab: string;
}

export const outranks = (a: Leading, b: Leading): boolean => (a.term !== b.term ? a.term > b.term : a.tab > b.tab);
export const same = (a: Leading | null, b: Leading | null): boolean => a?.term === b?.term && a?.tab === b?.tab;

/** The state of the leader's stream. */
export interface StreamState {
  /** The id of a chain of numbers, which changes after a reset. Null: not connected yet. */
  gen: string | null;
  /** Everything up to this number was passed on. */
  cursor: number;
  /** The number from which all events of a session were passed on. */
  since: Record<string, number>;
  /** The id of the connection. */
  join: string;
  connection: 'connecting' | 'open' | 'lost';
  /** Milliseconds since the connection was lost. */
  lostFor: number;
  /** The server refuses this key. */
  refused: boolean;
}

export type ToLeader =
  /** A tab is open, follows the leader `by`, and watches these sessions. `ask`: it requests the stream's state.
   * `want`: it missed the events after that number. `stir`: the connection may be dead without an error. */
  | {
      kind: 'here';
      tab: string;
      by: Leading | null;
      watches: string[];
      ask?: boolean;
      want?: { gen: string; after: number };
      stir?: boolean;
    }
  | { kind: 'gone'; tab: string }
  /** Requests the text that is streaming in these sessions. */
  | { kind: 'texts'; tab: string; sessions: string[] };

export type FromLeader =
  | { kind: 'lead'; by: Leading; streamState: StreamState }
  /** `prev` is the previous number, so that a tab detects gaps. */
  | { kind: 'event'; by: Leading; gen: string | null; prev: number; event: StreamEvent }
  | { kind: 'text'; by: Leading; to: string; events: StreamEvent[] };

/** A candidate's claim, in browsers without locks. */
export interface Claim {
  kind: 'claim';
  term: number;
  tab: string;
  hidden: boolean;
}

export type TabMessage = ToLeader | FromLeader | Claim;

/** The channel's name, the same for tabs with the same key and the same set of events. It does not reveal the key.
 * Without a secure context there is no crypto.subtle. */
export function channelName(key: string | null): string {
  return `${storageName('events')}.${hash([version, ...stored, ...passing, key ?? ''].join('\n'))}`;
}

function hash(text: string): string {
  let a = 0xdeadbeef;
  let b = 0x41c6ce57;
  for (const char of text) {
    const code = char.codePointAt(0)!;
    a = Math.imul(a ^ code, 2654435761);
    b = Math.imul(b ^ code, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return (4294967296 * (2097151 & b) + (a >>> 0)).toString(36);
}
