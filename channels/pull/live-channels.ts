/** Which live deployments (active and draining) declare which channels: what a fetch may look at. */
import type { LivePair } from '../../engine/store/external-tasks-fetch.ts';
import type { ChannelEndpoint } from '../../engine/transport.ts';

const none: readonly string[] = [];

export class LiveChannels {
  #deployments: ReadonlyMap<string, readonly string[]> = new Map();

  /** Replaces the whole set. Answers the channels that gained a deployment: they may have tasks to fetch. */
  bind(endpoints: readonly Pick<ChannelEndpoint, 'name' | 'deploymentId'>[]): ReadonlySet<string> {
    const next = new Map<string, string[]>();
    const gained = new Set<string>();
    for (const { name, deploymentId } of endpoints) {
      const ids = next.get(name) ?? [];
      if (ids.includes(deploymentId)) {
        continue;
      }
      next.set(name, [...ids, deploymentId]);
      if (!this.deploymentsOf(name).includes(deploymentId)) {
        gained.add(name);
      }
    }
    this.#deployments = next;
    return gained;
  }

  names(): Iterable<string> {
    return this.#deployments.keys();
  }

  deploymentsOf(channel: string): readonly string[] {
    return this.#deployments.get(channel) ?? none;
  }

  pairsOf(channels: Iterable<string>): LivePair[] {
    const pairs: LivePair[] = [];
    for (const channel of channels) {
      for (const deploymentId of this.deploymentsOf(channel)) {
        pairs.push({ channel, deploymentId });
      }
    }
    return pairs;
  }
}
