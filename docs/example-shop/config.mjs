/**
 * The shop's configuration, from environment variables. The secret is only here, in the backend:
 * WALLET_URL, WALLET_CLIENT_ID, WALLET_CLIENT_SECRET  as registered in the service's admin area
 * SHOP_ORIGIN   what browsers open, http://localhost:4000; listed in allowedOrigins and
 *               allowedIframeParents of the client app, exactly so
 * SHOP_PORT     4000; SHOP_DATA  the file with users and orders, ./shop.json
 * SHOP_CURRENCY usd, the service's currency
 */
export function readConfig(environment) {
  const port = Number(environment.SHOP_PORT ?? 4_000)
  const currency = environment.SHOP_CURRENCY ?? 'usd'
  return {
    host: '127.0.0.1',
    port,
    origin: environment.SHOP_ORIGIN ?? `http://localhost:${port}`,
    dataFile: environment.SHOP_DATA ?? 'shop.json',
    currency,
    decimals: new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions()
      .maximumFractionDigits,
    wallet: {
      url: required(environment, 'WALLET_URL').replace(/\/$/, ''),
      clientId: required(environment, 'WALLET_CLIENT_ID'),
      clientSecret: required(environment, 'WALLET_CLIENT_SECRET'),
    },
  }
}

function required(environment, name) {
  const value = environment[name] ?? ''
  if (value !== '') return value
  console.error(`${name} must be set. Easier: npm run demo in the folder of the wallet service.`)
  process.exit(1)
}
