"""The explorer in a browser: controls, refusals, presets, studies, copies, links and downloads."""

from __future__ import annotations

import subprocess
import sys
import urllib.error
import urllib.request

import numpy as np
import pytest
from browser import Browser, Server, expected, linked, short

from manypath.explore import presets
from manypath.explore.controls import changed
from manypath.explore.state import State

MOVES = 40
"""Moves of the measurement of speed."""

CANCELLED = 12.0
"""Processor time that a cancelled run of 20,000 s of network and the run after it stay below, seconds."""


def test_the_first_page_shows_curves_numbers_goals_and_the_network(browser: Browser, address: str):
    assert browser.open(address) == expected(presets.default())
    for name in (
        "window of multipath",
        "ssthresh of multipath",
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
    assert browser.count(".x-numbers tbody tr") == 3
    assert browser.count("#network svg") == 1


def test_another_address_has_no_page(browser: Browser, address: str):
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(address[:-3] + "xyz")
    assert refused.value.code == 404
    refused.value.close()
    request = urllib.request.Request(address, headers={"Host": "evil.example"})
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request)
    assert refused.value.code == 400
    refused.value.close()


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


@pytest.mark.speed
def test_every_move_is_drawn_and_timed(browser: Browser, address: str, capsys: pytest.CaptureFixture[str]):
    """`make bench-explore` prints the distribution of the real time from the key to the drawn picture."""
    from selenium.webdriver.common.keys import Keys

    browser.open(address)
    browser.rests()
    browser.js("""
        window.took = []; let began = null, before = '';
        const status = document.querySelector('.x-status');
        const box = document.querySelector('#picture .nicegui-echart');
        document.addEventListener('keydown', () => { began = performance.now(); before = status.innerText; }, true);
        getElement(Number(box.id.slice(1))).chart.on('finished', () => requestAnimationFrame(() => {
          if (began === null || status.innerText === before) return;
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


@pytest.mark.parametrize("name", presets.EVERYDAY)
def test_every_everyday_preset_is_drawn(browser: Browser, address: str, name: str):
    state = presets.preset(presets.OWN, name)
    assert browser.open(linked(address, state)) == expected(state)
    browser.until(lambda: browser.chart("picture"))


def test_a_preset_is_chosen_from_the_list(browser: Browser, address: str):
    browser.open(linked(address, short()))
    browser.choose("Preset", "DSL with LTE")
    browser.shows(presets.preset(presets.OWN, "DSL with LTE"))
    browser.choose("Collection of presets", "[D11]")
    heading, figure = presets.headings()[2], "figure3: cc = cmt-rpv1, north = 0.25"
    browser.open_list("Preset", "figure")
    browser.write("Preset", figure)
    browser.press(lambda: browser.option(figure))
    browser.shows(presets.preset(heading, next(name for name in presets.names(heading) if figure in name)))


def test_copies_of_the_page_give_its_digest_and_its_link_restores_it(browser: Browser, address: str):
    state = short().but(seed=3)
    digest = browser.open(linked(address, state))
    texts = {}
    for kind in ("Python", "link"):
        browser.take_along(f"Copy as {kind}")
        browser.until(lambda kind=kind: f"Copied to the clipboard as {kind}" in browser.text("[role=dialog]"))
        texts[kind] = browser.js("return document.querySelector('.x-code').textContent")
        browser.close_dialog()
    printed = subprocess.run([sys.executable, "-c", texts["Python"]], capture_output=True, text=True, check=True)
    assert printed.stdout.strip() == digest
    assert State.unpacked(texts["link"].partition("?s=")[2]) == state
    assert browser.open(texts["link"]) == digest


def test_a_damaged_link_is_refused_on_the_page(browser: Browser, address: str):
    assert browser.open(f"{address}?s=damaged") == expected(presets.default())
    browser.until(lambda: "is no state of the explorer" in browser.js("return document.body.innerText"))


def test_a_move_cancels_a_long_run(browser: Browser, server: Server):
    long = changed(changed(short(), "measure", "20000 s"), "warmup", "2 s")
    browser.driver.get(linked(server.address, long))
    browser.until(lambda: "the first" in browser.status)
    before = server.seconds()
    browser.write("Run, measure", "4 s")
    browser.shows(changed(short(), "warmup", "2 s"))
    browser.rests()
    browser.until(server.is_idle)
    # The whole run takes several times as much.
    assert server.seconds() - before < CANCELLED


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
