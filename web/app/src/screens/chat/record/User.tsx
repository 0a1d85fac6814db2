import { Copy } from '../../../ui/Copy';
import { Time } from '../../../ui/Time';
import { visible } from '../../../ui/visible';
import type { Message } from '../store/sessionStore';
import { writtenText } from '../store/items';
import { texts } from '../texts';
import { Long } from './Long';
import css from './record.module.css';

/** What a person wrote; with their name where several people talk. */
export function UserView({ message, named }: { message: Message; named: boolean }) {
  const t = texts.use();
  const text = writtenText(message);
  const segments = message.rich_content?.segments ?? [];
  const who = named ? visible(message.sender_name ?? message.sender_id ?? '') : '';
  const refers = segments.some((s) => s.type === 'enrichment');
  return (
    <article className={css.mine} aria-label={who || t('you')} data-sender="USER" data-message={message.id}>
      {who && (
        <p className={`small muted ${css.author}`} data-author="">
          <bdi>{who}</bdi>
        </p>
      )}
      {refers ? (
        // oxlint-disable-next-line react/no-array-index-key -- segments never change
        <p className="preserve">
          {segments.map((s, i) =>
            s.type === 'text' ? (
              <span key={i}>{s.text}</span>
            ) : (
              <span key={i} className={css.reference}>
                {s.enrichment?.summary ?? s.enrichment?.type}
              </span>
            ),
          )}
        </p>
      ) : (
        <Long text={text} most={2500}>
          {(shown) => (
            <p className="preserve" data-text="">
              {shown}
            </p>
          )}
        </Long>
      )}
      <footer className={css.foot}>
        <Time at={message.timestamp} absolute />
        {text && <Copy text={text} />}
      </footer>
    </article>
  );
}
