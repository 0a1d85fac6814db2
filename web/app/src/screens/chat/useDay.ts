import { useEffect, useState } from 'react';
import { useFormat } from '../../i18n/format';
import { useLang } from '../../i18n/texts';
import { dayOf } from './store/days';
import { texts } from './texts';

/** Formats a date for people: today, yesterday, Monday, then the date. */
export function useDay(): (at: string) => string {
  const t = texts.use();
  const f = useFormat();
  const lang = useLang();
  return (at) => {
    const days = Math.round((Date.parse(dayOf(Date.now())) - Date.parse(dayOf(at))) / 86_400_000);
    if (days <= 0) return t('day.today');
    if (days === 1) return t('day.yesterday');
    if (days >= 7) return f.date(at);
    const name = new Intl.DateTimeFormat(lang, { weekday: 'long' }).format(new Date(at));
    return name[0]!.toUpperCase() + name.slice(1);
  };
}

/** The current date, updated at midnight. */
export function useToday(): string {
  const [today, set] = useState(() => dayOf(Date.now()));
  useEffect(() => {
    const timer = setInterval(() => set(dayOf(Date.now())), 60_000);
    return () => clearInterval(timer);
  }, []);
  return today;
}
