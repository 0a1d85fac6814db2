import { texts } from './texts';
import type { Rows } from './changes';
import { useShown } from './shown';
import css from './records.module.css';

/** Added or removed records, one per row. */
export function Records({ of: { kind, columns, rows }, name }: { of: Rows; name: (path: string[]) => string }) {
  const t = texts.use();
  const show = useShown();
  const Mark = kind === 'added' ? 'ins' : 'del';
  return (
    <div className={`scroll ${css.records}`} data-diff>
      <table data-kind={kind}>
        <thead>
          <tr>
            {columns.map((path) => (
              <th key={path.join()} scope="col">
                {name(path)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ at, cells }) => (
            <tr key={at}>
              {cells.map((value, i) => (
                <td key={i} data-field={[at, ...(columns[i] ?? [])].join('.')}>
                  {i === 0 && (
                    <span className={css.sign}>
                      <span aria-hidden="true">{kind === 'added' ? '+' : '−'}</span>
                      <span className="visually-hidden">{t(kind === 'added' ? 'diff.new' : 'diff.removed')} </span>
                    </span>
                  )}
                  {value !== undefined && (
                    <Mark className="preserve">
                      <bdi>{show(value)}</bdi>
                    </Mark>
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
