import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { Icon } from '../../ui/Icon';
import css from './rows.module.css';

interface Props {
  icon: LucideIcon;
  name: ReactNode;
  /** Below the name, smaller: what tells it apart. */
  meta?: ReactNode;
  /** How it stands, at the end of the line. */
  status?: ReactNode;
  /** What can be done with it. */
  children?: ReactNode;
}

/** A row of a list of settings: what it is, how it stands, what can be done with it. */
export const Line = ({ icon, name, meta, status, children }: Props) => (
  <div className={css.line}>
    <span className={css.kind}>
      <Icon of={icon} />
    </span>
    <div className={css.what}>
      <div className={css.name}>{name}</div>
      {meta && <div className={`meta ${css.meta}`}>{meta}</div>}
    </div>
    {status && <div className={css.stands}>{status}</div>}
    {children && <div className={css.acts}>{children}</div>}
  </div>
);
