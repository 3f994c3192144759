/**
 * A peer that is loaded by driver processes. What is particular to it is a `Backend`: where it keeps its units, and
 * whether it has a server of its own.
 */
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AdapterOptions, Role } from './adapter.ts';
import { cpuSecondsOf, postgresqlCpuSeconds } from './cpu.ts';
import { DriverProcess } from './driver-process.ts';
import type { Count } from './driver-protocol.ts';
import { quantiles, type CpuMs, type Load, type Peer, type PickUp, type Throughput } from './peer.ts';
import { numberOf, settingsOf, type SettingsOf } from './settings.ts';

/** Where a peer keeps its units. */
export interface Backend {
  create(): Promise<void>;
  start(): Promise<Endpoint>;
  /** Units that are not done. Read after the load; anything but 0, for long, is a failed run. */
  unfinished(): Promise<number>;
  /** Of its database, since that was made. Null: it has none. */
  commits(): Promise<number | null>;
  /** Idempotent. */
  stop(): Promise<void>;
  /** Idempotent. */
  drop(): Promise<void>;
  /** Processes apart from the drivers, whose processor time is the server's. */
  pids(): readonly number[];
  /** Those that send cannot also work: the workers are a process of their own. */
  readonly hasOwnWorkers: boolean;
}

export interface Endpoint {
  readonly url: string;
  readonly adminUrl: string;
}

/** A backend reports what it did when it ends, or after a second with something to do; one that idles later. */
const STATISTICS_MS = 1200;

/** How long units may take to be done after the last was sent. */
const DRAIN_MS = 30_000;

interface CpuSeconds {
  readonly server: number | null;
  readonly postgresql: number | null;
  readonly clients: number | null;
}

export class DrivenPeer implements Peer {
  readonly name: string;
  readonly #backend: Backend;
  readonly #overrides: SettingsOf;
  readonly #postmaster: number | null;
  #endpoint: Endpoint = { url: '', adminUrl: '' };
  #drivers: DriverProcess[] = [];

  constructor(name: string, backend: Backend, overrides: SettingsOf, postmaster: number | null) {
    this.name = name;
    this.#backend = backend;
    this.#overrides = overrides;
    this.#postmaster = postmaster;
  }

  prepare(): Promise<void> {
    return this.#backend.create();
  }

  async start(): Promise<void> {
    this.#endpoint = await this.#backend.start();
  }

  async throughput({ workers, seconds, warmUpSeconds }: Load): Promise<Throughput> {
    const settings = settingsOf(this.name, workers, this.#overrides);
    const senders = await this.#startDrivers(settings, workers);
    const commitsBefore = await this.#backend.commits();
    const share = (key: string): number => Math.ceil(numberOf(settings, key) / senders.length);
    for (const driver of senders) {
      await driver.ask({ kind: 'load', senders: share('senders'), maxOpen: share('maxOpen') });
    }
    await sleep(warmUpSeconds * 1000);
    const before = await countAll(senders);
    const cpuBefore = await this.#cpu();
    await sleep(seconds * 1000);
    const after = await countAll(senders);
    const cpuAfter = await this.#cpu();
    const unloadedAt = performance.now();
    await Promise.all(senders.map((driver) => driver.ask({ kind: 'unload' })));
    await this.#drain(senders);
    const drainMs = performance.now() - unloadedAt;
    const total = sum((await countAll(senders)).map((count) => count.recorded));
    await this.#stopDrivers();
    await sleep(STATISTICS_MS);
    const commits = await this.#backend.commits();
    const rates = after.map((count, index) => rateOf(before[index] ?? count, count));
    const units = sum(rates.map((rate) => rate.units));
    return {
      units,
      perSecond: sum(rates.map((rate) => rate.perSecond)),
      cpuMs: perUnit(cpuBefore, cpuAfter, units),
      commitsPerUnit: commits === null || commitsBefore === null ? null : (commits - commitsBefore) / total,
      drainMs,
    };
  }

  async oneAtATime(seconds: number, warmUpSeconds: number): Promise<Throughput> {
    const driver = await this.#startOne();
    await driver.ask({ kind: 'oneAtATime', seconds: warmUpSeconds });
    const before = await this.#cpu();
    const { units, elapsedMs } = await driver.ask({ kind: 'oneAtATime', seconds });
    const after = await this.#cpu();
    await this.#stopDrivers();
    return {
      units,
      perSecond: (units * 1000) / elapsedMs,
      cpuMs: perUnit(before, after, units),
      commitsPerUnit: null,
      drainMs: 0,
    };
  }

  async pickUp(units: number): Promise<PickUp | null> {
    const driver = await this.#startOne();
    // The first ones compile the peer and open its connections.
    await driver.ask({ kind: 'pickUp', units: Math.ceil(units / 10) });
    const times = await driver.ask({ kind: 'pickUp', units });
    await this.#stopDrivers();
    return {
      afterCommitMs: quantiles(times.afterCommitMs),
      afterRequestMs: quantiles(times.afterRequestMs),
    };
  }

  async stop(): Promise<void> {
    await Promise.all(this.#drivers.splice(0).map((driver) => driver.end()));
    await this.#backend.stop();
  }

  async remove(): Promise<void> {
    await this.stop();
    await this.#backend.drop();
  }

  /** One process that sends and works: both ends of a unit by one clock. */
  async #startOne(): Promise<DriverProcess> {
    const settings = settingsOf(this.name, 1, this.#overrides);
    const driver = new DriverProcess(this.name);
    this.#drivers = [driver];
    await driver.ask({ kind: 'start', peer: this.name, options: this.#options(settings, 'all', 1, 0, true) });
    return driver;
  }

  /** @returns those that send; workers of their own are started before them */
  async #startDrivers(settings: SettingsOf, workers: number): Promise<readonly DriverProcess[]> {
    const count = numberOf(settings, 'processes');
    const roles: Role[] = this.#backend.hasOwnWorkers
      ? ['work', ...new Array<Role>(count).fill('send')]
      : new Array<Role>(count).fill('all');
    const share = Math.ceil(workers / count);
    for (const [index, role] of roles.entries()) {
      const driver = new DriverProcess(this.name);
      this.#drivers.push(driver);
      const options = this.#options(settings, role, role === 'work' ? workers : share, index, false);
      await driver.ask({ kind: 'start', peer: this.name, options });
    }
    return this.#drivers.filter((_, index) => roles[index] !== 'work');
  }

  #options(
    settings: SettingsOf,
    role: Role,
    workers: number,
    index: number,
    isLatency: boolean,
  ): AdapterOptions {
    const senders = isLatency
      ? 1
      : Math.ceil(numberOf(settings, 'senders') / numberOf(settings, 'processes'));
    return { ...this.#endpoint, role, workers, senders, isLatency, index, settings };
  }

  async #stopDrivers(): Promise<void> {
    const drivers = this.#drivers.splice(0).reverse();
    try {
      for (const driver of drivers) await driver.ask({ kind: 'stop' });
    } finally {
      await Promise.all(drivers.map((driver) => driver.end()));
    }
  }

  /** @throws Error when units are left behind: the figure would be of something else */
  async #drain(senders: readonly DriverProcess[]): Promise<void> {
    const giveUpAt = performance.now() + DRAIN_MS;
    for (;;) {
      const counts = await countAll(senders);
      const open = sum(counts.map((count) => count.sent - count.recorded));
      const unfinished = open === 0 ? await this.#backend.unfinished() : open;
      if (unfinished === 0) return;
      if (performance.now() > giveUpAt) {
        throw new Error(`${this.name}: ${String(unfinished)} units are left undone after the load`);
      }
      await sleep(20);
    }
  }

  async #cpu(): Promise<CpuSeconds> {
    const [server, postgresql, clients] = await Promise.all([
      this.#backend.pids().length === 0 ? null : cpuSecondsOf(this.#backend.pids()),
      postgresqlCpuSeconds(this.#postmaster),
      cpuSecondsOf(this.#drivers.map((driver) => driver.pid)),
    ]);
    return { server, postgresql, clients };
  }
}

function countAll(drivers: readonly DriverProcess[]): Promise<Count[]> {
  return Promise.all(drivers.map((driver) => driver.ask({ kind: 'count' })));
}

function rateOf(before: Count, after: Count): { units: number; perSecond: number } {
  const units = after.recorded - before.recorded;
  return { units, perSecond: (units * 1000) / (after.atMs - before.atMs) };
}

function perUnit(before: CpuSeconds, after: CpuSeconds, units: number): CpuMs {
  const of = (key: keyof CpuSeconds): number | null => {
    const [start, end] = [before[key], after[key]];
    return start === null || end === null ? null : ((end - start) * 1000) / units;
  };
  return { server: of('server'), postgresql: of('postgresql'), clients: of('clients') };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
