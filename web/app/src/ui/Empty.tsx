import type { ReactNode } from 'react';

/** The empty state of a list, and what to do about it. */
export const Empty = ({ children }: { children: ReactNode }) => <div className="empty">{children}</div>;
