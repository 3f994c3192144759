import { basename, resolve } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { EngineError, type Finding } from '../config/engine-error.ts';
import { processSecrets } from '../config/load.ts';
import { formatFindings } from '../definitions/lint-format.ts';
import { readPackageFolder } from '../definitions/package-folder.ts';
import type { CliCode } from './codes.ts';

interface DeployAnswer {
  readonly code?: string;
  readonly detail?: string;
  readonly deploymentId?: string;
  readonly attributes?: { readonly findings?: readonly Finding[] };
}

export function deployCommand(): Command {
  return new Command('deploy')
    .description('Send a package to a running engine.')
    .argument('<package>', 'the package folder')
    .option('--url <url>', 'the engine', httpUrl, new URL('http://127.0.0.1:8080'))
    .option('--api-key-env <name>', 'environment variable that holds the admin key', 'ADMIN_API_KEY')
    .action(async (folder: string, options: { url: URL; apiKeyEnv: string }) => {
      const answer = await send(folder, options.url, options.apiKeyEnv);
      process.stdout.write(`deployed ${answer.deploymentId ?? ''}\n`);
    });
}

function httpUrl(text: string): URL {
  if (/^https?:/i.test(text) && URL.canParse(text)) return new URL(text);
  throw new InvalidArgumentError('It must be an http or https URL.');
}

async function send(folder: string, url: URL, keyName: string): Promise<DeployAnswer> {
  const files = await readPackageFolder(folder);
  const found = processSecrets().resolve(`env:${keyName}`);
  const key = found.ok ? found.secret : undefined;
  const response = await post(new URL('/admin/deployments', url), key, {
    folderName: basename(resolve(folder)),
    files: files.map((file) => ({ path: file.path, base64: Buffer.from(file.content).toString('base64') })),
  });
  const answer = await readAnswer(response, url);
  if (response.ok) return answer;
  const findings = answer.attributes?.findings ?? [];
  throw new EngineError(
    answer.code ?? 'SUTRA.DEPLOYMENT.INVALID',
    `${url.origin} refused the package: ${answer.detail ?? String(response.status)}` +
      (findings.length === 0 ? '' : `\n${formatFindings(findings)}\n`),
  );
}

async function post(url: URL, key: string | undefined, body: unknown): Promise<Response> {
  try {
    return await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      },
      body: JSON.stringify(body),
    });
  } catch (cause) {
    const code: CliCode = 'SUTRA.CLI.ENGINE_UNREACHABLE';
    // The outer error only says that it failed.
    const inner = cause instanceof Error ? cause.cause : undefined;
    const reason = inner instanceof Error && 'code' in inner ? String(inner.code) : 'no connection';
    throw new EngineError(code, `no engine answers at ${url.origin}: ${reason}`, { cause });
  }
}

async function readAnswer(response: Response, url: URL): Promise<DeployAnswer> {
  try {
    return (await response.json()) as DeployAnswer;
  } catch (cause) {
    const code: CliCode = 'SUTRA.CLI.ANSWER_UNEXPECTED';
    throw new EngineError(code, `${url.origin} answered ${String(response.status)} without JSON`, { cause });
  }
}
