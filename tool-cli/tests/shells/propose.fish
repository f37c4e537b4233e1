# What fish proposes for a line: one word a line, without what they mean.
demo completions fish | source
for candidate in (complete -C $argv[1])
    string split -f 1 \t -- $candidate
end
exit 0
