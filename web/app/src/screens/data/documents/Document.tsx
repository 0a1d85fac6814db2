import { useState } from 'react';
import { useLocation } from 'wouter';
import { $api, api, body, type Schemas } from '../../../api/client';
import { asProblem } from '../../../api/problem';
import { announce } from '../../../shell/announce';
import { useAction } from '../../../ui/action';
import { Confirm } from '../../../ui/Confirm';
import { Field } from '../../../ui/Field';
import { Markdown } from '../../../ui/Markdown';
import { Page } from '../../../ui/Page';
import { ProblemBox } from '../../../ui/Problem';
import { Read } from '../../../ui/Read';
import { Time } from '../../../ui/Time';
import { Back, Gone } from '../Back';
import css from '../data.module.css';
import { wasDeleted } from '../undo/deleted';
import { stateOf } from './docs';
import { docTexts } from '../docTexts';
import { StateBadge } from './Documents';
import { SaveProblem } from '../edit/SaveProblem';
import { texts } from '../texts';
import { changesOf, useEdit } from '../edit/useEdit';
import { Versions } from './Versions';

type Doc = Schemas['Document'];

/** One document: its draft, the version that sessions read, and earlier versions. */
export function DocumentPage({ id }: { id: string }) {
  const dt = docTexts.use();
  const query = $api.useQuery('get', '/v1/documents/{document_id}', { params: { path: { document_id: id } } });
  if (query.data) return <Shown doc={query.data} />;
  return (
    <Page title={dt('title')}>
      <Gone query={query}>
        <Read query={query}>{() => null}</Read>
      </Gone>
    </Page>
  );
}

function Shown({ doc }: { doc: Doc }) {
  const dt = docTexts.use();
  const [, go] = useLocation();
  const [deleting, setDeleting] = useState(false);
  const [said, setSaid] = useState('');
  const path = { document_id: doc.id };
  const edit = useEdit({
    of: doc,
    draftOf: (now?: Doc) => ({ title: now?.title ?? '', body: now?.body ?? '' }),
    load: () => body(api.GET('/v1/documents/{document_id}', { params: { path } })),
    save: async (draft, etag, base) => {
      edit.begin(
        await body(
          api.PATCH('/v1/documents/{document_id}', {
            params: { path, header: { 'If-Match': etag } },
            body: changesOf(base, draft),
          }),
        ),
      );
      say(dt('saved'));
    },
  });
  const say = (text: string) => {
    setSaid(text);
    announce(text);
  };
  const changed = Object.keys(changesOf(edit.base, edit.draft)).length > 0;
  // A concurrent save appears automatically, unless there are local edits.
  if (!changed && !edit.action.busy && doc.version > edit.version) edit.begin(doc);
  const name = doc.title || doc.key;
  return (
    <Page
      name={name.slice(0, 60)}
      title={<span className="clamp">{name}</span>}
      actions={
        <>
          <Publish
            doc={doc}
            version={edit.version}
            unsaved={changed}
            onDone={(now) => {
              edit.begin(now);
              say(dt('publish.done'));
            }}
          />
          <button type="button" className="plain" onClick={() => setDeleting(true)}>
            {dt('delete')}
          </button>
        </>
      }
    >
      <Back to="/data/documents" />
      <p className="row">
        <StateBadge doc={doc} />
        <code>{doc.key}</code>
        <span className="small muted">
          {dt(`${stateOf(doc)}.text`)}
          {doc.published_at && (
            <>
              {' '}
              ({dt('published.at')} <Time at={doc.published_at} />)
            </>
          )}
        </span>
      </p>
      <form
        className="stack"
        noValidate
        onSubmit={(e) => {
          e.preventDefault();
          setSaid('');
          void edit.action.run();
        }}
      >
        <DraftFields edit={edit} />
        {edit.loaded && <p className="box ok">{texts.t('stale.loaded')}</p>}
        <SaveProblem thrown={edit.action.problem} load={edit.reload} />
        <div className="row">
          <button type="submit" className="primary" disabled={!changed || edit.action.busy}>
            {dt('save')}
          </button>
          <span className="small muted">{changed ? dt('unsaved') : said}</span>
        </div>
      </form>
      <Versions
        doc={doc}
        now={edit.draft.body}
        onUse={(text) => {
          edit.set({ body: text });
          say(dt('use.done'));
        }}
      />
      {deleting && (
        <Confirm
          title={dt('delete.title')}
          yes={dt('delete')}
          danger
          onClose={() => setDeleting(false)}
          act={async () => {
            await api.DELETE('/v1/documents/{document_id}', { params: { path } });
            wasDeleted('document', [doc.id], name);
            go('/data/documents');
          }}
        >
          <p>{texts.t('delete.text', { name })}</p>
        </Confirm>
      )}
    </Page>
  );
}

interface Fields {
  draft: { title: string; body: string };
  set: (change: { title?: string; body?: string }) => void;
  action: { problem: unknown };
}

function DraftFields({ edit: { draft, set, action } }: { edit: Fields }) {
  const dt = docTexts.use();
  const wrong = (pointer: string) =>
    action.problem == null ? undefined : asProblem(action.problem).errors.find((e) => e.pointer === pointer)?.message;
  return (
    <>
      <Field label={dt('title')} wrong={wrong('/title')}>
        <input type="text" maxLength={200} value={draft.title} onChange={(e) => set({ title: e.target.value })} />
      </Field>
      <div className={css.sides}>
        <Field label={dt('body')} hint={dt('body.hint')} wrong={wrong('/body')}>
          <textarea
            className={css.text}
            maxLength={100_000}
            value={draft.body}
            onChange={(e) => set({ body: e.target.value })}
          />
        </Field>
        <section aria-labelledby="preview" className="stack tight">
          <h2 id="preview" className="small">
            {dt('preview')}
          </h2>
          <div className="card">
            <Markdown text={draft.body} />
          </div>
        </section>
      </div>
    </>
  );
}

interface PublishProps {
  doc: Doc;
  version: number;
  unsaved: boolean;
  onDone: (doc: Doc) => void;
}

function Publish({ doc, version, unsaved, onDone }: PublishProps) {
  const dt = docTexts.use();
  const action = useAction(async () =>
    onDone(
      await body(
        api.POST('/v1/documents/{document_id}/publish', {
          params: { path: { document_id: doc.id }, header: { 'If-Match': `"${version}"` } },
        }),
      ),
    ),
  );
  return (
    <>
      {action.problem != null && <ProblemBox thrown={action.problem} onClose={action.clear} />}
      {(stateOf(doc) !== 'published' || unsaved) && (
        <button
          type="button"
          className="primary"
          disabled={unsaved || action.busy}
          title={unsaved ? dt('publish.first') : undefined}
          onClick={() => void action.run()}
        >
          {dt('publish')}
        </button>
      )}
    </>
  );
}
