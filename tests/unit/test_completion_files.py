"""The installation of completion keeps the user's files, names what it changes, and changes nothing on an error."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import shellingham

from manypath.cli import bash, completion
from manypath.errors import OutputError, UserError

STARTUP = b"alias x='y' # \xff\nexport A=1"
"""A startup file that is no UTF-8 and has no end of its last line."""


def test_a_startup_file_keeps_its_bytes_and_its_mode_and_gets_one_line(tmp_path: Path):
    (tmp_path / "dotfiles").write_bytes(STARTUP)
    (tmp_path / "dotfiles").chmod(0o600)
    (tmp_path / ".bashrc").symlink_to("dotfiles")
    said = completion.install("bash", tmp_path)
    script = tmp_path / ".bash_completions/manypath.sh"
    line = f"source '{script}'"
    assert said == [f"completion script: {script}", f"added to {tmp_path / '.bashrc'}: {line}"]
    assert (tmp_path / "dotfiles").read_bytes() == STARTUP + f"\n{line}\n".encode()
    assert (tmp_path / "dotfiles").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / ".bashrc").is_symlink()
    assert "_MANYPATH_COMPLETE=complete_bash" in script.read_text()
    assert completion.install("bash", tmp_path) == said[:1]
    assert (tmp_path / "dotfiles").read_bytes().count(line.encode()) == 1


@pytest.mark.parametrize("shell", completion.SHELLS)
def test_a_script_of_the_user_is_kept(shell: str, tmp_path: Path):
    script = tmp_path / completion.SHELLS[shell].script
    script.parent.mkdir(parents=True)
    script.write_text("mine\n")
    with pytest.raises(UserError, match="exists and is not by manypath: move it away"):
        completion.install(shell, tmp_path)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [script]
    assert script.read_text() == "mine\n"


@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_nothing_changes_if_the_startup_file_cannot_be_written(
    shell: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    startup = tmp_path / completion.SHELLS[shell].startup
    startup.write_bytes(STARTUP)
    replace = Path.replace

    def full(path: Path, target: Path) -> Path:
        if Path(target).name == startup.name:
            raise OSError(28, os.strerror(28))
        return replace(path, target)

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OutputError, match=r"cannot be written \(No space left on device\): nothing was changed"):
        completion.install(shell, tmp_path)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [startup]
    assert startup.read_bytes() == STARTUP


def test_a_missing_home_is_not_made(tmp_path: Path):
    with pytest.raises(UserError, match="is no folder: set HOME"):
        completion.install("bash", tmp_path / "nowhere")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("shell", "said"), [("/bin/tcsh", '"tcsh" has no completion'), ("", "the shell is not known")])
def test_an_unknown_shell_is_refused_in_one_line(shell: str, said: str, monkeypatch: pytest.MonkeyPatch):
    def detect() -> tuple[str, str]:
        raise shellingham.ShellDetectionFailure

    monkeypatch.setattr(shellingham, "detect_shell", detect)
    monkeypatch.setenv("SHELL", shell)
    with pytest.raises(UserError) as error:
        completion.shell_in_use("--install-completion")
    assert str(error.value) == f"--install-completion: {said}: run it in bash, zsh, fish"


@pytest.mark.parametrize("current", ["", "x", "-1", "²", "5", "9" * 5000])
def test_a_wrong_number_of_the_completed_word_completes_nothing(current: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("_MANYPATH_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", "manypath\nru")
    monkeypatch.setenv("COMP_CWORD", current)
    bash.join_words()
    assert (os.environ["COMP_WORDS"], os.environ["COMP_CWORD"]) == ("", "0")
