/** "5m", "1h30m", "90s" in seconds. */
export function seconds(duration: string | undefined): number {
  const units: Record<string, number> = { h: 3600, m: 60, s: 1, ms: 0.001 };
  return [...(duration ?? '').matchAll(/([\d.]+)(ms|h|m|s)/g)].reduce(
    (sum, [, n, unit]) => sum + Number(n) * units[unit!]!,
    0,
  );
}
