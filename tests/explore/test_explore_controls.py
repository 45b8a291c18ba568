"""The controls of the page in a browser: each kind changes the run, and is explained."""

from __future__ import annotations

import pytest
from browser import Browser, linked
from states import CHOICES, short

from manypath.explore.controls import changed


@pytest.mark.long
@pytest.mark.parametrize(("label", "option", "place"), CHOICES)
def test_a_choice_changes_the_run(browser: Browser, address: str, label: str, option: str, place: str):
    browser.open(linked(address, short()))
    browser.choose(label, option)
    browser.shows(changed(short(), place, option))


@pytest.mark.long
def test_settings_of_an_application_appear_with_it_and_change_the_run(browser: Browser, address: str):
    state = changed(short(), "flows\tmultipath\tapp", "cbr")
    browser.open(linked(address, state))
    browser.write("Flow multipath, application rate", "3 Mbit/s")
    state = changed(state, "flows\tmultipath\tapp.rate", "3 Mbit/s")
    browser.shows(state)
    browser.write("Flow multipath, message size", "200 B to 900 B")
    browser.shows(changed(state, "flows\tmultipath\tapp.message", "200 B to 900 B"))


@pytest.mark.long
def test_mechanisms_are_switched_and_their_limits_are_refused_beside_them(browser: Browser, address: str):
    browser.open(linked(address, short()))
    browser.click("Mechanisms", lambda: browser.count('[aria-label="Flow multipath, DAC"]'))
    browser.switch("Flow multipath, DAC")
    browser.shows(changed(short(), "flows\tmultipath\tdac", False))
    before = browser.status
    browser.write("Flow multipath, start time", "9 s")
    browser.until(lambda: "start time: 9 s is after the end of the run" in browser.text(".x-side"))
    assert browser.status == before


@pytest.mark.long
def test_a_control_is_explained_in_a_dialog(browser: Browser, address: str):
    browser.open(linked(address, short()))
    button = """return document.querySelector('[aria-label="Explain Link south, queue"]')"""
    said = """[role="dialog"]"""
    browser.press(lambda: browser.js(button), lambda: "Queue before the transmitter" in browser.text(said))
    said = browser.text(said)
    assert "Random early detection" in said
    assert "manypath.Red" in said
    title = browser.js(button).get_attribute("title")
    assert title.startswith("Queue before the transmitter")
    assert title in said
    assert not browser.count(".q-menu"), "the list that contains the button has opened"
    browser.close_dialog()


@pytest.mark.long
def test_a_key_on_the_button_of_an_explanation_leaves_the_list_closed(browser: Browser, address: str):
    from selenium.webdriver.common.keys import Keys

    browser.open(linked(address, short()))
    button = browser.js("""return document.querySelector('[aria-label="Explain Link south, queue"]')""")
    for key in (Keys.ENTER, Keys.SPACE):
        button.send_keys(key)
        browser.until(lambda: "Queue before the transmitter" in browser.text("[role=dialog]"))
        assert not browser.count(".q-menu")
        browser.close_dialog()


@pytest.mark.long
def test_a_move_of_the_keyboard_on_a_slider_is_a_step(browser: Browser, address: str):
    from selenium.webdriver.common.keys import Keys

    browser.open(linked(address, short()))
    browser.slider("Link south, rate").send_keys(Keys.ARROW_LEFT)
    browser.shows(changed(short(), "links\tsouth\trate", "8 Mbit/s"))
