"""Browser tabs."""


def opened(browser, html, width=1400, hash=""):
    """A page in a tab, and a list of all that must not happen in it."""
    complaints = []
    tab = browser.new_page(viewport={"width": width, "height": 1000}, reduced_motion="reduce")
    tab.on("console", lambda m: complaints.append(f"console: {m.text}"))
    tab.on("pageerror", lambda e: complaints.append(f"error: {e}"))
    tab.on("dialog", lambda d: complaints.append(f"dialog: {d.message}"))
    tab.on("request", lambda r: r.url.partition("#")[0] != html.as_uri() and complaints.append(f"request: {r.url}"))
    tab.goto(html.as_uri() + hash)
    return tab, complaints
