"""What nbQA makes of a notebook for flake8: one Python file, with a mark before each code cell that it takes.

https://nbqa.readthedocs.io
"""

from __future__ import annotations

from collections.abc import Iterator

from torchdevlint.checking import magics
from torchdevlint.checking.magics import Line
from torchdevlint.engine import Diagnostic, analyse
from torchdevlint.gate import NBQA_MARK
from torchdevlint.options import Options
from torchdevlint.records import dataclass, replace


@dataclass(frozen=True, slots=True)
class Cells:
    """The cells of a notebook as lines of one program, and of each line the line of the file and the mark before it.

    Cells are not counted here: those that nbQA leaves out have no mark.
    """

    lines: tuple[Line, ...]
    file_lines: tuple[int, ...]
    marks: tuple[int, ...]

    def name_of(self, line: int, at: int) -> str:
        """Return what a finding in one line calls another."""
        row = self.lines[line - 1].row
        return f"line {row}" if self.marks[line - 1] == self.marks[at - 1] else f"line {row} of another cell"


def findings(text: str, options: Options) -> Iterator[Diagnostic]:
    """Yield the findings in a file of nbQA, with what each cell shows at its end as something that is used."""
    cells = read(text)
    program = "\n".join(line.text for line in cells.lines)
    for found in analyse(program, options=replace(options, name_of=cells.name_of, is_notebook=True)):
        own = cells.lines[found.line - 1]
        yield replace(found, line=cells.file_lines[found.line - 1], column=found.column + own.shift)


def read(text: str) -> Cells:
    """Return the cells of a file of nbQA, which is Python."""
    lines: list[Line] = []
    file_lines: list[int] = []
    marks: list[int] = []
    before, *cells = text.split(NBQA_MARK)
    start = before.count("\n")
    for cell in cells:
        mark, _, source = cell.partition("\n")
        start += 1
        lines.append(Line(f"#{mark}", 0))
        file_lines.append(start)
        for line in magics.translate(source):
            lines.append(line)
            file_lines.append(start + line.row)
        marks.extend([start] * (len(lines) - len(marks)))
        start += source.count("\n")
    return Cells(tuple(lines), tuple(file_lines), tuple(marks))
