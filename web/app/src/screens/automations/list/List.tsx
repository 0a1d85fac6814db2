import { useState } from 'react';
import { Link } from 'wouter';
import { $api, byPages } from '../../../api/client';
import { Empty } from '../../../ui/Empty';
import { Field } from '../../../ui/Field';
import { Page } from '../../../ui/Page';
import { Read } from '../../../ui/Read';
import { texts as uiTexts } from '../../../ui/texts';
import { ExportButton, ImportButton } from '../files/FileButtons';
import { Row } from './Row';
import { together } from '../../runs/merge';
import css from '../automations.module.css';
import { texts } from '../texts';
import { useArrival } from '../arrived';

/** All automations, newest first. */
export function List() {
  const t = texts.use();
  const ui = uiTexts.use();
  useArrival();
  const [word, setWord] = useState('');
  const query = $api.useInfiniteQuery('get', '/v1/automations', { params: { query: { limit: 50 } } }, byPages);
  const wanted = word.trim().toLowerCase();
  return (
    <Page
      title={t('title')}
      actions={
        <>
          <ImportButton />
          {(query.data?.pages[0]?.data.length ?? 0) > 0 && <ExportButton />}
          <Link href="/automations/new" className="button primary">
            {t('new')}
          </Link>
        </>
      }
    >
      <p className="muted">{t('intro')}</p>
      <Read query={query}>
        {({ pages }) => {
          const { items: data } = together(pages, (a) => a.id);
          if (!data.length) return <Nothing />;
          const shown = data.filter(
            (a) => !wanted || [a.name, ...a.tags].some((text) => text.toLowerCase().includes(wanted)),
          );
          return (
            <>
              {(data.length > 3 || wanted) && (
                <Field label={t('filter')}>
                  <input type="search" className={css.search} value={word} onChange={(e) => setWord(e.target.value)} />
                </Field>
              )}
              {shown.length === 0 && <Empty>{t('filter.none')}</Empty>}
              <ul className="plain stack" aria-label={t('list.label')}>
                {shown.map((a) => (
                  <Row key={a.id} of={a} />
                ))}
              </ul>
              {query.hasNextPage && (
                <p>
                  <button type="button" disabled={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
                    {ui('more')}
                  </button>
                </p>
              )}
            </>
          );
        }}
      </Read>
    </Page>
  );
}

function Nothing() {
  const t = texts.use();
  return (
    <Empty>
      <div className="stack tight">
        <p>
          <strong>{t('empty.title')}</strong>
        </p>
        <p>{t('empty.how')}</p>
        <p>
          <Link href="/automations/new" className="button primary">
            {t('empty.make')}
          </Link>
        </p>
      </div>
    </Empty>
  );
}
