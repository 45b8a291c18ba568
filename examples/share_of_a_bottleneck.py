"""How much of a bottleneck does a flow with two paths get under each congestion control?

A marimo notebook: `marimo edit examples/share_of_a_bottleneck.py`, or as a script.
"""

import marimo

app = marimo.App(app_title="Share of a bottleneck")


@app.cell
def _():
    import marimo as mo

    import manypath as mp

    mo.md(
        """
        # Share of a bottleneck

        Both paths of a flow and the path of a single-path flow share one link. A flow should not get a larger
        share because it has more paths: its fair share is one half.
        """
    )
    return mo, mp


@app.cell
def _(mo):
    rate = mo.ui.slider(2, 20, value=10, step=2, label="rate of the link in Mbit/s")
    queue = mo.ui.dropdown(["red", "drop-tail"], value="red", label="queue")
    mo.vstack([rate, queue])
    return queue, rate


@app.cell
def _(mp, queue, rate):
    CONTROLS = ["newreno", "ewtcp", "lia", "olia", "balia", "coupled", "weighted-aimd:weight=1/2", "bmc"]
    QUEUES = {"red": mp.Red(packets=200), "drop-tail": mp.DropTail(packets=100)}

    def one_bottleneck(cc):
        """Return a scenario in which both paths of a flow and the path of its rival share one link."""
        link = mp.Link(rate=f"{rate.value} Mbit/s", delay="10 ms", queue=QUEUES[queue.value])
        return mp.Scenario(
            network=mp.bottleneck(link, paths=2),
            flows={"two": mp.Mptcp(paths=["path1", "path2"], cc=cc), "one": mp.Tcp(path="path1")},
            warmup="10 s",
            measure="30 s",
        )

    campaign = mp.Campaign(one_bottleneck, factors={"cc": CONTROLS}, replications=4)
    results = campaign.run(store=None, progress=False)
    return (results,)


@app.cell
def _(results):
    goodput = results.flows.pivot_table(index=["cc", "replication"], columns="flow", values="goodput", sort=False)
    each = (goodput["two"] / goodput.sum(axis=1)).rename("share").reset_index()
    share = each.groupby("cc", sort=False)["share"].agg(["mean", "min", "max"])
    print(share.round(2))
    share.round(2)
    return


if __name__ == "__main__":
    app.run()
