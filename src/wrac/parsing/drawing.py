"""Pictures, charts and diagrams in office files: their alternative texts, and the texts of what is drawn from data."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from wrac.parsing.markup import Markup
from wrac.parsing.package import Node, Package, Relation, below


def alternative(properties: Node | None) -> str:
    """The alternative text that a drawing's properties give."""
    if properties is None:
        return ""
    return (properties.get("descr") or properties.get("title") or "").strip()


def shallow(drawing: Node) -> Iterator[Node]:
    """The elements of a drawing in order, those in its text boxes and in copies for old programs left out."""
    stack = [drawing]
    while stack:
        node = stack.pop()
        yield node
        if node.tag != "w:txbxContent":
            stack.extend(reversed(chosen(node) if node.tag == "mc:AlternateContent" else node))


def chosen(node: Node) -> Node:
    """The content of alternatives that a present-day program shows: the first choice, else the fallback."""
    for child in node:
        if child.tag == "mc:Choice" and len(child):
            return child
    fallback = node.find("mc:Fallback")
    return fallback if fallback is not None else Node("none")


def alternatives(drawing: Node) -> Iterator[str]:
    """The alternative texts in a drawing: that of the whole, else those of its pictures."""
    nodes = list(shallow(drawing))
    whole = [alternative(node) for node in nodes if node.tag == "wp:docPr"]
    if any(whole):
        yield from filter(None, whole)
        return
    for node in nodes:
        text = alternative(node) if node.tag == "pic:cNvPr" else ""
        text = node.get("alt", "").strip() if node.tag.startswith("v:") else text
        if text:
            yield text


def graphic(out: Markup, package: Package, relations: dict[str, Relation], node: Node) -> None:
    """Adds the charts and diagrams below a node, as blocks of the place that is open."""
    for child in shallow(node):
        if child.tag == "c:chart":
            _part(out, package, relations.get(child.get("r:id", "")), _chart, "chart")
        elif child.tag == "dgm:relIds":
            _part(out, package, relations.get(child.get("r:dm", "")), _diagram, "diagram")
        elif child.tag == "cx:chart":
            out.lose("chart of a kind whose texts are not read")


def drawn_texts(package: Package, relations: dict[str, Relation], node: Node) -> Iterator[str]:
    """The texts of the charts and diagrams below a node."""
    for child in shallow(node):
        relation = relations.get(child.get("r:id", "") if child.tag == "c:chart" else child.get("r:dm", ""))
        if child.tag in ("c:chart", "dgm:relIds") and relation is not None and relation.target in package:
            root = package.xml(relation.target)
            yield from chart_texts(root) if child.tag == "c:chart" else diagram_texts(root)


def _part(
    out: Markup, package: Package, relation: Relation | None, add: Callable[[Markup, Node], bool], what: str
) -> None:
    if relation is None or relation.target not in package:
        out.lose(f"{what} that is not in the file")
    elif not add(out, package.xml(relation.target)):
        out.lose(f"{what} without text: {relation.target}")


def _chart(out: Markup, root: Node) -> bool:
    """A chart as its title and a table: a row for each category, a column for each series. False when it is empty."""
    title, tables = chart_title(root), _tables(root)
    if title:
        out.put("<p>")
        out.text(title)
        out.put("</p>")
    for categories, series in tables:
        out.put("<table><thead><tr><th></th>")
        for name, _ in series:
            _cell(out, "th", name)
        out.put("</tr></thead><tbody>")
        for index in sorted({index for values in (categories, *(v for _, v in series)) for index in values}):
            out.put("<tr>")
            _cell(out, "td", categories.get(index, ""))
            for _, values in series:
                _cell(out, "td", values.get(index, ""))
            out.put("</tr>")
        out.put("</tbody></table>")
    return bool(title or any(categories or series for categories, series in tables))


def _cell(out: Markup, tag: str, text: str) -> None:
    out.put(f"<{tag}>")
    out.text(text)
    out.put(f"</{tag}>")


def chart_texts(root: Node) -> Iterator[str]:
    """The texts of a chart; categories that several series share, once."""
    yield chart_title(root)
    for categories, series in _tables(root):
        yield from categories.values()
        for name, values in series:
            yield name
            yield from values.values()


_Points = dict[int, str]  # a text by its index


def _tables(root: Node) -> list[tuple[_Points, list[tuple[str, _Points]]]]:
    """The series of a chart by their categories, as the file keeps both for display."""
    tables: list[tuple[_Points, list[tuple[str, _Points]]]] = []
    for node in root.iter("c:ser"):
        name = "".join(part.text or "" for tx in node.findall("c:tx") for part in tx.iter("c:v"))
        categories, values = _points(node, "c:cat", "c:xVal"), _points(node, "c:val", "c:yVal")
        if not tables or tables[-1][0] != categories:
            tables.append((categories, []))
        tables[-1][1].append((name, values))
    return tables


def _points(series: Node, *tags: str) -> _Points:
    found = {}
    for node in series:
        for point in node.iter("c:pt") if node.tag in tags else ():
            index, value = point.get("idx", ""), point.find("c:v")
            if index.isdigit() and value is not None and value.text:
                found[int(index)] = value.text
    return found


def chart_title(root: Node) -> str:
    """The title that is written on a chart."""
    title = below(root, "c:chart/c:title")
    return "" if title is None else "".join(part.text or "" for part in title.iter("a:t")).strip()


def _diagram(out: Markup, root: Node) -> bool:
    """A diagram's texts in the order of its data. False when it has none."""
    texts = diagram_texts(root)
    if texts:
        out.put("<ul>")
        for text in texts:
            out.put("<li>")
            out.text(text)
            out.put("</li>")
        out.put("</ul>")
    return bool(texts)


def diagram_texts(root: Node) -> list[str]:
    """The texts of a diagram's points, empty ones left out."""
    texts = []
    for point in root.iter("dgm:pt"):
        for paragraph in point.iter("a:p"):
            text = "".join(part.text or "" for part in paragraph.iter("a:t")).strip()
            if text:
                texts.append(text)
    return texts
