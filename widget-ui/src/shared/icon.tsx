/**
 * The icons: strokes of 24 units in the colour of the text around them. They never carry a meaning
 * alone, so a screen reader skips them; the word stands beside.
 */
const paths = {
  overview: 'M4 20V10m5.5 10V4m5.5 16v-7m5 7V7',
  apps: 'M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4zM14 14h6v6h-6z',
  wallet:
    'M3 8a3 3 0 0 1 3-3h11v3m-14 0v9a2 2 0 0 0 2 2h14a2 2 0 0 0 2-2v-7a2 2 0 0 0-2-2H3m13 5.5h.01',
  log: 'M8 6h12M8 12h12M8 18h12M4 6h.01M4 12h.01M4 18h.01',
  menu: 'M4 7h16M4 12h16M4 17h16',
  close: 'M6 6l12 12M18 6 6 18',
  search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14m5-2 4.5 4.5',
  copy: 'M9 9h10v11H9zM5 15V4h10',
  check: 'm5 12.5 4.5 4.5L19 7.5',
  alert: 'M12 8v5m0 3.5h.01M12 3 2.5 20h19z',
  info: 'M12 11v5m0-8h.01M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18',
  clock: 'M12 7v5l3.5 2M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18',
  account: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8m-8 8c1-4 4-5.5 8-5.5s7 1.5 8 5.5',
  pause: 'M9 6v12m6-12v12',
  up: 'm6 14 6-6 6 6',
  down: 'm6 10 6 6 6-6',
  back: 'm14 6-6 6 6 6',
  leave: 'M14 4h5v16h-5M4 12h11m-4-4 4 4-4 4',
  refuse: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18M6 6l12 12',
} as const

export type IconName = keyof typeof paths

export function Icon({ name, isSmall = false }: { name: IconName; isSmall?: boolean }) {
  return (
    <svg class={isSmall ? 'icon icon-small' : 'icon'} viewBox="0 0 24 24" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  )
}
