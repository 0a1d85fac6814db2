import type { LucideIcon } from 'lucide-react';
import { createContext, use, type CSSProperties, type ReactNode } from 'react';
import { Icon } from '../../ui/Icon';
import css from './rows.module.css';

const Columns = createContext<string[]>([]);
const none: string[] = [];

interface ListProps {
  /** The labels of the facts of each row, in column order. */
  columns?: string[];
  label?: string;
  children: ReactNode;
}

/** A list of a setting's items: rows separated by hairlines, with facts in columns. */
export const Lines = ({ columns = none, label, children }: ListProps) => (
  <Columns value={columns}>
    <div className={css.lines}>
      <div className={css.grid} style={{ '--facts': Math.max(1, columns.length) } as CSSProperties}>
        {columns.length > 0 && <Head columns={columns} />}
        <ul className={`rows ${css.list}`} aria-label={label}>
          {children}
        </ul>
      </div>
    </div>
  </Columns>
);

/** The column headings, hidden from screen readers: each fact has its own label. */
const Head = ({ columns }: { columns: string[] }) => (
  <div className={`meta ${css.head}`} aria-hidden="true">
    <span />
    <span />
    {columns.map((column) => (
      <span key={column}>{column}</span>
    ))}
  </div>
);

interface Props {
  icon: LucideIcon;
  name: ReactNode;
  /** Below the name, smaller: a detail that identifies it. */
  meta?: ReactNode;
  /** In columns: one for each heading, or an empty cell. */
  facts?: ReactNode[];
  /** Its state. */
  status?: ReactNode;
  /** Its actions. */
  children?: ReactNode;
}

/** A row of a list of settings: name, state and actions. */
export function Line({ icon, name, meta, facts = none, status, children }: Props) {
  const columns = use(Columns);
  return (
    <div className={css.line}>
      <span className={css.kind}>
        <Icon of={icon} />
      </span>
      <div className={css.what}>
        <div className={css.name}>{name}</div>
        {meta && <div className={`meta ${css.meta}`}>{meta}</div>}
      </div>
      <div className={css.facts}>
        {Array.from({ length: Math.max(1, columns.length) }, (_, i) => (
          <span key={columns[i] ?? ''} className={css.fact}>
            {(facts[i] || facts[i] === 0) && (
              <>
                <span className={css.label}>{columns[i]} </span>
                {facts[i]}
              </>
            )}
          </span>
        ))}
        <div className={css.stands}>{status}</div>
      </div>
      <div className={css.acts}>{children}</div>
    </div>
  );
}
