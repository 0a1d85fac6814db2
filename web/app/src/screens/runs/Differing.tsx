import { diff } from './diff';
import css from './runs.module.css';

/** An inline diff: removed text struck out, added text underlined. */
export function Differing({ before, now }: { before: string; now: string }) {
  return (
    <p className="preserve">
      {diff(before, now).map((p, i) =>
        p.kind === 'gone' ? (
          <del key={i} className={css.gone}>
            {p.text}
          </del>
        ) : p.kind === 'new' ? (
          <ins key={i} className={css.new}>
            {p.text}
          </ins>
        ) : (
          <span key={i}>{p.text}</span>
        ),
      )}
    </p>
  );
}
