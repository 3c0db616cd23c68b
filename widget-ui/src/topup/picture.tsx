/**
 * The picture of each state: one line drawing in a disc, in the state's colour. A screen reader
 * skips it; heading and sentence beside it say the same.
 */
const drawings = {
  paying: ['M4 13h40v26H4z', 'M4 21h40', 'M11 31h8', 'm30 6 5-5 5 5', 'M35 1v9'],
  checking: ['M24 3 6 10v13c0 11 8 18 18 22 10-4 18-11 18-22V10z', 'M24 20v-1', 'M24 26v8'],
  processing: ['M24 44a20 20 0 1 0 0-40 20 20 0 0 0 0 40z', 'M24 13v11l8 5'],
  booked: ['M24 44a20 20 0 1 0 0-40 20 20 0 0 0 0 40z', 'm15 25 6.5 6.5L34 18'],
  failed: ['M4 11h40v26H4z', 'M4 19h40', 'm19 25 10 8', 'm29 25-10 8'],
  expired: ['M13 4h22M13 44h22', 'M15 4v8l9 12 9-12V4', 'M15 44v-8l9-12 9 12v8'],
  unavailable: ['M24 44a20 20 0 1 0 0-40 20 20 0 0 0 0 40z', 'M19 17v14', 'M29 17v14'],
} as const

export type PictureName = keyof typeof drawings

export function Picture({ name }: { name: PictureName }) {
  return (
    <span class={`picture picture-${name}`} aria-hidden="true">
      <svg viewBox="0 0 48 48">
        {drawings[name].map((drawing) => (
          <path key={drawing} d={drawing} />
        ))}
      </svg>
    </span>
  )
}
