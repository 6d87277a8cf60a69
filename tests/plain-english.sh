#!/usr/bin/env bash
# Reports words and phrases that are hard to read or mean something else to a native speaker, in strings, documentation and comments,
# with what to write instead. A line of plain-english.allowed excuses the lines of a file that contain a text: PATH: TEXT.
# Run by PlainEnglishTests; by hand: tests/plain-english.sh [path...]
# Exits with 0 if it finds none, with 1 if it finds any, and with 2 if a file cannot be searched, or grep does not support -P.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export LC_ALL=C # upper and lower case as in English; each file is text, even if it is not valid UTF-8

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
  'of (its|their|his|our) own(?=[.,;:)]| (and|for|with|in|from|by) |\r?$)' 'its own'
  'shall'                                 'must or does'
  'thereof|therein|thereby|whereby'       'its, in it, so'
  'likewise|anew|wherein'                 'also, again, in which'
  '(is|are|was|has|have) [a-z]+ already'  'is already ...'
  'thousand million'                      'billion'
  'has the reason|used much|does the same as' 'states the reason, used a lot of, is the same as'
  'some (tens|hundreds|milliseconds|microseconds)' 'tens of, a few milliseconds'
  '[a-z]*(cancelled|colour|behaviour|neighbour|labelled(?!by)|signalled|licence|favour|centre|(serial|optim|synchron|initial|normal|recogn|organ)is(e|ing|ation))[a-z]*' 'the American spelling, as in .NET'
  '<(summary|returns|param [^>]*)>(which|how|where|why|what|see there)\.<' 'a noun phrase or a sentence'
)

(($#)) || set -- README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md Directory.*.props Directory.*.targets build.sh .github build docs native samples src \
  benchmarks tests
readonly CAMEL='(?-i:(?<=[a-z])(?=[A-Z]))' # the start of a word in a name
found=0
for ((i = 0; i < ${#PHRASES[@]}; i += 2)); do
  lines=$(grep -rHnPia --include='*.'{cs,md,sh,c,h,js,css,html,fs,java,razor,yml,json,csproj,props,targets} \
    --exclude-dir={bin,obj,out,artifacts,Golden,Data} --exclude={'plain-english.*',PlainEnglishTests.cs} \
    "(?:(?<![a-z])|$CAMEL)(?:${PHRASES[i]})(?:(?![a-z])|$CAMEL)" "$@") || { (($? == 1)) && continue || exit 2; }
  while IFS= read -r line; do
    file=${line%%:*} text=${line#*:*:}
    while IFS= read -r allowed; do
      [[ $allowed == "$file: "?* && $text == *"${allowed#"$file: "}"* ]] && continue 2
    done < tests/plain-english.allowed
    printf '%s\n  write: %s\n' "$line" "${PHRASES[i + 1]}"
    found=1
  done <<<"$lines"
done
exit "$found"
