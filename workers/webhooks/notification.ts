/** A webhook notification as plain records: what is needed to make its bytes, and what comes out. */

export interface NotificationMessage {
  readonly id: string;
  readonly type: string;
  readonly operation: string;
  readonly apiName: string;
  readonly projectId: string;
  /** ISO with 7 fraction digits. */
  readonly created: string;
  /** As it is registered. */
  readonly url: string;
  readonly items: readonly (
    | { readonly id: string; readonly codename: string; readonly language: string; readonly type: string }
    | { readonly item: string; readonly language: string; readonly from: string; readonly to: string }
  )[];
  readonly taxonomies: readonly { readonly id: string; readonly codename: string }[];
}

export interface NotificationToPrepare {
  readonly message: NotificationMessage;
  /** The bytes of an earlier attempt, which are sent again as they are; null = made from the message. */
  readonly body: string | null;
  /** One, or during an overlap two; the first signs the header that every receiver reads. */
  readonly secrets: readonly string[];
  /** When the attempt begins, s since 1970. */
  readonly timestamp: number;
  /** The `SVC` of `X-SVC-Signature`. */
  readonly vendor: string;
  /** Also the three headers of Standard Webhooks 1.0.0. */
  readonly standardHeaders: boolean;
  /** Sent by hand: `test` or `replay`. */
  readonly mark: string | null;
}

export interface PreparedNotification {
  /** UTF-8 text of the body. */
  readonly body: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}
