import type { ServerResponse } from 'node:http';
import type { FeedMessage } from '../../changes/feed-message.ts';
import type { FollowRequest, GatewayFeed } from '../../changes/gateway-feed.ts';
import type { ProcessState } from '../../process-identity.ts';
import { sendAnswer } from './send-outcome.ts';

/** Sends changes until the gateway disconnects, or is disconnected because it reads too slowly. */
export async function sendFeed(
  res: ServerResponse,
  feed: GatewayFeed,
  request: FollowRequest,
  self: () => ProcessState,
): Promise<void> {
  const messages = feed.follow(request, () => res.destroy());
  // The next heartbeat finds it closed.
  await sendAnswer(res, { status: 200, headers: {}, body: linesOf(messages, self) });
}

async function* linesOf(
  messages: AsyncIterable<FeedMessage>,
  self: () => ProcessState,
): AsyncGenerator<Uint8Array> {
  for await (const message of messages) {
    const sent = message.kind === 'start' ? { ...message, process: self() } : message;
    yield Buffer.from(`${JSON.stringify(sent)}\n`);
  }
}
