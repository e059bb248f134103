"""Sections of the scaling page about models of today."""

import pandas as pd
import streamlit as st

from evalcore.analysis.scaling_series import FEWEST_SIZES
from pages.parts.scaling import charts_today as drawing
from pages.parts.scaling import today
from pages.parts.scaling import today_words as words
from pages.shared import charts, frame
from pages.shared.boards import size_text
from pages.shared.controls import SidebarState
from pages.shared.text import plain


def show(choice: SidebarState) -> None:
    """Everything that the page says of one need or benchmark."""
    view = today.choose(choice)
    if view is None:
        st.warning(
            "No model of this block passes the sidebar's filters. Widen them, or include models "
            "where size or openness is unknown."
        )
        return
    frame.say(
        f"{view.data.row['name']}: entries that take part unasked, so nothing trained on the "
        "task, shown examples or given tools. Numbers compare inside this block only."
    )
    _slopes(view)
    _size(view)
    _dates(view)
    _price(view)


def _slopes(view: today.Today) -> None:
    st.subheader("What ten times the parameters brings", divider="gray")
    rows = today.slopes(view)
    st.info(plain(words.headline(view, rows)), icon=":material/trending_up:")
    drawn = rows[rows["slope"].notna()]
    if drawn.empty:
        return
    drawn = drawn.assign(
        hover=[
            f"<b>{charts.safe(row.label)}</b><br>{words.slope_hover(row)}"
            for row in drawn.itertuples()
        ]
    )
    order = _by_slope(drawn)
    twin = pd.DataFrame(
        {
            today.BY[view.axis]: rows["label"],
            "Slope": rows["part"].map({"within": "within a series", "across": "across all models"}),
            "Gain, points": (rows["slope"] * 100).round(1),
            "Low, points": (rows["low"] * 100).round(1),
            "High, points": (rows["high"] * 100).round(1),
            "n models": rows["n_models"],
            "Series": rows["n_series"],
            "Fold covered": rows["fold"].round(1),
            "Size unknown": rows["n_unknown"],
        }
    )
    summary = (
        f"{len(order)} of {rows['tag'].nunique()} have a slope. A series is what one maker "
        f"released in at least {FEWEST_SIZES} sizes under one name; with fewer its slope is "
        "undefined. Intervals: Student's t, from the scatter around the line; nothing is "
        "extrapolated."
    )
    frame.figure(drawing.apart(drawn, order), summary, twin, "scale_today_slopes")


def _by_slope(drawn: pd.DataFrame) -> list[str]:
    """Labels by their slope within series, those that have only the other one last."""
    inside = drawn[drawn["part"] == "within"].sort_values("slope", ascending=False)["label"]
    across = drawn[drawn["part"] == "across"].sort_values("slope", ascending=False)["label"]
    return list(dict.fromkeys([*inside, *across]))


def _size(view: today.Today) -> None:
    st.subheader("Score against size", divider="gray")
    rows = view.rows
    table = today.series(view)
    known = rows[rows["x"].notna()]
    twin = _twin(rows).assign(
        **{
            view.x_title: rows["x"].to_numpy(),
            "Series": rows["series"].to_numpy(),
            "Size": rows["params_basis"].fillna("unknown").to_numpy(),
        }
    )
    summary = words.unknown_sizes(view)
    if known.empty:
        frame.say(summary)
        frame.table_twin(twin, "scale_today_size")
        return
    basis = known["params_basis"].map({"nominal": ", as in the name"}).fillna("")
    lines = [size_text(x) + basis_text for x, basis_text in zip(known["x"], basis, strict=True)]
    known = known.assign(hover=today.hovers(view, known, pd.Series(lines)))
    coloured = list(table.loc[table["n_levels"] >= FEWEST_SIZES, "series"])
    fig = drawing.size(known, coloured[: drawing.MOST_SERIES], view.x_title)
    frame.figure(fig, summary, twin, "scale_today_size")
    _series_table(table)


def _series_table(rows: pd.DataFrame) -> None:
    if rows.empty:
        frame.say("No series has two sizes with a score here.")
        return
    table = pd.DataFrame(
        {
            "Series": rows["series"],
            "Sizes": rows["n_levels"],
            "n models": rows["n_models"],
            "Smallest, B": rows["x_min"],
            "Largest, B": rows["x_max"],
            "For ten times the size, points": (rows["slope"] * 100).round(1),
            "Low, points": (rows["low"] * 100).round(1),
            "High, points": (rows["high"] * 100).round(1),
        }
    )
    few = int((rows["n_levels"] < FEWEST_SIZES).sum())
    if few:
        st.caption(plain(f"{few} of {len(rows)} series have fewer than {FEWEST_SIZES} sizes: –."))
    st.dataframe(
        table,
        hide_index=True,
        placeholder="–",
        column_config=frame.one_decimal(table),
        key="scale_series",
    )


def _dates(view: today.Today) -> None:
    st.subheader("Score against release date", divider="gray")
    front = today.front(view)
    if front.empty:
        frame.say("No model has a release month, a score and a word on its weights here.")
        return
    front = front.assign(hover=today.hovers(view, front, front["released"]))
    twin = _twin(front).assign(
        Released=front["released"].to_numpy(),
        Weights=front["side"].to_numpy(),
        **{"Best so far": front["best"].map({True: "yes", False: "no"}).to_numpy()},
    )
    frame.figure(drawing.dates(front), words.gap(view, front), twin, "scale_today_dates")
    st.caption(plain(words.undated(view, front)))


def _price(view: today.Today) -> None:
    st.subheader("Price against score", divider="gray")
    rows = today.priced(view)
    summary = words.price(view, rows)
    title = today.PRICES[view.price]
    if rows["cost"].notna().any():
        known = rows[rows["cost"].notna()]
        costs = pd.Series([f"{cost:,.3g} {title}" for cost in known["cost"]])
        known = known.assign(hover=today.hovers(view, known, costs))
        fig = drawing.price(known, title)
        frame.figure(fig, summary, _price_twin(rows, title), f"scale_today_price_{view.price}")
    else:
        frame.say(summary)
        if len(rows):
            frame.table_twin(_price_twin(rows, title), f"scale_today_price_{view.price}")
    st.caption("Prices and every assumption behind one model's cost stand on Recommend.")


def _price_twin(rows: pd.DataFrame, title: str) -> pd.DataFrame:
    return _twin(rows).assign(
        **{
            title: rows["cost"].to_numpy(),
            "Lowest source": rows["cost_low"].to_numpy(),
            "Highest source": rows["cost_high"].to_numpy(),
            "On the front": [
                "–" if pd.isna(cost) else "yes" if front else status
                for cost, front, status in zip(
                    rows["cost"], rows["front"], rows["status"], strict=True
                )
            ],
            "Weights": rows["side"].to_numpy(),
            "Rests on": [" ".join(basis) for basis in rows["basis"]],
        }
    )


def _twin(rows: pd.DataFrame) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "Model": rows["name"].to_numpy(),
            "Score, %": (rows["value"].to_numpy(float) * 100).round(1),
            "Low, %": (rows["low"].to_numpy(float) * 100).round(1),
            "High, %": (rows["high"].to_numpy(float) * 100).round(1),
            "n": rows["n"].to_numpy(),
        }
    )
