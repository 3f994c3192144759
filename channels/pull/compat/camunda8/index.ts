export { createCamunda8Surface } from './camunda8-surface.ts';
