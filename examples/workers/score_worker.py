#!/usr/bin/env python3
"""A worker for the channel `score-request` with Python's standard library alone.

    examples/workers/score_worker.py http://127.0.0.1:8080

It fetches one task at a time, keeps its lock while it works, and completes it or reports a failure. SIGTERM ends it
after the task in hand. Several of it, or several threads that call `work`, are several workers.
"""

import http.client
import json
import os
import signal
import sys
import threading
import time
import urllib.error
import urllib.request

BASE_URL = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8080"
WORKER_ID = sys.argv[2] if len(sys.argv) > 2 else f"scorer-py-{os.getpid()}"
LOCK_SECONDS = 30
WAIT_SECONDS = 5  # how long a fetch is held, and so how long a SIGTERM may wait for it
NOT_ANSWERED = (OSError, http.client.HTTPException)  # urllib's own errors are OSErrors

stopping = threading.Event()


class Refused(Exception):
    """The engine said no. `again`: the same call may be made later."""

    def __init__(self, status, problem, wait_seconds):
        super().__init__(f"{status} {problem.get('code', '')}: {problem.get('detail', '')}")
        self.code = problem.get("code", "")
        self.again = status in (429, 503)
        self.wait_seconds = wait_seconds


def post(path, **body):
    """One call. Raises Refused, or one of NOT_ANSWERED when it is unknown whether the engine has it."""
    request = urllib.request.Request(
        f"{BASE_URL}/sutra/external-tasks/{path}",
        data=json.dumps(body).encode(),
        headers={"content-type": "application/json"},
    )
    try:
        # Above the time that the engine holds a fetch: a connection that has died is noticed.
        with urllib.request.urlopen(request, timeout=WAIT_SECONDS + 10) as response:
            return json.load(response)
    except urllib.error.HTTPError as error:
        text = error.read()
        try:
            problem = json.loads(text)
        except ValueError:
            problem = {}  # a proxy answered in place of the engine
        wait = error.headers.get("retry-after", "")
        raise Refused(error.code, problem, int(wait) if wait.isdigit() else 1) from None


def report(path, give_up_at, **body):
    """Says how a task ended, until the engine has it: a completionId makes that safe."""
    while True:
        try:
            return post(path, **body)
        except Refused as refusal:
            if not refusal.again or time.monotonic() > give_up_at:
                raise
            time.sleep(refusal.wait_seconds)
        except NOT_ANSWERED:
            if time.monotonic() > give_up_at:
                raise
            time.sleep(1)


def keep_lock(task, done, lost):
    """Extends the lock at a third of its time until the work is done; tells when that is refused."""
    while not done.wait(LOCK_SECONDS / 3):
        try:
            post(
                f"{task['id']}/extend-lock",
                workerId=WORKER_ID,
                lockToken=task["lockToken"],
                lockDuration=f"PT{LOCK_SECONDS}S",
            )
        except Refused as refusal:
            if not refusal.again:
                lost.set()  # somebody else has the task, or nobody wants it any more
                return
        except NOT_ANSWERED:
            pass  # two more attempts before the lock ends


def score(order, lost):
    """The work itself. Longer work looks at `lost` now and then, and leaves when it is set."""
    discount = 0 if order.get("country") == "DE" else 10
    return {"score": max(0, min(100, round(100 - order["amount"] / 100 - discount)))}


def work(task):
    proof = {"workerId": WORKER_ID, "lockToken": task["lockToken"]}
    done, lost = threading.Event(), threading.Event()
    keeper = threading.Thread(target=keep_lock, args=(task, done, lost), daemon=True)
    keeper.start()
    give_up_at = time.monotonic() + 2 * LOCK_SECONDS
    try:
        result = score(task["body"], lost)
        if not lost.is_set():
            report(f"{task['id']}/complete", give_up_at, completionId=task["id"], result=result, **proof)
            print(f"{WORKER_ID}: scored {task['id']} {result['score']}", flush=True)
    except (Refused, *NOT_ANSWERED) as error:
        # Nothing to report: the task is not ours any more, or is fetched again once its lock ends.
        print(f"{WORKER_ID}: {task['id']}: {error}", file=sys.stderr, flush=True)
    except Exception as error:  # the work failed: one retry is spent
        fail(task, proof, give_up_at, error)
    finally:
        done.set()
        keeper.join()


def fail(task, proof, give_up_at, error):
    message = f"{type(error).__name__}: {error}"
    print(f"{WORKER_ID}: {task['id']}: {message}", file=sys.stderr, flush=True)
    try:
        report(f"{task['id']}/failure", give_up_at, errorMessage=message, retryTimeout="PT1S", **proof)
    except (Refused, *NOT_ANSWERED) as refusal:
        print(f"{WORKER_ID}: {task['id']}: {refusal}", file=sys.stderr, flush=True)


def main():
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopping.set())
    wait_seconds = 1
    while not stopping.is_set():
        try:
            answer = post(
                "fetch-and-lock",
                workerId=WORKER_ID,
                channels=["score-request"],
                maxTasks=1,
                lockDuration=f"PT{LOCK_SECONDS}S",
                asyncResponseTimeout=f"PT{WAIT_SECONDS}S",
            )
        except (Refused, ValueError, *NOT_ANSWERED) as error:
            print(f"{WORKER_ID}: {error}; trying again", file=sys.stderr, flush=True)
            stopping.wait(wait_seconds)
            wait_seconds = min(2 * wait_seconds, 30)
            continue
        wait_seconds = 1
        for task in answer["tasks"]:
            work(task)


if __name__ == "__main__":
    main()
