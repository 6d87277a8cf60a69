#!/usr/bin/env bash
# Reports words and phrases that are hard to read or mean something else to a native speaker, in strings, documentation and comments,
# with what to write instead. A line of plain-english.allowed excuses the lines of a file that contain a text: PATH: TEXT.
# Run by PlainEnglishTests; by hand: tests/plain-english.sh [path...]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# A regular expression, without regard to case, and what to write instead.
readonly PHRASES=(
  'tell|tells|told'                       'report, return or say'
  'the begin|begin of|at begin'           'start'
  'stand|stands'                          'is or appears'
  'beside'                                'compared with, or next to'
  'but for'                               'except'
  'so (often|long|many)'                  'N times, for N seconds, N'
  'nobody|whoever|somebody|whom|himself'  'no process, any caller'
  '(?<!there )is no(?= (?!longer))'       'is not a'
  'be it'                                 'whether it is'
  'of (its|their|his|our) own(?=[.,;:)]| (and|for|with|in|from|by) |$)' 'its own'
  'shall'                                 'must or does'
  'thereof|therein|thereby|whereby'       'its, in it, so'
  'likewise|anew|wherein'                 'also, again, in which'
  '(is|are|was|has|have) [a-z]+ already'  'is already ...'
  'thousand million'                      'billion'
  'has the reason|used much|does the same as' 'states the reason, used a lot of, is the same as'
  'some (tens|hundreds|milliseconds|microseconds)' 'tens of, a few milliseconds'
  '[a-z]*(cancelled|colour|behaviour|neighbour|labelled(?!by)|signalled|licence|seriali[s]e|optimi[s]e)[a-z]*' 'the American spelling, as in .NET'
  '<(summary|returns|param [^>]*)>(which|how|where|why|what|see there)\.<' 'a noun phrase or a sentence'
)

(($#)) || set -- README.md CHANGELOG.md CONTRIBUTING.md build.sh build docs native samples src benchmarks tests
found=0
for ((i = 0; i < ${#PHRASES[@]}; i += 2)); do
  while IFS= read -r line; do
    file=${line%%:*} text=${line#*:*:}
    while IFS= read -r allowed; do
      [[ $allowed == "$file: "* && $text == *"${allowed#"$file: "}"* ]] && continue 2
    done < tests/plain-english.allowed
    printf '%s\n  write: %s\n' "$line" "${PHRASES[i + 1]}"
    found=1
  done < <(grep -rHnPi --include='*.'{cs,md,sh,c,h,js,css,html,fs,csproj,props} --exclude-dir={bin,obj,out,artifacts,Golden,Data} --exclude={'plain-english.*',PlainEnglishTests.cs} \
    "(?<![a-z])(?:${PHRASES[i]})(?![a-z])" "$@")
done
exit "$found"
