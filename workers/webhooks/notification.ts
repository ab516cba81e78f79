/** Input and output of notification rendering, as plain records. */

export interface NotificationMessage {
  readonly id: string;
  readonly type: string;
  readonly operation: string;
  readonly apiName: string;
  readonly projectId: string;
  /** ISO with 7 fraction digits. */
  readonly created: string;
  /** As registered. */
  readonly url: string;
  readonly items: readonly (
    | { readonly id: string; readonly codename: string; readonly language: string; readonly type: string }
    | { readonly item: string; readonly language: string; readonly from: string; readonly to: string }
  )[];
  readonly taxonomies: readonly { readonly id: string; readonly codename: string }[];
}

export interface NotificationToPrepare {
  readonly message: NotificationMessage;
  /** Bytes of an earlier attempt, sent again unchanged; null = render the message. */
  readonly body: string | null;
  /** One, or during an overlap two; the first signs the header that every receiver reads. */
  readonly secrets: readonly string[];
  /** Start of the attempt, s since 1970. */
  readonly timestamp: number;
  /** The `SVC` of `X-SVC-Signature`. */
  readonly vendor: string;
  /** Adds the three headers of Standard Webhooks 1.0.0. */
  readonly standardHeaders: boolean;
  /** `test` or `replay` for manual sends. */
  readonly mark: string | null;
}

export interface PreparedNotification {
  /** UTF-8 text of the body. */
  readonly body: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
}
