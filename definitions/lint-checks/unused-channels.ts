/**
 * Channels of channels.yaml that no model uses.
 *
 * Where the data say to which channel is sent, any channel that takes messages out may be meant.
 */
import { quoteText } from '../../config/quote-text.ts';
import { channelUsesOf } from './channel-uses.ts';
import { warning, type LintCheck } from './lint-check.ts';

export const checkUnusedChannels: LintCheck = (model) => {
  const { told, asked, taken, isOpen } = channelUsesOf(model);
  return [...model.channels.values()]
    .filter(({ name, direction }) => {
      if (told.has(name) || asked.has(name) || taken.has(name)) return false;
      return direction === 'inbound' || !isOpen;
    })
    .map(({ name, place }) =>
      warning(
        'SUTRA.LINT.CHANNEL_UNUSED',
        place,
        `No model uses channel ${quoteText(name)}; name it in a q:source, a q:send or an implementation, or remove it`,
      ),
    );
};
