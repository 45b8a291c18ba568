"""Installation of shell completion: ``manypath --install-completion`` and ``--show-completion``.

Typer's own installation writes into files of the user in place, so that a full disk destroys them. This one replaces
each file at once, keeps a script of the user, and names every file that it changes.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import shellingham
import typer

from manypath.errors import OutputError, UserError, quoted, quoted_path
from manypath.replacement import replacement

INSTALL, SHOW = "--install-completion", "--show-completion"
"""The options."""


@dataclass(frozen=True)
class Shell:
    """Where a shell reads completion.

    Attributes
    ----------
    script : str
        The file with the script, below the home folder.
    startup : str
        The file that the shell reads at its start, below the home folder; empty if it needs no line there.
    lines : tuple of str
        The lines that this file needs; ``{script}`` stands for the path of the script.
    """

    script: str
    startup: str = ""
    lines: tuple[str, ...] = ()


SHELLS = {
    "bash": Shell(".bash_completions/manypath.sh", ".bashrc", ("source '{script}'",)),
    "zsh": Shell(".zfunc/_manypath", ".zshrc", ("fpath+=~/.zfunc; autoload -Uz compinit; compinit",)),
    "fish": Shell(".config/fish/completions/manypath.fish"),
}
"""The shells with completion, by name."""


def use_own(parameters: list[Any]) -> None:
    """Replace Typer's functions behind the two options by those of this module."""
    for parameter in parameters:
        if INSTALL in parameter.opts:
            parameter.callback = _installed
        elif SHOW in parameter.opts:
            parameter.callback = _shown


def _installed(context: Any, _: Any, is_given: Any) -> None:
    if not is_given or context.resilient_parsing:
        return
    name = shell_in_use(INSTALL)
    for change in install(name, Path.home()):
        typer.echo(change)
    typer.echo(f"completion takes effect in the next {name}")
    raise typer.Exit


def _shown(context: Any, _: Any, is_given: Any) -> None:
    if is_given and not context.resilient_parsing:
        typer.echo(script_of(shell_in_use(SHOW)))
        raise typer.Exit


def shell_in_use(option: str) -> str:
    """Return the name of the shell that runs the command.

    Raises
    ------
    UserError
        If it is not known, or has no completion.
    """
    name = None
    # The detection reads the table of processes, and then SHELL.
    with suppress(shellingham.ShellDetectionFailure, OSError):
        name = shellingham.detect_shell()[0]
    if name is None:
        name = Path(os.environ.get("SHELL", "")).name
    if name not in SHELLS:
        said = f"{quoted(name)} has no completion" if name else "the shell is not known"
        raise UserError(f"{option}: {said}: run it in {', '.join(SHELLS)}")
    return name


def script_of(shell: str) -> str:
    """Return the completion script of a shell."""
    from typer.completion import get_completion_script  # pyright: ignore[reportPrivateImportUsage]

    return get_completion_script(prog_name="manypath", complete_var=VARIABLE, shell=shell)


def install(shell: str, home: Path) -> list[str]:
    """Write the script of a shell, and the lines that its startup file needs; return what was changed, in words.

    Raises
    ------
    UserError
        If a file cannot be read, or is not one of this command; nothing is changed.
    OutputError
        If a file cannot be written; nothing is changed.
    """
    if not home.is_dir():
        raise UserError(f"{INSTALL}: {quoted_path(home)} is no folder: set HOME to your home folder")
    place = SHELLS[shell]
    script = home / place.script
    before = _content(script)
    if before is not None and VARIABLE not in before:
        raise UserError(f"{INSTALL}: {quoted_path(script)} exists and is not by manypath: move it away")
    startup = home / place.startup if place.startup else None
    known = (_content(startup) or "") if startup else ""
    missing = [line for line in (each.format(script=script) for each in place.lines) if line not in known]
    _replace(script, f"{script_of(shell)}\n")
    said = [f"completion script: {script}"]
    if startup and missing:
        added = "".join(f"{line}\n" for line in missing)
        try:
            _replace(startup, f"{known}{'' if not known or known.endswith(NEWLINE) else NEWLINE}{added}")
        except UserError:
            _restore(script, before)
            raise
        said.append(f"added to {startup}: {'; '.join(missing)}")
    return said


def _content(file: Path) -> str | None:
    """Return the content of a file of the user, in any encoding; None if there is none."""
    try:
        return file.read_bytes().decode(errors="surrogateescape")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UserError(
            f"{INSTALL}: {quoted_path(file)} cannot be read ({error.strerror}): nothing was changed"
        ) from None


def _replace(file: Path, text: str) -> None:
    """Replace a file at once, or leave it as it is. A startup file may be a link to a file in another folder."""
    try:
        file.resolve().parent.mkdir(parents=True, exist_ok=True)
        with replacement(file) as begun:
            begun.write_bytes(text.encode(errors="surrogateescape"))
    except OSError as error:
        raise OutputError(
            f"{INSTALL}: {quoted_path(file)} cannot be written ({error.strerror}): nothing was changed; "
            f"{SHOW} prints the script"
        ) from None


def _restore(script: Path, before: str | None) -> None:
    """Make a script as it was."""
    if before is None:
        script.unlink(missing_ok=True)
    else:
        with suppress(OutputError):
            _replace(script, before)


VARIABLE = "_MANYPATH_COMPLETE"
"""The variable of the environment by which scripts ask for completion."""

NEWLINE = "\n"
"""End of a line."""
