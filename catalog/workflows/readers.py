"""Readers of raw files: bytes in, the values that a family prepares out."""

import csv
import io

import numpy as np
from PIL import Image

from catalog.workflows.outcomes import FloatArray


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
