import { useState } from 'react';
import { useLocation } from 'wouter';
import { $api, api, body } from '../../../api/client';
import { announce } from '../../../shell/announce';
import { Page } from '../../../ui/Page';
import { Read } from '../../../ui/Read';
import { newDraft, wholeOf } from '../draft/draft';
import { Editor } from './Editor';
import { formTexts } from './texts';
import { useDraft } from '../draft/useDraft';
import { useArrival } from '../arrived';

/** A new automation. */
export function New() {
  const t = formTexts.use();
  const settings = $api.useQuery('get', '/v1/settings');
  return (
    <Page title={t('new.title')}>
      <Read query={settings}>{({ time_zone }) => <Blank zone={time_zone} />}</Read>
    </Page>
  );
}

function Blank({ zone }: { zone: string }) {
  const t = formTexts.use();
  const [, go] = useLocation();
  useArrival();
  const [first] = useState(() => newDraft(zone));
  const state = useDraft('new', first);
  return (
    <Editor
      state={state}
      save={t('create')}
      act={async (draft) => {
        const made = await body(api.POST('/v1/automations', { body: { ...wholeOf(draft), enabled: true } }));
        state.begin(first);
        announce(t('created'));
        go(`/automations/${made.id}`, { replace: true });
      }}
    />
  );
}
