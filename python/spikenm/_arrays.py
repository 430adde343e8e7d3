"""Arrays that cross into the compiled module: taken as they lie, or refused by name."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._core import Error


def float_array(value: Any, name: str) -> NDArray[np.float32]:
    """`value` as a float32 array over the same memory.

    A NumPy array, or a tensor on the CPU (DLPack). What would be copied in silence (another type, a
    transposed layout, another device) or would lose its gradient is an Error that begins with `name`.
    """
    if getattr(value, "requires_grad", False):
        raise Error(f"{name}: found a tensor with a gradient, which would be lost; wanted {name}.detach()")
    if not hasattr(value, "dtype"):
        raise Error(f"{name}: found {type(value).__name__}, wanted an array of float32")
    found = str(value.dtype).removeprefix("torch.")
    if found != "float32":
        raise Error(f"{name}: found values of type {found}, wanted float32; a copy would be made in silence")
    if not isinstance(value, np.ndarray):
        value = _shared(value, name)
    if not value.flags.c_contiguous:
        raise Error(f"{name}: found a transposed or cut array, wanted one that lies in order (numpy.ascontiguousarray)")
    if value.dtype.byteorder == ">":
        raise Error(f"{name}: found big-endian values, wanted those of this machine")
    return value


def _shared(value: Any, name: str) -> NDArray[np.float32]:
    device = getattr(value, "device", None)
    if device is not None and getattr(device, "type", "cpu") != "cpu":
        raise Error(f"{name}: found a tensor on {device}, wanted one on the CPU")
    if not hasattr(value, "__dlpack__"):
        raise Error(f"{name}: found {type(value).__name__}, wanted an array of float32")
    layout = str(getattr(value, "layout", "torch.strided"))
    if layout != "torch.strided":
        raise Error(f"{name}: found a tensor of layout {layout}, wanted a dense one")
    # DLPack knows no such view, and would give the values with the other sign.
    if callable(getattr(value, "is_neg", None)) and value.is_neg():
        raise Error(f"{name}: found a view whose values are yet to be negated, wanted {name}.resolve_neg()")
    try:
        shared: NDArray[np.float32] = np.from_dlpack(value)  # type: ignore[assignment]
    except (BufferError, RuntimeError, TypeError, ValueError) as e:
        raise Error(f"{name}: found a tensor that cannot be read in place ({e}), wanted a dense one on the CPU") from None
    return shared


def check_range(name: str, value: Any, low: int, high: int) -> None:
    """Refuses a setting that is no whole number, or none from `low` to `high`."""
    if not isinstance(value, int) or not low <= value <= high:
        raise Error(f"{name}: found {value!r}, wanted a whole number from {low} to {high}")


def whole_column(value: Any, dtype: Any, name: str) -> NDArray[Any]:
    """A column of events as `dtype`; numbers that it cannot hold are an Error."""
    column = np.asarray(value)
    if column.ndim != 1 or column.dtype.kind not in "iub":
        raise Error(f"events: {name}: found {column.ndim}-d {column.dtype}, wanted one row of whole numbers")
    if column.size and column.dtype != dtype:
        low, high = int(column.min()), int(column.max())
        limits = np.iinfo(dtype)
        if low < limits.min or high > limits.max:
            raise Error(f"events: {name}: found {low} to {high}, wanted {limits.min} to {limits.max}")
    return np.ascontiguousarray(column, dtype=dtype)
