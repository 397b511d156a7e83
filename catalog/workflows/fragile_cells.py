"""Cells whose outcome is known to follow the processor, and why.

Found by replaying all 1,248 records with OpenBLAS's Katmai, Sandybridge, Haswell and SkylakeX
kernels, and with NumPy's AVX2 and AVX-512 code switched off and on.
"""

STOPPING_POINT = (
    "the logistic fit stops at another iterate on another BLAS kernel, and a near tie or the "
    "sixth decimal of a probability follows it"
)
EQUAL_PEAKS = (
    "equal peaks of a signal in steps of 5 microvolt are sorted differently by NumPy's plain, "
    "AVX2 and AVX-512 code"
)

FRAGILE_CELLS: dict[tuple[str, str], str] = {
    ("spambase", "0011"): STOPPING_POINT,
    ("spambase__d6", "001100"): STOPPING_POINT,
    ("digits", "1010"): STOPPING_POINT,
    ("ecg_208__d6", "000000"): EQUAL_PEAKS,
    ("ecg_208__d6", "000001"): EQUAL_PEAKS,
    ("ecg_208__d6", "001010"): EQUAL_PEAKS,
    ("ecg_208__d6", "001011"): EQUAL_PEAKS,
    ("mitdb_100__d6", "001010"): EQUAL_PEAKS,
    ("celegans_neural__d6", "011110"): STOPPING_POINT,
    ("celegans_neural__d6", "110010"): STOPPING_POINT,
    ("drosophila_mushroom_body__d6", "001110"): STOPPING_POINT,
    ("drosophila_mushroom_body__d6", "011110"): STOPPING_POINT,
    ("drosophila_mushroom_body__d6", "101110"): STOPPING_POINT,
    ("drosophila_mushroom_body__d6", "111110"): STOPPING_POINT,
}
