/** What wallet/late-part.tsx loads in one file. */
export { AccountView } from './account-view.js'
export { EntriesView } from './entries-view.js'
