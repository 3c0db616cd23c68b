/**
 * Which addresses are of the public internet. Promises: private, loopback, link-local, shared
 * (CGNAT), multicast, reserved and documentation ranges are not, nor is any IPv6 form that hides an
 * IPv4 address (mapped, compatible, NAT64, 6to4, Teredo). Pure.
 */
import { BlockList, isIPv4, isIPv6 } from 'node:net'

/** RFC 6890 and the registries of IANA that followed it. */
const refusedIpv4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const

/** Everything outside of 2000::/3 is no address of the internet; of it, these are not either. */
const refusedIpv6 = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const

const refused = new BlockList()
for (const [network, prefix] of refusedIpv4) refused.addSubnet(network, prefix, 'ipv4')
for (const [network, prefix] of refusedIpv6) refused.addSubnet(network, prefix, 'ipv6')

const internetIpv6 = new BlockList()
internetIpv6.addSubnet('2000::', 3, 'ipv6')

/** False for what is no address at all, too. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !refused.check(address, 'ipv4')
  // One with a zone, such as fe80::1%eth0, is of a network of this machine.
  if (!isIPv6(address) || address.includes('%')) return false
  return internetIpv6.check(address, 'ipv6') && !refused.check(address, 'ipv6')
}
