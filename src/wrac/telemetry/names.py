"""The names of spans and their attributes: OpenTelemetry's and OpenInference's, and wrac's own where both lack one.

Sources: OpenTelemetry semantic conventions 1.45 (HTTP, errors), its conventions for generative AI 0.1 (`gen_ai.*`, in
development), OpenInference's semantic conventions (`openinference.*`, `retrieval.*`, `llm.*`, `embedding.*`, `input.*`,
`output.*`), which trace viewers such as Phoenix read.
"""

from __future__ import annotations

from typing import Final

# -- spans

RETRIEVAL: Final = "retrieval"
"""A search; the conventions name a span by its operation."""
EMBEDDINGS: Final = "embeddings"
CHAT: Final = "chat"
ANSWER: Final = "wrac.ask"
RUN: Final = "wrac."
"""And the verb: `wrac.index`, `wrac.refresh`, `wrac.replan`."""

# -- OpenTelemetry, generative AI

OPERATION: Final = "gen_ai.operation.name"
PROVIDER: Final = "gen_ai.provider.name"
MODEL: Final = "gen_ai.request.model"
QUERY: Final = "gen_ai.retrieval.query.text"
DOCUMENTS: Final = "gen_ai.retrieval.documents"
TOP_K: Final = "gen_ai.retrieval.top_k"
DIMENSIONS: Final = "gen_ai.embeddings.dimension.count"
TOKENS_IN: Final = "gen_ai.usage.input_tokens"
TOKENS_CACHED: Final = "gen_ai.usage.cache_read.input_tokens"
TOKENS_OUT: Final = "gen_ai.usage.output_tokens"

# -- OpenTelemetry, general

ERROR: Final = "error.type"
METHOD: Final = "http.request.method"
ROUTE: Final = "http.route"
STATUS: Final = "http.response.status_code"
PATH: Final = "url.path"
SCHEME: Final = "url.scheme"
HOST: Final = "server.address"
PORT: Final = "server.port"
CLIENT: Final = "client.address"

# -- OpenInference

SPAN_KIND: Final = "openinference.span.kind"
RETRIEVER: Final = "RETRIEVER"
EMBEDDING: Final = "EMBEDDING"
LLM: Final = "LLM"
CHAIN: Final = "CHAIN"
INPUT: Final = "input.value"
OUTPUT: Final = "output.value"
DOCUMENT: Final = "retrieval.documents.{}.document."
DOCUMENT_ID: Final = "id"
DOCUMENT_SCORE: Final = "score"
DOCUMENT_TEXT: Final = "content"
DOCUMENT_META: Final = "metadata"
LLM_MODEL: Final = "llm.model_name"
LLM_PROVIDER: Final = "llm.provider"
LLM_IN: Final = "llm.token_count.prompt"
LLM_OUT: Final = "llm.token_count.completion"
LLM_TOTAL: Final = "llm.token_count.total"
LLM_COST: Final = "llm.cost.total"
EMBEDDING_MODEL: Final = "embedding.model_name"

# -- wrac

TEXTS: Final = "wrac.embedding.texts"
CHOICE: Final = "wrac.route.choice"
REFUSED: Final = "wrac.answer.refused"
CITATIONS: Final = "wrac.answer.citations"
CACHED: Final = "wrac.answer.cached"
PAGES: Final = "wrac.pages"
CHUNKS: Final = "wrac.chunks"
EMBEDDED: Final = "wrac.embedded"
SKIPPED: Final = "wrac.skipped"
COST: Final = "wrac.cost"
