/** One line or row of bars; `values` go with the chart's `x`. */
export interface ChartSeries {
  label: string;
  values: (number | null)[];
}
export interface ChartProps {
  /** Seconds since 1970, rising. */
  x: number[];
  series: ChartSeries[];
  bars?: boolean;
  /** The chart's accessible name and summary. */
  label: string;
  summary: string;
  /** The heading of the table with the same values. */
  tableLabel: string;
  xLabel: string;
  /** Formats a time in the table. */
  xText: (seconds: number) => string;
  unit?: string;
}
