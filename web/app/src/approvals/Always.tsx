import { useQueryClient } from '@tanstack/react-query';
import { $api, api, body, versioned, type Schemas } from '../api/client';
import { covers, useMe } from '../api/me';
import { toast } from '../ui/toast';
import { offerOf, type Offer, type Reason } from './offer';
import { texts } from './texts';
import css from './approvals.module.css';

type Approval = Schemas['Approval'];

/** The offers for this reader. */
export function useOffer(approval: Approval): Offer | null {
  const me = useMe().data;
  const path = { session_id: approval.session_id };
  const session = $api.useQuery('get', '/v1/sessions/{session_id}', { params: { path } });
  if (!me || !covers(me.role, 'admin') || !session.data) return null;
  if (session.data.type !== 'CHAT' && session.data.type !== 'AUTOMATION') return null;
  return offerOf(approval, session.data.automation_id);
}

/** A choice beside the approval: to approve such changes automatically from now on. */
export function Always({ offer, on, set }: { offer: Offer; on: boolean; set: (on: boolean) => void }) {
  const t = texts.use();
  return (
    <label className={css.always} data-always={offer.at}>
      <input type="checkbox" checked={on} onChange={(e) => set(e.target.checked)} />
      <span>{t(`always.${offer.at}`)}</span>
    </label>
  );
}

/** Turns the rule off, and offers to undo that for a moment. */
export function useEndAsking(approval: Approval) {
  const queries = useQueryClient();
  const end = async (offer: Offer) => {
    const path = { approval_id: approval.id };
    const now = await body(api.GET('/v1/approvals/{approval_id}', { params: { path } }));
    if (now.status !== 'approved') return; // another person decided otherwise
    const back = offer.at === 'automation' ? await preapprove(approval, offer.automation) : await lift(approval, offer);
    void queries.invalidateQueries();
    toast(texts.t(`always.done.${offer.at}`), () => {
      void back().then(
        () => {
          void queries.invalidateQueries();
          toast(texts.t('always.undone'));
        },
        () => toast(texts.t('always.failed')),
      );
    });
  };
  return (offer: Offer) => end(offer).catch(() => toast(texts.t('always.failed')));
}

/** The same commands are approved in advance for later runs. */
async function preapprove({ actions }: Approval, automation: string): Promise<() => Promise<unknown>> {
  const path = { automation_id: automation };
  const grant = await body(
    api.POST('/v1/automations/{automation_id}/grants', {
      params: { path },
      body: { commands: [...new Set(actions.map((a) => a.command))], max_per_run: Math.max(5, actions.length) },
    }),
  );
  return () =>
    api.DELETE('/v1/automations/{automation_id}/grants/{grant_id}', {
      params: { path: { ...path, grant_id: grant.id } },
    });
}

async function lift({ session_id }: Approval, { reasons }: { reasons: readonly Reason[] }) {
  const set = async (asks: boolean) => {
    for (const reason of reasons) await put(reason, session_id, asks);
  };
  await set(false);
  return () => set(true);
}

async function put({ level, id = '' }: Reason, session: string, asks: boolean): Promise<void> {
  const change = { require_validation: asks };
  const header = (etag: string) => ({ 'If-Match': etag });
  if (level === 'workspace') {
    const { etag } = await versioned(api.GET('/v1/settings'));
    await api.PATCH('/v1/settings', { params: { header: header(etag) }, body: change });
  } else if (level === 'zone') {
    const path = { zone_id: id };
    const { etag } = await versioned(api.GET('/v1/zones/{zone_id}', { params: { path } }));
    await api.PATCH('/v1/zones/{zone_id}', { params: { path, header: header(etag) }, body: change });
  } else if (level === 'tool') {
    const path = { tool_id: id };
    const { etag } = await versioned(api.GET('/v1/tools/{tool_id}', { params: { path } }));
    await api.PATCH('/v1/tools/{tool_id}', { params: { path, header: header(etag) }, body: change });
  } else await api.PATCH('/v1/sessions/{session_id}', { params: { path: { session_id: session } }, body: change });
}
