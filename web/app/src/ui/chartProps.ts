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
  /** The chart's name, and what it says, for those who do not see it. */
  label: string;
  summary: string;
  /** The words above the same numbers as a table. */
  tableLabel: string;
  xLabel: string;
  /** How a point in time is written in the table. */
  xText: (seconds: number) => string;
  unit?: string;
}
