import { useEffect, useEffectEvent, useRef, useSyncExternalStore } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { useTheme } from '../shell/theme';
import { format } from '../i18n/format';
import { useLang } from '../i18n/texts';
import type { ChartProps } from './chartProps';

const height = 240; // the height reserved for it (pieces.css)
const dark = matchMedia('(prefers-color-scheme: dark)');
const onDark = (changed: () => void) => {
  dark.addEventListener('change', changed);
  return () => dark.removeEventListener('change', changed);
};

// A canvas does not resolve CSS variables: the colours are read from an element.
function colours(host: HTMLElement) {
  const probe = host.appendChild(document.createElement('span'));
  const of = (name: string) => {
    probe.style.color = `var(${name})`;
    return getComputedStyle(probe).color;
  };
  const found = {
    line: [of('--accent'), of('--ok'), of('--warn'), of('--bad')],
    grid: of('--line'),
    text: of('--muted'),
  };
  probe.remove();
  return found;
}

const day = 86_400;

/** The precision of the time axis's labels follows the distance between two of them. */
function labelFormat(step: number): Intl.DateTimeFormatOptions {
  if (step >= 365 * day) return { year: 'numeric' };
  if (step >= 28 * day) return { month: 'short', year: '2-digit' };
  if (step >= day) return { day: 'numeric', month: 'short' };
  return { hour: '2-digit', minute: '2-digit', ...(step < 60 && { second: '2-digit' }) };
}

function timeLabels(lang: 'en' | 'fr', splits: number[], step: number): string[] {
  const english = navigator.language.startsWith('en') ? navigator.language : 'en';
  const write = new Intl.DateTimeFormat(lang === 'fr' ? 'fr' : english, labelFormat(step));
  const dayOf = new Intl.DateTimeFormat(write.resolvedOptions().locale, { day: 'numeric', month: 'short' });
  const midnight = (at: Date) => step < day && at.getHours() === 0 && at.getMinutes() === 0 && at.getSeconds() === 0;
  // At the start of a day, the label is the date.
  return splits.map((at) => (midnight(new Date(at * 1000)) ? dayOf : write).format(at * 1000));
}

function optionsOf(props: ChartProps, host: HTMLElement, lang: 'en' | 'fr', width: number): uPlot.Options {
  const { line, grid, text } = colours(host);
  const f = format(lang);
  const font = `12px ${getComputedStyle(host).fontFamily}`;
  const axis = { stroke: text, font, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid, width: 1 } };
  const few = props.x.length < 60;
  return {
    width,
    height,
    legend: { show: props.series.length > 1 },
    cursor: { y: false, points: { size: 8 } },
    scales: {
      x: { time: true, ...(props.x.length === 1 && { range: [props.x[0]! - day / 2, props.x[0]! + day / 2] }) },
    },
    axes: [
      { ...axis, space: 70, values: (_, splits, __, ___, step) => timeLabels(lang, splits, step) },
      {
        ...axis,
        size: (_, values) => 18 + 7 * Math.max(3, ...(values ?? []).map((v) => String(v).length)),
        values: (_, splits) => splits.map((v) => f.number(v, 6)),
      },
    ],
    series: [
      { value: (_, at) => (at === null ? '–' : props.xText(at)) },
      ...props.series.map((s, i): uPlot.Series => {
        const stroke = line[i % line.length]!;
        return {
          label: s.label,
          stroke,
          width: i === 0 ? 2 : 1,
          dash: i === 0 ? undefined : [4, 4 + i],
          spanGaps: true,
          value: (_, v) => (v === null ? '–' : f.number(v, 6)),
          points: { show: i === 0 && few && !props.bars, size: 7, fill: stroke },
          ...(props.bars && { paths: uPlot.paths.bars!({ size: [0.7, 40] }), fill: stroke }),
        };
      }),
    ],
  };
}

/** Draws a chart to fit its container, in the colours of the theme; redrawn when those change. */
export default function ChartCanvas(props: ChartProps) {
  const lang = useLang();
  const theme = useTheme();
  const isDark = useSyncExternalStore(onDark, () => dark.matches);
  return <Plot key={`${lang} ${theme} ${isDark} ${props.bars} ${props.unit}`} {...props} lang={lang} />;
}

function Plot(props: ChartProps & { lang: 'en' | 'fr' }) {
  const host = useRef<HTMLDivElement>(null);
  const draw = useEffectEvent(
    (element: HTMLElement, x: number[], series: ChartProps['series']) =>
      new uPlot(
        optionsOf(props, element, props.lang, element.clientWidth || 300),
        [x, ...series.map((s) => s.values)],
        element,
      ),
  );
  const { x, series } = props;
  useEffect(() => {
    const element = host.current!;
    const plot = draw(element, x, series);
    const resize = new ResizeObserver(() => {
      if (element.clientWidth && element.clientWidth !== plot.width)
        plot.setSize({ width: element.clientWidth, height });
    });
    resize.observe(element);
    return () => {
      resize.disconnect();
      plot.destroy();
    };
  }, [x, series]);
  return <div ref={host} style={{ minHeight: height, overflow: 'hidden' }} aria-hidden="true" />;
}
