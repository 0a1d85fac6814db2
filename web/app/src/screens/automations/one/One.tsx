import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { $api, api, body } from '../../../api/client';
import { asProblem } from '../../../api/problem';
import { announce } from '../../../shell/announce';
import { Page } from '../../../ui/Page';
import { ProblemBox } from '../../../ui/Problem';
import { Read } from '../../../ui/Read';
import { DeleteDialog } from '../actions/DeleteDialog';
import { draftOf, patchOf, type Automation, type Draft, type Seed } from '../draft/draft';
import { Editor } from '../form/Editor';
import { useExport } from '../files/FileButtons';
import { formTexts } from '../form/texts';
import { History } from './History';
import { NextRun, PausedByServer } from '../list/Next';
import { RanBox, useRunNow } from '../actions/RunNow';
import { useSwitch } from '../actions/useSwitch';
import { Menu } from '../../rows/Menu';
import { texts } from '../texts';
import { useDraft } from '../draft/useDraft';
import { StartWords } from '../words';
import { useArrival } from '../arrived';

interface Whole {
  automation: Automation;
  seed: Seed;
}

/** One automation: state, last runs and settings. */
export function One({ id }: { id: string }) {
  const t = texts.use();
  const settings = $api.useQuery('get', '/v1/settings');
  const query = useQuery<Whole>({
    queryKey: ['get', '/v1/automations/{automation_id}', id, 'whole'],
    queryFn: async () => {
      const params = { params: { path: { automation_id: id } } };
      const [automation, seed] = await Promise.all([
        body(api.GET('/v1/automations/{automation_id}', params)),
        body(api.GET('/v1/automations/{automation_id}/seed', params)),
      ]);
      return { automation, seed };
    },
  });
  const zone = settings.data?.time_zone;
  if (!query.data || zone === undefined) {
    const waiting = query.data ? settings : query;
    return (
      <Page title={t('title')}>
        <Read query={{ ...waiting, data: undefined as unknown }}>{() => null}</Read>
      </Page>
    );
  }
  const gone = query.error !== null && asProblem(query.error).status === 404;
  return (
    <Shown
      {...query.data}
      gone={gone}
      zone={zone}
      again={async () => {
        await query.refetch();
      }}
    />
  );
}

interface Props extends Whole {
  zone: string;
  gone: boolean;
  again: () => Promise<void>;
}

function Shown({ automation: a, seed, zone, gone, again }: Props) {
  const t = texts.use();
  const [, go] = useLocation();
  useArrival();
  const [deleting, setDeleting] = useState(false);
  const run = useRunNow(a.id);
  const toggle = useSwitch(a);
  const save = useExport([a]);
  return (
    <Page
      title={<span className="clamp">{a.name}</span>}
      name={a.name.slice(0, 60)}
      actions={
        <>
          <button type="button" className="primary" disabled={run.busy || gone} onClick={() => void run.run()}>
            {t('run')}
          </button>
          <Menu label={t('of.name', { what: t('more'), name: a.name.slice(0, 100) })}>
            <button type="button" disabled={toggle.busy || gone} onClick={() => void toggle.run()}>
              {t(a.enabled ? 'pause' : 'enable')}
            </button>
            <button type="button" disabled={save.busy} onClick={() => void save.run()}>
              {t('export')}
            </button>
            <button type="button" disabled={gone} onClick={() => setDeleting(true)}>
              {t('delete')}
            </button>
          </Menu>
        </>
      }
    >
      <RanBox result={run.result} problem={run.problem} />
      {toggle.problem != null && <ProblemBox thrown={toggle.problem} onClose={toggle.clear} />}
      {save.problem != null && <ProblemBox thrown={save.problem} onClose={save.clear} />}
      <div className="stack tight">
        <p className="row">
          <span className={a.enabled ? 'badge ok' : 'badge warn'}>{t(a.enabled ? 'enabled' : 'paused')}</span>
          <span>
            <StartWords of={a} />
          </span>
        </p>
        <p className="small">
          {a.enabled && a.next_run_at && <span className="muted">{t('next.run')} </span>}
          <NextRun of={a} />
        </p>
      </div>
      <PausedByServer of={a} />
      <History id={a.id} />
      <Settings automation={a} seed={seed} zone={zone} gone={gone} again={again} />
      {deleting && <DeleteDialog of={a} onClose={() => setDeleting(false)} onDeleted={() => go('/automations')} />}
    </Page>
  );
}

/** The form of an existing automation, which also handles concurrent changes. */
function Settings({ automation: a, seed, zone, gone, again }: Props) {
  const t = formTexts.use();
  const now = () => ({ version: a.version, draft: draftOf(a, seed, zone) });
  const [from, setFrom] = useState(now);
  const state = useDraft(a.id, from.draft);
  const [saving, setSaving] = useState(false);
  const stale = from.version !== a.version;
  const adopt = () => {
    const next = now();
    setFrom(next);
    state.begin(next.draft);
  };
  if (stale && !state.dirty && !saving) adopt();
  const save = async (draft: Draft) => {
    setSaving(true);
    try {
      await body(
        api.PATCH('/v1/automations/{automation_id}', {
          params: { path: { automation_id: a.id }, header: { 'If-Match': `"${a.version}"` } },
          body: patchOf(from.draft, draft),
        }),
      );
      state.begin(draft); // the server's version follows
      announce(t('saved'));
    } finally {
      await again();
      setSaving(false);
    }
  };
  return (
    <Editor state={state} save={t('save')} act={save} automation={a}>
      {gone ? (
        <p className="box bad" role="alert">
          {t('stale.gone')}
        </p>
      ) : (
        stale &&
        state.dirty &&
        !saving && (
          <div className="box warn stack tight" role="alert" data-stale>
            <p>
              <strong>{t('stale.title')}</strong> {t('stale.text')}
            </p>
            <p>
              <button type="button" className="small" onClick={adopt}>
                {t('stale.theirs')}
              </button>
            </p>
          </div>
        )
      )}
    </Editor>
  );
}
