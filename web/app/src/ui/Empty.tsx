import type { ReactNode } from 'react';

/** That there is nothing, and what to do about it. */
export const Empty = ({ children }: { children: ReactNode }) => <div className="empty">{children}</div>;
