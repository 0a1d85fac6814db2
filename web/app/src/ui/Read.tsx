import type { ReactNode } from 'react';
import { ProblemBox } from './Problem';
import { Skeleton } from './Skeleton';

interface Query<T> {
  data: T | undefined;
  error: unknown;
  isPending: boolean;
  refetch: () => unknown;
}
interface Props<T> {
  query: Query<T>;
  /** The usual content: its space is reserved while it loads. */
  rows?: number;
  each?: 'row' | 'card';
  children: (data: T) => ReactNode;
}

/** The loaded data, a placeholder while it loads, or the error. Old data stays if a reload fails. */
export function Read<T>({ query, rows, each, children }: Props<T>) {
  if (query.data !== undefined) {
    return (
      <>
        {query.error ? <ProblemBox thrown={query.error} onRetry={() => query.refetch()} /> : null}
        {children(query.data)}
      </>
    );
  }
  if (query.error) return <ProblemBox thrown={query.error} onRetry={() => query.refetch()} />;
  return <Skeleton rows={rows} each={each} />;
}
