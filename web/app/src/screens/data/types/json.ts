/** Whether a text is a JSON object, and if not, why. */
export function parseJson(text: string): { ok: true } | { ok: false; why: string } {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ok: true };
    return { ok: false, why: '{ … }' };
  } catch (thrown) {
    return { ok: false, why: (thrown as Error).message };
  }
}
