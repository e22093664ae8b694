# fish completion for walduct(1): the program itself knows its commands and options.
function __walduct_complete
    set -l words (commandline -opc) (commandline -ct)
    for line in ($words[1] complete $words[2..-1] 2>/dev/null)
        if test "$line" = :files
            __fish_complete_path (commandline -ct)
        else
            echo $line
        end
    end
end
complete -c walduct -f -a '(__walduct_complete)'
