import { useState } from 'react';
import { Link } from 'wouter';
import { $api } from '../../api/client';
import { Empty } from '../../ui/Empty';
import { Field } from '../../ui/Field';
import { Page } from '../../ui/Page';
import { Read } from '../../ui/Read';
import { texts as uiTexts } from '../../ui/texts';
import { Row } from './Row';
import { texts } from './texts';

const step = 50;

/** All automations, newest first. */
export function List() {
  const t = texts.use();
  const ui = uiTexts.use();
  const [limit, setLimit] = useState(step);
  const [word, setWord] = useState('');
  const query = $api.useQuery('get', '/v1/automations', { params: { query: { limit: Math.min(limit, 200) } } }, { placeholderData: (old) => old });
  const wanted = word.trim().toLowerCase();
  return (
    <Page title={t('title')} actions={<Link href="/automations/new" className="button primary">{t('new')}</Link>}>
      <p className="muted">{t('intro')}</p>
      <Read query={query}>
        {({ data, next_cursor }) => {
          if (!data.length) {
            return <Empty><div className="stack tight"><p><strong>{t('empty.title')}</strong></p><p>{t('empty.how')}</p><p><Link href="/automations/new" className="button primary">{t('empty.make')}</Link></p></div></Empty>;
          }
          const shown = data.filter((a) => !wanted || [a.name, ...a.tags].some((text) => text.toLowerCase().includes(wanted)));
          return (
            <>
              {(data.length > 3 || wanted) && <Field label={t('filter')}><input type="search" value={word} onChange={(e) => setWord(e.target.value)} /></Field>}
              {shown.length === 0 && <Empty>{t('filter.none')}</Empty>}
              <ul className="plain stack" aria-label={t('list.label')}>{shown.map((a) => <Row key={a.id} of={a} />)}</ul>
              {next_cursor && limit < 200 && <p><button type="button" onClick={() => setLimit(limit + step)}>{ui('more')}</button></p>}
            </>
          );
        }}
      </Read>
    </Page>
  );
}
