#!/bin/sh
# Stands between us and one child, about 1 MB. Standard input is a pipe that only the parent holds open, so it ends when the
# parent stops the child and also when the parent is killed with SIGKILL; either way the child is ended by its pid, politely
# first. The child gets the same pipe as standard input and may watch it, too.
# Arguments: seconds of grace, name of the polite signal, command and its arguments. File descriptor 3 takes the child's pid.
grace=$1; polite=$2; shift 2
exec 4<&0
"$@" <&4 3>&- 4<&- &
child=$!
echo "$child" >&3
exec 3>&-
(
  while read -r line <&4; do :; done
  kill -s "$polite" "$child"
  tries=$((grace * 10))
  while [ "$tries" -gt 0 ] && kill -0 "$child"; do sleep 0.1; tries=$((tries - 1)); done
  kill -s KILL "$child"
) >/dev/null 2>&1 &
watcher=$!
wait "$child"
code=$?
kill -s KILL "$watcher" 2>/dev/null
exit "$code"
