import { useQueries } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { $api, type Schemas } from '../../api/client';
import { useFormat } from '../../i18n/format';
import { Time } from '../../ui/Time';
import { visible } from '../../ui/visible';
import { partsOf, segmentsOf } from '../automations/draft/requestParts';
import { entriesKey, readEntries } from '../data/read';
import { changesOf, relative, since, toolsOf } from './differences';
import { Differing } from './Differing';
import css from './runs.module.css';
import { texts } from './texts';
import type { ThenAndNow } from './thenAndNow';

const someTools = 5; // tools whose entries are counted
const page = 50;

interface Props {
  run: Schemas['AutomationRun'];
  known: ThenAndNow;
  request: Schemas['MessageContent'];
  provider: string;
  model: string;
}

const textOf = (content: Schemas['MessageContent']): string =>
  'text' in content ? content.text : content.segments.map((s) => (s.type === 'text' ? s.text : '[…]')).join('');

/** What will differ for the new run, shown before it is started. */
export function Different({ run, known, request, provider, model }: Props) {
  const t = texts.use();
  const f = useFormat();
  const providers = $api.useQuery('get', '/v1/providers', { params: { query: { limit: 200 } } }).data?.data ?? [];
  const { before: then, session, automation, whole } = known;
  const rows = useRows(run.session_id);
  const changed = useChangedTools(run, toolsOf(then, rows));
  const was = textOf(segmentsOf(partsOf(then)));
  const now = textOf(request);
  const nameOf = (id: string | null) =>
    id ? (providers.find((p) => p.id === id)?.name.slice(0, 80) ?? t('again.lost')) : t('again.default');
  const facts: [string, ReactNode][] = [];
  if (was !== now) facts.push(['request', <Differing key="r" before={was} now={now} />]);
  if ((session.provider_id ?? '') !== provider)
    facts.push([
      'provider',
      t('diff.provider', { before: nameOf(session.provider_id), now: nameOf(provider || null) }),
    ]);
  if (model) facts.push(['model', t('diff.model', { model })]);
  if (since(run, automation.updated_at))
    facts.push([
      'automation',
      <>
        {t('diff.automation')} <Time at={automation.updated_at} />
      </>,
    ]);
  for (const tool of changed) facts.push([tool.id, tool.words(f.list)]);
  if (whole > then.length) facts.push(['event', t('diff.event')]);
  if (relative(then)) facts.push(['times', t('diff.times')]);
  const changes = changesOf(rows);
  return (
    <section className="box stack tight" aria-labelledby="different" data-different>
      <h3 id="different">{t('diff')}</h3>
      {facts.length === 0 ? (
        <p>{t('diff.none')}</p>
      ) : (
        <ul className={css.differ}>
          {facts.map(([name, words]) => (
            <li key={name} data-differs={name}>
              {words}
            </li>
          ))}
        </ul>
      )}
      {changes > 0 && <p data-differs="changes">{t('diff.changes', { n: changes })}</p>}
    </section>
  );
}

/** The beginning of a run's timeline: its actions. */
function useRows(session: string): Schemas['TimelineLine'][] {
  const query = $api.useQuery('get', '/v1/sessions/{session_id}/timeline', {
    params: { path: { session_id: session }, query: { limit: 200 } },
  });
  return query.data?.data ?? [];
}

interface Changed {
  id: string;
  words: (list: (items: string[]) => string) => string;
}

/** Of these tools, the ones whose settings or entries have changed since the run. */
function useChangedTools(run: Schemas['AutomationRun'], ids: string[]): Changed[] {
  const t = texts.use();
  const tools = $api.useQuery('get', '/v1/tools', { params: { query: { limit: 200 } } }, { enabled: ids.length > 0 });
  const here = (tools.data?.data ?? []).filter((tool) => ids.includes(tool.id)).slice(0, someTools);
  const entries = useQueries({
    queries: here.map((tool) => ({
      queryKey: entriesKey(tool.id, { limit: page }),
      queryFn: () => readEntries(tool.id, { limit: page }),
    })),
  });
  return here.flatMap((tool, i) => {
    const n = (entries[i]?.data?.data ?? []).filter((e) => since(run, e.updated_at)).length;
    const settings = since(run, tool.updated_at);
    if (!n && !settings) return [];
    const name = visible(tool.name.slice(0, 80));
    const what = [...(n ? [t('diff.entries', { n })] : []), ...(settings ? [t('diff.settings')] : [])];
    return [{ id: tool.id, words: (list) => t('diff.tool', { name, what: list(what) }) }];
  });
}
