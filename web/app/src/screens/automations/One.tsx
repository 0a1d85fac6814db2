import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { $api, api, body, type Schemas } from '../../api/client';
import { ProblemBox } from '../../ui/Problem';
import { announce } from '../../shell/announce';
import { Page } from '../../ui/Page';
import { Read } from '../../ui/Read';
import { DeleteDialog } from './DeleteDialog';
import { draftOf, patchOf, type Automation, type Seed } from './draft';
import { Editor } from './Editor';
import { formTexts } from './formTexts';
import { History } from './History';
import { NextRun, PausedByServer } from './Row';
import { RanBox, useRunNow } from './RunNow';
import { useSwitch } from './Switch';
import { texts } from './texts';
import { StartWords } from './words';

interface Whole { automation: Automation; seed: Seed }

/** One automation: how it stands, its last runs, and its settings. */
export function One({ id }: { id: string }) {
  const t = texts.use();
  const settings = $api.useQuery('get', '/v1/settings');
  const query = useQuery<Whole>({
    queryKey: ['get', '/v1/automations/{automation_id}', id, 'whole'],
    queryFn: async () => {
      const params = { params: { path: { automation_id: id } } };
      const [automation, seed] = await Promise.all([body(api.GET('/v1/automations/{automation_id}', params)), body(api.GET('/v1/automations/{automation_id}/seed', params))]);
      return { automation, seed };
    },
  });
  return (
    <Read query={settings}>
      {({ time_zone }) => (query.data ? <Shown {...query.data} zone={time_zone} /> : <Page title={t('title')}><Read query={query}>{() => null}</Read></Page>)}
    </Read>
  );
}

function Shown({ automation: a, seed, zone }: Whole & { zone: string }) {
  const t = texts.use();
  const ft = formTexts.use();
  const [, go] = useLocation();
  const [deleting, setDeleting] = useState(false);
  const [base, setBase] = useState(() => ({ version: a.version, draft: draftOf(a, seed, zone) }));
  const run = useRunNow(a.id);
  const flip = useSwitch(a);
  return (
    <Page title={<span className="clamp">{a.name}</span>} name={a.name.slice(0, 60)} actions={(
      <>
        <button type="button" className="primary" disabled={run.busy} onClick={() => void run.run()}>{t('run')}</button>
        <button type="button" disabled={flip.busy} onClick={() => void flip.run()}>{t(a.enabled ? 'pause' : 'enable')}</button>
        <button type="button" className="plain" onClick={() => setDeleting(true)}>{t('delete')}</button>
      </>
    )}>
      <RanBox result={run.result} problem={run.problem} />
      {flip.problem != null && <ProblemBox thrown={flip.problem} />}
      <p className="row"><span className={a.enabled ? 'badge ok' : 'badge warn'}>{t(a.enabled ? 'enabled' : 'paused')}</span><StartWords of={a} /> <NextRun of={a} /></p>
      <PausedByServer of={a} />
      <History id={a.id} />
      <Editor key={base.version} id={a.id} base={base.draft} save={ft('save')} act={async (draft) => {
        const patch: Schemas['AutomationPatch'] = patchOf(base.draft, draft);
        const now = await body(api.PATCH('/v1/automations/{automation_id}', { params: { path: { automation_id: a.id }, header: { 'If-Match': `"${base.version}"` } }, body: patch }));
        setBase({ version: now.version, draft });
        announce(ft('saved'));
      }} />
      {deleting && <DeleteDialog of={a} onClose={() => setDeleting(false)} onDeleted={() => go('/automations')} />}
    </Page>
  );
}
