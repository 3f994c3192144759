/** Codes of the HTTP channel. */
import type { CodeTable } from '../../config/engine-error.ts';

export const httpChannelCodes = {
  'SUTRA.HTTP_CHANNEL.CREDENTIALS_REQUIRED': {
    httpStatus: 401,
    retry: 'after-change',
    meaning: 'The channel declares auth and the request brought no credentials of that kind.',
    remedy: 'Send the credentials in the header that the detail names.',
  },
  'SUTRA.HTTP_CHANNEL.CREDENTIALS_INVALID': {
    httpStatus: 401,
    retry: 'after-change',
    meaning: 'The credentials are not the ones that the channel declares. Nothing was kept.',
    remedy: 'Compare the sender with the secret behind the auth reference of the channel.',
  },
  'SUTRA.HTTP_CHANNEL.AUTH_UNRESOLVED': {
    httpStatus: 503,
    retry: 'after-change',
    meaning: 'The secret behind the auth reference of the channel is not set, so nobody can be let in.',
    remedy: 'Set the variable or secret that the reference names and restart or redeploy.',
  },
  'SUTRA.HTTP_CHANNEL.PATH_AMBIGUOUS': {
    httpStatus: 409,
    retry: 'after-change',
    meaning: 'Channels of different modules are bound to this path, so the message has no one place to go.',
    remedy: 'Give each of the channels in the attributes its own path and deploy again.',
  },
} as const satisfies CodeTable;
