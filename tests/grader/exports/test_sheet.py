"""Cells are replaced where they stand, and every other byte stays."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.errors import ExportError
from grader.exports.sheet import read_sheet


def sheet(text, encoding="utf-8"):
    return read_sheet(text.encode(encoding), "here", lambda rows: False)


cells = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8)
files = st.tuples(
    st.lists(st.lists(cells, min_size=2, max_size=4), min_size=1, max_size=4),
    st.sampled_from(",;\t"), st.sampled_from(["\n", "\r\n"]), st.booleans(),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
)  # fmt: skip


def as_csv(rows, delimiter, end, quote_all):
    text = io.StringIO(newline="")
    quoting = csv.QUOTE_ALL if quote_all else csv.QUOTE_MINIMAL
    csv.writer(text, delimiter=delimiter, lineterminator=end, quoting=quoting).writerows(rows)
    return text.getvalue()


@given(files, st.data())
def test_only_the_filled_cells_change(made, data):
    rows, delimiter, end, quote_all, encoding = made
    content = as_csv(rows, delimiter, end, quote_all).encode(encoding)
    found = read_sheet(content, "here", lambda read: [[c.value for c in row] for row in read] == rows)
    if [[cell.value for cell in row] for row in found.rows] != rows:
        return  # guarded cells mean something else than they say; the bytes below count all the same
    assert found.filled({}) == content
    row = data.draw(st.integers(0, len(rows) - 1))
    column = data.draw(st.integers(0, len(rows[row]) - 1))
    filled = found.filled({(row, column): "8,5"})
    cell = found.rows[row][column]
    before = found.text[: cell.start].encode(found.encoding)
    after = found.text[cell.end :].encode(found.encoding)
    assert filled.startswith(before)
    assert filled.endswith(after)
    new = [list(one) for one in rows]
    new[row][column] = "8,5"
    again = read_sheet(filled, "here", lambda read: [[c.value for c in row] for row in read] == new)
    assert [[c.value for c in one] for one in again.rows] == new


@given(st.binary(max_size=60))
def test_any_bytes_come_back_or_are_refused(content):
    try:
        found = read_sheet(content, "here", lambda rows: False)
    except ExportError:
        return
    assert found.filled({}) == content


def test_guarded_names_are_read_with_and_without_quotes():
    found = sheet('Student,ID\n="=Doe, Jane",1\n"=""=Doe, Jane""",2\n')
    assert [[c.value for c in row] for row in found.rows[1:]] == [["=Doe, Jane", "1"], ["=Doe, Jane", "2"]]


def test_a_quote_that_is_not_closed_is_refused_with_its_line():
    with pytest.raises(ExportError, match="here: line 2: a quotation mark is not closed"):
        sheet('a,b\n"c,d\n')


def test_a_byte_order_mark_is_no_part_of_the_first_title():
    assert sheet('"ID";b\n', "utf-8-sig").header == ["ID", "b"]
    assert sheet("ID;b\n", "utf-16").header == ["ID", "b"]


def test_old_encodings_are_kept():
    found = sheet("Name,x\nMüller,1\n", "cp1252")
    assert found.encoding == "cp1252"
    assert found.filled({(1, 1): "2"}) == "Name,x\nMüller,2\n".encode("cp1252")
