import { useEffect, useRef, useState } from 'react';
import { PanelLeft } from 'lucide-react';
import { Icon } from '../../ui/Icon';
import css from './chat.module.css';
import { ChatList } from './list/ChatList';
import { NewChat } from './NewChat';
import { OpenChat } from './Open';
import { texts } from './texts';

/** The list of chats and the open chat. In a narrow window the list is behind a button. */
export default function Chat({ id }: { id?: string }) {
  const t = texts.use();
  const [shown, show] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!shown) return undefined;
    const key = (e: KeyboardEvent) => {
      if (e.key !== 'Escape') return;
      show(false);
      button.current?.focus();
    };
    const away = (e: PointerEvent) => {
      if (!(e.target as Element).closest('#chats, [aria-controls="chats"]')) show(false);
    };
    document.addEventListener('keydown', key);
    document.addEventListener('pointerdown', away);
    return () => {
      document.removeEventListener('keydown', key);
      document.removeEventListener('pointerdown', away);
    };
  }, [shown]);
  const toggle = (
    <button
      ref={button}
      type="button"
      className={`plain icon ${css.toggle}`}
      title={t('chats')}
      aria-expanded={shown}
      aria-controls="chats"
      aria-label={t(shown ? 'chats.hide' : 'chats.show')}
      onClick={() => show(!shown)}
    >
      <Icon of={PanelLeft} />
    </button>
  );
  return (
    <div className={css.chat}>
      <aside id="chats" className={css.list} aria-label={t('chats')} data-open={shown}>
        <ChatList open={id} onGo={() => show(false)} />
      </aside>
      <div className={css.open}>
        {id ? <OpenChat key={id} id={id} toggle={toggle} /> : <NewChat key="new" toggle={toggle} />}
      </div>
    </div>
  );
}
