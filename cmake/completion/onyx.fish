# Completion of onyx for fish: asks the program itself (onyx --complete), so it knows what the installed version knows.
function __onyx_complete
    set -l last (commandline -ct)
    for line in (onyx --complete (commandline -opc)[2..-1] "$last" 2>/dev/null)
        if string match -q ':files*' -- $line
            set -l prefix (string replace -r '^:files ?' '' -- $line)
            set -l length (string length -- "$prefix")
            for path in (__fish_complete_path (string sub -s (math $length + 1) -- "$last"))
                echo $prefix$path
            end
        else
            echo $line
        end
    end
end
complete -c onyx -f -a '(__onyx_complete)'
