#!/bin/sh
# A worker for the channel `score-request` with nothing but curl and jq: fetch and lock, work, complete or fail.
# SIGTERM ends it once the task in hand is reported, or the fetch that waits is answered.
#
#   examples/workers/score.sh http://127.0.0.1:8080
url="${1:-http://127.0.0.1:8080}/sutra/external-tasks" worker="${2:-scorer-sh-$$}" stop=''
trap 'stop=1' TERM INT

# Standard input to a route, again when there was no answer or the engine is busy. Not as an argument: others can see those.
post() {
  curl -sSf --max-time 30 --retry 3 --retry-connrefused -H 'content-type: application/json' --data-binary @- "$url/$1"
}
fetch='{workerId: $w, channels: ["score-request"], maxTasks: 1, asyncResponseTimeout: "PT5S"}'
score='[0, ([100, (100 - .amount / 100 - (if .country == "DE" then 0 else 10 end) | round)] | min)] | max'
# The same completionId makes it safe to send a result twice.
report="{workerId: \$w, lockToken} + (try {result: {score: (.body | $score)}, completionId: .id} catch {errorMessage: .})"

while [ -z "$stop" ]; do
  answer="$(jq -nc --arg w "$worker" "$fetch" | post fetch-and-lock)" || { sleep 2; continue; }
  task="$(printf '%s' "$answer" | jq -c '.tasks[0] // empty')"
  [ -n "$task" ] || continue
  said="$(printf '%s' "$task" | jq -c --arg w "$worker" "$report")"
  call="$(printf '%s\n%s' "$task" "$said" | jq -rs '.[0].id + (.[1] | if has("result") then "/complete" else "/failure" end)')"
  printf '%s' "$said" | post "$call" >/dev/null && echo "$worker: $call" || echo "$worker: $call was refused" >&2
done
