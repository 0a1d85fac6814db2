import { useFormat } from '../i18n/format';
import { visible } from '../ui/visible';
import { isTime } from './changes';
import { texts } from './texts';

/** The text of a field's value. */
export function useShown() {
  const t = texts.use();
  const f = useFormat();
  return (value: unknown): string => {
    if (value === null) return t('value.none');
    if (value === '') return t('value.empty');
    if (typeof value === 'boolean') return t(value ? 'value.yes' : 'value.no');
    if (typeof value === 'number') return f.number(value, 20);
    if (typeof value === 'string') return isTime(value) ? f.time(value) : visible(value);
    if (Array.isArray(value) && value.every((v) => typeof v === 'string' || typeof v === 'number'))
      return value.length ? f.list(value.map((v) => visible(String(v)))) : t('value.empty');
    return visible(JSON.stringify(value));
  };
}
