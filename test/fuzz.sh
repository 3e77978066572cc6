#!/usr/bin/env bash
# Runs every fuzz target of the module, one after the other: bash test/fuzz.sh [INPUTS]
#
# INPUTS is how many inputs each target tries (20000). It counts inputs and not time, since a worker that is busy when the
# time is up fails the run. A target may say in a comment above it that its inputs are expensive: "fuzz: 1/100".
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

inputs=${1:-20000}
count=0
# What concurrent code covers is never the same twice, so that shrinking inputs would take most of the time.
while IFS=$'\t' read -r dir name divisor; do
  echo "$name in ${dir#"$PWD"/}"
  go test -run '^$' -fuzz "^$name\$" -fuzztime $((inputs / divisor + 1))x -fuzzminimizetime 10x "$dir"
  count=$((count + 1))
done < <(
  go list -f '{{$d := .Dir}}{{range .TestGoFiles}}{{$d}}/{{.}}{{"\n"}}{{end}}{{range .XTestGoFiles}}{{$d}}/{{.}}{{"\n"}}{{end}}' ./... |
    awk 'NF' | while IFS= read -r file; do
    awk -v dir="${file%/*}" '
      match($0, /^\/\/ fuzz: 1\/[0-9]+$/) { divisor = substr($0, 12) }
      match($0, /^func Fuzz[A-Za-z0-9_]*\(/) { print dir "\t" substr($0, 6, RLENGTH - 6) "\t" (divisor ? divisor : 1) }
      /^}/ { divisor = 0 }' "$file"
  done
)
echo "fuzz targets run: $count"
[ "$count" -gt 0 ]
