/** The types of build.mjs, for the tests that build the pages. */
export function buildPages(options: { readonly folder: string }): Promise<void>
export function pageSources(root: string): Promise<string[]>
