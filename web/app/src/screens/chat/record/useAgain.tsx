import { useRef, type ReactNode } from 'react';
import { createPortal } from 'react-dom';
import { api, type Schemas } from '../../../api/client';
import { asProblem } from '../../../api/problem';
import { useAction } from '../../../ui/action';
import { Dialog } from '../../../ui/Dialog';
import { ProblemBox } from '../../../ui/Problem';
import { texts as ui } from '../../../ui/texts';
import type { Chat } from '../store/chat';
import { again } from '../texts.again';
import { Effects } from './Effects';

type Input = Schemas['RetryInput'];

export interface Again {
  run: (input: Input) => void;
  busy: boolean;
  /** A notice or confirmation about it. */
  more: ReactNode;
}

/** Requests the last answer again at once. The round's changes are listed before it is repeated. An idempotency key
 * makes repeated requests safe. */
export function useAgain(chat: Chat, done?: () => void, key?: string): Again {
  const t = again.use();
  const tu = ui.use();
  const last = useRef<Input>({});
  const send = useAction(async (input: Input) => {
    last.current = input;
    try {
      const { data } = await api.POST('/v1/sessions/{session_id}/retry', {
        params: { path: { session_id: chat.id }, ...(key ? { header: { 'Idempotency-Key': key } } : {}) },
        body: input,
      });
      chat.store.take(data!.session);
    } catch (thrown) {
      chat.recheck(thrown);
      throw thrown;
    }
    done?.();
  });
  const effects = send.problem == null ? null : effectsOf(send.problem);
  const more =
    send.problem == null ? null : effects ? (
      createPortal(
        <Dialog title={t('again.title')} onClose={send.clear}>
          <Effects chat={chat} executions={effects} />
          <div className="row">
            <button
              type="button"
              className="danger"
              disabled={send.busy}
              onClick={() => void send.run({ ...last.current, despite_effects: true })}
            >
              {t('again.despite')}
            </button>
            <button type="button" onClick={send.clear}>
              {tu('cancel')}
            </button>
          </div>
        </Dialog>,
        document.body,
      )
    ) : (
      <ProblemBox thrown={send.problem} onClose={send.clear} />
    );
  return { run: (input) => void send.run(input), busy: send.busy, more };
}

/** The round's changes, if they are the reason why it was not repeated; else null. */
export function effectsOf(thrown: unknown): Schemas['Execution'][] | null {
  const problem = asProblem(thrown);
  return problem.code === 'round_has_effects' ? (problem.more.executions as Schemas['Execution'][]) : null;
}
