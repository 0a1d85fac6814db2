// Additions to parsed Markdown: the caret of a streaming text, and columns of numbers. Plugins of react-markdown,
// on its tree of elements.
import type { ExtraProps } from 'react-markdown';

type Element = NonNullable<ExtraProps['node']>;
type Node = Element['children'][number];
interface Root {
  children: unknown[];
}

/** The text within an element. */
export function textOf(node: Node): string {
  if (node.type === 'text') return node.value;
  return node.type === 'element' ? node.children.map(textOf).join('') : '';
}

/** The language of a fenced block. */
export function languageOf(code: Element): string {
  const names = code.properties?.className;
  const name = Array.isArray(names) ? names.find((n) => String(n).startsWith('language-')) : undefined;
  return name === undefined ? '' : String(name).slice('language-'.length);
}

const elements = (nodes: readonly unknown[]) => (nodes as Node[]).filter((n): n is Element => n.type === 'element');
const flows = new Set(['p', 'ul', 'ol', 'li', 'blockquote', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6']);

/** Adds the caret of a streaming text after its last word. */
export const addCaret = () => (root: Root) => {
  let at: Root | Element = root;
  for (;;) {
    const last: Node | undefined = (at.children as Node[]).findLast((n) => n.type !== 'text' || n.value.trim() !== '');
    if (last?.type !== 'element' || !flows.has(last.tagName)) break;
    at = last;
  }
  if (at === root) return; // a table or a code block: the status line shows it
  (at as Element).children.push({
    type: 'element',
    tagName: 'span',
    properties: { className: ['caret'], ariaHidden: 'true' },
    children: [],
  });
};

const plain = new Set(['sub', 'sup', 'kbd', 'mark']);

/** Restores the few tags without attributes that models write: line breaks in cells (Markdown has none),
 * H<sub>2</sub>O. Other HTML stays text. */
export const fewTags = () => (root: Root) => {
  restoreTags(root);
};

function restoreTags(within: Root | Element): void {
  const kept: Node[] = [];
  const open: { name: string; at: number }[] = [];
  for (const node of within.children as (Node | { type: 'raw'; value: string })[]) {
    const [, end = '', tag = ''] = (node.type === 'raw' && /^<(\/?)([a-z]+)\s*\/?>$/i.exec(node.value.trim())) || [];
    const name = tag.toLowerCase();
    if (name === 'br') kept.push(element('br', []));
    else if (plain.has(name) && !end) {
      open.push({ name, at: kept.length });
      kept.push(node as Node);
    } else if (plain.has(name) && open.at(-1)?.name === name) {
      const { at } = open.pop()!;
      kept.splice(at, Infinity, element(name, kept.slice(at + 1)));
    } else {
      if (node.type === 'element') restoreTags(node);
      kept.push(node as Node);
    }
  }
  within.children = kept;
}

const element = (tagName: string, children: Element['children']): Element => ({
  type: 'element',
  tagName,
  properties: {},
  children,
});

const figure = /^[-+−±~≈]?\s?(?:[$€£¥]\s?)?\d[\d\s.,’'\u00a0\u202f]*(?:\s?(?:%|‰|[$€£¥]|°C?|[a-zµ]{1,3}))?$/i;

/** Marks columns of numbers, which are aligned to the right. */
export const alignFigures = () => (root: Root) => {
  for (const table of tablesOf(root.children)) {
    const rows = elements(table.children).flatMap((part) =>
      elements(part.children).map((row) => ({ head: part.tagName === 'thead', cells: elements(row.children) })),
    );
    const columns = Math.max(0, ...rows.map((r) => r.cells.length));
    for (let i = 0; i < columns; i++) {
      const column = rows.flatMap(({ head, cells }) => cells.slice(i, i + 1).map((cell) => ({ head, cell })));
      const cells = column.filter((c) => !c.head).map((c) => textOf(c.cell).trim());
      const figures = cells.filter((x) => x && !/^[–—-]$/.test(x));
      if (!figures.length || !figures.every((x) => figure.test(x))) continue;
      for (const { cell } of column) cell.properties.className = ['number'];
    }
  }
};

function tablesOf(nodes: readonly unknown[]): Element[] {
  return elements(nodes).flatMap((n) => (n.tagName === 'table' ? [n] : tablesOf(n.children)));
}
