/**
 * JSON Schema validation of payloads, compiled once a deployment and schema.
 *
 * A schema folder holds one file per message type, and `default.json` for the rest; a folder with a
 * single file uses it for every message. A schema sees a number that no JS number holds as the double next to it.
 */
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ValidateFunction } from 'ajv';
import addFormatsModule from 'ajv-formats';
import { EngineError } from '../../config/engine-error.ts';
import type { PackageModel } from '../../definitions/package-model.ts';
import { withDoubles } from '../../definitions/plain-json.ts';
import type { InboundMessage } from '../core/stimulus.ts';
import type { DecodedChannel } from './codec.ts';

// The package is CommonJS: its function is the module's default's default under ESM typings.
const addFormats = addFormatsModule as unknown as (ajv: Ajv2020) => Ajv2020;

export class PayloadValidator {
  /** Keyed by the model object, so that a retired deployment's validators go with it. */
  readonly #compiled = new WeakMap<PackageModel, Map<string, ValidateFunction>>();

  /** @throws EngineError SUTRA.INBOUND.VALIDATION_FAILED */
  validate(model: PackageModel, channel: DecodedChannel, message: InboundMessage): void {
    if (channel.schemaName === null) return;
    const validator = this.#validatorOf(model, channel.schemaName, message.messageType);
    if (validator === null) {
      throw new EngineError(
        'SUTRA.INBOUND.VALIDATION_FAILED',
        `schemas/${channel.schemaName} has no schema for message type ${message.messageType ?? '(none)'} and no default.json.`,
        { attributes: { channel: channel.name } },
      );
    }
    if (validator(withDoubles(message.payload))) return;
    const first = validator.errors?.[0];
    throw new EngineError(
      'SUTRA.INBOUND.VALIDATION_FAILED',
      `The payload on channel ${channel.name} does not satisfy its schema at ${first?.instancePath === '' ? 'the root' : (first?.instancePath ?? 'the root')}: ${first?.message ?? 'invalid'}.`,
      {
        attributes: {
          channel: channel.name,
          path: first?.instancePath ?? '',
          keyword: first?.keyword ?? null,
        },
      },
    );
  }

  #validatorOf(model: PackageModel, schemaName: string, messageType: string | null): ValidateFunction | null {
    const folder = model.schemas.get(schemaName);
    if (folder === undefined) return null;
    const byType = messageType !== null && folder.has(messageType) ? messageType : null;
    const name =
      byType ?? (folder.has('default') ? 'default' : folder.size === 1 ? [...folder.keys()][0] : undefined);
    if (name === undefined) return null;
    let compiled = this.#compiled.get(model);
    if (compiled === undefined) {
      compiled = new Map();
      this.#compiled.set(model, compiled);
    }
    const key = JSON.stringify([schemaName, name]);
    let validator = compiled.get(key);
    if (validator === undefined) {
      const ajv = addFormats(new Ajv2020({ strict: false, allErrors: false }));
      validator = ajv.compile(folder.get(name) as object);
      compiled.set(key, validator);
    }
    return validator;
  }
}
