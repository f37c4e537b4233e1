# Types a line into an interactive shell on a terminal of its own, presses the tabulator, and prints what the line became.
zmodload zsh/zpty
shell=$1 typed=$2
# Reads until the text has come; what came is in $REPLY.
await() {
    local got= chunk
    until [[ $got == *$1* ]]; do
        zpty -r it chunk || { print -u2 -r -- "the shell ended: $got"; exit 1; }
        got+=$chunk
    done
    REPLY=$got
}
# Sourced from a file, so that the terminal does not show it. C-x C-x prints the line as it stands.
case $shell in
bash)
    cat > settings <<'END'
bind 'set bell-style none'
bind 'set enable-bracketed-paste off'
PS1=
source <(demo completions bash)
show() { printf '\n<line>%s</line>\n' "$READLINE_LINE"; }
bind -x '"\C-x\C-x": show'
END
    zpty it bash --norc --noprofile -i
    ;;
zsh)
    cat > settings <<'END'
unsetopt zle_bracketed_paste beep prompt_cr prompt_sp
PROMPT=
autoload -Uz compinit
compinit -D
source <(demo completions zsh)
show() { printf '\n<line>%s</line>\n' "$BUFFER"; }
zle -N show
bindkey '^X^X' show
END
    zpty it zsh -f -i
    ;;
esac
zpty -w it "source ./settings; echo re''ady"
await 'ready'
zpty -w -n it "$typed"$'\t\C-x\C-x'
await '</line>'
line=${REPLY##*<line>}
print -r -- "${line%%</line>*}"
zpty -d it
