/** How to embed the wallet of one client app: a snippet to copy, and where to look if it fails. */
import { CopyText } from '../shared/copy-text.js'
import { Notice } from '../shared/notice.js'
import type { ClientApp } from '../../../src/http/schemas/answers/admin.js'
import { embedSnippet } from './embed-snippet.js'

export function Embed({ app }: { app: ClientApp }) {
  const { clientId, allowedIframeParents: parents } = app
  const snippet = embedSnippet({ serviceOrigin: location.origin, clientId })
  return (
    <section class="card" aria-labelledby="embed">
      <div class="card-head">
        <h2 id="embed">Embed the wallet</h2>
      </div>
      {parents.length === 0 && (
        <Notice kind="warning">
          No page may embed it yet: add the origin of yours to “Allowed iframe parents”.
        </Notice>
      )}
      <p>
        Put this into {parents.length === 0 ? 'your page' : `a page of ${parents.join(' or ')}`}.
        The three addresses in it are of your own backend, which holds the secret: it makes sessions
        with <code>POST /api/widget/session</code> and checks links with{' '}
        <code>POST /api/server/links/verify</code>.
      </p>
      <CopyText label="Snippet" value={snippet} rows={snippet.split('\n').length} />
      <p class="quiet">
        The frame stays empty?{' '}
        <a href={`/widget/doctor?clientId=${encodeURIComponent(clientId)}`} target="_blank">
          Open the widget doctor
        </a>
        . Every call is at <a href="/docs">/docs</a>.
      </p>
    </section>
  )
}
