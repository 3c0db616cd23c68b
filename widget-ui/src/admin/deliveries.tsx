/**
 * What was sent to an endpoint, newest first: state, tries and answer, and in a dialog the payload
 * with the whole answer and "Send again". A test event is sent from here.
 */
import { useState } from 'preact/hooks'
import type { DeliveriesPage, WebhookDelivery } from '../../../src/http/schemas/answers/webhooks.js'
import { announce } from '../shared/announcer.js'
import { Button } from '../shared/button.js'
import { DataTable, type Column } from '../shared/data-table.js'
import { Dialog } from '../shared/dialog.js'
import { Moment } from '../shared/moment.js'
import { Badge, Notice } from '../shared/notice.js'
import { Waiting } from './page.js'
import { useSession } from './session.js'
import { stateWords } from './webhook-words.js'
import { useAct, useLoaded } from './work.js'

export function Deliveries({ endpointId }: { endpointId: string }) {
  const { api, mayAct } = useSession()
  const loaded = useLoaded(() => api.deliveries(endpointId), [api, endpointId])
  const act = useAct()
  const test = () =>
    act.run(async () => {
      await api.testWebhook(endpointId)
      loaded.reload()
      announce('A test event is on its way.')
    })
  return (
    <section aria-labelledby="deliveries">
      <div class="card-head">
        <h2 id="deliveries">Deliveries</h2>
        <div class="actions">
          {mayAct && (
            <Button isBusy={act.isBusy} onClick={test}>
              Send test event
            </Button>
          )}
          <Button onClick={loaded.reload}>Reload</Button>
        </div>
      </div>
      <p class="quiet deliveries-note">
        Of the last 30 days. What did not arrive comes again for three days, in order per wallet.
      </p>
      {act.failure !== undefined && <Notice kind="danger">{act.failure.message}</Notice>}
      {loaded.value === undefined ? (
        <Waiting loaded={loaded} rows={4} />
      ) : (
        <List
          endpointId={endpointId}
          page={loaded.value}
          onMore={loaded.replace}
          onChanged={loaded.reload}
        />
      )}
    </section>
  )
}

interface ListProps {
  endpointId: string
  page: DeliveriesPage
  onMore: (page: DeliveriesPage) => void
  onChanged: () => void
}

function List({ endpointId, page, onMore, onChanged }: ListProps) {
  const { api, formats } = useSession()
  const [shown, setShown] = useState<WebhookDelivery>()
  const act = useAct()
  const more = () =>
    act.run(async () => {
      const next = await api.deliveries(endpointId, page.nextCursor)
      onMore({ ...next, deliveries: [...page.deliveries, ...next.deliveries] })
    })
  if (page.deliveries.length === 0)
    return (
      <div class="card empty">
        <p>Nothing was to be sent yet.</p>
      </div>
    )
  const columns: Column<WebhookDelivery>[] = [
    {
      name: 'Type',
      isHead: true,
      width: 'rest',
      cell: (delivery) => (
        <button type="button" class="link-button" onClick={() => setShown(delivery)}>
          {delivery.type}
          <span class="unseen">, delivery {delivery.deliveryId}</span>
        </button>
      ),
    },
    { name: 'State', width: 'content', cell: (delivery) => <State delivery={delivery} /> },
    { name: 'Answer', width: 'content', cell: answerWords },
    { name: 'Tries', isNumber: true, cell: ({ tries }) => formats.count(tries) },
    { name: 'Made', width: 'content', cell: ({ createdAt }) => <Moment at={createdAt} /> },
  ]
  return (
    <>
      <DataTable
        caption="Deliveries, newest first"
        columns={columns}
        rows={page.deliveries}
        keyOf={({ deliveryId }) => String(deliveryId)}
      />
      {act.failure !== undefined && <Notice kind="danger">{act.failure.message}</Notice>}
      {page.nextCursor !== undefined && (
        <div class="more">
          <Button isBusy={act.isBusy} onClick={more}>
            Load earlier deliveries
          </Button>
        </div>
      )}
      {shown !== undefined && (
        <Details delivery={shown} onChanged={onChanged} onClose={() => setShown(undefined)} />
      )}
    </>
  )
}

function State({ delivery }: { delivery: WebhookDelivery }) {
  const { kind, icon, words } = stateWords(delivery)
  return (
    <Badge kind={kind} {...(icon !== undefined && { icon })}>
      {words}
    </Badge>
  )
}

function answerWords({ answerStatus, fault }: WebhookDelivery) {
  if (answerStatus !== null) return String(answerStatus)
  return fault === null ? <span class="quiet">none yet</span> : 'none'
}

interface DetailsProps {
  delivery: WebhookDelivery
  onChanged: () => void
  onClose: () => void
}

function Details({ delivery, onChanged, onClose }: DetailsProps) {
  const { api, mayAct } = useSession()
  const act = useAct()
  const { endpointId, deliveryId, fault, nextTryAt } = delivery
  const again = () =>
    act.run(async () => {
      await api.redeliver({ endpointId, deliveryId })
      onClose()
      onChanged()
      announce('It is sent again.')
    })
  return (
    <Dialog title={delivery.type} onClose={onClose}>
      <dl class="facts">
        <dt>State</dt>
        <dd>
          <State delivery={delivery} />
        </dd>
        <dt>webhook-id</dt>
        <dd class="fixed">{delivery.webhookId}</dd>
        {delivery.lastTryAt !== null && <dt>Last try</dt>}
        {delivery.lastTryAt !== null && (
          <dd>
            <Moment at={delivery.lastTryAt} />
            {fault !== null && `: ${fault}`}
          </dd>
        )}
        {nextTryAt !== null && <dt>Next try</dt>}
        {nextTryAt !== null && (
          <dd>
            <Moment at={nextTryAt} />
          </dd>
        )}
      </dl>
      <h3>Payload</h3>
      <pre class="payload" tabIndex={0}>
        {indented(delivery.payload)}
      </pre>
      <h3>Answer</h3>
      <pre class="payload" tabIndex={0}>
        {[delivery.answerStatus ?? 'none', delivery.answerBody ?? ''].join('\n').trim()}
      </pre>
      {act.failure !== undefined && <Notice kind="danger">{act.failure.message}</Notice>}
      <div class="actions">
        <Button isFirstFocused onClick={onClose}>
          Close
        </Button>
        {mayAct && (
          <Button kind="primary" isBusy={act.isBusy} onClick={again}>
            Send again
          </Button>
        )}
      </div>
    </Dialog>
  )
}

/** As it is signed it is one line; here it is for reading. */
function indented(payload: string): string {
  return JSON.stringify(JSON.parse(payload), null, 2)
}
