import { FileText } from 'lucide-react';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { $api, api, body, type Schemas } from '../../../api/client';
import { asProblem } from '../../../api/problem';
import { useAction } from '../../../ui/action';
import { Dialog } from '../../../ui/Dialog';
import { useMay } from '../../../api/me';
import { Empty } from '../../../ui/Empty';
import { Field } from '../../../ui/Field';
import { Page } from '../../../ui/Page';
import { ProblemBox } from '../../../ui/Problem';
import { Read } from '../../../ui/Read';
import { Time } from '../../../ui/Time';
import { visible } from '../../../ui/visible';
import { Line, Lines } from '../../rows/Line';
import { keyOf, stateOf } from './docs';
import { docTexts } from '../docTexts';
import { Tabs } from '../Tabs';
import { texts } from '../texts';
import { RecentlyDeleted } from '../undo/UndoBar';

/** All documents. */
export function Documents() {
  const t = texts.use();
  const dt = docTexts.use();
  const [, go] = useLocation();
  const [making, setMaking] = useState(false);
  const [limit, setLimit] = useState(50);
  const query = $api.useQuery(
    'get',
    '/v1/documents',
    { params: { query: { limit } } },
    { placeholderData: (old) => old },
  );
  const member = useMay('member');
  return (
    <Page
      title={t('title')}
      name={t('nav.documents')}
      actions={
        member && (
          <button type="button" className="primary" onClick={() => setMaking(true)}>
            {dt('new')}
          </button>
        )
      }
    >
      <Tabs />
      <p className="muted">{dt('intro')}</p>
      <Read query={query}>
        {({ data, next_cursor }) => (
          <>
            {data.length === 0 && <Empty>{dt('empty')}</Empty>}
            {data.length > 0 && (
              <Lines columns={[dt('updated')]}>
                {data.map((doc) => (
                  <Row key={doc.id} of={doc} />
                ))}
              </Lines>
            )}
            {next_cursor && limit < 200 && (
              <p>
                <button type="button" onClick={() => setLimit(200)}>
                  {t('more')}
                </button>
              </p>
            )}
          </>
        )}
      </Read>
      <RecentlyDeleted />
      {making && <NewDocument onClose={() => setMaking(false)} onMade={(id) => go(`/data/documents/${id}`)} />}
    </Page>
  );
}

function Row({ of: doc }: { of: Schemas['Document'] }) {
  return (
    <li data-document={doc.id}>
      <Line
        icon={FileText}
        name={
          <Link href={`/data/documents/${doc.id}`}>
            <bdi>{visible(doc.title || doc.key)}</bdi>
          </Link>
        }
        meta={<code>{doc.key}</code>}
        facts={[<Time key="updated" at={doc.updated_at} />]}
        status={<StateBadge doc={doc} />}
      />
    </li>
  );
}

export function StateBadge({ doc }: { doc: Schemas['Document'] }) {
  const dt = docTexts.use();
  const state = stateOf(doc);
  return (
    <span className={`badge ${state === 'published' ? 'ok' : 'warn'}`} data-state={state}>
      {dt(state === 'published' ? 'published' : 'draft')}
    </span>
  );
}

function NewDocument({ onClose, onMade }: { onClose: () => void; onMade: (id: string) => void }) {
  const t = texts.use();
  const dt = docTexts.use();
  const [title, setTitle] = useState('');
  const [key, setKey] = useState<string | null>(null); // null: derived from the title
  const [text, setText] = useState('');
  const made = key ?? keyOf(title);
  const action = useAction(async () =>
    onMade((await body(api.POST('/v1/documents', { body: { key: made, title, body: text } }))).id),
  );
  const wrong = (pointer: string) =>
    action.problem == null ? undefined : asProblem(action.problem).errors.find((e) => e.pointer === pointer)?.message;
  return (
    <Dialog title={dt('new.title')} onClose={onClose}>
      <form
        className="stack"
        noValidate
        onSubmit={(e) => {
          e.preventDefault();
          void action.run();
        }}
      >
        <Field label={dt('title')} wrong={wrong('/title')}>
          <input type="text" maxLength={200} value={title} onChange={(e) => setTitle(e.target.value)} />
        </Field>
        <Field label={dt('key')} hint={dt('key.hint')} required wrong={wrong('/key')}>
          <input
            type="text"
            maxLength={100}
            autoCapitalize="off"
            spellCheck={false}
            value={made}
            onChange={(e) => setKey(e.target.value)}
          />
        </Field>
        <Field label={dt('body')} hint={dt('body.hint')} wrong={wrong('/body')}>
          <textarea rows={8} maxLength={100_000} value={text} onChange={(e) => setText(e.target.value)} />
        </Field>
        {action.problem != null && <ProblemBox thrown={action.problem} />}
        <div className="row">
          <button type="submit" className="primary" disabled={action.busy || !made}>
            {dt('make')}
          </button>
          <button type="button" onClick={onClose}>
            {t('cancel')}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
