"""The explorer in a browser: controls, refusals, presets, studies, copies, links and downloads."""

from __future__ import annotations

import os
import shlex
import signal
import socket
import subprocess
import sys
import threading
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

import numpy as np
import pytest
from browser import Browser, Server, explorer, linked
from page_object import PATIENCE
from states import expected, short

import manypath as mp
from manypath.explore import fair, moves, presets
from manypath.explore.controls import changed
from manypath.explore.goals import goals
from manypath.explore.server import RECONNECT
from manypath.explore.state import State

PROGRESS = """const bar = [...document.querySelectorAll('.x-bar')].find(each => each.getClientRects().length);
return bar ? bar.getAttribute('aria-valuenow') : null"""
"""Reads the finished share that the page shows; None if it shows none."""

DRAWN = "return document.querySelector('#network svg')?.textContent || ''"
"""Reads the texts of the drawing of the network."""

WEBSOCKET = """GET /_nicegui_ws/socket.io/?EIO=4&transport=websocket HTTP/1.1
Host: evil.example
Upgrade: websocket
Connection: Upgrade
Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==
Sec-WebSocket-Version: 13

"""
"""Opens the connection of a page for a page of another host."""

MOVES = 40
"""Moves of the measurement of speed."""

CANCELLED = 12.0
"""Processor time that a cancelled run of 200,000 s of network and the run after it stay below, seconds."""


def test_the_first_page_shows_curves_numbers_goals_and_the_network(browser: Browser, address: str):
    assert browser.open(address) == expected(presets.default())
    for name in (
        "window of multipath on south",
        "ssthresh of multipath on north",
        "queue south",
        "goodput of rival",
        "losses",
        "blocked by the congestion window",
        "retransmissions",
    ):
        browser.until(lambda name=name: name in browser.chart("picture"))
    marks = {"fluid equilibrium", "resource pooling", "best single path", "on south"}
    browser.until(lambda: marks <= set(browser.chart("shares")))
    browser.rests()
    assert browser.count(".x-light") == 3
    assert browser.count("#picture > .x-scroll tbody tr") == 3
    assert browser.count(".x-events tbody tr") > 0
    assert browser.count("#network svg") == 1


@pytest.mark.long
def test_the_reason_of_a_mark_is_shown_at_the_pointer_and_in_a_table(browser: Browser, address: str):
    browser.open(linked(address, short()))
    for series, reason in (
        ("losses", "packet dropped by the queue (the discipline asked the sender to slow down)"),
        ("fast retransmissions", "fast retransmission cut the window"),
        ("retransmissions", "retransmission (fast retransmission)"),
    ):
        browser.hover("picture", series, reason)
    browser.press(
        lambda: browser.js("return document.querySelector('.x-events > summary')"),
        lambda: browser.text(".x-events table"),
    )
    assert "the discipline asked the sender to slow down" in browser.text(".x-events table")


@pytest.mark.long
def test_what_a_legend_hides_stays_hidden_over_moves(browser: Browser, address: str):
    chart = """const box = document.querySelector(`#${arguments[0]} .nicegui-echart`);
        const chart = getElement(Number(box.id.slice(1))).chart; """
    hide = f"{chart} chart.dispatchAction({{type: 'legendToggleSelect', name: arguments[1]}})"
    hidden = f"{chart} return chart.getOption().legend.map(each => each.selected?.[arguments[1]] === false)"
    browser.open(linked(address, short()))
    browser.rests()
    for card, name in (("picture", "losses"), ("shares", "fluid equilibrium")):
        browser.js(hide, card, name)
    # The strips have other limits then, so that the chart has other series.
    browser.write("Flow multipath, receive buffer", "50 kB")
    browser.shows(changed(short(), "flows\tmultipath\treceive_buffer", "50 kB"))
    browser.rests()
    for card, name in (("picture", "losses"), ("shares", "fluid equilibrium")):
        assert all(browser.js(hidden, card, name))
        assert name in browser.chart(card)


def test_the_console_of_a_page_tells_errors_and_warnings_only(browser: Browser, address: str):
    browser.open(address)
    for level in ("log", "info", "warn", "error"):
        browser.js("console[arguments[0]](arguments[0])", level)
    browser.js("setTimeout(() => { throw new Error('uncaught') })")
    said: list[str] = []

    def is_said() -> bool:
        said.extend(browser.errors())
        return any("uncaught" in each for each in said)

    browser.until(is_said)
    assert [each.split()[-1].strip('"') for each in said] == ["warn", "error", "uncaught"]


def test_another_address_has_no_page(address: str):
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(address[:-3] + "xyz")
    assert refused.value.code == 404
    # A copied link has the token of an earlier start.
    assert "append its part from ?s= on" in refused.value.read().decode()
    refused.value.close()
    request = urllib.request.Request(address, headers={"Host": "evil.example"})
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request)
    assert refused.value.code == 400
    refused.value.close()
    # The explorer writes nothing about a refused WebSocket, which the fixture of the server checks.
    with socket.create_connection(("127.0.0.1", urllib.parse.urlsplit(address).port), timeout=PATIENCE) as other:
        other.sendall(WEBSOCKET.replace("\n", "\r\n").encode())
        assert other.recv(1024).startswith(b"HTTP/1.1 400 ")


def test_other_addresses_of_this_machine_have_no_server(address: str):
    # Sockets for all addresses of the machine would take it.
    with pytest.raises(OSError, match=r"refused|assign|unreachable"):
        socket.create_connection(("127.0.0.2", urllib.parse.urlsplit(address).port), timeout=PATIENCE)


@pytest.mark.long
def test_a_scenario_too_large_for_a_link_is_reloaded_with_its_moves_and_says_so(browser: Browser, tmp_path: Path):
    steps = ", ".join(f'{{ at = "{1 + at} ms", rate = "{1000 + at * 7919 % 9973} kbit/s" }}' for at in range(10_000))
    (tmp_path / "large.toml").write_text(
        f'warmup = "1 s"\nmeasure = "11 s"\n[network.disjoint]\n'
        f'a = {{ rate = "10 Mbit/s", delay = "5 ms", events = [{steps}] }}\n[flows.f]\npaths = ["a"]\n'
    )
    with explorer("large.toml", cwd=tmp_path) as server:
        digest = browser.open(server.address)
        browser.write("Run, seed", "2")
        browser.until(lambda: "digest" in browser.status and digest not in browser.status)
        moved = browser.digest()
        browser.driver.refresh()
        assert browser.digest() == moved
        browser.take_along("Copy as link")
        browser.until(lambda: "too large for a link" in browser.js("return document.body.innerText"))
        assert browser.open(f"{server.address}?kept=unknown") == digest
        browser.until(lambda: "no longer has the state" in browser.js("return document.body.innerText"))
        browser.driver.get("about:blank")
        browser.errors()


def test_controls_change_the_picture_and_wrong_values_are_refused_beside_them(browser: Browser, address: str):
    browser.open(linked(address, short()))
    browser.write("Link south, rate", "4 Mbit/s")
    state = changed(short(), "links\tsouth\trate", "4 Mbit/s")
    browser.shows(state)
    before = browser.status
    browser.write("Link south, rate", "4")
    refusal = ".x-control:has([aria-label='Link south, rate']) [role=alert]"
    browser.until(lambda: 'has no unit: write "4 Mbit/s"' in browser.text(refusal))
    assert browser.status == before
    browser.write("Link south, rate", "4 Mbit/s")
    browser.until(lambda: not browser.text(refusal))
    browser.write("Flows, rivals", "3")
    state = changed(state, "rivals", "3")
    browser.shows(state)
    assert State.unpacked(browser.js("return location.search").removeprefix("?s=")) == state


def test_everything_shown_belongs_to_the_last_of_fast_moves(browser: Browser, address: str):
    from selenium.webdriver import ActionChains
    from selenium.webdriver.common.keys import Keys

    browser.open(linked(address, short().but(compare=("olia",))))
    browser.rests()
    # To the left end, further ones without effect, and three steps back
    keys = [Keys.ARROW_LEFT] * 12 + [Keys.ARROW_RIGHT] * 3
    ActionChains(browser.driver).send_keys_to_element(browser.slider("Link south, rate"), *keys).perform()
    last = changed(short(), "links\tsouth\trate", "2 Mbit/s")
    browser.shows(last)
    assert browser.input("Link south, rate").get_attribute("value") == "2 Mbit/s"
    browser.rests()
    answer = moves.answer(last.scenario, last.seed, threading.Event())
    shown = browser.text("#picture > .x-scroll")
    assert all(f"{rate:.2f}" in shown for rate in answer.result.paths["goodput"])
    found = goals(last, answer, fair.fair(last, threading.Event()))
    assert all(goal.numbers in browser.text(".x-lights") for goal in found)
    paths = answer.result.series["paths"]
    windows = paths[paths["flow"] == "multipath"].groupby("path", sort=False)["cwnd"].last() / 1e3
    for path, window in windows.items():
        assert browser.last_values("picture", f"window of multipath on {path}") == pytest.approx([window], rel=0.01)
    other = mp.run(last.with_cc("olia"), seed=last.seed)
    assert f"{other.goodput['multipath']:.2f}" in browser.text("#compare .x-scroll")


@pytest.mark.long
def test_a_slider_follows_its_field_after_its_own_moves(browser: Browser, address: str):
    from selenium.webdriver import ActionChains
    from selenium.webdriver.common.keys import Keys

    def step() -> str | None:
        slider = browser.driver.find_element("css selector", '[role=slider][aria-label="Link south, rate, slider"]')
        return slider.get_attribute("aria-valuenow")

    browser.open(linked(address, short()))
    first = step()
    # Without a click, which would move the slider, too
    browser.js("arguments[0].focus()", browser.slider("Link south, rate"))
    ActionChains(browser.driver).send_keys(*[Keys.ARROW_LEFT] * 4).perform()
    browser.shows(changed(short(), "links\tsouth\trate", "4 Mbit/s"))
    assert step() != first
    # The step at the beginning, and a rate between two steps
    for rate, at in (("10 Mbit/s", first), ("5.9 Mbit/s", "7")):
        browser.write("Link south, rate", rate)
        browser.shows(changed(short(), "links\tsouth\trate", rate))
        browser.until(lambda at=at: step() == at)
    assert browser.input("Link south, rate").get_attribute("value") == "5.9 Mbit/s"


@pytest.mark.speed
def test_every_move_is_drawn_and_timed(browser: Browser, address: str, capsys: pytest.CaptureFixture[str]):
    """`make bench-explore` prints the distribution of the real time from the key to the drawn picture."""
    from selenium.webdriver.common.keys import Keys

    browser.open(address)
    browser.rests()
    browser.js("""
        window.took = []; let began = null, isDrawn = false;
        const picture = Number(document.querySelector('#picture .nicegui-echart').id.slice(1));
        document.addEventListener('keydown', () => { began = performance.now(); isDrawn = false; }, true);
        const draw = window.manypath.draw.bind(window.manypath);
        window.manypath.draw = (id, text) => { isDrawn ||= id === picture; draw(id, text); };
        getElement(picture).chart.on('finished', () => requestAnimationFrame(() => {
          if (began === null || !isDrawn) return;
          window.took.push(performance.now() - began); began = null;
        }));""")
    slider = browser.slider("Link south, rate")
    for number in range(MOVES):
        slider.send_keys(Keys.ARROW_LEFT if number % 8 < 4 else Keys.ARROW_RIGHT)
        browser.until(lambda number=number: browser.js("return window.took.length") == number + 1)
        # The fair shares of this move are drawn before the next one.
        browser.rests()
    took = np.percentile(browser.js("return window.took"), [0, 25, 50, 75, 95, 100])
    names = ("smallest", "25 %", "median", "75 %", "95 %", "largest")
    with capsys.disabled():
        rows = ", ".join(f"{name} {value:.0f}" for name, value in zip(names, took, strict=True))
        sys.stdout.write(f"\n{MOVES} moves, ms from the key to the drawn picture: {rows}\n")


@pytest.mark.long
@pytest.mark.parametrize("name", presets.EVERYDAY)
def test_every_everyday_preset_is_drawn(browser: Browser, address: str, name: str):
    state = presets.preset(presets.OWN, name)
    assert browser.open(linked(address, state)) == expected(state)
    browser.until(lambda: browser.chart("picture"))


@pytest.mark.long
def test_a_preset_is_chosen_from_the_list(browser: Browser, address: str):
    browser.open(linked(address, short()))
    browser.choose("Preset", "DSL with LTE")
    browser.shows(presets.preset(presets.OWN, "DSL with LTE"))
    browser.choose("Collection of presets", "[D11]")
    heading, figure = presets.headings()[2], "figure 3: cc = cmt-rpv1, north = 0.25 Mbit/s"
    browser.open_list("Preset", "figure")
    browser.write("Preset", figure)
    browser.press(lambda: browser.option(figure))
    browser.shows(presets.preset(heading, figure))
    browser.until(lambda: presets.about(heading, figure) in browser.text(".x-side"))


@pytest.mark.long
def test_a_preset_is_chosen_again_after_a_move(browser: Browser, address: str):
    state = presets.preset(presets.OWN, "Two equal paths")
    browser.open(linked(address, short()))
    for _ in range(2):
        browser.choose("Preset", "Two equal paths")
        browser.shows(state)
        browser.write("Link south, rate", "4 Mbit/s")
        browser.shows(changed(state, "links\tsouth\trate", "4 Mbit/s"))
        browser.until(lambda: browser.input("Preset").get_attribute("value") == "")


@pytest.mark.long
def test_a_slider_at_its_place_again_shows_no_refusal(browser: Browser, address: str):
    from selenium.webdriver.common.keys import Keys

    browser.open(linked(address, short()))
    label, refusal = "Run, measure", ".x-control:has([aria-label='Run, measure']) [role=alert]"
    slider = browser.slider(label)
    for value in ("2 s", "1 s"):
        slider.send_keys(Keys.ARROW_LEFT)
        browser.shows(changed(short(), "measure", value))
    slider.send_keys(Keys.ARROW_LEFT)
    browser.until(lambda: "measure: 0 s is too short" in browser.text(refusal))
    slider.send_keys(Keys.ARROW_RIGHT)
    browser.until(lambda: browser.input(label).get_attribute("value") == "1 s")
    browser.until(lambda: not browser.text(refusal))
    browser.shows(changed(short(), "measure", "1 s"))


def printed(*command: str, cwd: Path) -> str:
    """Return what a command prints."""
    return subprocess.run(command, capture_output=True, text=True, check=True, cwd=cwd).stdout


def test_copies_of_the_page_give_its_digest_and_its_link_restores_it(browser: Browser, address: str, tmp_path: Path):
    state = short().but(seed=3)
    digest = browser.open(linked(address, state))
    texts = {}
    for kind in ("Python", "TOML", "command line", "link"):
        browser.take_along(f"Copy as {kind}")
        browser.until(lambda kind=kind: f"Copied to the clipboard as {kind}" in browser.text("[role=dialog]"))
        texts[kind] = browser.js("return document.querySelector('.x-code').textContent")
        browser.close_dialog()
    assert printed(sys.executable, "-c", texts["Python"], cwd=tmp_path).strip() == digest
    run = [sys.executable, "-m", "manypath", "run"]
    (tmp_path / "copied.toml").write_text(texts["TOML"])
    assert f"digest {digest}" in printed(*run, "copied.toml", "--seed", "3", cwd=tmp_path)
    command = texts["command line"].replace("manypath run", shlex.join(run), 1)
    assert f"digest {digest}" in printed("/bin/sh", "-c", command, cwd=tmp_path)
    assert State.unpacked(texts["link"].partition("?s=")[2]) == state
    assert browser.open(texts["link"]) == digest


@pytest.mark.long
def test_a_damaged_link_is_refused_on_the_page(browser: Browser, address: str):
    assert browser.open(f"{address}?s=damaged") == expected(presets.default())
    browser.until(lambda: "is no state of the explorer" in browser.js("return document.body.innerText"))


@pytest.mark.long
def test_a_move_cancels_a_long_run(browser: Browser, server: Server):
    long = changed(changed(short(), "measure", "199998 s"), "warmup", "2 s")
    browser.driver.get(linked(server.address, long))
    # The sixty-fourth part; the sixteenth runs, which takes several times as much as is allowed.
    browser.until(lambda: "the first 3125 s" in browser.status)
    before = server.seconds()
    browser.write("Run, measure", "4 s")
    browser.shows(changed(short(), "warmup", "2 s"))
    browser.rests()
    browser.until(server.is_idle)
    assert server.seconds() - before < CANCELLED


@pytest.mark.long
def test_a_tab_that_leaves_ends_its_run(browser: Browser, server: Server):
    browser.driver.get(linked(server.address, changed(short(), "measure", "199999 s")))
    browser.until(lambda: "the first 3125 s" in browser.status)
    before = server.seconds()
    browser.driver.get("about:blank")
    browser.until(server.is_idle)
    # The server itself forgets a tab after `RECONNECT`.
    assert server.seconds() - before < RECONNECT / 3


@pytest.mark.long
def test_further_runs_show_their_progress_and_can_be_stopped(browser: Browser, address: str):
    browser.driver.get(linked(address, changed(short(), "measure", "3999 s")))
    digest = browser.digest()
    shares: set[str] = set()

    def is_moving() -> bool:
        shares.add(browser.js(PROGRESS))
        return len(shares - {None}) > 2

    browser.until(is_moving)
    browser.click("Stop")
    browser.until(lambda: "further runs, which were stopped" in browser.text(".x-lights"))
    assert digest in browser.status
    browser.until(lambda: browser.js(PROGRESS) is None)
    # The network and the measured shares need no further run.
    assert browser.count("#network svg") == 1
    assert browser.chart("shares") == ["on south", "on north"]
    browser.click("Run again", lambda: not browser.text(".x-lights").endswith("stopped."))
    browser.until(lambda: browser.js(PROGRESS) is not None)
    browser.write("Run, measure", "4 s")
    browser.shows(short())
    browser.rests()
    assert browser.count(".x-light") == 3


@pytest.mark.long
def test_a_stopped_run_stands_beside_no_goals_of_an_earlier_state(browser: Browser, address: str):
    browser.open(linked(address, short().but(compare=("olia",))))
    browser.rests()
    assert browser.count(".x-light") == 3
    assert browser.count("#compare tbody tr") == 1
    browser.write("Link south, delay", "30 ms")
    browser.write("Run, measure", "20000 s")
    browser.until(lambda: "the first" in browser.status)
    browser.until(lambda: not browser.count(".x-light") and not browser.count("#compare tbody tr"))
    # The start of the run is shown beside its own network.
    browser.until(lambda: "30 ms" in browser.js(DRAWN))
    browser.click("Stop")
    browser.until(lambda: "stopped, the start of the run is shown" in browser.status)
    browser.until(lambda: "not stopped" in browser.text(".x-lights"))
    assert browser.count("#picture > .x-scroll tbody tr") == 3
    browser.write("Run, measure", "4 s")
    browser.until(lambda: browser.count(".x-light") == 3 and browser.count("#compare tbody tr") == 1)


@pytest.mark.long
def test_a_reload_restores_a_run_that_goes_on(browser: Browser, server: Server):
    long = changed(changed(short(), "measure", "20000 s"), "warmup", "2 s")
    browser.driver.get(linked(server.address, short()))
    browser.write("Run, measure", "20000 s")
    browser.until(lambda: "the first" in browser.status)
    browser.driver.refresh()
    browser.until(lambda: "the first" in browser.status)
    assert State.unpacked(browser.js("return location.search").removeprefix("?s=")) == changed(long, "warmup", "1 s")
    browser.write("Run, measure", "4 s")
    browser.shows(short())
    # The run of the page that is gone ends, too.
    browser.until(server.is_idle)


def test_ctrl_c_ends_the_explorer_and_its_runs(browser: Browser, tmp_path: Path):
    with explorer(cwd=tmp_path) as server:
        browser.driver.get(linked(server.address, changed(short(), "measure", "200000 s")))
        browser.until(lambda: "the first" in browser.status)
        os.kill(server.pid, signal.SIGINT)
        browser.until(lambda: not server.is_alive())
        # The page says that its server is gone, and writes so on the console.
        browser.until(lambda: "Connection lost" in browser.js("return document.body.innerText"))
        browser.driver.get("about:blank")
        browser.errors()


ENDS_LATE = """
import asyncio
from contextlib import suppress
from nicegui import app, background_tasks
from manypath.cli import main

async def ends_late():
    with suppress(asyncio.CancelledError):
        await asyncio.sleep(3600)
    await asyncio.sleep(3600)

app.on_startup(lambda: background_tasks.create(ends_late()))
main()
"""
"""An explorer with a task that does not end when it is cancelled first, as a task of a busy machine."""


def test_ctrl_c_writes_nothing_if_a_task_of_a_page_ends_late():
    words = [sys.executable, "-c", ENDS_LATE, "explore", "--no-browser"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        urllib.request.urlopen(server.stdout.readline().strip(), timeout=PATIENCE).close()
        server.terminate()
        _, said = server.communicate(timeout=PATIENCE)
    assert said == ""


@pytest.mark.long
def test_two_tabs_do_not_disturb_each_other(browser: Browser, address: str):
    first = browser.open(linked(address, short()))
    one = browser.driver.current_window_handle
    browser.driver.switch_to.new_window("tab")
    try:
        browser.size(1280, 1000)
        browser.open(linked(address, short().but(seed=9)))
        browser.write("Run, seed", "10")
        browser.shows(short().but(seed=10))
    finally:
        browser.driver.close()
        browser.driver.switch_to.window(one)
    assert first in browser.status
