import { useEffect, useRef, type ReactNode } from 'react';
import { Veil } from './Skeleton';
import { useWhole } from './whole';

interface Props {
  title: ReactNode;
  name?: string;
  actions?: ReactNode;
  children: ReactNode;
}

/** Sets the title of the tab. */
export function useTabName(name: string): void {
  useEffect(() => {
    document.body.dataset.title = name;
    window.dispatchEvent(new Event('fermata:title'));
  }, [name]);
}

/** A screen: title, actions, and content, which is shown once it is complete. `name` is for the tab. */
export function Page({ title, name, actions, children }: Props) {
  useTabName(name ?? (typeof title === 'string' ? title : ''));
  const screen = useRef<HTMLDivElement>(null);
  const whole = useWhole(screen);
  return (
    <div ref={screen} className="page stack" data-loading={whole ? undefined : ''}>
      <header className="row between">
        <h1 tabIndex={-1} id="page-title">
          {title}
        </h1>
        {actions && <div className="row">{actions}</div>}
      </header>
      {children}
      {!whole && <Veil />}
    </div>
  );
}
