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
  /** What will mostly come: its place is kept meanwhile. */
  rows?: number;
  each?: 'row' | 'card';
  children: (data: T) => ReactNode;
}

/** What was read, or that it is being read, or why it could not be. Old values stay
 * while new ones cannot be had. */
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
