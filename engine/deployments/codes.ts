import type { CodeTable } from '../../config/engine-error.ts';

export const deploymentCodes = {
  'SUTRA.DEPLOYMENT.INVALID': {
    httpStatus: 422,
    retry: 'after-change',
    meaning: 'The package has faults; nothing was deployed.',
    remedy:
      'Correct every finding listed in attributes.findings; `sutra lint <package>` shows the same list.',
  },
  'SUTRA.DEPLOYMENT.NOT_FOUND': {
    httpStatus: 404,
    retry: 'never',
    meaning: 'There is no deployment of that id.',
    remedy: 'List the deployments with GET /sutra/deployments.',
  },
  'SUTRA.DEPLOYMENT.TARGET_INVALID': {
    httpStatus: 409,
    retry: 'after-change',
    meaning:
      'The instance cannot be migrated to that deployment: it does not exist, has retired, or is of another tenant or module. Nothing was changed.',
    remedy: "Name one of the instance's own module that is active or drains: GET /sutra/deployments.",
  },
  'SUTRA.DEPLOYMENT.BIND_CONFLICT': {
    httpStatus: 409,
    retry: 'after-change',
    meaning: 'Another module already listens on the same address; nothing was deployed.',
    remedy: 'Change the bind of the channel, or drain the other module first.',
  },
  'SUTRA.DEPLOYMENT.TRANSPORT_UNKNOWN': {
    httpStatus: 422,
    retry: 'after-change',
    meaning: 'A channel names a transport that this server does not have; nothing was deployed.',
    remedy: 'Use one of the transports that the error lists.',
  },
  'SUTRA.DEPLOYMENT.REGISTERED_UNKNOWN': {
    httpStatus: 422,
    retry: 'after-change',
    meaning: 'A service task names a registered function that the embedding program does not have.',
    remedy: 'Register the function before deploying, or correct its name.',
  },
  'SUTRA.DEPLOYMENT.START_TIMER_INVALID': {
    httpStatus: 422,
    retry: 'after-change',
    meaning: 'The expression of a timer that starts instances gives no time; nothing was deployed.',
    remedy: 'Correct the expression. It sees no variables, because no instance is there yet.',
  },
  'SUTRA.PROCESS.NOT_FOUND': {
    httpStatus: 404,
    retry: 'after-change',
    meaning: 'No active deployment has a process of that id; nothing was started.',
    remedy:
      'Compare the id with GET /sutra/deployments/{id}. A deployment that drains starts no more instances.',
  },
  'SUTRA.PROCESS.AMBIGUOUS': {
    httpStatus: 409,
    retry: 'after-change',
    meaning: 'Several modules have an active process of that id; nothing was started.',
    remedy: 'Name one of attributes.modules with the query parameters module and tenant.',
  },
  'SUTRA.PROCESS.NO_START': {
    httpStatus: 422,
    retry: 'never',
    meaning: 'The process has no start event that its id could begin at; nothing was started.',
    remedy: 'Send its message or throw its signal, or give the process a start event without a trigger.',
  },
  'SUTRA.TENANT.AMBIGUOUS': {
    httpStatus: 409,
    retry: 'after-change',
    meaning: 'Packages of several tenants are deployed, and the request does not say which one it means.',
    remedy: 'Name the tenant with the query parameter tenant.',
  },
  'SUTRA.DEPLOYMENT.DIR_UNREADABLE': {
    httpStatus: 500,
    retry: 'after-change',
    meaning: 'The watched folder of packages cannot be read. At boot the engine does not start.',
    remedy: 'Create the folder, give the process access to it, or correct sutra.deployments.dir.',
  },
} as const satisfies CodeTable;

export type DeploymentCode = keyof typeof deploymentCodes;
