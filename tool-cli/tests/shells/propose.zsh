# What zsh proposes for a line: the script runs as it does below a tabulator, and the builtin tells what it was given.
autoload -Uz compinit
compinit -D
source <(demo completions zsh)
compadd() {
    local -a given
    local name=${@[-1]}
    given=("${(@P)name}")
    print -rl -- "${given[@]}"
}
_files() { : }
[[ $_comps[demo] == _demo_complete ]] || { print -r -- "not registered"; exit 1; }
words=("${(@z)1}")
[[ $1 == *' ' ]] && words+=('')
CURRENT=$#words
PREFIX=$words[CURRENT]
_demo_complete
