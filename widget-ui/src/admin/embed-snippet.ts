/**
 * What a page needs to show the wallet by the loader: the snippet of docs/guides/integrate.md with
 * the service and the client app filled in. The three addresses are of the app's own backend
 * (docs/examples/backend.mjs has them). Values only; test/docs holds the three to each other.
 */
export interface Embedded {
  readonly serviceOrigin: string
  readonly clientId: string
}

export function embedSnippet({ serviceOrigin, clientId }: Embedded): string {
  return `<div id="wallet"></div>
<script src="${serviceOrigin}/widget/loader.js"></script>
<script>
  const post = async (path, body = {}) => {
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })
    if (!answer.ok) throw new Error(\`\${path} answered \${answer.status}\`)
    return answer.json()
  }
  const widget = WalletWidget.mount(document.getElementById('wallet'), {
    clientId: '${clientId}',
    // { sessionToken }, or {} while nobody is linked: then the widget asks to log in.
    getSession: () => post('/wallet/session'),
    onAuthSuccess: ({ linkProof }) => post('/wallet/link', { linkProof }),
    onLogoutRequest: () => post('/wallet/unlink'),
  })
</script>`
}
