/** The request as a command line. A key is named, never written. */
export function curl(origin: string, path: string, keyed: boolean): string {
  const key = keyed ? ' -H "Authorization: Bearer $FERMATA_KEY"' : '';
  return `curl -s${key} '${`${origin}${path}`.replaceAll("'", "'\\''")}'`;
}
