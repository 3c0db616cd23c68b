/** Styles are imported for what they do: vite puts them beside the page. */
declare module '*.css'
