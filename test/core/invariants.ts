/** What holds of every snapshot at a quiescent point, whatever the model. S1 to S6: `engine/core/snapshot.ts`. */
import assert from 'node:assert/strict';
import { decodePart, decodeSnapshot, encodePart, encodeSnapshot } from '../../engine/core/snapshot-codec.ts';
import type { Scope, Snapshot, Token, Wait } from '../../engine/core/snapshot.ts';

interface Contents {
  readonly scopes: readonly Scope[];
  readonly tokens: readonly Token[];
  readonly waits: readonly Wait[];
}

/** The snapshot with what its parts hold. */
export function contentsOf(snapshot: Snapshot): Contents {
  const { parts = [] } = snapshot;
  return {
    scopes: [...snapshot.scopes, ...parts.flatMap(({ scopes }) => scopes)],
    tokens: [...snapshot.tokens, ...parts.flatMap(({ tokens }) => tokens)],
    waits: [...snapshot.waits, ...parts.flatMap(({ waits }) => waits)],
  };
}

/** @param snapshot with all its parts */
export function checkInvariants(snapshot: Snapshot): void {
  const all = contentsOf(snapshot);
  checkBelonging(all);
  checkScopes(all);
  checkTokens(all);
  checkParts(snapshot);
  checkCompensations(snapshot, all);
  checkStatus(snapshot, all);
  checkNumbers(snapshot, all);
  checkText(snapshot);
}

/** S1. */
function checkText(snapshot: Snapshot): void {
  const { parts = [], ...main } = snapshot;
  assert.deepEqual(decodeSnapshot(encodeSnapshot(snapshot)), main, 'S1: the text keeps it');
  for (const part of parts)
    assert.deepEqual(decodePart(encodePart(part)), part, 'S1: so does that of a part');
}

/** S2, S3. */
function checkBelonging({ scopes, tokens, waits }: Contents): void {
  const scopeIds = new Set(scopes.map(({ id }) => id));
  const tokenIds = new Set(tokens.map(({ id }) => id));
  for (const token of tokens) assert.ok(scopeIds.has(token.scopeId), 'S2: a token sits in a scope');
  for (const wait of waits) {
    if (wait.tokenId === null) {
      assert.ok(wait.scopeId !== undefined && scopeIds.has(wait.scopeId), 'S3: a wait belongs to a scope');
    } else {
      assert.ok(tokenIds.has(wait.tokenId), 'S3: a wait belongs to a token');
    }
  }
}

function checkScopes({ scopes, tokens, waits }: Contents): void {
  const scopesById = new Map(scopes.map((scope) => [scope.id, scope]));
  const tokensById = new Map(tokens.map((token) => [token.id, token]));
  const withoutEnd = new Set(waits.flatMap(({ kind, tokenId }) => (kind === 'ad-hoc' ? [tokenId] : [])));
  const populated = new Set([
    ...tokens.map(({ scopeId }) => scopeId),
    ...scopes.map(({ parentId }) => parentId),
  ]);
  for (const scope of scopes) {
    if (scope.parentId === null) continue;
    assert.ok(scopesById.has(scope.parentId), 'a scope sits in a scope');
    assert.ok(scope.ownerTokenId !== null, 'all but the root have an owner');
    const owner = tokensById.get(scope.ownerTokenId);
    assert.ok(owner, 'the owner of a scope exists');
    if (scope.kind === undefined || scope.kind === 'frame') {
      assert.equal(owner.elementId, scope.elementId, 'the inside of an activity belongs to a token there');
    }
    if (withoutEnd.has(scope.ownerTokenId)) continue;
    // What a called process leaves is still wanted when its results could not be taken.
    if (scope.kind === 'called' && owner.state === 'failed') continue;
    if (scope.kind === 'restored') {
      assert.ok(owner.compensating, 'a sub-process is open again for as long as it is compensated');
      continue;
    }
    assert.ok(populated.has(scope.id), 'a scope with nothing in it has ended');
  }
}

/** Each token is there for a reason, and the counts of loops are right. */
function checkTokens({ scopes, tokens, waits }: Contents): void {
  const reasons = new Set([
    ...waits.map(({ tokenId }) => tokenId),
    ...scopes.map(({ ownerTokenId }) => ownerTokenId),
  ]);
  for (const token of tokens) {
    if (token.state === 'waiting') assert.ok(reasons.has(token.id), 'a token waits for something');
    if (token.state === 'joining') {
      assert.ok(token.arrivedByFlowId !== null && !reasons.has(token.id), 'a joining token waits for others');
    }
    assert.equal(token.state === 'failed', token.failedIn !== undefined);
    if (token.loop === undefined) continue;
    const { active, started, completed, total } = token.loop;
    const frames = scopes.filter(({ kind, ownerTokenId }) => kind === 'frame' && ownerTokenId === token.id);
    assert.equal(active, frames.length, 'as many frames as active runs');
    assert.ok(active + completed <= started && (total === null || started <= total), 'the counts of a loop');
    assert.equal(new Set(frames.map(({ index }) => index)).size, frames.length, 'each run has its own index');
  }
}

/** S6. */
function checkParts(snapshot: Snapshot): void {
  const { parts = [] } = snapshot;
  assert.deepEqual(
    parts.map(({ id }) => id),
    parts.map(({ id }) => id).sort((one, other) => one - other),
    'parts are in the order of their ids',
  );
  const owners = new Map(snapshot.tokens.map((token) => [token.id, token]));
  const mainScopes = new Set(snapshot.scopes.map(({ id }) => id));
  checkBelonging(snapshot);
  for (const part of parts) {
    assert.ok(owners.get(part.ownerTokenId)?.loop?.isParted, 'S6: a part belongs to a token that has parts');
    checkBelonging(part);
    const inside = new Set(part.tokens.map(({ id }) => id));
    for (const scope of part.scopes) {
      const isFrame = scope.id === part.id;
      if (isFrame) assert.equal(scope.index, part.index);
      assert.equal(
        scope.ownerTokenId === part.ownerTokenId,
        isFrame,
        'S6: only the frame has its owner outside',
      );
      assert.ok(isFrame || inside.has(scope.ownerTokenId ?? -1), 'S6: owners in a part own in that part');
      assert.equal(
        mainScopes.has(scope.parentId ?? -1),
        isFrame,
        'S6: only the frame has its parent outside',
      );
    }
    if (part.scopes.length === 0) {
      assert.deepEqual([part.tokens, part.waits], [[], []], 'a completed part holds nothing');
    }
  }
  const ownersInside = new Set(parts.flatMap(({ tokens }) => tokens.map(({ id }) => id)));
  for (const { ownerTokenId } of snapshot.scopes) {
    assert.ok(!ownersInside.has(ownerTokenId ?? -1), 'S6: nothing outside refers to a part');
  }
}

function checkCompensations({ compensations = [] }: Snapshot, { scopes, tokens }: Contents): void {
  const scopeIds = new Set(scopes.map(({ id }) => id));
  const tokenIds = new Set(tokens.map(({ id }) => id));
  for (const record of compensations) {
    assert.ok(scopeIds.has(record.scopeId), 'what can be compensated is in a scope that exists');
    const { pendingTokenId } = record;
    assert.ok(pendingTokenId === undefined || tokenIds.has(pendingTokenId), 'a pending record has its loop');
  }
}

/** S4. */
function checkStatus(snapshot: Snapshot, { scopes, tokens, waits }: Contents): void {
  const isEnded = snapshot.status === 'completed' || snapshot.status === 'terminated';
  const isEmpty = tokens.length === 0 && waits.length === 0 && scopes.length === 1;
  assert.equal(isEnded, isEmpty, 'S4: ended if and only if nothing is left');
  if (isEnded) {
    assert.equal(snapshot.parts, undefined, 'S4: no part is left');
  }
  assert.equal(snapshot.status === 'failed', snapshot.failure !== null);
}

/** S5. */
function checkNumbers(snapshot: Snapshot, { scopes, tokens, waits }: Contents): void {
  const numbers = [...tokens, ...scopes, ...waits].map(({ id }) => id);
  assert.equal(new Set(numbers).size, numbers.length, 'S5: no number is used twice');
  const records = (snapshot.compensations ?? []).map(({ id }) => id);
  assert.ok(
    [...numbers, ...records].every((number) => number < snapshot.nextSequence),
    'S5: all are drawn',
  );
}
