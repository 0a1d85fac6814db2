import type { Schemas } from '../../api/client';
import { useFormat } from '../../i18n/format';
import { ServerText } from '../../ui/ServerText';
import { texts } from './texts';

/** The result of a test: its duration, or why it failed. */
export function Tested({ result }: { result: Schemas['ConnectorTest'] }) {
  const t = texts.use();
  const f = useFormat();
  const time = f.duration(result.latency_ms);
  return result.ok ? (
    <p className="box ok" role="status" data-test="ok">
      {t('test.ok', { time, n: result.commands })}
    </p>
  ) : (
    <div className="box bad stack tight" role="alert" data-test="failed">
      <p>{t('test.failed', { time })}</p>
      {result.error && <ServerText text={result.error} />}
    </div>
  );
}
