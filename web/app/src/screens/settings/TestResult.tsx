import type { Schemas } from '../../api/client';
import { useFormat } from '../../i18n/format';
import { texts } from './texts';

export type Test = Schemas['ProviderTest'];

/** What came of a test: how long it took and what was said, or why it failed. */
export function TestResult({ result }: { result: Test }) {
  const t = texts.use();
  const f = useFormat();
  const model = result.model ?? '';
  if (result.ok)
    return (
      <p className="box ok" role="status" data-test="ok">
        {t('test.ok', { model, time: f.duration(result.latency_ms) })}
        {result.said && ` « ${result.said} »`}
      </p>
    );
  return (
    <div className="box bad stack tight" role="alert" data-test={result.error?.code ?? 'failed'}>
      <p>
        <strong>{result.error?.meaning ?? t('test.failed')}</strong> {result.error?.mend}
      </p>
      {result.error?.message && <p className="small">{result.error.message}</p>}
    </div>
  );
}
