"""`radcap completion`: the script that lets a shell complete `radcap`, and the answers that it asks for.

The script calls `radcap` with the line so far in RADCAP_COMPLETE_LINE. Invariant: an answer is one candidate
a line, its help behind a tab; where files are meant there is none, and the shell completes those itself.
"""

from __future__ import annotations

from enum import StrEnum
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from radcap.cli.console import print_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Shell", "candidates", "completion_command"]

# Bash parts words at colons (zoo:captions), so that only what follows the last one may be given back.
_BASH = r"""
_radcap_completion() {
    local IFS=$'\n' line="${COMP_LINE:0:COMP_POINT}" word answer
    word="${line##*[[:space:]]}"
    COMPREPLY=()
    for answer in $(RADCAP_COMPLETE_LINE="$line" "$1" 2>/dev/null | cut -f1); do
        [[ $word == *:* && $COMP_WORDBREAKS == *:* ]] && answer="${answer#"${word%:*}:"}"
        COMPREPLY+=("$answer")
    done
}
complete -o default -F _radcap_completion radcap
"""
_ZSH = r"""
#compdef radcap
_radcap_completion() {
    local line name note
    local -a answers
    while IFS=$'\t' read -r name note; do
        answers+=("${name//:/\\:}${note:+:$note}")
    done < <(RADCAP_COMPLETE_LINE="${(j: :)words[1,CURRENT]}" "${words[1]}" 2>/dev/null)
    if (( ${#answers} )); then _describe radcap answers; else _files; fi
}
compdef _radcap_completion radcap
"""
_FISH = r"""
function __radcap_completion
    set --local line (commandline --cut-at-cursor --current-process | string collect)
    env RADCAP_COMPLETE_LINE="$line" radcap 2>/dev/null
end
complete --command radcap --arguments '(__radcap_completion)'
"""


class Shell(StrEnum):
    """A shell that radcap has a script for."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


_SCRIPTS = {Shell.BASH: _BASH, Shell.ZSH: _ZSH, Shell.FISH: _FISH}


def completion_command(
    shell: Annotated[Shell, typer.Argument(metavar="bash|zsh|fish", help="Your shell.")],
) -> None:
    """Print the script that completes commands, options and names in your shell.

    Bash: put source <(radcap completion bash) into ~/.bashrc. Zsh: the same with zsh into ~/.zshrc, after
    compinit. Fish: radcap completion fish > ~/.config/fish/completions/radcap.fish
    """
    print_lines(*_SCRIPTS[shell].strip().split("\n"))


def candidates(app: typer.Typer, line: str) -> Iterator[str]:
    """What could stand at the end of the line."""
    from typer.main import get_command

    click = _completion_of_click()
    words: list[str] = click.split_arg_string(line)[1:]
    last = words.pop() if words and not line[-1:].isspace() else ""
    context = click._resolve_context(get_command(app), {}, "radcap", words)
    asked, last = click._resolve_incomplete(context, words, last)
    for item in asked.shell_complete(context, last):
        if item.type == "plain":  # a file or a folder is the shell's matter
            yield f"{item.value}\t{item.help}" if item.help else str(item.value)


def _completion_of_click() -> Any:  # noqa: ANN401 - a module that Typer has inside, or click's own
    """Older releases of Typer build on click, newer ones bring a copy of it along."""
    base = TyperGroup.__mro__[1].__module__.rpartition(".")[0]
    return import_module(f"{base}.shell_completion")
