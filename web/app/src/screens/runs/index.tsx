import { Link, useLocation } from 'wouter';
import { $api, byPages } from '../../api/client';
import { Empty } from '../../ui/Empty';
import { Page } from '../../ui/Page';
import { Read } from '../../ui/Read';
import { ReleaseSlot } from '../../ui/ReleaseSlot';
import { texts as uiTexts } from '../../ui/texts';
import { addressOf, all, filterOf, queriesOf } from './filter';
import { FilterBar } from './FilterBar';
import { KeyLine, useRowKeys } from '../rows/keys';
import { SkeletonRows } from '../rows/Skeleton';
import { merge, together } from './merge';
import { OccurrenceLine } from './OccurrenceLine';
import { RunLine } from './RunLine';
import css from './runs.module.css';
import { texts } from './texts';

/** The runs of all automations and the occurrences that did not run, newest first. */
export default function Runs() {
  const t = texts.use();
  const [path, go] = useLocation();
  const filter = filterOf(path);
  const change = (next: typeof filter) => go(addressOf(next), { replace: true });
  return (
    <Page
      title={t('title')}
      actions={
        <Link href="/tasks" className="button small">
          {t('tasks')}
        </Link>
      }
    >
      <p className="muted">{t('intro')}</p>
      <ReleaseSlot />
      <FilterBar value={filter} onChange={change} />
      <Shown key={JSON.stringify(filter)} filter={filter} onClear={() => change(all)} />
    </Page>
  );
}

function Shown({ filter, onClear }: { filter: typeof all; onClear: () => void }) {
  const t = texts.use();
  const ui = uiTexts.use();
  const asked = queriesOf(filter);
  const runs = $api.useInfiniteQuery(
    'get',
    '/v1/runs',
    { params: { query: { ...asked.runs, limit: 30 } } },
    { ...byPages, enabled: asked.runs !== null },
  );
  const occurrences = $api.useInfiniteQuery(
    'get',
    '/v1/occurrences',
    { params: { query: { ...asked.occurrences, limit: 30 } } },
    { ...byPages, enabled: asked.occurrences !== null },
  );
  const automations = $api.useQuery('get', '/v1/automations', { params: { query: { limit: 200 } } });
  const nameOf = (id: string) => automations.data?.data.find((a) => a.id === id)?.name ?? t('gone');
  const queries = [...(asked.runs ? [runs] : []), ...(asked.occurrences ? [occurrences] : [])];
  const waiting = queries.find((q) => q.data === undefined);
  const list = useRowKeys();
  const both = waiting ?? queries.find((q) => q.error) ?? queries[0]!;
  if (waiting && !waiting.error) return <SkeletonRows n={8} label={t('reading')} />;
  return (
    <Read
      query={{
        ...both,
        data: waiting ? undefined : true,
        refetch: () => void queries.forEach((q) => void q.refetch()),
      }}
    >
      {() => {
        const { items, wants } = merge(
          together(runs.data?.pages, (r) => r.session_id),
          together(occurrences.data?.pages, (o) => o.id),
        );
        const more = wants.runs || wants.occurrences;
        if (!items.length && !more)
          return JSON.stringify(filter) === JSON.stringify(all) ? (
            <Nothing />
          ) : (
            <Empty>
              <p>{t('filter.none')}</p>
              <p>
                <button type="button" onClick={onClear}>
                  {t('filter.clear')}
                </button>
              </p>
            </Empty>
          );
        return (
          <>
            <div className={css.list}>
              <ul className="rows" aria-label={t('title')} ref={list}>
                {items.map((item) =>
                  item.run ? (
                    <RunLine key={item.run.session_id} run={item.run} named />
                  ) : (
                    <OccurrenceLine
                      key={item.occurrence.id}
                      of={item.occurrence}
                      name={nameOf(item.occurrence.automation_id)}
                    />
                  ),
                )}
              </ul>
            </div>
            <KeyLine
              keys={[
                ['J K', t('keys.move')],
                ['R', t('keys.again')],
                ['O', t('keys.open')],
                ['T', t('keys.timeline')],
                ['C', t('keys.fork')],
              ]}
            />
            {more && (
              <p>
                <button
                  type="button"
                  disabled={runs.isFetchingNextPage || occurrences.isFetchingNextPage}
                  onClick={() => {
                    if (wants.runs) void runs.fetchNextPage();
                    if (wants.occurrences) void occurrences.fetchNextPage();
                  }}
                >
                  {ui('more')}
                </button>
              </p>
            )}
          </>
        );
      }}
    </Read>
  );
}

function Nothing() {
  const t = texts.use();
  return (
    <Empty>
      <div className="stack tight">
        <p>
          <strong>{t('empty')}</strong>
        </p>
        <p>{t('empty.how')}</p>
        <p className="row" style={{ justifyContent: 'center' }}>
          <Link href="/automations/new" className="button primary">
            {t('empty.make')}
          </Link>
          <Link href="/automations" className="button">
            {t('empty.all')}
          </Link>
        </p>
      </div>
    </Empty>
  );
}
