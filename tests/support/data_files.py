"""Files of data as other programs write them, for tests in Python."""
import struct
import tempfile
import zipfile
import zlib


def npy(descr, shape, values):
    """An array of '<f4', '<i8', '<u2' or '|u1'; `values` are in the order of its rows."""
    head = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {tuple(shape)!r}, }}"
    head += " " * (-(len(head) + 11) % 64) + "\n"
    letter = {"<f4": "f", "<i8": "q", "<u2": "H", "|u1": "B"}[descr]
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + struct.pack(f"<{len(values)}{letter}", *values)


# Events are (t, x, y, ON) with t in microseconds.
def atis(events):
    """40 bits each: x, y, polarity and 23 bits of time."""
    return b"".join(struct.pack(">BI", x, y << 24 | on << 23 | t) for t, x, y, on in events)


def dat(events, side):
    """Prophesee DAT, version 2: lines of text, the event's type and size, then pairs of 32 bits."""
    text = f"% Data file containing CD events.\n% Version 2\n% Width {side}\n% Height {side}\n".encode()
    return text + b"\x0c\x08" + b"".join(struct.pack("<II", t, x | y << 14 | on << 28) for t, x, y, on in events)


def npz(events):
    """The arrays t, x, y and p of an archive, which is packed."""
    columns = list(zip(*events))
    with tempfile.TemporaryFile() as file:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, descr, values in zip("txyp", ("<i8", "<u2", "<u2", "|u1"), columns):
                archive.writestr(name + ".npy", npy(descr, [len(values)], values))
        file.seek(0)
        return file.read()


def lz4_frame(content):
    """One block, stored as it is."""
    return bytes.fromhex("04224d18604082") + struct.pack("<I", 1 << 31 | len(content)) + content + bytes(4)


def aedat4(events, side, lz4=False):
    """AEDAT 4.0 with one stream of one packet. The FlatBuffers have their tables at fixed places."""
    path = "/outInfo/0/"
    attribute = '<attr key="{}" type="string">{}</attr>'.format
    xml = ('<dv version="2.0"><node name="outInfo" path="/outInfo/">'
           f'<node name="0" path="{path}">{attribute("compression", "LZ4" if lz4 else "NONE")}{attribute("typeIdentifier", "EVTS")}'
           f'<node name="info" path="{path}info/">{attribute("sizeX", side)}{attribute("sizeY", side)}</node></node></node></dv>')
    rows = b"".join(struct.pack("<qHHB3x", t, x, y, on) for t, x, y, on in events)
    body = struct.pack("<I4sHHH2xiII", 16, b"EVTS", 6, 8, 4, 8, 4, len(events)) + rows
    body = struct.pack("<I", len(body)) + body
    body = lz4_frame(body) if lz4 else body
    packet = struct.pack("<ii", 0, len(body)) + body

    def header(table_at):
        content = (struct.pack("<I4sHHHHH2xiiIqI", 20, b"IOHE", 10, 20, 4, 12, 8, 12, int(lz4), 12, table_at, len(xml)) + xml.encode() + b"\0")
        return b"#!AER-DAT4.0\r\n" + struct.pack("<I", len(content)) + content

    return header(len(header(0)) + len(packet)) + packet + b"list of packets"


def png(side, pixels):
    """A picture of rows of RGB bytes."""
    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
    rows = b"".join(b"\0" + bytes(pixels[3 * side * y : 3 * side * (y + 1)]) for y in range(side))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def gray_jpeg():
    """8x8 pixels of 128: one block whose coefficients are all 0. Each Huffman table has one code."""
    def segment(mark, content):
        return b"\xff" + bytes([mark]) + struct.pack(">H", len(content) + 2) + content
    one_code = bytes([1] + 15 * [0]) + b"\0"
    return (b"\xff\xd8" + segment(0xE0, b"JFIF\0\1\1\0\0\1\0\1\0\0") + segment(0xDB, b"\0" + b"\1" * 64)
            + segment(0xC0, b"\x08\0\x08\0\x08\1\1\x11\0") + segment(0xC4, b"\0" + one_code)
            + segment(0xC4, b"\x10" + one_code) + segment(0xDA, b"\1\1\0\0\x3f\0") + b"\x3f" + b"\xff\xd9")
