"""The page for everyone: keyboard alone, names for screen readers, contrast, less motion, and the width of a phone."""

from __future__ import annotations

import pytest
from browser import Browser, linked
from states import short
from wcag import faint, nameless

import manypath as mp
from manypath.explore import presets
from manypath.explore.controls import changed
from manypath.explore.state import State


def toggle(browser: Browser) -> None:
    """Switch between light and dark."""
    ground = "return getComputedStyle(document.body).backgroundColor"
    before = browser.js(ground)
    browser.press(lambda: browser.js("return document.querySelector('[aria-label^=\"Switch between\"]')"))
    browser.until(lambda: browser.js(ground) != before)


def keys(browser: Browser, *pressed: str) -> None:
    """Press keys, as a keyboard does, whatever has the focus."""
    from selenium.webdriver import ActionChains

    for key in pressed:
        ActionChains(browser.driver).send_keys(key).perform()


def tabbed(browser: Browser, name: str) -> None:
    """Press Tab until an element has the focus, by its name or text. A menu has the texts of its entries."""
    from selenium.webdriver.common.keys import Keys

    script = """const at = document.activeElement, isMenu = at.querySelector('[tabindex="0"]') !== null;
        return [at.getAttribute('aria-label') || '', isMenu ? '' : at.textContent]"""

    def is_there() -> bool:
        keys(browser, Keys.TAB)
        return any(name in said for said in browser.js(script))

    browser.until(is_there)


def test_everything_is_reached_and_used_by_the_keyboard_alone(browser: Browser, address: str):
    from selenium.webdriver.common.keys import Keys

    browser.open(linked(address, short()))
    keys(browser, Keys.TAB)
    assert browser.js("return document.activeElement.textContent") == "Skip to the picture"
    tabbed(browser, "Take along")
    keys(browser, Keys.ENTER)
    browser.until(lambda: browser.js("return document.activeElement.closest('.q-menu') !== null"))
    tabbed(browser, "Copy as TOML")
    keys(browser, Keys.ENTER)
    browser.until(lambda: "[network.disjoint]" in browser.text("[role=dialog]"))
    keys(browser, Keys.ESCAPE)
    browser.until(lambda: not browser.count("[role=dialog]"))

    tabbed(browser, "Link south, rate, slider")
    keys(browser, Keys.ARROW_LEFT)
    state = changed(short(), "links\tsouth\trate", "8 Mbit/s")
    browser.shows(state)
    tabbed(browser, "Link south, queue")
    keys(browser, Keys.ARROW_DOWN)
    browser.until(lambda: browser.option("codel"))
    pointed = """return document.querySelector('[role=option].q-manual-focusable--focused')?.textContent.trim()"""
    browser.until(lambda: browser.js(pointed) == "codel" or keys(browser, Keys.ARROW_DOWN))
    keys(browser, Keys.ENTER)
    state = changed(state, "links\tsouth\tqueue", "codel")
    browser.shows(state)
    # The queue has other settings, and the focus stays on the list although the page builds the controls again.
    focus = "return document.activeElement.getAttribute('aria-label')"
    browser.until(lambda: browser.js(focus) == "Link south, queue")
    keys(browser, Keys.TAB)
    assert browser.js(focus) == "Explain Link south, queue"
    keys(browser, Keys.ENTER)
    browser.until(lambda: "Queue before the transmitter" in browser.text("[role=dialog]"))
    keys(browser, Keys.ESCAPE)
    browser.until(lambda: not browser.count("[role=dialog]"))
    tabbed(browser, "Mechanisms")
    keys(browser, Keys.ENTER)
    browser.until(lambda: browser.count('[aria-label="Flow multipath, DAC"]'))
    tabbed(browser, "Flow multipath, DAC")
    keys(browser, Keys.SPACE)
    browser.shows(changed(state, "flows\tmultipath\tdac", False))


def test_everything_has_a_name_for_screen_readers(browser: Browser, address: str):
    browser.open(linked(address, short().but(compare=("newreno",), sweep=("rivals", "1, 2", "2"))))
    browser.rests()
    assert nameless(browser) == []
    browser.click("Mechanisms", lambda: browser.count('[aria-label="Flow multipath, DAC"]'))
    browser.open_list("Link south, queue", "codel")
    assert nameless(browser) == []
    browser.close_menu()
    browser.take_along("Copy as TOML")
    browser.until(lambda: "Copied to the clipboard as TOML" in browser.text("[role=dialog]"))
    assert nameless(browser) == []
    browser.close_dialog()


@pytest.mark.long
def test_long_names_make_no_page_wider(browser: Browser, address: str):
    link = presets.default().scenario.network.links["south"]
    paths = [f"the {number}. path with a name that fills a line" for number in range(8)]
    flows = {"x" * 200: mp.Sctp(paths=paths), "a rival with a name that fills a line": mp.Sctp(paths=[paths[0]])}
    network = mp.disjoint(**dict.fromkeys(paths, link))
    state = State(mp.Scenario(network=network, flows=flows, warmup="1 s", measure="4 s"), compare=("lia",))
    for width in (1280, 820, 390):
        browser.size(width, 1000)
        try:
            browser.open(linked(address, state))
            browser.rests()
            assert (
                browser.js("return document.scrollingElement.scrollWidth - document.documentElement.clientWidth") <= 0
            )
            assert browser.js("return innerWidth") == width
        finally:
            browser.size(1280, 1000)


@pytest.mark.long
def test_names_of_links_in_any_script_are_drawn(browser: Browser, address: str):
    link = presets.default().scenario.network.links["south"]
    network = mp.disjoint(線路=link, rätoromanisch=link)
    flows = {"多路": mp.Sctp(paths=["線路", "rätoromanisch"])}
    scenario = mp.Scenario(network=network, flows=flows, warmup="1 s", measure="4 s")
    # The explorer writes nothing about letters that the font of the layout lacks; the fixture of the server checks it.
    browser.open(linked(address, State(scenario)))
    browser.rests()
    assert "線路" in browser.js("return document.querySelector('#network svg').textContent")
    assert "window of 多路 on 線路" in browser.chart("picture")


@pytest.mark.long
def test_the_sign_of_a_help_button_is_inside_of_it(browser: Browser, address: str):
    browser.open(linked(address, short()))
    button = browser.js("return document.querySelector('.x-help')")
    size = "return ['fontSize', 'height'].map(name => parseFloat(getComputedStyle(arguments[0], '::before')[name]))"
    letter, circle = browser.js(size, button)
    assert 0.0 < letter < circle


@pytest.mark.long
def test_light_and_dark_have_readable_text(browser: Browser, address: str):
    browser.open(linked(address, short().but(compare=("newreno",), sweep=("rivals", "1, 2", "2"))))
    browser.rests()
    browser.write("Link south, rate", "4")
    browser.until(lambda: "has no unit" in browser.text(".x-side"))
    for _ in range(2):
        assert faint(browser) == []
        toggle(browser)


@pytest.mark.long
def test_a_phone_shows_the_whole_width(browser: Browser, address: str):
    browser.size(390, 844)
    try:
        for name in presets.EVERYDAY:
            state = changed(changed(presets.preset(presets.OWN, name), "warmup", "1 s"), "measure", "30 s")
            browser.open(linked(address, state.but(compare=("newreno",))))
            browser.rests()
            assert browser.js("return document.scrollingElement.scrollWidth - innerWidth") <= 0, name
        assert nameless(browser) == []
    finally:
        browser.size(1280, 1000)


@pytest.mark.long
def test_the_wheel_over_a_plot_scrolls_the_page(browser: Browser, address: str):
    browser.open(linked(address, short()))
    browser.rests()
    turn = {"type": "mouseWheel", "x": 700, "y": 400, "deltaX": 0, "deltaY": 300}
    browser.driver.execute_cdp_cmd("Input.dispatchMouseEvent", turn)
    browser.until(lambda: browser.js("return scrollY") > 0)


@pytest.mark.long
def test_a_long_refusal_is_not_covered_by_the_slider(browser: Browser, address: str):
    browser.open(linked(address, short()))
    browser.write("Link south, rate", "4")
    browser.until(lambda: "has no unit" in browser.text(".x-side"))
    below = """return document.querySelector('.q-field--error + .q-slider').getBoundingClientRect().top
        - document.querySelector('.q-field__messages').getBoundingClientRect().bottom"""
    browser.until(lambda: browser.js(below) >= 0)


@pytest.mark.long
def test_a_phone_that_is_turned_gets_the_other_layout(browser: Browser, address: str):
    left = """const box = document.querySelector('#picture .nicegui-echart');
        return getElement(Number(box.id.slice(1))).chart?.getOption()?.legend?.[1].left"""
    browser.size(390, 844)
    try:
        browser.open(linked(address, short()))
        browser.until(lambda: browser.js(left) == 0)
        browser.size(1280, 390)
        # The legend is beside the title of its plot.
        browser.until(lambda: browser.js(left) > 0)
    finally:
        browser.size(1280, 1000)


def test_a_phone_shows_the_controls_together_with_the_picture(browser: Browser, address: str):
    both = """const control = document.querySelector('[aria-label="Link south, rate"]');
        const low = control.getBoundingClientRect(), picture = document.querySelector('#picture .nicegui-echart');
        const above = low.top - Math.max(picture.getBoundingClientRect().top, 0);
        return control.checkVisibility() && low.bottom < innerHeight && above"""
    browser.size(390, 844)
    try:
        browser.open(linked(address, short()))
        assert not browser.js(both)
        browser.click("Settings")
        summary = "return [...document.querySelectorAll('summary')].find(each => each.innerText.includes('Link south'))"
        browser.press(lambda: browser.js(summary), lambda: browser.js(both))
        # Two plots of windows are above the controls.
        assert browser.js(both) > 250
        browser.write("Link south, rate", "4 Mbit/s")
        browser.shows(changed(short(), "links\tsouth\trate", "4 Mbit/s"))
        browser.click("Settings", lambda: not browser.js(both))
    finally:
        browser.size(1280, 1000)


@pytest.mark.long
def test_a_small_phone_in_landscape_shows_the_controls_beside_the_picture(browser: Browser, address: str):
    places = """return ['#picture', '.x-side'].map(each => {
        const box = document.querySelector(each).getBoundingClientRect(); return [box.left, box.right]; })"""
    browser.size(667, 375)
    try:
        browser.open(linked(address, short()))
        browser.click("Settings", lambda: browser.js(places)[1][1] > 0)
        (_, end), (begin, edge) = browser.js(places)
        assert 250 < end <= begin < edge
    finally:
        browser.size(1280, 1000)


@pytest.mark.long
def test_the_start_of_a_long_run_gets_the_other_colours_too(browser: Browser, address: str):
    browser.driver.get(linked(address, changed(short(), "measure", "20000 s")))
    browser.until(lambda: "the first" in browser.status)
    ink = """const box = document.querySelector('#picture .nicegui-echart');
        return getElement(Number(box.id.slice(1))).chart.getOption().textStyle.color"""
    browser.click("Stop")
    browser.until(lambda: "stopped" in browser.status)
    before = browser.js(ink)
    toggle(browser)
    browser.until(lambda: browser.js(ink) != before)


@pytest.mark.long
def test_nothing_moves_for_readers_who_ask_for_less_motion(browser: Browser, address: str):
    assert browser.js("return matchMedia('(prefers-reduced-motion: reduce)').matches")
    browser.open(linked(address, short()))
    browser.click("Take along", lambda: browser.count(".q-menu"))
    moving = """return [...document.querySelectorAll('*')].flatMap(each => [null, '::before', '::after'].map(
        part => getComputedStyle(each, part))).filter(style => style.animationName !== 'none'
        || !/^0s(, 0s)*$/.test(style.transitionDuration)).length"""
    assert browser.js(moving) == 0
    browser.close_menu()
