# What bash proposes for a line: one word a line, as the words mean and not as they are quoted.
source <(demo completions bash)
COMP_LINE=$1
COMP_POINT=${#1}
_demo_complete
# What bash leaves standing of the word, since it breaks words there.
word=${COMP_LINE##* }
kept=
[[ $word == *[=:]* ]] && kept=${word%"${word##*[=:]}"}
for insertion in "${COMPREPLY[@]}"; do
    # Safe where the insertion is: it has no character that means anything.
    eval "printf '%s\n' $kept$insertion"
done
