/** For pages that speak English alone: the admin area. */
import { english } from './en/english.js'
import { speak } from './say.js'

/** Amounts and dates there are written as the browser's language has it. */
speak({ language: 'en', locale: 'en' }, english)
