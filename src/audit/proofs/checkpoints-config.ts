/**
 * What the operator says about checkpoints: how often they are signed, with which key, whom to
 * trust and where the newest one is witnessed. Read by src/config.ts.
 */
import { join } from 'node:path'

export interface CheckpointsConfig {
  /** 0: not by itself. */
  readonly everyMinutes: number
  readonly signingKeyFile: string
  /** The keyIds that the operator vouches for, out of reach of whoever changes the database. */
  readonly trustedKeys: readonly string[]
  /** Files and addresses; the first is beside the key, out of reach in the same way. */
  readonly witnesses: readonly string[]
}

export interface CheckpointsVariables {
  readonly DATA_DIR: string
  readonly SIGNING_KEY_FILE?: string
  readonly CHECKPOINT_EVERY_MINUTES: number
  readonly AUDIT_TRUSTED_KEYS?: string
  readonly CHECKPOINT_WITNESS?: string
}

export function checkpointsConfig(values: CheckpointsVariables): CheckpointsConfig {
  const signingKeyFile = values.SIGNING_KEY_FILE ?? join(values.DATA_DIR, 'checkpoint-key.pem')
  return {
    everyMinutes: values.CHECKPOINT_EVERY_MINUTES,
    signingKeyFile,
    trustedKeys: values.AUDIT_TRUSTED_KEYS?.split(',').map((keyId) => keyId.trim()) ?? [],
    witnesses: [`${signingKeyFile}.witness`, values.CHECKPOINT_WITNESS ?? []].flat(),
  }
}
