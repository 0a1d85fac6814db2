// The days and times of schedules in words.
import { keepPreviousData } from '@tanstack/react-query';
import { $api } from '../api/client';
import { format } from '../i18n/format';
import { getLang } from '../i18n/lang';
import type { Schedule } from './schedule';

/** The name of a day of the week; 1 is Monday. */
export const dayName = (day: number, length: 'long' | 'short' = 'long') =>
  new Intl.DateTimeFormat(getLang(), { weekday: length, timeZone: 'UTC' }).format(Date.UTC(2024, 0, day));

/** A local date and time as it is written, without a zone. */
export const localTime = (at: string) =>
  format()
    .full(`${at.length === 10 ? `${at}T00:00` : at.slice(0, 16)}:00Z`, 'UTC')
    .replace(/:00( UTC)?$/, '')
    .replace(/ UTC$/, '');

/** The next runs of a schedule, computed by the server. */
export function usePreview(schedule: Schedule | null, { count = 5, after }: { count?: number; after?: string } = {}) {
  return $api.useQuery(
    'post',
    '/v1/schedules/preview',
    {
      body: {
        schedule: schedule ?? { type: 'cron', expression: '', time_zone: '' },
        count,
        ...(after ? { after } : {}),
      },
    },
    {
      enabled: schedule !== null,
      retry: false,
      placeholderData: keepPreviousData,
    },
  );
}
