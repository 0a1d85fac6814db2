import { visible } from '../ui/visible';
import { changes, lineDiff, rowsOf, type Change } from './changes';
import { Records } from './Records';
import { useShown } from './shown';
import { texts } from './texts';
import css from './approvals.module.css';

/** The name of a field in words. `data` is what a record holds, and needs no name. */
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

/** Before and after: only what changes, marked by words and signs as well as colour. */
export function Diff({ before, after }: { before: unknown; after: unknown }) {
  const name = useFieldName();
  const list = changes(before, after);
  const rows = rowsOf(list);
  if (!list.length) return null;
  if (rows) return <Records of={rows} name={name} />;
  return (
    <dl className={css.diff} data-diff>
      {list.map((c) => (
        <div key={c.path.join('/')} className={css.change} data-field={c.path.join('.')} data-kind={c.kind}>
          <dt>{name(c.path)}</dt>
          <dd>
            <Values change={c} />
          </dd>
        </div>
      ))}
    </dl>
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
  return (
    <>
      {was !== undefined && (
        <Side kind="removed" word={t(will === undefined ? 'diff.removed' : 'diff.before')} text={show(was)} />
      )}
      {will !== undefined && (
        <Side kind="added" word={t(was === undefined ? 'diff.new' : 'diff.after')} text={show(will)} />
      )}
    </>
  );
}

function Side({
  kind,
  word,
  hidden,
  text,
}: {
  kind: 'added' | 'removed';
  word: string;
  hidden?: boolean;
  text: string;
}) {
  const Mark = kind === 'added' ? 'ins' : 'del';
  return (
    <p className={`${css.side} ${css[kind]}`}>
      <span aria-hidden="true" className={css.sign}>
        {kind === 'added' ? '+' : '−'}
      </span>
      <span className={hidden ? 'visually-hidden' : css.word}>{word} </span>
      <Mark className="preserve">
        <bdi>{text}</bdi>
      </Mark>
    </p>
  );
}
