/**
 * The page /docs: Swagger UI over the document of this very service. Nothing is asked of any other
 * host: no validator, no fonts; the policy of the page would not let it.
 */
import './docs.css'

interface Viewer {
  (options: Readonly<Record<string, unknown>>): unknown
  readonly presets: { readonly apis: unknown }
}

declare global {
  interface Window {
    /** Of the script before this one. */
    readonly SwaggerUIBundle: Viewer
  }
}

/** The viewer has a dark dress, which it wears by this name alone. */
const dark = window.matchMedia('(prefers-color-scheme: dark)')
const dress = (): unknown => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', dress)
dress()

window.SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#app',
  presets: [window.SwaggerUIBundle.presets.apis],
  // By default it shows the document's address to a validator of its maker.
  validatorUrl: null,
  docExpansion: 'list',
  deepLinking: true,
  defaultModelsExpandDepth: -1,
  filter: true,
})
