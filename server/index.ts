/** The public face for embedding programs. */
export { EngineError, type Finding, type Place } from '../config/engine-error.ts';
export { ConfigError, loadSettings, type LoadedSettings, type LoadOptions } from '../config/load.ts';
export type { Settings } from '../config/settings.ts';
export { startEngine, type EngineOptions, type RunningEngine } from './engine.ts';
export type { RegisteredFunction, RegisteredTask } from './registered-worker.ts';
export { BpmnError } from './thrown-bpmn-error.ts';
