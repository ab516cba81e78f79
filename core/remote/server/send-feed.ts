import type { ServerResponse } from 'node:http';
import type { FollowRequest, GatewayFeed } from '../../changes/gateway-feed.ts';
import { sendAnswer } from './send-outcome.ts';

/** Sends changes until the gateway disconnects, or is disconnected because it reads too slowly. */
export async function sendFeed(
  res: ServerResponse,
  feed: GatewayFeed,
  request: FollowRequest,
): Promise<void> {
  const messages = feed.follow(request, () => res.destroy());
  // The next heartbeat finds it closed.
  await sendAnswer(res, { status: 200, headers: {}, body: linesOf(messages) });
}

async function* linesOf(messages: AsyncIterable<object>): AsyncGenerator<Uint8Array> {
  for await (const message of messages) yield Buffer.from(`${JSON.stringify(message)}\n`);
}
