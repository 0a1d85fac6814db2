import { useEffect, type ReactNode } from 'react';

interface Props {
  title: ReactNode;
  name?: string;
  actions?: ReactNode;
  children: ReactNode;
}

/** Gives the tab its name. */
export function useTabName(name: string): void {
  useEffect(() => {
    document.body.dataset.title = name;
    window.dispatchEvent(new Event('fermata:title'));
  }, [name]);
}

/** A screen: its title, what can be done there, and its content. `name` is for the tab. */
export function Page({ title, name, actions, children }: Props) {
  useTabName(name ?? (typeof title === 'string' ? title : ''));
  return (
    <div className="page stack">
      <header className="row between">
        <h1 tabIndex={-1} id="page-title">
          {title}
        </h1>
        {actions && <div className="row">{actions}</div>}
      </header>
      {children}
    </div>
  );
}
