import { describe, expect, it } from 'vitest';
import type { StreamEvent } from '../../../events/types';
import { SessionStore } from './sessionStore';
import {
  aMessage,
  anAnswer,
  anApproval,
  anExecution,
  aSession,
  created,
  delta,
  discarded,
  latest,
  phase,
} from './fixtures';
import { itemsOf, writtenText } from './items';

const shown = (c: SessionStore) => itemsOf(c).map((i) => `${i.kind} ${i.key}`);

function loaded(more = {}): SessionStore {
  const c = new SessionStore('ses_1');
  c.load(latest({ messages: [anAnswer('msg_2', 6, 'hello'), aMessage('msg_1', 5)], ...more }));
  return c;
}

describe('a session on the page', () => {
  it('starts with a load and continues with events', () => {
    const c = loaded();
    c.apply(created(11, aMessage('msg_3', 11)));
    expect(shown(c)).toEqual(['message msg_1', 'message msg_2', 'message msg_3']);
  });

  it('has a message’s text from the record and from an event, which contains it once', () => {
    const c = loaded();
    c.apply(created(11, aMessage('msg_3', 11, { rich_content: { segments: [{ type: 'text', text: 'as told' }] } })));
    expect(itemsOf(c).flatMap((i) => (i.kind === 'message' ? [writtenText(i.message)] : []))).toEqual([
      'msg_1',
      '',
      'as told',
    ]);
  });

  it('is not changed by an event that comes twice or is contained already', () => {
    const c = loaded();
    c.apply(phase(9, 'IDLE', 'CALLING_AI')); // before the loaded part
    expect(c.session!.phase).toBe('IDLE');
    const event = created(11, aMessage('msg_3', 11));
    c.apply(event);
    const before = JSON.stringify([shown(c), c.session]);
    c.apply(event);
    expect(JSON.stringify([shown(c), c.session])).toBe(before);
  });

  it('buffers events during a load, and applies newer ones', () => {
    const c = new SessionStore('ses_1');
    c.apply(created(9, aMessage('msg_old', 9)));
    c.apply(created(12, aMessage('msg_new', 12)));
    expect(shown(c)).toEqual([]);
    c.load(latest({ messages: [aMessage('msg_1', 5)] }));
    expect(shown(c)).toEqual(['message msg_1', 'message msg_new']);
  });

  it('applies events received during a failed load', () => {
    const c = loaded();
    c.beginLoad();
    c.apply(created(11, aMessage('msg_3', 11)));
    expect(c.messages.has('msg_3')).toBe(false);
    c.abandonLoad();
    expect(c.messages.has('msg_3')).toBe(true);
  });

  it('ignores events of other sessions', () => {
    const c = loaded();
    const other = { ...aMessage('msg_x', 20), session_id: 'ses_2' };
    c.apply(created(20, other));
    c.apply({
      name: 'session.status',
      seq: 21,
      data: { session_seq: 1, session: aSession({ id: 'ses_2', name: 'other' }) },
    });
    expect([c.messages.has('msg_x'), c.session!.name]).toEqual([false, 'One']);
  });

  it('orders by position, not by arrival; queued messages are at the message field', () => {
    const c = loaded({ messages: [aMessage('msg_q', null), anAnswer('msg_2', 6, 'hello'), aMessage('msg_1', 5)] });
    expect([shown(c), c.queued.map((m) => m.id)]).toEqual([['message msg_1', 'message msg_2'], ['msg_q']]);
    c.apply({ name: 'message.updated', seq: 12, data: { session_seq: 12, message: aMessage('msg_q', 12) } });
    expect([shown(c), c.queued]).toEqual([['message msg_1', 'message msg_2', 'message msg_q'], []]);
  });

  it('prepends older pages, once', () => {
    const c = loaded({ cursor: '5' });
    c.prepend([aMessage('msg_0', 4), aMessage('msg_1', 5)], null);
    expect([shown(c)[0], c.messages.size, c.cursor]).toEqual(['message msg_0', 3, null]);
  });

  it('keeps older pages when the newest is reloaded, unless there is a gap', () => {
    const c = loaded({ cursor: '5' });
    c.prepend([aMessage('msg_0', 4)], '4');
    c.load(latest({ messages: [aMessage('msg_3', 11), anAnswer('msg_2', 6, 'hello')], cursor: '6' }));
    expect([shown(c), c.cursor]).toEqual([['message msg_0', 'message msg_1', 'message msg_2', 'message msg_3'], '4']);
    c.load(latest({ messages: [aMessage('msg_9', 99), aMessage('msg_8', 98)], cursor: '98' }));
    expect([shown(c), c.cursor]).toEqual([['message msg_8', 'message msg_9'], '98']);
  });

  it('drops messages deleted in the meantime', () => {
    const c = loaded();
    c.load(latest({ messages: [aMessage('msg_1', 5)] }));
    expect(shown(c)).toEqual(['message msg_1']);
  });
});

describe('streamed text', () => {
  const writing = () => {
    const c = loaded();
    c.apply(phase(11, 'IDLE', 'CALLING_AI'));
    return c;
  };
  const text = (c: SessionStore) => [...c.live.values()][0]?.text;

  it('grows by offsets; repeated text is dropped, missing text is requested', () => {
    const c = writing();
    expect(c.apply(delta('msg_a', 0, 'Hé 👋 '))).toBe(true);
    expect(c.apply(delta('msg_a', 5, 'you'))).toBe(true);
    expect(text(c)).toBe('Hé 👋 you');
    expect(c.apply(delta('msg_a', 3, '👋 you there'))).toBe(true);
    expect(text(c)).toBe('Hé 👋 you there');
    expect(c.apply(delta('msg_a', 40, 'gap'))).toBe(false);
    c.apply({
      name: 'message.snapshot',
      seq: 0,
      data: { session_id: 'ses_1', message_id: 'msg_a', kind: 'text', offset: 0, text: 'whole' },
    });
    expect(text(c)).toBe('whole');
  });

  it('is replaced by the message, and late text changes nothing', () => {
    const c = writing();
    c.apply(delta('msg_a', 0, 'Hello'));
    expect(shown(c).at(-1)).toBe('live msg_a');
    c.apply(created(12, anAnswer('msg_a', 12, 'Hello')));
    expect(c.apply(delta('msg_a', 40, 'late'))).toBe(true);
    expect([shown(c).at(-1), c.live.size]).toEqual(['message msg_a', 0]);
  });

  it('is void when it is discarded, when another answer begins, and when the AI is left', () => {
    const c = writing();
    c.apply(delta('msg_a', 0, 'One'));
    c.apply(discarded('msg_a'));
    expect([text(c), shown(c).at(-1)]).toEqual([undefined, 'voided voided']);
    c.apply(delta('msg_b', 0, 'Two'));
    expect(shown(c).at(-1)).toBe('live msg_b');
    c.apply(delta('msg_c', 0, 'Three'));
    expect([c.live.size, text(c)]).toEqual([1, 'Three']);
    c.apply(phase(12, 'CALLING_AI', 'WAITING_NETWORK_RETRY', 'waiting'));
    expect(c.live.size).toBe(0);
  });

  it('is dropped when the stream is reconnected, and sent again in full', () => {
    const c = writing();
    c.apply(delta('msg_a', 0, 'One'));
    c.forget();
    expect(text(c)).toBeUndefined();
    c.apply({
      name: 'message.snapshot',
      seq: 0,
      data: { session_id: 'ses_1', message_id: 'msg_a', kind: 'text', offset: 0, text: 'One more' },
    });
    expect(text(c)).toBe('One more');
  });
});

describe('questions and commands', () => {
  it('shows an open question at the end and a settled one where it was asked', () => {
    const c = loaded();
    const ask: StreamEvent = {
      name: 'approval.requested',
      seq: 12,
      data: { session_seq: 12, approval: anApproval('apr_1', { cancel_message_id: 'msg_c' }) },
    };
    c.apply(
      created(
        12,
        aMessage('msg_c', 12, {
          sender: 'SYSTEM',
          rich_content: undefined,
          system_message: { type: 'VALIDATION_CANCELLED', summary: '' },
        }),
      ),
    );
    c.apply(ask);
    c.apply(created(13, aMessage('msg_3', 13)));
    expect(shown(c)).toEqual(['message msg_1', 'message msg_2', 'message msg_3', 'approval apr_1']);
    c.apply({
      name: 'approval.settled',
      seq: 14,
      data: { session_seq: 14, approval: anApproval('apr_1', { status: 'approved', cancel_message_id: 'msg_c' }) },
    });
    expect(shown(c)).toEqual(['message msg_1', 'message msg_2', 'approval apr_1', 'message msg_3']);
  });

  const results = (seq: number, type: 'DATA_ADDED' | 'ACTIONS_EXECUTED', round: string, execution: string) =>
    created(
      seq,
      aMessage(`msg_${seq}`, seq, {
        sender: 'SYSTEM',
        round_id: round,
        rich_content: undefined,
        system_message: {
          type,
          summary: '',
          command_results: [{ execution_id: execution, command: 'X', status: 'SUCCESS' }],
        },
      }),
    );
  const readsOf = (c: SessionStore) =>
    itemsOf(c).flatMap((i) => (i.kind === 'reads' ? [[i.key, i.reads.messages.length, i.reads.running.length]] : []));

  it('folds the reads of a round into one line, also while they run', () => {
    const c = loaded({
      session: aSession({ round_id: 'rnd_1', phase: 'EXECUTING_DATA_QUERIES', status: 'running' }),
      executions: [anExecution('exe_1'), anExecution('exe_0', { round_id: 'rnd_0' })],
    });
    expect(readsOf(c)).toEqual([['reads-rnd_1', 0, 1]]);
    c.apply(results(12, 'DATA_ADDED', 'rnd_1', 'exe_1'));
    expect(readsOf(c)).toEqual([['reads-rnd_1', 1, 0]]);
    c.apply(results(13, 'DATA_ADDED', 'rnd_1', 'exe_2'));
    c.apply(results(14, 'DATA_ADDED', 'rnd_2', 'exe_3'));
    expect(readsOf(c)).toEqual([
      ['reads-rnd_1', 2, 0],
      ['reads-rnd_2', 1, 0],
    ]);
  });

  it('shows changes that run, until their results are in the record, one by one', () => {
    const c = loaded({
      session: aSession({ round_id: 'rnd_1', phase: 'EXECUTING_ACTIONS', status: 'running' }),
      executions: [anExecution('exe_1', { kind: 'action', command: 'CREATE_ZONE' })],
    });
    expect(shown(c).at(-1)).toBe('running running');
    c.apply(results(12, 'ACTIONS_EXECUTED', 'rnd_1', 'exe_1'));
    expect(shown(c).at(-1)).toBe('message msg_12');
  });

  it('shows the reason of a rejection once, on its card', () => {
    const c = loaded({ session: aSession({ round_id: 'rnd_1' }) });
    c.apply({
      name: 'approval.settled',
      seq: 12,
      data: {
        session_seq: 12,
        approval: anApproval('apr_1', {
          round_id: 'rnd_1',
          status: 'refused',
          decision: { approved: false, comment: 'Too long' },
        }),
      },
    });
    const comment = { rich_content: undefined, round_id: 'rnd_1', text_content: 'Too long' };
    c.apply(created(13, aMessage('msg_c', 13, comment)));
    c.apply(created(14, aMessage('msg_d', 14, { ...comment, text_content: 'Something else' })));
    expect(shown(c)).not.toContain('message msg_c');
    expect(shown(c)).toContain('message msg_d');
  });

  it('leaves out answers that only gave commands', () => {
    const c = loaded();
    c.apply(created(12, anAnswer('msg_e', 12, '')));
    expect(shown(c)).toEqual(['message msg_1', 'message msg_2']);
  });

  it('gets its position from the queue', () => {
    const c = loaded();
    c.apply({
      name: 'queue.changed',
      seq: 0,
      data: { length: 1, data: [{ position: 1, session_id: 'ses_1', trigger: 'x', reason: 'x', since: '' }] },
    });
    expect(c.session!.queue_position).toBe(1);
    c.apply({ name: 'queue.changed', seq: 0, data: { lane: 'automations', length: 0, data: [] } });
    expect(c.session!.queue_position).toBe(1);
    c.apply({ name: 'queue.changed', seq: 0, data: { length: 0, data: [] } });
    expect(c.session!.queue_position).toBeNull();
  });
});
