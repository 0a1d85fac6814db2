// Splits Markdown into blocks, so that only the last block of a streaming answer is parsed again. Splitting is
// conservative: text that might belong together stays together.

const fence = /^ {0,3}(```+|~~~+)/;
const listItem = /^ {0,3}([-*+]|\d{1,9}[.)])( |$)/;
const definition = /^ {0,3}\[[^\]]+\]:/m;

/** The blocks of a text; joined, they are the text. */
export function blocksOf(text: string): string[] {
  if (definition.test(text)) return [text]; // link definitions may be in another block
  const lines = text.split(/(?<=\n)/);
  const blocks: string[] = [];
  let block = '';
  let open = ''; // the open fence
  let blank = false;
  for (const line of lines) {
    if (block && blank && !open && begins(block, line)) {
      blocks.push(block);
      block = '';
    }
    const mark = fence.exec(line)?.[1];
    if (mark && !open) open = mark;
    else if (open && mark && mark[0] === open[0] && mark.length >= open.length && line.trim() === mark) open = '';
    blank = line.trim() === '';
    block += line;
  }
  if (block) blocks.push(block);
  return blocks;
}

// Whether a line after a blank one begins a block of its own.
function begins(block: string, line: string): boolean {
  if (line.trim() === '' || /^\s/.test(line)) return false; // continues a list, or is blank space
  return !(listItem.test(block) && listItem.test(line)); // the items of a list stay together
}

/** The code of a block that is an unclosed fence, which needs no parser; else null. */
export function openCode(block: string): { text: string; language: string } | null {
  const mark = fence.exec(block);
  if (!mark) return null;
  const lines = block.split('\n');
  const closed = lines
    .slice(1)
    .some((l) => l.trim().startsWith(mark[1]!) && l.trim().replaceAll(mark[1]![0]!, '') === '');
  if (closed) return null;
  const language = lines[0]!.slice(mark[0].length).trim().split(/[\s{]/)[0]!;
  return { text: lines.slice(1).join('\n'), language };
}
