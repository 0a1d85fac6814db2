// Events carry the server's sentences in the workspace's language, with their translations: all readers get the same
// bytes. A reader of another language is shown the translation. (Responses of the API come in the reader's language.)
import type { Lang } from '../i18n/lang';
import type { StreamEvent } from './types';

type Translations = Readonly<Record<string, unknown>> | null;
type Fields = Record<string, unknown>;

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Replaces one text by its translation. A translation with several texts replaces each of them. */
function translated<T>(value: T, lang: Lang, field: string): T {
  if (!isObject(value)) return value;
  const text = (value.translations as Translations | undefined)?.[lang];
  if (typeof text === 'string') return { ...value, [field]: text };
  return isObject(text) ? { ...value, ...text } : value;
}

const each = (list: unknown, change: (value: unknown) => unknown): unknown =>
  Array.isArray(list) ? list.map(change) : list;

/** An object with some of its fields changed; the same object if it has none of them. */
function withFields<T>(value: T, changes: Record<string, (value: unknown) => unknown>): T {
  if (!isObject(value)) return value;
  const present = Object.keys(changes).filter((name) => value[name] != null);
  if (!present.length) return value;
  return { ...value, ...Object.fromEntries(present.map((name) => [name, changes[name]!(value[name])])) };
}

const failure = (lang: Lang) => ({ error: (value: unknown) => translated(value, lang, 'message') });

/** A message in a language. */
export const localisedMessage = <T>(message: T, lang: Lang): T =>
  withFields(message, {
    system_message: (system) =>
      withFields(translated(system, lang, 'summary'), {
        command_results: (results) =>
          each(results, (result) => withFields(translated(result, lang, 'summary'), failure(lang))),
      }),
  });

/** An approval in a language. */
export const localisedApproval = <T>(approval: T, lang: Lang): T =>
  withFields(translated(approval, lang, 'text'), {
    reasons: (reasons) => each(reasons, (reason) => translated(reason, lang, 'text')),
    actions: (actions) => each(actions, (action) => translated(action, lang, 'text')),
  });

/** An event in a language. */
export function localised(event: StreamEvent, lang: Lang): StreamEvent {
  switch (event.name) {
    case 'message.created':
    case 'message.updated':
      return { ...event, data: { ...event.data, message: localisedMessage(event.data.message, lang) } };
    case 'approval.requested':
    case 'approval.settled':
      return { ...event, data: { ...event.data, approval: localisedApproval(event.data.approval, lang) } };
    case 'command.planned':
    case 'command.started':
    case 'command.ended':
      return {
        ...event,
        data: { ...event.data, execution: withFields(event.data.execution, failure(lang)) },
      } as StreamEvent;
    case 'notice':
      return { ...event, data: translated(event.data, lang, 'text') };
    default:
      return event;
  }
}
