"""What models were trained to read before a query and before a passage, where their own files do not say."""

from __future__ import annotations

import re
from typing import NamedTuple


class Prefixes(NamedTuple):
    """The texts before a query and before a passage."""

    query: str = ""
    passage: str = ""


_INSTRUCTION = "Represent this sentence for searching relevant passages: "
_MODELS = (
    (r"\be5-mistral|\be5-.*-instruct", Prefixes("Instruct: Retrieve passages that answer the query\nQuery: ")),
    (r"\be5-", Prefixes("query: ", "passage: ")),
    (r"\bbge-.*-en\b|\bmxbai-embed|\bsnowflake-arctic-embed-(?!.*v2)", Prefixes(_INSTRUCTION)),
    (r"\bsnowflake-arctic-embed.*v2", Prefixes("query: ")),
    (r"\bnomic-embed", Prefixes("search_query: ", "search_document: ")),
    (r"\bembeddinggemma", Prefixes("task: search result | query: ", "title: none | text: ")),
)


def prefixes(model: str) -> Prefixes:
    """The prefixes of a model by its name; none for one that is not known to want any.

    >>> prefixes("intfloat/multilingual-e5-large")
    Prefixes(query='query: ', passage='passage: ')
    >>> prefixes("text-embedding-3-small")
    Prefixes(query='', passage='')
    """
    return next((known for pattern, known in _MODELS if re.search(pattern, model.lower())), Prefixes())
