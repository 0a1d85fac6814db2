/** The request as a command line. A key is named, never written. */
export function curl(url: string, keyed: boolean): string {
  const key = keyed ? ' -H "Authorization: Bearer $FERMATA_KEY"' : '';
  return `curl -s${key} '${url.replaceAll("'", "'\\''")}'`;
}
