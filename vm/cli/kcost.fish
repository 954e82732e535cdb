# kcost.fish: completion for fish.  What may stand there says `kcost complete`, which knows its own options and names.

function __kcost_complete
    set -l before (commandline -opc)
    set -l word (commandline -ct)
    for line in ($before[1] complete -- $before[2..] "$word" 2>/dev/null)
        switch $line
            case ':files .lua'
                __fish_complete_suffix "$word" .lua
            case :files
                __fish_complete_path "$word"
            case '*'
                echo $line
        end
    end
end

complete -c kcost -f -a '(__kcost_complete)'
