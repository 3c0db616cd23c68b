/**
 * Whose page this is, at the foot of a card: the name of the service, what the same wallet is in
 * other apps, and where to ask. A part of a card: in a frame there is no other ground to read on.
 */
import type { PageData, PageService } from '../../../src/http/schemas/answers/page-data.js'
import { say } from '../words/say.js'

export function ServiceFoot({ data }: { data: Pick<PageData, 'service' | 'brand'> }) {
  const { service, brand } = data
  return (
    <footer class="service-foot small quiet">
      <ServiceName service={service} />
      {brand !== null && <p>{sameWallet(brand, service)}</p>}
      <ServiceLinks service={service} />
    </footer>
  )
}

function sameWallet(brand: string, { name }: PageService): string {
  return name === null
    ? say('service.same', { brand })
    : say('service.sameOf', { brand, service: name })
}

export function ServiceName({ service: { name, logo } }: { service: PageService }) {
  if (name === null && logo === null) return null
  return (
    <p class="service-name">
      {logo !== null && <img class="service-logo" src={logo} alt="" />}
      {name}
    </p>
  )
}

export function ServiceLinks({ service }: { service: PageService }) {
  const { support, terms, privacy } = service
  const links = [
    { href: support === null ? null : supportHref(support), text: say('service.support') },
    { href: terms, text: say('service.terms') },
    { href: privacy, text: say('service.privacy') },
  ]
  if (links.every(({ href }) => href === null)) return null
  return (
    <p class="service-links">
      {links.map(({ href, text }) =>
        href === null ? null : (
          <a key={text} href={href} target="_blank" rel="noopener noreferrer">
            {text}
          </a>
        ),
      )}
    </p>
  )
}

/** An email opens the mail program. */
export function supportHref(support: string): string {
  return support.includes('://') ? support : `mailto:${support}`
}
