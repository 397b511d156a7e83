"""Readers of raw files: bytes in, the values that a family prepares out."""

import csv
import gzip
import io
import json

import numpy as np
from PIL import Image

from catalog.workflows.beat_detection import Recording
from catalog.workflows.graph_link_prediction import Edges
from catalog.workflows.outcomes import FloatArray
from catalog.workflows.retrieval import Collection
from catalog.workflows.tabular import Table

GZIP_MAGIC = b"\x1f\x8b"


def csv_rows(raw: bytes) -> tuple[list[str], list[list[str]]]:
    r"""Split a CSV file into its header and its rows of text.

    Parameters
    ----------
    raw : bytes
        UTF-8 text with one header line.

    Returns
    -------
    header : list of str
    rows : list of list of str

    Raises
    ------
    ValueError
        If the file is empty or no UTF-8.

    Examples
    --------
    >>> csv_rows(b"year,volume\n1871,1120\n")
    (['year', 'volume'], [['1871', '1120']])
    """
    header, *rows = csv.reader(io.StringIO(raw.decode("utf-8")))
    return header, rows


def series_column(raw: bytes, *, column: str) -> FloatArray:
    r"""Read one column of a CSV file in file order.

    Parameters
    ----------
    raw : bytes
        CSV with a header.
    column : str
        Name in the header.

    Returns
    -------
    ndarray of shape (n_rows,)
        nan for an empty field.

    Raises
    ------
    ValueError
        If the header has no such column or a field is no number.

    Examples
    --------
    >>> series_column(b"year,volume\n1871,1120\n1872,\n", column="volume")
    array([1120.,   nan])
    """
    header, rows = csv_rows(raw)
    position = header.index(column)
    return np.array([float(row[position] or "nan") for row in rows])


def series_by_year(raw: bytes) -> FloatArray:
    r"""Unroll a CSV file of one row a year and one column a month in calendar order.

    Parameters
    ----------
    raw : bytes
        CSV with a header; the first column is the year.

    Returns
    -------
    ndarray of shape (n_years * 12,)
        nan for an empty field.

    Raises
    ------
    ValueError
        If a field is no number.

    Examples
    --------
    >>> series_by_year(b"YEAR,JAN,FEB\n1950,23.1,24.2\n1951,24.1,\n")
    array([23.1, 24.2, 24.1,  nan])
    """
    _, rows = csv_rows(raw)
    return np.array([float(field or "nan") for row in rows for field in row[1:]])


def picture(raw: bytes) -> Image.Image:
    """Decode a PNG or JPEG file.

    Parameters
    ----------
    raw : bytes
        The file.

    Returns
    -------
    PIL.Image.Image

    Raises
    ------
    PIL.UnidentifiedImageError
        If the bytes are no picture.

    Examples
    --------
    >>> from catalog.workflows.source_files import read
    >>> picture(read("astronaut.png")).size
    (512, 512)
    """
    return Image.open(io.BytesIO(raw))


def table(
    raw: bytes,
    *,
    n_header_lines: int = 1,
    columns: tuple[str, ...] | None = None,
    labels: tuple[str, ...] | None = None,
) -> Table:
    r"""Read a CSV file, gzipped or not, whose last chosen column is the target.

    Parameters
    ----------
    raw : bytes
        The file.
    n_header_lines : int
        Lines before the first row.
    columns : tuple of str, optional
        Names of the columns to read, the target last; all columns by default. Rows with a
        missing (NA) field in one of them are left out.
    labels : tuple of str, optional
        The target's values in the order of their codes 0, 1, ...; a number by default.

    Returns
    -------
    Table
        `n_raw` counts the rows that were left in.

    Raises
    ------
    ValueError
        If a field is no number, a target is no label, or a column is missing.

    Examples
    --------
    >>> table(b"x,kind\n1.5,no\n2.5,yes\n", labels=("no", "yes")).target
    array([0., 1.])
    """
    text = (gzip.decompress(raw) if raw.startswith(GZIP_MAGIC) else raw).decode("utf-8")
    lines = list(csv.reader(io.StringIO(text)))
    rows = lines[n_header_lines:]
    if columns is not None:
        positions = [lines[0].index(column) for column in columns]
        chosen = [[row[position] for position in positions] for row in rows]
        rows = [row for row in chosen if "NA" not in row]
    target = [float(labels.index(row[-1]) if labels else row[-1]) for row in rows]
    features = np.array([[float(field) for field in row[:-1]] for row in rows])
    return Table(features, np.array(target), n_raw=len(rows))


def table_of_two_files(raw_features: bytes, raw_target: bytes) -> Table:
    """Read a table of numbers whose features and target lie in two gzipped files.

    Parameters
    ----------
    raw_features, raw_target : bytes
        Gzipped text, fields separated by spaces, no header, one row a line.

    Returns
    -------
    Table

    Raises
    ------
    ValueError
        If a field is no number.

    Examples
    --------
    >>> table_of_two_files(gzip.compress(b"1 2"), gzip.compress(b"3")).features
    array([[1., 2.]])
    """
    features = np.loadtxt(gzip.decompress(raw_features).decode().splitlines(), ndmin=2)
    target = np.loadtxt(gzip.decompress(raw_target).decode().splitlines(), ndmin=1)
    return Table(features, target, n_raw=len(target))


def graph(raw: bytes, *, seed: int = 20260907) -> Edges:
    """Read a graph of numbered nodes.

    Parameters
    ----------
    raw : bytes
        JSON object of n_nodes and edges, a list of pairs of nodes.
    seed : int
        Of the permutations that hide edges.

    Returns
    -------
    Edges

    Raises
    ------
    ValueError, KeyError
        If the bytes are no JSON, or lack a field.

    Examples
    --------
    >>> graph(b'{"n_nodes": 3, "edges": [[2, 0]]}').edges
    [(0, 2)]
    """
    content = json.loads(raw)
    pairs = ((min(pair), max(pair)) for pair in content["edges"])
    return Edges(content["n_nodes"], sorted(pairs), seed)


def recording(raw_signal: bytes, raw_beats: bytes, *, steps_per_millivolt: int = 1) -> Recording:
    """Read an electrocardiogram and its reference beats.

    Parameters
    ----------
    raw_signal : bytes
        An npz archive with the array ecg.
    raw_beats : bytes
        JSON object whose samples are the sorted samples of the beats.
    steps_per_millivolt : int
        Unit of the array.

    Returns
    -------
    Recording
        In millivolt, 360 samples a second.

    Raises
    ------
    ValueError, KeyError
        If the bytes are no archive or no JSON, or lack an array or a field.

    Examples
    --------
    >>> from catalog.workflows.source_files import read
    >>> recording(read("ecg_208.npz"), read("ecg_208_beats.json")).signal.shape
    (108000,)
    """
    with np.load(io.BytesIO(raw_signal)) as arrays:
        signal = arrays["ecg"] / steps_per_millivolt
    return Recording(signal, np.array(json.loads(raw_beats)["samples"], dtype=np.int64))


def collection(raw: bytes) -> Collection:
    """Read documents, queries and relevance from one gzipped JSON file.

    Parameters
    ----------
    raw : bytes
        Gzipped JSON object of documents, queries (texts by id) and relevant (ids by query id).

    Returns
    -------
    Collection

    Raises
    ------
    gzip.BadGzipFile, ValueError, TypeError
        If the bytes are not gzipped, no JSON, or have other fields.

    Examples
    --------
    >>> collection(gzip.compress(b'{"documents": {}, "queries": {}, "relevant": {}}')).queries
    {}
    """
    return Collection(**json.loads(gzip.decompress(raw)))


def tagged_documents(raw_documents: bytes, raw_tags: bytes) -> Collection:
    """Read documents with human tags; a query is a tag with its other labels.

    Parameters
    ----------
    raw_documents : bytes
        Gzipped JSON list of documents: id, title, comment, summary, tags. Those without any text
        are left out, but stay among the relevant ones, since people tagged them.
    raw_tags : bytes
        Gzipped JSON object of tags: preferred and alternative labels by tag id.

    Returns
    -------
    Collection

    Raises
    ------
    gzip.BadGzipFile, ValueError, KeyError
        If the bytes are not gzipped, no JSON, or lack a field.

    Examples
    --------
    >>> document = {"document": "d", "title": "T", "comment": "", "arxiv_summary": "", "tag": ["t"]}
    >>> tags = {"t": {"prefLabel": ["Tea"], "altLabel": ["Cha"]}}
    >>> packed = [gzip.compress(json.dumps(part).encode()) for part in ([document], tags)]
    >>> tagged_documents(*packed).queries
    {'t': 'Tea Cha'}
    """
    documents = json.loads(gzip.decompress(raw_documents))
    tags = json.loads(gzip.decompress(raw_tags))
    texts = {
        entry["document"]: " ".join([entry["title"], entry["comment"], entry["arxiv_summary"]])
        for entry in documents
    }
    relevant: dict[str, list[str]] = {}
    for entry in documents:
        for tag in entry["tag"]:
            relevant.setdefault(tag, []).append(entry["document"])
    return Collection(
        documents={document: text for document, text in texts.items() if text.strip()},
        queries={tag: " ".join(tags[tag]["prefLabel"] + tags[tag]["altLabel"]) for tag in relevant},
        relevant=relevant,
    )
