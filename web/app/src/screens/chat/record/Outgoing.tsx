import { Clock, Pencil, RotateCcw } from 'lucide-react';
import { Icon } from '../../../ui/Icon';
import { ProblemBox } from '../../../ui/Problem';
import { tokenOf, type Draft } from '../store/drafts';
import { passes, type Outbox, type Outgoing } from '../store/outbox';
import { texts } from '../texts';
import { words } from '../texts.compose';
import { Long } from './Long';
import css from './record.module.css';

interface Props {
  outbox: Outbox;
  of: Outgoing;
  /** Returns it to the field. */
  onBack: (draft: Draft) => void;
}

/** The text as it will be displayed: references by name. */
export const plainText = ({ text, references }: Draft): string =>
  references.reduce((all, r) => all.replace(tokenOf(r.label), r.label), text.trim());

/** A message that the server has not confirmed yet. */
export function OutgoingView({ outbox, of: item, onBack }: Props) {
  const t = texts.use();
  const tw = words.use();
  const held = outbox.held(item);
  const stuck = item.state === 'failed' || held;
  const state = held ? 'out.refused' : item.state === 'failed' ? 'out.failed' : 'out.sending';
  return (
    <article className={css.said} aria-label={t('you')} data-outgoing={item.state}>
      <div className={`${css.mine} ${css.unsent}`}>
        <Long text={plainText(item.draft)} most={2500}>
          {(shown) => (
            <p className="preserve" data-text="">
              {shown}
            </p>
          )}
        </Long>
        {item.draft.files?.map((file) => (
          <p key={file.id} className="small">
            <bdi>{file.name}</bdi>
          </p>
        ))}
      </div>
      <div className={css.way} role="status">
        <Icon of={Clock} size={14} />
        <span>{tw(state)}</span>
        {stuck && (
          <>
            <button type="button" className="plain small" data-act="resend" onClick={() => outbox.again(item.key)}>
              <Icon of={RotateCcw} size={14} />
              {tw('out.again')}
            </button>
            <button
              type="button"
              className="plain small"
              data-act="take-back"
              onClick={() => {
                outbox.remove(item.key);
                onBack(item.draft);
              }}
            >
              <Icon of={Pencil} size={14} />
              {tw('out.back')}
            </button>
          </>
        )}
      </div>
      {item.problem && !passes(item) && <ProblemBox thrown={item.problem} />}
    </article>
  );
}
