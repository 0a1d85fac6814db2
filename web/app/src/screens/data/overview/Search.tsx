import { useState } from 'react';
import { Link } from 'wouter';
import { $api, type Schemas } from '../../../api/client';
import { Empty } from '../../../ui/Empty';
import { Field } from '../../../ui/Field';
import { Read } from '../../../ui/Read';
import { Time } from '../../../ui/Time';
import { useSettled } from '../../../ui/useSettled';
import css from '../data.module.css';
import { partsOf, placesOf } from './marks';
import { texts } from '../texts';

const kinds = ['', 'entry', 'note', 'document'] as const;
const maxHits = 100;

interface Props {
  word: string;
  onWord: (word: string) => void;
}

/** Search in all data, best match first. */
export function Search({ word, onWord }: Props) {
  const t = texts.use();
  const [kind, setKind] = useState<string>('');
  const q = useSettled(word.trim(), 200);
  return (
    <search className="stack tight">
      <div className={css.inline}>
        <div className={css.wide}>
          <Field label={t('search.label')}>
            <input type="search" maxLength={1000} value={word} onChange={(e) => onWord(e.target.value)} />
          </Field>
        </div>
        {word.trim() && (
          <Field label={t('search.kind')}>
            <select value={kind} onChange={(e) => setKind(e.target.value)}>
              {kinds.map((name) => (
                <option key={name} value={name}>
                  {t(`search.${name || 'all'}`)}
                </option>
              ))}
            </select>
          </Field>
        )}
      </div>
      {word.trim() && q && <Hits q={q} kinds={kind || undefined} />}
    </search>
  );
}

function Hits({ q, kinds: only }: { q: string; kinds?: string }) {
  const t = texts.use();
  const [limit, setLimit] = useState(20);
  const query = $api.useQuery(
    'get',
    '/v1/search',
    { params: { query: { q, kinds: only, limit } } },
    { placeholderData: (old) => old },
  );
  return (
    <Read query={query}>
      {({ data, next_cursor }) => (
        <div className="stack tight" data-q={query.isPlaceholderData ? undefined : q}>
          <p role="status" className="small muted">
            {next_cursor
              ? t('search.many', { n: data.length })
              : data.length > 0 && t('search.results', { n: data.length })}
          </p>
          {data.length === 0 && <Empty>{t('search.none')}</Empty>}
          {data.length > 0 && (
            <div className={`card ${css.hits}`}>
              <ol className="plain">
                {data.map((hit) => (
                  <Hit key={hit.kind + hit.id} hit={hit} />
                ))}
              </ol>
            </div>
          )}
          {next_cursor && limit < maxHits && (
            <p>
              <button type="button" onClick={() => setLimit(Math.min(maxHits, limit * 2))}>
                {t('more')}
              </button>
            </p>
          )}
        </div>
      )}
    </Read>
  );
}

const pathOf = (hit: Schemas['SearchHit']) =>
  hit.tool_id ? `/data/tools/${hit.tool_id}/${hit.id}` : `/data/documents/${hit.id}`;

function Hit({ hit }: { hit: Schemas['SearchHit'] }) {
  const t = texts.use();
  const kind = `hit.${hit.kind}`;
  const title = hit.title || hit.tool_name || hit.key || hit.id;
  return (
    <li className="stack tight" data-hit={hit.id}>
      <p className="row">
        <Link href={pathOf(hit)} className="clamp">
          <Marked text={title} marks={hit.title ? placesOf(title, hit.matches) : []} />
        </Link>
        <span className="badge">{t.has(kind) ? t(kind) : hit.kind}</span>
        {hit.draft && <span className="badge warn">{t('hit.draft')}</span>}
      </p>
      <p>
        <Marked text={hit.snippet} marks={hit.marks} />
      </p>
      <p className="small muted clamp">
        {[hit.zone_name, hit.title ? hit.tool_name : null].filter(Boolean).map((name) => `${name} · `)}
        <Time at={hit.timestamp} />
      </p>
    </li>
  );
}

const Marked = ({ text, marks }: { text: string; marks: { start: number; end: number }[] }) => (
  <>
    {partsOf(text, marks).map((part, i) =>
      part.marked ? (
        <mark key={i} className={css.found}>
          {part.text}
        </mark>
      ) : (
        part.text
      ),
    )}
  </>
);
