"""The page for everyone: keyboard alone, names for screen readers, contrast, less motion, and the width of a phone."""

from __future__ import annotations

from browser import Browser, linked, short
from wcag import faint, nameless

from manypath.explore import presets
from manypath.explore.controls import changed


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
    browser.until(lambda: browser.count('[aria-label="Flow multipath, dac"]'))
    tabbed(browser, "Flow multipath, dac")
    keys(browser, Keys.SPACE)
    browser.shows(changed(state, "flows\tmultipath\tdac", False))


def test_everything_has_a_name_for_screen_readers(browser: Browser, address: str):
    browser.open(linked(address, short().but(compare=("newreno",), sweep=("rivals", "1, 2", "2"))))
    browser.rests()
    assert nameless(browser) == []
    browser.click("Mechanisms", lambda: browser.count('[aria-label="Flow multipath, dac"]'))
    browser.open_list("Link south, queue", "codel")
    assert nameless(browser) == []
    browser.close_menu()
    browser.take_along("Copy as TOML")
    browser.until(lambda: "Copied to the clipboard as TOML" in browser.text("[role=dialog]"))
    assert nameless(browser) == []
    browser.close_dialog()


def test_a_name_without_spaces_makes_no_page_wider(browser: Browser, address: str):
    scenario = presets.default().scenario
    flows = {"x" * 200: scenario.flows["multipath"], "rival": scenario.flows["rival"]}
    browser.open(linked(address, short().but(scenario=scenario.but(flows=flows, measure="4 s"))))
    browser.rests()
    assert browser.js("return document.scrollingElement.scrollWidth - innerWidth") <= 0


def test_the_sign_of_a_help_button_is_inside_of_it(browser: Browser, address: str):
    browser.open(linked(address, short()))
    button = browser.js("return document.querySelector('.x-help')")
    size = "return ['fontSize', 'height'].map(name => parseFloat(getComputedStyle(arguments[0], '::before')[name]))"
    letter, circle = browser.js(size, button)
    assert 0.0 < letter < circle


def test_light_and_dark_have_readable_text(browser: Browser, address: str):
    browser.open(linked(address, short().but(compare=("newreno",), sweep=("rivals", "1, 2", "2"))))
    browser.rests()
    browser.write("Link south, rate", "4")
    browser.until(lambda: "has no unit" in browser.text(".x-side"))
    for _ in range(2):
        assert faint(browser) == []
        toggle(browser)


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


def test_the_wheel_over_a_plot_scrolls_the_page(browser: Browser, address: str):
    browser.open(linked(address, short()))
    browser.rests()
    turn = {"type": "mouseWheel", "x": 700, "y": 400, "deltaX": 0, "deltaY": 300}
    browser.driver.execute_cdp_cmd("Input.dispatchMouseEvent", turn)
    browser.until(lambda: browser.js("return scrollY") > 0)


def test_a_long_refusal_is_not_covered_by_the_slider(browser: Browser, address: str):
    browser.open(linked(address, short()))
    browser.write("Link south, rate", "4")
    browser.until(lambda: "has no unit" in browser.text(".x-side"))
    below = """return document.querySelector('.q-field--error + .q-slider').getBoundingClientRect().top
        - document.querySelector('.q-field__messages').getBoundingClientRect().bottom"""
    browser.until(lambda: browser.js(below) >= 0)


def test_a_phone_that_is_turned_gets_the_other_layout(browser: Browser, address: str):
    kind = """const box = document.querySelector('#picture .nicegui-echart');
        return getElement(Number(box.id.slice(1))).chart?.getOption()?.legend?.[0].type"""
    browser.size(390, 844)
    try:
        browser.open(linked(address, short()))
        browser.until(lambda: browser.js(kind) == "scroll")
        browser.size(1280, 390)
        browser.until(lambda: browser.js(kind) == "plain")
    finally:
        browser.size(1280, 1000)


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


def test_nothing_moves_for_readers_who_ask_for_less_motion(browser: Browser, address: str):
    assert browser.js("return matchMedia('(prefers-reduced-motion: reduce)').matches")
    browser.open(linked(address, short()))
    browser.click("Take along", lambda: browser.count(".q-menu"))
    moving = """return [...document.querySelectorAll('*')].flatMap(each => [null, '::before', '::after'].map(
        part => getComputedStyle(each, part))).filter(style => style.animationName !== 'none'
        || !/^0s(, 0s)*$/.test(style.transitionDuration)).length"""
    assert browser.js(moving) == 0
    browser.close_menu()
