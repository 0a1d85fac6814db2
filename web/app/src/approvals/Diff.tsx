import { useEffect, useMemo, useState } from 'react';
import { useFormat } from '../i18n/format';
import { visible } from '../ui/visible';
import { changes, lineDiff, maxFields, rowsOf, type Change } from './changes';
import { Records } from './Records';
import { useShown } from './shown';
import { texts } from './texts';
import css from './approvals.module.css';

/** The name of a field in words. Fields of a record's `data` keep their names. */
export function useFieldName() {
  const t = texts.use();
  const one = (name: string) =>
    t.has(`field.${name}`)
      ? t(`field.${name}` as 'field.name')
      : /^\d+$/.test(name)
        ? t('field.nth', { n: name })
        : visible(name);
  return (path: string[]) =>
    path
      .filter((name, i) => name !== 'data' || i === path.length - 1)
      .map(one)
      .join(' › ');
}

interface DiffProps {
  before: unknown;
  after: unknown;
  /** Called with whether everything is drawn. */
  cut?: (yes: boolean) => void;
}

/** Before and after: only the changes, marked by words and signs as well as colour. Large diffs are drawn in parts,
 * with a note above that there is more. */
export function Diff({ before, after, cut }: DiffProps) {
  const name = useFieldName();
  const list = useMemo(() => changes(before, after), [before, after]);
  const table = useMemo(() => rowsOf(list), [list]);
  const [room, setRoom] = useState(maxFields);
  const all = table ? table.rows.length : list.length;
  const step = table ? Math.ceil(maxFields / table.columns.length) : maxFields;
  const drawn = Math.min(all, (room / maxFields) * step);
  useEffect(() => {
    cut?.(drawn < all);
  });
  if (!list.length) return null;
  return (
    <>
      {drawn < all && (
        <NotAll
          of={table ? 'cut.records' : 'cut.fields'}
          missing={all - drawn}
          next={Math.min(all - drawn, step)}
          more={() => setRoom(room + maxFields)}
        />
      )}
      {table ? (
        <Records of={{ ...table, rows: table.rows.slice(0, drawn) }} name={name} />
      ) : (
        <dl className={css.diff} data-diff>
          {list.slice(0, drawn).map((c) => (
            <div key={c.path.join('/')} className={css.change} data-field={c.path.join('.')} data-kind={c.kind}>
              <dt>{name(c.path)}</dt>
              <dd>
                <Values change={c} />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </>
  );
}

interface NotAllProps {
  of: 'cut.fields' | 'cut.records';
  missing: number;
  next: number;
  more: () => void;
}

function NotAll({ of, missing, next, more }: NotAllProps) {
  const t = texts.use();
  const f = useFormat();
  return (
    <p className="box warn small row between" data-cut={missing}>
      <strong>{t(of, { n: missing, count: f.number(missing) })}</strong>
      <button type="button" className="small" data-do="show-more" onClick={more}>
        {t('cut.more', { count: f.number(next) })}
      </button>
    </p>
  );
}

function Values({ change: { was, will, kind } }: { change: Change }) {
  const t = texts.use();
  const show = useShown();
  if (kind === 'same') return <p className="preserve muted">{show(was)}</p>;
  const lines = typeof was === 'string' && typeof will === 'string' ? lineDiff(was, will) : null;
  if (lines) {
    return (
      <div className={css.lines}>
        {lines.map((l, i) =>
          l.kind === 'same' ? (
            <p key={i} className={css.side}>
              <span aria-hidden="true" className={css.sign}>
                {' '}
              </span>
              <bdi className="preserve">{visible(l.text)}</bdi>
            </p>
          ) : (
            <Side
              key={i}
              kind={l.kind}
              word={t(l.kind === 'removed' ? 'line.removed' : 'line.added')}
              hidden
              text={visible(l.text)}
            />
          ),
        )}
      </div>
    );
  }
  // Two instants within one minute look the same: show their difference.
  const alike = was !== undefined && will !== undefined && show(was) === show(will);
  const said = (value: unknown) => (alike ? visible(JSON.stringify(value)) : show(value));
  return (
    <>
      {was !== undefined && (
        <Side kind="removed" word={t(will === undefined ? 'diff.removed' : 'diff.before')} text={said(was)} />
      )}
      {will !== undefined && (
        <Side kind="added" word={t(was === undefined ? 'diff.new' : 'diff.after')} text={said(will)} />
      )}
    </>
  );
}

const longText = 1200; // characters
const longLines = 15;
const isLong = (text: string) => text.length > longText || text.split('\n', longLines + 1).length > longLines;

interface SideProps {
  kind: 'added' | 'removed';
  word: string;
  hidden?: boolean;
  text: string;
}

/** One side of a change. Of a long text only the beginning is drawn, with its length. */
function Side({ kind, word, hidden, text }: SideProps) {
  const t = texts.use();
  const f = useFormat();
  const [whole, setWhole] = useState(false);
  const Mark = kind === 'added' ? 'ins' : 'del';
  const folded = !whole && isLong(text);
  return (
    <>
      <p className={`${css.side} ${css[kind]}`} data-folded={folded || undefined}>
        <span aria-hidden="true" className={css.sign}>
          {kind === 'added' ? '+' : '−'}
        </span>
        <span className={hidden ? 'visually-hidden' : css.word}>{word} </span>
        <Mark className="preserve">
          <bdi>{text}</bdi>
        </Mark>
      </p>
      {folded && (
        <p>
          <button type="button" className="small" data-do="show-text" onClick={() => setWhole(true)}>
            {t('cut.text', { n: text.length, count: f.number(text.length) })}
          </button>
        </p>
      )}
    </>
  );
}
