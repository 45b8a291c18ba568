"""Does my second path help, and which mechanism makes it help?

A marimo notebook: `marimo edit examples/second_path.py`, or as a script.
"""

import marimo

app = marimo.App(app_title="Does my second path help?")


@app.cell
def _():
    import marimo as mo

    import manypath as mp

    mo.md(
        """
        # Does my second path help?

        One path is fast; the other one is slow and has a long delay. Packets on the slow path arrive late. Later
        packets wait for them in the receive buffer (head-of-line blocking). When the buffer is full, the fast path
        must stop, too. Several mechanisms of CMT-SCTP reduce this problem. Try them on your own paths.
        """
    )
    return mo, mp


@app.cell
def _(mo):
    rate = mo.ui.slider(1, 20, value=2, label="rate of the second path in Mbit/s")
    delay = mo.ui.slider(5, 200, value=100, step=5, label="its delay in ms")
    buffers = mo.ui.slider(50, 500, value=100, step=50, label="buffers in kB")
    mo.vstack([rate, delay, buffers])
    return buffers, delay, rate


@app.cell
def _(buffers, delay, mp, rate):
    PATHS = ("fast", "slow")
    BUFFERS = dict.fromkeys(("send_buffer", "receive_buffer"), f"{buffers.value} kB")
    PLAIN = mp.Sctp(paths=PATHS, nr_sack=False, buffer_split="none", rescheduling="none", **BUFFERS)
    FLOWS = {
        "fast path only": mp.Sctp.standard("fast", **BUFFERS),
        "both, no mechanism": PLAIN,
        "NR-SACK": PLAIN.but(nr_sack=True),
        "split buffers": PLAIN.but(buffer_split="both"),
        "all, and rescheduling": PLAIN.but(nr_sack=True, buffer_split="both", rescheduling="threshold"),
    }

    def two_paths(mechanism):
        """Return a scenario with one flow over a fast path and a slow path with a long delay."""
        fast = mp.Link(rate="10 Mbit/s", delay="5 ms", queue=mp.DropTail(packets=50))
        slow = fast.but(rate=f"{rate.value} Mbit/s", delay=f"{delay.value} ms")
        return mp.Scenario(
            network=mp.disjoint(fast=fast, slow=slow), flows={"mine": FLOWS[mechanism]}, warmup="10 s", measure="30 s"
        )

    campaign = mp.Campaign(two_paths, factors={"mechanism": list(FLOWS)}, replications=4)
    results = campaign.run(store=None, progress=False)
    return (results,)


@app.cell
def _(results):
    table = results.mean("goodput", by=["mechanism"]).round(2)
    print(table.to_string(index=False))
    table
    return


if __name__ == "__main__":
    app.run()
