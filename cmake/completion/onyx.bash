# Completion of onyx for bash: asks the program itself (onyx --complete), so it knows what the installed version knows.
_onyx() {
    local words=() word i glued= last line prefix stem
    COMPREPLY=()
    # Bash cuts words at ':' and '='; here they are put together again.
    for ((i = 1; i <= COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if [[ ${#words[@]} -gt 0 && ($word == [:=] || -n $glued) ]]; then
            words[-1]+=$word
        else
            words+=("$word")
        fi
        if [[ $word == [:=] ]]; then glued=yes; else glued=; fi
    done
    last=${words[-1]}
    stem=${last%"${last##*[:=]}"} # what bash takes for words before this one
    while IFS= read -r line; do
        case $line in
        :files*)
            prefix=${line#:files}
            prefix=${prefix# }
            while IFS= read -r word; do
                word=$prefix$word
                COMPREPLY+=("${word#"$stem"}")
            done < <(compgen -f -- "${last#"$prefix"}") ;;
        *)
            word=${line%%$'\t'*}
            COMPREPLY+=("${word#"$stem"}") ;;
        esac
    done < <(onyx --complete "${words[@]}" 2>/dev/null)
    # Behind a colon or an equals sign comes a value; elsewhere a word is complete.
    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[:=] ]]; then compopt -o nospace 2>/dev/null; fi
}
complete -o filenames -F _onyx onyx
