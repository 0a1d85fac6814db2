import { useState } from 'react';
import type { Schemas } from '../../../api/client';
import { Time } from '../../../ui/Time';
import { visible } from '../../../ui/visible';
import type { Chat } from '../store/chat';
import type { Message } from '../store/sessionStore';
import { writtenText } from '../store/items';
import { texts } from '../texts';
import { MessageActions } from './Actions';
import { CopyIcon } from './CopyIcon';
import { EditMessage } from './EditMessage';
import { FileView } from './FileView';
import { Long } from './Long';
import { isOutside, Origin } from './Origin';
import css from './record.module.css';

/** External content, set apart from the person's own words. */
function Foreign({ from, text }: { from: Schemas['Provenance']; text: string }) {
  return (
    <div className={css.foreign}>
      <Origin from={from} />
      <Long text={text} most={2500}>
        {(shown) => <p data-text="">{shown}</p>}
      </Long>
    </div>
  );
}

/** A person's message, with their name if several people take part. */
export function UserView({ chat, message, named }: { chat: Chat; message: Message; named: boolean }) {
  const t = texts.use();
  const text = writtenText(message);
  const segments = message.rich_content?.segments ?? [];
  const [editing, edit] = useState(false);
  const who = named ? visible(message.sender_name ?? message.sender_id ?? '') : '';
  const parts = segments.some((s) => s.type !== 'text' || isOutside(s.from));
  if (editing) return <EditMessage chat={chat} message={message} onDone={() => edit(false)} />;
  return (
    <article className={css.said} aria-label={who || t('you')} data-sender="USER" data-message={message.id}>
      <div className={css.mine}>
        {who && (
          <p className={`small muted ${css.author}`} data-author="">
            <bdi>{who}</bdi>
          </p>
        )}
        {parts ? (
          // oxlint-disable-next-line react/no-array-index-key -- segments never change
          <div className="preserve">
            {segments.map((s, i) =>
              s.file ? (
                <FileView key={i} file={s.file} />
              ) : isOutside(s.from) ? (
                <Foreign key={i} from={s.from} text={s.text?.trim() ?? ''} />
              ) : s.type === 'text' ? (
                <span key={i}>{s.text}</span>
              ) : (
                <span key={i} className={css.reference}>
                  {s.enrichment?.summary ?? '@'}
                </span>
              ),
            )}
          </div>
        ) : (
          <Long text={text} most={2500}>
            {(shown) => (
              <p className="preserve" data-text="">
                {shown}
              </p>
            )}
          </Long>
        )}
      </div>
      <footer className={css.foot}>
        <Time at={message.timestamp} absolute />
        {text && <CopyIcon text={text} />}
        <MessageActions chat={chat} message={message} onEdit={message.rich_content ? () => edit(true) : undefined} />
      </footer>
    </article>
  );
}
