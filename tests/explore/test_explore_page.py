"""The explorer in a browser: controls, refusals, presets, studies, copies, links and downloads."""

from __future__ import annotations

import subprocess
import sys
import time
import urllib.error
import urllib.request

import numpy as np
import pytest
from browser import Browser, expected, linked, short

from manypath.explore import presets
from manypath.explore.controls import changed
from manypath.explore.state import State

MOVES = 40
"""Moves of the measurement of speed."""


def test_the_first_page_shows_curves_numbers_goals_and_the_network(browser: Browser, address: str):
    assert browser.open(address) == expected(presets.default())
    names = browser.until(lambda: browser.chart("picture"))
    for name in (
        "window of multipath",
        "ssthresh of multipath",
        "queue south",
        "goodput of rival",
        "losses",
        "blocked by the congestion window",
        "retransmissions",
    ):
        assert name in names
    browser.until(lambda: "fluid equilibrium" in browser.chart("shares"))
    assert {"resource pooling", "best single path", "on south"} <= set(browser.chart("shares"))
    assert browser.js("return document.querySelectorAll('.x-light').length") == 3
    assert browser.js("return document.querySelectorAll('.x-numbers tbody tr').length") == 3
    browser.until(lambda: browser.js("return document.querySelector('#network svg') !== null"))


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
    first = browser.open(linked(address, short()))
    browser.write("Link south, rate", "4 Mbit/s")
    slow = browser.digest(other_than=first)
    state = changed(short(), "links\tsouth\trate", "4 Mbit/s")
    assert slow == expected(state)
    browser.write("Link south, rate", "4")
    said = browser.until(lambda: browser.js("return document.querySelector('.x-control .text-negative')?.innerText"))
    assert 'has no unit: write "4 Mbit/s"' in browser.js("return document.querySelector('.x-side').innerText"), said
    assert slow in browser.status
    browser.write("Link south, rate", "4 Mbit/s")
    browser.write("Flows, rivals", "3")
    assert browser.digest(other_than=slow) == expected(changed(state, "rivals", "3"))
    assert browser.js("return location.search").startswith("?s=")


@pytest.mark.speed
def test_every_move_is_drawn_and_timed(browser: Browser, address: str, capsys: pytest.CaptureFixture[str]):
    """`make bench-explore` prints the distribution of the real time from the key to the drawn picture."""
    from selenium.webdriver.common.keys import Keys

    browser.open(address)
    browser.until(lambda: browser.js("return document.querySelector('#network svg') !== null"))
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
        # The fair shares of this move are computed before the next one.
        time.sleep(1.5)
    took = np.percentile(browser.js("return window.took"), [0, 25, 50, 75, 95, 100])
    names = ("smallest", "25 %", "median", "75 %", "95 %", "largest")
    with capsys.disabled():
        rows = ", ".join(f"{name} {value:.0f}" for name, value in zip(names, took, strict=True))
        sys.stdout.write(f"\n{MOVES} moves, ms from the key to the drawn picture: {rows}\n")


@pytest.mark.parametrize("name", presets.EVERYDAY)
def test_every_everyday_preset_is_drawn(browser: Browser, address: str, name: str):
    state = presets.preset(presets.OWN, name)
    assert browser.open(linked(address, state)) == expected(state)
    assert browser.chart("picture")


def test_a_preset_is_chosen_from_the_list(browser: Browser, address: str):
    first = browser.open(linked(address, short()))
    browser.input("Preset").click()
    browser.click("DSL with LTE")
    assert browser.digest(other_than=first) == expected(presets.preset(presets.OWN, "DSL with LTE"))
    browser.choose("Collection of presets", "[D11]")
    time.sleep(0.5)
    before = browser.digest()
    browser.write("Preset", "figure3: cc = cmt-rpv1, north = 0.25")
    browser.click("figure3: cc = cmt-rpv1, north = 0.25")
    name = next(name for name in presets.names(presets.headings()[2]) if "figure3: cc = cmt-rpv1, north = 0.25" in name)
    assert browser.digest(other_than=before) == expected(presets.preset(presets.headings()[2], name))


def test_copies_of_the_page_give_its_digest_and_its_link_restores_it(browser: Browser, address: str):
    state = short().but(seed=3)
    digest = browser.open(linked(address, state))
    texts = {}
    for kind in ("Python", "link"):
        browser.click("Take along")
        browser.click(f"Copy as {kind}")
        ours = "import manypath" if kind == "Python" else "http://"
        texts[kind] = browser.until(
            lambda ours=ours: (
                (text := browser.js("return document.querySelector('.x-code')?.textContent || ''")).startswith(ours)
                and text
            )
        )
        browser.click("Close")
        browser.until(lambda: browser.js("return document.querySelector('.q-dialog__backdrop') === null"))
    printed = subprocess.run([sys.executable, "-c", texts["Python"]], capture_output=True, text=True, check=True)
    assert printed.stdout.strip() == digest
    assert State.unpacked(texts["link"].partition("?s=")[2]) == state
    assert browser.open(texts["link"]) == digest


def test_a_damaged_link_is_refused_on_the_page(browser: Browser, address: str):
    assert browser.open(f"{address}?s=damaged") == expected(presets.default())
    browser.until(lambda: "is no state of the explorer" in browser.js("return document.body.innerText"))


def test_a_move_cancels_a_long_run(browser: Browser, address: str):
    long = changed(changed(short(), "measure", "20000 s"), "warmup", "2 s")
    browser.driver.get(linked(address, long))
    browser.until(lambda: "the first" in browser.status)
    began = time.monotonic()
    browser.write("Run, measure", "4 s")
    assert browser.digest() == expected(changed(short(), "warmup", "2 s"))
    assert time.monotonic() - began < 8.0


def test_two_tabs_do_not_disturb_each_other(browser: Browser, address: str):
    first = browser.open(linked(address, short()))
    one = browser.driver.current_window_handle
    browser.driver.switch_to.new_window("tab")
    try:
        browser.size(1280, 1000)
        second = browser.open(linked(address, short().but(seed=9)))
        browser.write("Run, seed", "10")
        assert browser.digest(other_than=second) == expected(short().but(seed=10))
    finally:
        browser.driver.close()
        browser.driver.switch_to.window(one)
    assert first in browser.status


def test_a_phone_shows_the_whole_width_and_everything_has_a_name(browser: Browser, address: str):
    browser.size(390, 844)
    try:
        browser.open(linked(address, short()))
        browser.until(lambda: browser.js("return document.querySelector('#network svg') !== null"))
        assert browser.js("return document.scrollingElement.scrollWidth - innerWidth") <= 0
    finally:
        browser.size(1280, 1000)
    nameless = """return [...document.querySelectorAll('input, button, [role=img]')]
        .filter(each => each.offsetParent && each.ariaHidden !== 'true' && !each.getAttribute('aria-label')
            && !each.innerText && !each.closest('label')?.innerText).map(each => each.outerHTML)"""
    assert browser.js(nameless) == []


def test_light_and_dark_have_readable_text(browser: Browser, address: str):
    browser.open(linked(address, short()))
    grounds = []
    for _ in range(2):
        grounds.append(browser.js("return getComputedStyle(document.body).backgroundColor"))
        ink, ground = browser.js("""const parts = text => text.match(/\\d+/g).map(Number).slice(0, 3);
            return [parts(getComputedStyle(document.querySelector('.x-status')).color),
                    parts(getComputedStyle(document.querySelector('.x-head')).backgroundColor)]""")
        assert contrast(ink, ground) >= 4.5
        browser.driver.find_element("css selector", '[aria-label^="Switch between"]').click()
        browser.until(lambda: browser.js("return getComputedStyle(document.body).backgroundColor") != grounds[-1])
    assert grounds[0] != grounds[1]


def contrast(one: list[int], other: list[int]) -> float:
    """Return the contrast of two colours, from 1 to 21 (WCAG 2.1)."""

    def light(colour: list[int]) -> float:
        parts = [part / 255 / 12.92 if part <= 10 else ((part / 255 + 0.055) / 1.055) ** 2.4 for part in colour]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

    low, high = sorted((light(one), light(other)))
    return (high + 0.05) / (low + 0.05)
