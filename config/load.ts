/**
 * From environment and file to frozen settings, or to one error that lists every fault.
 *
 * L1 Environment over file over default, key by key.
 * L2 Every fault of every source is found in one go. Rules over two keys are judged only where both
 *    values are valid by themselves.
 * L3 Nothing that may hold a secret is in a message or in `entries`.
 * L4 The only module that reads the process's environment.
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { configCodes } from './codes.ts';
import { EngineError } from './engine-error.ts';
import type { Finding, Place } from './engine-error.ts';
import { nearest } from './nearest.ts';
import { parseValue } from './parse-value.ts';
import { quoteText } from './quote-text.ts';
import { contradictions, environmentName, isSettingKey, settingKeys, settingRows } from './schema.ts';
import type { SettingKey, SettingRow, SettingValues } from './schema.ts';
import { secretSource } from './secrets.ts';
import type { SecretSource } from './secrets.ts';
import { toSettings } from './to-settings.ts';
import type { Settings } from './settings.ts';
import { readSettingsFile } from './yaml-file.ts';
import type { FileSetting } from './yaml-file.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export type SettingSource = 'default' | 'file' | 'environment';

/** One line of `sutra config`. */
export interface SettingEntry {
  readonly key: SettingKey;
  /** Canonical text with any password hidden, a secret as its reference; null: not set. */
  readonly value: string | null;
  readonly source: SettingSource;
}

export interface LoadedSettings {
  readonly settings: Settings;
  /** Every key, in the table's order. */
  readonly entries: readonly SettingEntry[];
  /** The file that was read, or null. */
  readonly file: string | null;
  /** Resolves the references of channels by the same rules as those of the configuration. */
  readonly secrets: SecretSource;
}

export interface LoadOptions {
  /** Default: the process's own. */
  readonly env?: Environment;
  /** Where `sutra.yaml` is looked for and relative paths start. Default: the process's own. */
  readonly cwd?: string;
  /** Wins over `SUTRA_CONFIG`; must exist. */
  readonly configFile?: string;
  /** Where `secret:NAME` is looked up. Default: `/run/secrets`. */
  readonly secretsDir?: string;
}

/** The boot is refused. `faults` are all of them; the message lists them too. */
export class ConfigError extends EngineError {
  readonly faults: readonly Finding[];

  constructor(faults: readonly Finding[]) {
    const count = `${faults.length} ${faults.length === 1 ? 'fault' : 'faults'}`;
    const lines = faults.map((fault) => `  ${describePlace(fault.place)}${fault.message} [${fault.code}]`);
    super('SUTRA.CONFIG.INVALID', [`the configuration has ${count}:`, ...lines].join('\n'), {
      attributes: { faults },
    });
    this.name = 'ConfigError';
    this.faults = faults;
  }
}

/** @throws ConfigError SUTRA.CONFIG.INVALID with every fault of file and environment. */
export function loadSettings(options: LoadOptions = {}): LoadedSettings {
  return new Loader(options).load();
}

/** The secrets that this process can see, for a program that needs one without any settings. */
export function processSecrets(): SecretSource {
  return secretSource(process.env);
}

/** For a program that starts others: what they are given is made of it. */
export function processEnvironment(): Environment {
  return process.env;
}

const FILE_VARIABLE = 'SUTRA_CONFIG';
const DEFAULT_FILE = 'sutra.yaml';
/** Variables of the test programs; the engine does not read them. */
const TEST_PREFIX = 'SUTRA_TEST_';

/** Where a key's text was found. */
interface Written {
  readonly text: string;
  readonly source: SettingSource;
  /** As a message calls it: the key in a file, the variable in the environment. */
  readonly name: string;
  readonly place: Place;
}

class Loader {
  readonly #env: Environment;
  readonly #cwd: string;
  readonly #options: LoadOptions;
  readonly #secrets: SecretSource;
  readonly #faults: Finding[] = [];
  readonly #written = new Map<SettingKey, Written>();
  readonly #values = new Map<SettingKey, string | number | boolean | null>();
  readonly #entries: SettingEntry[] = [];

  constructor(options: LoadOptions) {
    this.#options = options;
    this.#env = options.env ?? process.env;
    this.#cwd = options.cwd ?? process.cwd();
    this.#secrets = secretSource(this.#env, options.secretsDir);
  }

  load(): LoadedSettings {
    const file = this.#readFile();
    this.#readEnvironment();
    for (const key of settingKeys) {
      this.#parse(key);
    }
    this.#findContradictions();
    if (this.#faults.length > 0) {
      throw new ConfigError(this.#faults);
    }
    return {
      settings: toSettings(Object.fromEntries(this.#values) as SettingValues),
      entries: Object.freeze(this.#entries),
      file,
      secrets: this.#secrets,
    };
  }

  #readFile(): string | null {
    const named = this.#options.configFile ?? this.#env[FILE_VARIABLE];
    if (named === '') {
      this.#fault('SUTRA.CONFIG.FILE_UNREADABLE', `${FILE_VARIABLE} is empty: name a file or unset it`, {});
      return null;
    }
    const file = resolve(this.#cwd, named ?? DEFAULT_FILE);
    let content: Buffer;
    try {
      content = readFileSync(file);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
      if (named !== undefined || code !== 'ENOENT') {
        this.#fault(
          'SUTRA.CONFIG.FILE_UNREADABLE',
          `the configuration file ${file} cannot be read (${code})`,
          { file },
        );
      }
      return null;
    }
    const reading = readSettingsFile(content, file);
    this.#faults.push(...reading.faults);
    const placeOf = new Map<string, Place>();
    for (const setting of reading.settings) {
      const earlier = placeOf.get(setting.key);
      if (earlier !== undefined) {
        const message = `${quoteText(setting.key)} is set twice: first in line ${earlier.line ?? 1}`;
        this.#fault('SUTRA.CONFIG.KEY_DUPLICATE', message, setting.place);
      } else {
        placeOf.set(setting.key, setting.place);
        this.#takeFileSetting(setting);
      }
    }
    return file;
  }

  #takeFileSetting({ key, kind, text, place }: FileSetting): void {
    const isGroup = settingKeys.some((known) => known.startsWith(`${key}.`));
    if (isSettingKey(key) && text !== null) {
      this.#written.set(key, { text, source: 'file', name: key, place });
    } else if (isSettingKey(key)) {
      const what = kind === 'group' ? 'is a map' : 'has no value';
      this.#fault(
        'SUTRA.CONFIG.VALUE_INVALID',
        `${key} ${what}: give it one value or remove the line`,
        place,
      );
    } else if (isGroup && text !== null) {
      this.#fault(
        'SUTRA.CONFIG.VALUE_INVALID',
        `${key} is a group of keys and cannot have a value itself`,
        place,
      );
    } else if (!isGroup) {
      const known = nearest(key, settingKeys) ?? '';
      this.#fault(
        'SUTRA.CONFIG.KEY_UNKNOWN',
        `${quoteText(key)} is not a known key; the nearest is ${known}`,
        place,
      );
    }
  }

  #readEnvironment(): void {
    const keyOf = new Map(settingKeys.map((key) => [environmentName(key), key]));
    for (const [name, text] of Object.entries(this.#env)) {
      const isForeign = !name.startsWith('SUTRA_') || name === FILE_VARIABLE || name.startsWith(TEST_PREFIX);
      if (isForeign || text === undefined) {
        continue;
      }
      const key = keyOf.get(name);
      if (key === undefined) {
        const known = nearest(name, [...keyOf.keys(), FILE_VARIABLE]) ?? '';
        const message = `the environment variable ${quoteText(name)} is not known; the nearest is ${known}`;
        this.#fault('SUTRA.CONFIG.KEY_UNKNOWN', message, {});
      } else {
        this.#checkOverridden(key);
        this.#written.set(key, { text, source: 'environment', name: `${key} (${name})`, place: {} });
      }
    }
  }

  /** A wrong value in the file is a fault even where the environment wins: it would bite elsewhere. */
  #checkOverridden(key: SettingKey): void {
    const written = this.#written.get(key);
    const parsed = written === undefined ? null : parseValue(settingRows[key], written.text);
    if (written !== undefined && parsed?.ok === false) {
      this.#fault('SUTRA.CONFIG.VALUE_INVALID', `${written.name} ${parsed.message}`, written.place);
    }
  }

  #parse(key: SettingKey): void {
    const row: SettingRow = settingRows[key];
    const written =
      this.#written.get(key) ??
      (row.default === null ? null : { text: row.default, source: 'default' as const, name: key, place: {} });
    if (written === null) {
      this.#values.set(key, null);
      this.#entries.push({ key, value: null, source: 'default' });
      return;
    }
    const parsed = parseValue(row, written.text);
    if (!parsed.ok) {
      this.#fault('SUTRA.CONFIG.VALUE_INVALID', `${written.name} ${parsed.message}`, written.place);
      return;
    }
    this.#entries.push({ key, value: parsed.shown, source: written.source });
    if (row.kind === 'secret-reference') {
      const resolved = this.#secrets.resolve(written.text);
      if (resolved.ok) {
        this.#values.set(key, resolved.secret);
      } else {
        this.#fault('SUTRA.CONFIG.SECRET_UNRESOLVED', `${written.name}: ${resolved.message}`, written.place);
      }
    } else if (row.kind === 'path' && parsed.value !== 'memory:') {
      this.#values.set(key, resolve(this.#cwd, String(parsed.value)));
    } else {
      this.#values.set(key, parsed.value);
    }
  }

  #findContradictions(): void {
    const values = Object.fromEntries(this.#values) as SettingValues;
    for (const { keys, fault } of contradictions) {
      const message = keys.every((key) => this.#values.has(key)) ? fault(values) : null;
      if (message !== null) {
        const origin = keys
          .map((key) => `${key} from ${this.#written.get(key)?.source ?? 'default'}`)
          .join(', ');
        const place = keys
          .map((key) => this.#written.get(key)?.place)
          .find((found) => found?.line !== undefined);
        this.#fault('SUTRA.CONFIG.CONTRADICTION', `${message} (${origin})`, place ?? {});
      }
    }
  }

  #fault(code: keyof typeof configCodes, message: string, place: Place): void {
    this.#faults.push({ code, severity: 'error', message, place });
  }
}

function describePlace(place: Place): string {
  const position = [place.line, place.column].filter((part) => part !== undefined);
  return place.file === undefined ? '' : `${[place.file, ...position].join(':')}: `;
}
