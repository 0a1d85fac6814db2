import { useState } from 'react';
import { Link } from 'wouter';
import { $api, byPages } from '../../../api/client';
import { useMay } from '../../../api/me';
import { Empty } from '../../../ui/Empty';
import { Page } from '../../../ui/Page';
import { ProblemBox } from '../../../ui/Problem';
import { texts as uiTexts } from '../../../ui/texts';
import { KeyLine, useRowKeys } from '../../rows/keys';
import { SkeletonRows } from '../../rows/Skeleton';
import { together } from '../../runs/merge';
import { useArrival } from '../arrived';
import { ExportButton, ImportButton } from '../files/FileButtons';
import { texts } from '../texts';
import css from './list.module.css';
import { Row } from './Row';

/** All automations, newest first, with schedule and health. */
export function List() {
  const t = texts.use();
  const ui = uiTexts.use();
  const admin = useMay('admin');
  useArrival();
  const [word, setWord] = useState('');
  const list = useRowKeys();
  const query = $api.useInfiniteQuery('get', '/v1/automations', { params: { query: { limit: 50 } } }, byPages);
  const { items } = together(query.data?.pages, (a) => a.id);
  const wanted = word.trim().toLowerCase();
  const shown = items.filter((a) => !wanted || [a.name, ...a.tags].some((text) => text.toLowerCase().includes(wanted)));
  return (
    <Page
      title={t('title')}
      actions={
        <>
          {(items.length > 3 || wanted) && (
            <input
              type="search"
              className={css.filter}
              aria-label={t('filter')}
              placeholder={t('filter')}
              value={word}
              onChange={(e) => setWord(e.target.value)}
            />
          )}
          {admin && <ImportButton />}
          {items.length > 0 && <ExportButton />}
          {admin && (
            <Link href="/automations/new" className={items.length ? 'button primary' : 'button'}>
              {t('new')}
            </Link>
          )}
        </>
      }
    >
      <p className="muted">{t('intro')}</p>
      {query.error ? <ProblemBox thrown={query.error} onRetry={() => void query.refetch()} /> : null}
      {query.data === undefined && !query.error && <SkeletonRows n={6} label={t('reading')} />}
      {query.data && !items.length && <Nothing admin={admin} />}
      {items.length > 0 && (
        <div className={css.list}>
          <Head />
          <ul className="rows" aria-label={t('list.label')} ref={list}>
            {shown.map((a) => (
              <Row key={a.id} of={a} />
            ))}
          </ul>
          {shown.length === 0 && <Empty>{t('filter.none')}</Empty>}
        </div>
      )}
      {query.hasNextPage && (
        <p>
          <button type="button" disabled={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            {ui('more')}
          </button>
        </p>
      )}
      {shown.length > 0 && (
        <KeyLine
          keys={[
            ['J K', t('keys.move')],
            ['R', t('keys.run')],
            ...((admin
              ? [
                  ['P', t('keys.pause')],
                  ['E', t('keys.edit')],
                  ['D', t('keys.delete')],
                ]
              : []) as [string, string][]),
            ['H', t('keys.runs')],
          ]}
        />
      )}
    </Page>
  );
}

/** The column headings, hidden from screen readers: each row has its own labels. */
function Head() {
  const t = texts.use();
  return (
    <div className={css.head} aria-hidden="true">
      <span />
      <span>{t('col.name')}</span>
      <span>{t('col.when')}</span>
      <span>{t('col.next')}</span>
      <span>{t('col.last')}</span>
      <span className="right">{t('col.took')}</span>
      <span />
    </div>
  );
}

function Nothing({ admin }: { admin: boolean }) {
  const t = texts.use();
  return (
    <Empty>
      <div className="stack tight">
        <p>
          <strong>{t('empty.title')}</strong>
        </p>
        <p>{t('empty.how')}</p>
        {admin && (
          <p>
            <Link href="/automations/new" className="button primary">
              {t('empty.make')}
            </Link>
          </p>
        )}
      </div>
    </Empty>
  );
}
