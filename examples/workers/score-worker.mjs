// A worker for the channel `score-request`, in plain JavaScript with fetch and nothing else.
// Any language that speaks HTTP and JSON can do the same: fetch and lock, work, complete or fail.
//
//   node examples/workers/score-worker.mjs http://127.0.0.1:8080

const baseUrl = process.argv[2] ?? 'http://127.0.0.1:8080';
const workerId = process.argv[3] ?? `scorer-${process.pid}`;

async function post(path, body, signal) {
  const response = await fetch(`${baseUrl}/sutra/external-tasks/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal,
  });
  const answer = await response.json();
  // A refusal says why in `code` and `detail`; a lost lock means: discard the result, someone else has the task.
  if (!response.ok) throw new Error(`${response.status} ${answer.code}: ${answer.detail}`);
  return answer;
}

function score({ amount, country }) {
  if (typeof amount !== 'number') throw new Error('the order has no amount');
  return { score: Math.max(0, Math.min(100, Math.round(100 - amount / 100 - (country === 'DE' ? 0 : 10)))) };
}

async function work(task) {
  const proof = { workerId, lockToken: task.lockToken };
  try {
    const result = score(task.body);
    // The same completionId makes the call safe to repeat when its answer was lost.
    await post(`${task.id}/complete`, { ...proof, completionId: `${task.id}-${task.attempts}`, result });
    console.log(`${workerId}: scored ${task.body.orderId} ${result.score}`);
  } catch (error) {
    console.error(`${workerId}: ${error.message}`);
    await post(`${task.id}/failure`, { ...proof, errorMessage: error.message }).catch(() => {});
  }
}

const stopping = new AbortController();
process.once('SIGTERM', () => stopping.abort());
process.once('SIGINT', () => stopping.abort());

while (!stopping.signal.aborted) {
  try {
    // Held open until a task is there or the time is over; bounded by our own timeout as well.
    const body = { workerId, channels: ['score-request'], maxTasks: 5, asyncResponseTimeout: 'PT20S' };
    const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(30_000)]);
    const { tasks } = await post('fetch-and-lock', body, signal);
    await Promise.all(tasks.map(work));
  } catch (error) {
    if (stopping.signal.aborted) break;
    console.error(`${workerId}: ${error.message}; trying again`);
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}
