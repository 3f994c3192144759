/** Which pass delivers to a sink: one for each kind of sink. */
import type { Sink } from '../transport.ts';
import type { DeliveryPass, DeliveryPassOptions } from './delivery-pass.ts';
import { LoopbackPass } from './loopback-pass.ts';
import { NetworkPass, type DialLimits } from './network-pass.ts';
import { TransactionalPass } from './transactional-pass.ts';

export function passOf(sink: Sink, options: DeliveryPassOptions, limits: DialLimits): DeliveryPass {
  switch (sink.kind) {
    case 'transactional':
      return new TransactionalPass(sink, options);
    case 'loopback':
      return new LoopbackPass(options);
    case 'network':
      return new NetworkPass(sink, options, limits);
  }
}
