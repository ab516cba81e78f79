import type { z } from 'zod';
import { webhookSettings } from '../../config/webhook-settings.ts';

type Configured = z.infer<typeof webhookSettings>;

export interface WebhookSettings extends Readonly<Omit<Configured, 'certificateAuthority'>> {
  /** PEM text; the setting of this name is a file. */
  readonly certificateAuthority?: string | undefined;
}

const { certificateAuthority: _file, ...defaults } = webhookSettings.parse({});
export const DEFAULT_WEBHOOK_SETTINGS: WebhookSettings = defaults;
