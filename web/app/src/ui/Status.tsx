import { CircleAlert, CircleCheck, CirclePause, CircleQuestionMark, Clock, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { Icon } from './Icon';

/** The kinds of status: ok, failed, paused, waiting, waiting for a person. */
export type StatusKind = 'ok' | 'bad' | 'paused' | 'waits' | 'asks';

const looks: Record<StatusKind, { icon: LucideIcon; tone: string }> = {
  ok: { icon: CircleCheck, tone: 'ok' },
  bad: { icon: CircleAlert, tone: 'bad' },
  paused: { icon: CirclePause, tone: '' },
  waits: { icon: Clock, tone: '' },
  asks: { icon: CircleQuestionMark, tone: 'warn' },
};

/** A status as an icon and a word, never by colour alone. */
export function Status({ is, children }: { is: StatusKind; children: ReactNode }) {
  const { icon, tone } = looks[is];
  return (
    <span className={`badge ${tone}`}>
      <Icon of={icon} />
      {children}
    </span>
  );
}
