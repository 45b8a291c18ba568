"""What the Web Content Accessibility Guidelines 2.2 (WCAG) ask for, looked up in a browser."""

from __future__ import annotations

from typing import Any

from browser import Browser


def nameless(browser: Browser) -> list[str]:
    """Return the elements for screen readers that need a name and have none. WCAG 4.1.2."""
    tree: list[dict[str, Any]] = browser.driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    return [
        f"{node['role']['value']}: {node.get('properties')}"
        for node in tree
        if not node["ignored"] and node["role"]["value"] in NAMED and not node.get("name", {}).get("value", "").strip()
    ]


def faint(browser: Browser) -> list[str]:
    """Return the visible texts with too little contrast, with their contrast. WCAG 1.4.3."""
    return browser.js(FAINT)


NAMED = {
    "button",
    "checkbox",
    "combobox",
    "dialog",
    "image",
    "link",
    "listbox",
    "menu",
    "menuitem",
    "navigation",
    "option",
    "progressbar",
    "radio",
    "searchbox",
    "slider",
    "spinbutton",
    "switch",
    "textbox",
}
"""Roles of elements that need a name."""

FAINT = """
const parts = text => { const found = text.match(/[\\d.]+/g).map(Number); return [...found, 1].slice(0, 4); };
const over = (top, below) => [0, 1, 2].map(at => top[at] * top[3] + below[at] * (1 - top[3]));
const light = colour => colour.map(part => part / 255)
  .map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
  .reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0);
const ground = each => {
  const own = parts(getComputedStyle(each).backgroundColor);
  return own[3] === 1 || !each.parentElement ? own.slice(0, 3) : over(own, ground(each.parentElement));
};
const found = [];
const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walk.nextNode()) {
  const each = walk.currentNode.parentElement, text = walk.currentNode.data.trim();
  const isHidden = !each.checkVisibility({visibilityProperty: true});
  if (!text || isHidden || each.closest('svg, script, style, .q-icon, .x-skip'))
    continue;
  const style = getComputedStyle(each), below = ground(each);
  const [one, other] = [light(over(parts(style.color), below)), light(below)].sort((a, b) => b - a);
  const size = parseFloat(style.fontSize), isLarge = size >= 24 || size >= 18.66 && style.fontWeight >= 700;
  const contrast = (one + 0.05) / (other + 0.05);
  if (contrast < (isLarge ? 3 : 4.5)) found.push(`${text}: ${contrast.toFixed(2)}`);
}
return found;"""
"""Finds them. Large text needs a contrast of 3, other text one of 4.5."""
