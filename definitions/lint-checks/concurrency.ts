/**
 * Which places of a scope can have tokens at the same time. A place is a sequence flow or a flow node.
 *
 * K1 What can be is never missed: if two places have tokens at once in any run, they are said to be concurrent. So what
 *    is not concurrent never is. Conditions and data are not looked at; every choice may go either way.
 * K2 More may be said than can be: pairs of places stand for whole distributions of tokens, and an inclusive or complex
 *    join lets each token pass by itself.
 * K3 Proof of K1: by induction over the moves of a run. A move takes tokens from its inputs and puts one on each of its
 *    outputs. Two tokens after it that both stood before were there together; two outputs are paired; and a token
 *    that stays stood together with every input, so it is paired with every output.
 *
 * Source: the concurrency relation of Kovalyov and Esparza for free-choice nets, of which K3 needs only one half.
 */
import type { FlowNode } from '../model.ts';
import { boundariesOf, flowsOf, linkTargetsOf, type ScopeGraph } from './scope-graph.ts';

/** The relation takes room and time in the square of the places: so many take about half a second. */
export const MAX_PLACES = 1_200;

interface Move {
  readonly inputs: readonly number[];
  /** One of these is chosen; of it every place gets a token. */
  readonly choices: readonly (readonly number[])[];
  /** It has been found that it can happen. */
  isEnabled: boolean;
}

export class Concurrency {
  readonly #scope: ScopeGraph;
  readonly #numbers = new Map<string, number>();
  readonly #size: number;
  readonly #hasToken: Uint8Array;
  /** Of pairs, both ways; a pair of one place: two tokens there. */
  readonly #pairs: Uint8Array;
  readonly #movesByInput: Move[][];
  /** Places that have got a token, and pairs, whose consequences are not drawn yet. */
  readonly #places: number[] = [];
  readonly #newPairs: (readonly [number, number])[] = [];

  /**
   * @param passing parallel gateways that let each token pass by itself, as if they joined nothing
   * @returns null when the scope is too large
   */
  static of(scope: ScopeGraph, passing: ReadonlySet<string> = new Set()): Concurrency | null {
    const placeCount = [...scope.nodes.values()].reduce(
      (count, { outgoing }) => count + 1 + outgoing.length,
      0,
    );
    return placeCount > MAX_PLACES ? null : new Concurrency(scope, placeCount, passing);
  }

  private constructor(scope: ScopeGraph, size: number, passing: ReadonlySet<string>) {
    this.#scope = scope;
    this.#size = size;
    this.#hasToken = new Uint8Array(size);
    this.#pairs = new Uint8Array(size * size);
    this.#movesByInput = Array.from({ length: size }, () => []);
    const nodes = [...scope.nodes.values()];
    for (const node of nodes) {
      for (const id of [nodePlace(node.id), ...node.outgoing.map(flowPlace)]) {
        this.#numbers.set(id, this.#numbers.size);
      }
    }
    for (const move of nodes.flatMap((node) => this.#movesOf(node, passing))) {
      for (const input of move.inputs) this.#movesByInput[input]?.push(move);
    }
    this.#begin();
    this.#conclude();
  }

  canHaveToken(flowId: string): boolean {
    return this.#hasToken[this.#number(flowPlace(flowId))] === 1;
  }

  /** Whether a token can ever stand at the node; at a join: whether it can fire. */
  canBeAt(nodeId: string): boolean {
    return this.#hasToken[this.#number(nodePlace(nodeId))] === 1;
  }

  /** Whether both flows can have a token at once. */
  areConcurrent(flowId: string, otherId: string): boolean {
    return this.#isPair(this.#number(flowPlace(flowId)), this.#number(flowPlace(otherId)));
  }

  #begin(): void {
    const { begins, isAdHoc } = this.#scope;
    for (const ids of begins) {
      const places = ids.map((id) => this.#number(nodePlace(id)));
      this.#put(places);
      if (isAdHoc) places.forEach((place) => this.#pair(place, place));
    }
  }

  #movesOf(node: FlowNode, passing: ReadonlySet<string>): readonly Move[] {
    const at = this.#number(nodePlace(node.id));
    const incoming = node.incoming.map((id) => this.#number(flowPlace(id)));
    const joins = node.kind === 'parallelGateway' && incoming.length > 1 && !passing.has(node.id);
    const enter: readonly Move[] = joins
      ? [{ inputs: incoming, choices: [[at]], isEnabled: false }]
      : incoming.map((place) => ({ inputs: [place], choices: [[at]], isEnabled: false }));
    return [...enter, ...this.#exitsOf(node, at)];
  }

  #exitsOf(node: FlowNode, at: number): readonly Move[] {
    const flows = flowsOf(this.#scope.process, node.outgoing).map(({ id }) => this.#number(flowPlace(id)));
    const choosesOne = node.kind === 'exclusiveGateway' || node.kind === 'eventBasedGateway';
    const leave: Move = {
      inputs: [at],
      choices: choosesOne ? flows.map((place) => [place]) : [flows],
      isEnabled: false,
    };
    const links = linkTargetsOf(node).map((id) => this.#number(nodePlace(id)));
    const boundaries = boundariesOf(this.#scope, node).map((id): Move => {
      const boundary = this.#scope.nodes.get(id);
      const place = this.#number(nodePlace(id));
      const goesOn = boundary?.kind === 'boundaryEvent' && !boundary.isInterrupting;
      return { inputs: [at], choices: [goesOn ? [at, place] : [place]], isEnabled: false };
    });
    return [leave, { inputs: [at], choices: [links], isEnabled: false }, ...boundaries];
  }

  #conclude(): void {
    while (this.#places.length + this.#newPairs.length > 0) {
      const place = this.#places.pop();
      if (place !== undefined) this.#movesOfPlace(place).forEach((move) => this.#enable(move));
      const pair = this.#newPairs.pop();
      if (pair === undefined) continue;
      const [one, other] = pair;
      for (const move of this.#movesOfPlace(one)) this.#extend(move, other);
      for (const move of this.#movesOfPlace(other)) this.#extend(move, one);
    }
  }

  #movesOfPlace(place: number): readonly Move[] {
    return this.#movesByInput[place] ?? [];
  }

  /** The first time that the move can happen. */
  #enable(move: Move): void {
    const { inputs, choices } = move;
    if (move.isEnabled || !this.#canHappen(inputs)) return;
    move.isEnabled = true;
    for (const outputs of choices) this.#put(outputs);
    for (let other = 0; other < this.#size; other += 1) this.#extend(move, other);
  }

  /** A token elsewhere may be there when the move happens, and then it stays. */
  #extend(move: Move, other: number): void {
    if (!move.isEnabled) this.#enable(move);
    if (!move.isEnabled || !move.inputs.every((input) => this.#isPair(input, other))) return;
    for (const outputs of move.choices) for (const output of outputs) this.#pair(output, other);
  }

  #canHappen(inputs: readonly number[]): boolean {
    return inputs.every(
      (input, index) =>
        this.#hasToken[input] === 1 && inputs.every((other, at) => at <= index || this.#isPair(input, other)),
    );
  }

  #put(places: readonly number[]): void {
    for (const [index, place] of places.entries()) {
      if (this.#hasToken[place] !== 1) {
        this.#hasToken[place] = 1;
        this.#places.push(place);
      }
      for (const other of places.slice(index + 1)) this.#pair(place, other);
    }
  }

  #isPair(one: number, other: number): boolean {
    return this.#pairs[one * this.#size + other] === 1;
  }

  #pair(one: number, other: number): void {
    if (this.#isPair(one, other)) return;
    this.#pairs[one * this.#size + other] = 1;
    this.#pairs[other * this.#size + one] = 1;
    this.#newPairs.push([one, other]);
  }

  #number(place: string): number {
    return this.#numbers.get(place) ?? 0;
  }
}

function nodePlace(id: string): string {
  return `node ${id}`;
}

function flowPlace(id: string): string {
  return `flow ${id}`;
}
