import { useMemo, useState } from 'react';
import { Link } from 'wouter';
import { $api, type Schemas } from '../../../api/client';
import { Dialog } from '../../../ui/Dialog';
import { Read } from '../../../ui/Read';
import { Time } from '../../../ui/Time';
import { visible } from '../../../ui/visible';
import css from '../data.module.css';
import { diffLines, type Line } from './diff';
import { docTexts } from '../docTexts';
import { texts } from '../texts';

interface Props {
  doc: Schemas['Document'];
  now: string;
  onUse: (text: string) => void;
}

/** The published versions, latest first. */
export function Versions({ doc, now, onUse }: Props) {
  const t = texts.use();
  const dt = docTexts.use();
  const [limit, setLimit] = useState(20);
  const [open, setOpen] = useState<number | null>(null);
  const query = $api.useQuery(
    'get',
    '/v1/documents/{document_id}/versions',
    { params: { path: { document_id: doc.id }, query: { limit } } },
    { placeholderData: (old) => old },
  );
  return (
    <section className="stack tight" aria-labelledby="versions">
      <h2 id="versions">{dt('versions')}</h2>
      <Read query={query}>
        {({ data, next_cursor }) => (
          <>
            {data.length === 0 && <p className="muted">{dt('versions.none')}</p>}
            <ul className="plain stack tight">
              {data.map((one) => (
                <li key={one.version} className="row" data-version={one.version}>
                  <span>
                    {dt('version', { n: one.version })}, <Time at={one.published_at} absolute />
                    {one.author && <>, {visible(one.author)}</>}
                    {one.session_id && (
                      <>
                        {' '}
                        <Link href={`/chat/${one.session_id}`}>{dt('version.chat')}</Link>
                      </>
                    )}
                  </span>
                  <button
                    type="button"
                    className="small"
                    aria-label={`${dt('look')}: ${dt('version', { n: one.version })}`}
                    onClick={() => setOpen(one.version)}
                  >
                    {dt('look')}
                  </button>
                </li>
              ))}
            </ul>
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
      {open !== null && (
        <Compared
          doc={doc}
          version={open}
          now={now}
          onUse={(text) => {
            setOpen(null);
            onUse(text);
          }}
          onClose={() => setOpen(null)}
        />
      )}
    </section>
  );
}

interface ComparedProps extends Props {
  version: number;
  onClose: () => void;
}

function Compared({ doc, version, now, onUse, onClose }: ComparedProps) {
  const dt = docTexts.use();
  const query = $api.useQuery('get', '/v1/documents/{document_id}/versions/{version}', {
    params: { path: { document_id: doc.id, version } },
  });
  const before = query.data?.body ?? '';
  const lines = useMemo(() => (query.data ? diffLines(before, now) : []), [query.data, before, now]);
  const count = (kind: Line['kind']) => lines.filter((line) => line.kind === kind).length;
  return (
    <Dialog title={dt('look.title', { n: version })} onClose={onClose}>
      <Read query={query}>
        {() => (
          <>
            <p>{before === now ? dt('same') : dt('diff.count', { added: count('added'), gone: count('gone') })}</p>
            <Diff lines={lines} />
            {before !== now && (
              <p>
                <button type="button" onClick={() => onUse(before)}>
                  {dt('use')}
                </button>
              </p>
            )}
          </>
        )}
      </Read>
    </Dialog>
  );
}

function Diff({ lines }: { lines: Line[] }) {
  const dt = docTexts.use();
  return (
    <div className={`card ${css.diff}`} data-diff tabIndex={0} role="group" aria-label={dt('versions')}>
      {lines.map(({ kind, text }, i) => {
        if (kind === 'same') return <span key={i}> {text}</span>;
        const Tag = kind === 'added' ? 'ins' : 'del';
        return (
          <Tag key={i}>
            <span className="visually-hidden">{dt(kind === 'added' ? 'diff.add' : 'diff.gone')}: </span>
            <b aria-hidden="true">{kind === 'added' ? '+ ' : '− '}</b>
            {text}
          </Tag>
        );
      })}
    </div>
  );
}
