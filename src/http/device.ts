/**
 * A browser and its system in words, from what it says of itself: for the person who wonders which
 * of their devices that was. A few names that people know; anything else is said to be unknown.
 * Never: trusted; whoever likes can say anything.
 */

/** "Firefox · Linux"; no words, so that it reads in every language. */
export function deviceOf(userAgent: string | undefined): string {
  const text = userAgent ?? ''
  const browser = browsers.find(([sign]) => sign.test(text))?.[1] ?? 'Browser'
  const system = systems.find(([sign]) => sign.test(text))?.[1]
  return system === undefined ? browser : `${browser} · ${system}`
}

// In this order: most of them name others too.
const browsers: readonly (readonly [RegExp, string])[] = [
  [/\bEdgA?(iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Chrome|CriOS|HeadlessChrome)\//, 'Chrome'],
  [/\bVersion\/[\d.]+ .*Safari\//, 'Safari'],
]

const systems: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
]
