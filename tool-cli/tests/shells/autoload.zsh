# What zsh proposes for a line when it finds the script in a folder of its own.
mkdir -p functions
demo completions zsh > functions/_demo
fpath=($PWD/functions $fpath)
autoload -Uz compinit
compinit -u -D
compadd() {
    local -a given
    local name=${@[-1]}
    given=("${(@P)name}")
    print -rl -- "${given[@]}"
}
_files() { : }
[[ $_comps[demo] == _demo ]] || { print -r -- "not registered"; exit 1; }
words=("${(@z)1}")
[[ $1 == *' ' ]] && words+=('')
CURRENT=$#words
PREFIX=$words[CURRENT]
_demo
