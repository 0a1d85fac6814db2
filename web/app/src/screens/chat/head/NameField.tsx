import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { api, body } from '../../../api/client';
import { useAction } from '../../../ui/action';
import { ProblemBox } from '../../../ui/Problem';
import { visible } from '../../../ui/visible';
import type { Chat } from '../store/chat';
import type { Session } from '../store/sessionStore';
import { texts } from '../texts';
import css from './head.module.css';
import { nameOf } from './name';

const longest = 200; // the server's limit, in characters

interface Props {
  chat: Chat;
  session: Session;
  editing: boolean;
  edit: (on: boolean) => void;
}

/** The name of a chat, edited in place. */
export function NameField({ chat, session, editing, edit }: Props) {
  const t = texts.use();
  const name = visible(nameOf(session, t));
  if (editing) return <Editing chat={chat} session={session} done={() => edit(false)} />;
  const title = (
    <h1 tabIndex={-1} id="page-title" className={css.name} title={name.slice(0, 300)}>
      <bdi>{name}</bdi>
    </h1>
  );
  if (session.type !== 'CHAT') return title;
  // A click also starts editing; the keyboard has the menu for that.
  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions
    <div className={css.own} onClick={() => edit(true)}>
      {title}
    </div>
  );
}

function Editing({ chat, session, done }: { chat: Chat; session: Session; done: () => void }) {
  const t = texts.use();
  const queries = useQueryClient();
  const [name, setName] = useState(session.name);
  const ended = useRef(false);
  const save = useAction(async () => {
    try {
      chat.store.take(
        await body(
          api.PATCH('/v1/sessions/{session_id}', {
            params: { path: { session_id: chat.id } },
            body: { name: name.trim() },
          }),
        ),
      );
    } catch (thrown) {
      ended.current = false;
      chat.recheck(thrown);
      throw thrown;
    }
    void queries.invalidateQueries({ queryKey: ['get', '/v1/sessions'] });
    done();
  });
  const finish = () => {
    if (ended.current) return;
    ended.current = true;
    if (name.trim() === session.name) done();
    else void save.run();
  };
  return (
    <form
      className={css.own}
      onSubmit={(e) => {
        e.preventDefault();
        finish();
        document.getElementById('message')?.focus();
      }}
    >
      <h1 className="visually-hidden" id="page-title" tabIndex={-1}>
        {nameOf(session, t).slice(0, longest)}
      </h1>
      <input
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- the person asked to edit it
        autoFocus
        type="text"
        className={css.edit}
        aria-label={t('set.name')}
        maxLength={longest}
        value={name}
        onFocus={(e) => e.target.select()}
        onChange={(e) => setName(e.target.value)}
        onBlur={finish}
        onKeyDown={(e) => {
          if (e.key !== 'Escape') return;
          e.stopPropagation();
          ended.current = true;
          done();
          document.getElementById('message')?.focus();
        }}
      />
      {save.problem != null && <ProblemBox thrown={save.problem} onClose={save.clear} />}
    </form>
  );
}
