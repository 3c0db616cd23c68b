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
