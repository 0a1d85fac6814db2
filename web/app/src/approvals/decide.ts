import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { api, body, newKey, type Schemas } from '../api/client';
import { asProblem } from '../api/problem';
import { signWithPasskey } from '../api/passkey';
import { announce } from '../shell/announce';
import { useAction } from '../ui/action';
import { texts } from './texts';

export type Approval = Schemas['Approval'];
export type Answer = Schemas['ApprovalAnswer'];

/** Sends an answer. Repeating the same answer after no reply is the same request to the server: it takes effect once. */
export function useSend() {
  const sent = useRef({ body: '', key: '' });
  return async (approval: Approval, answer: Answer): Promise<Approval | null> => {
    const text = approval.id + JSON.stringify(answer);
    if (sent.current.body !== text) sent.current = { body: text, key: newKey() };
    const result = await body(
      api.POST('/v1/approvals/{approval_id}', {
        params: { path: { approval_id: approval.id }, header: { 'Idempotency-Key': sent.current.key } },
        body: answer,
      }),
    );
    return result.approval;
  };
}

/** Sends an answer. If it must be signed, the person's passkey signs the server's challenge. */
async function signed(send: ReturnType<typeof useSend>, approval: Approval, answer: Answer) {
  try {
    return await send(approval, answer);
  } catch (thrown) {
    const { code, more } = asProblem(thrown);
    const asks = more.passkey as Schemas['PasskeyRequest'] | undefined;
    if (code !== 'passkey_required' || !asks) throw thrown;
    const credential = await signWithPasskey(asks.public_key);
    return send(approval, { ...answer, passkey: { issued_at: asks.issued_at, credential } } as Answer);
  }
}

const gone = ['validation_resolved', 'validation_stale', 'approval_expired', 'wrong_phase', 'session_ended'];

/** Answers one approval and returns the outcome, also if another person was faster. */
export function useDecide(approval: Approval, onSettled?: (now: Approval, conflict?: string) => void) {
  const queries = useQueryClient();
  const send = useSend();
  const [own, setOwn] = useState<Approval | null>(null); // its state after our answer, before
  const [conflict, setConflict] = useState<string | null>(null);
  const take = (now: Approval, code?: string) => {
    setOwn(now);
    void queries.invalidateQueries({ predicate: ({ queryKey }) => String(queryKey[1]).startsWith('/v1/approvals') });
    if (now.status !== 'open') onSettled?.(now, code);
  };
  const action = useAction(async (answer: Answer) => {
    try {
      const now = await signed(send, approval, answer);
      take(now ?? approval);
      if (now) announce(texts.t('said', { status: statusIn(now) }));
    } catch (thrown) {
      const { code } = asProblem(thrown);
      if (!gone.includes(code)) throw thrown;
      const now = await body(
        api.GET('/v1/approvals/{approval_id}', { params: { path: { approval_id: approval.id } } }),
      );
      if (now.status === 'open') throw thrown;
      setConflict(code === 'validation_stale' || now.status === 'stale' ? 'validation_stale' : code);
      take(now, code);
      announce(texts.t(now.status === 'stale' ? 'conflict.stale' : 'conflict.other'));
    }
  });
  return { ...action, now: approval.status === 'open' && own ? own : approval, conflict };
}

/** How an approval was settled, in a word that depends on its kind. */
export function statusIn(a: Approval): string {
  const t = texts.t;
  const decision = (a.decision ?? {}) as { cancelled?: boolean; value?: unknown };
  if (a.kind === 'question' && a.status === 'approved' && typeof decision.value === 'boolean')
    return t(decision.value ? 'answered.yes' : 'answered.no');
  for (const key of [`status.${a.kind}.${a.status}`, `status.${a.status}`])
    if (t.has(key)) return t(key as 'status.approved');
  return a.status;
}
