"""The part of OpenSearch's official interface description that wrac's requests need, as one strict JSON file.

    python scripts/opensearch_schema.py CLONE > tests/stores/opensearch_api.json

CLONE is a clone of opensearch-project/opensearch-api-specification (Apache-2.0). Kept are the operations of `PATHS` and
all that they refer to; of objects that offer much more than is sent only the fields of `KEPT`, each of which must be
there. Descriptions and extensions are dropped. Needs PyYAML.
"""

from __future__ import annotations

import json
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]

SOURCE = "https://github.com/opensearch-project/opensearch-api-specification"
PATHS = (
    ("_core.yaml", "/{index}/_search", "post"),
    ("_core.yaml", "/{index}/_bulk", "post"),
    ("indices.yaml", "/{index}", "head"),
    ("indices.yaml", "/{index}", "put"),
    ("indices.yaml", "/{index}", "delete"),
    ("indices.yaml", "/{index}/_mapping", "get"),
)
KEPT = {
    "SearchRequestBody": ("query", "size", "_source", "track_total_hits", "sort", "search_after", "aggs"),
    "QueryContainer": ("bool", "knn", "match", "match_all", "prefix", "range", "term", "terms"),
    "AggregationContainer": ("TermsAggregation",),
    "IndexSettings": ("index", "knn", "number_of_shards", "similarity"),
    "IndexSettingsSimilarity": ("bm25",),
    "TypeMapping": ("dynamic", "_meta", "properties"),
    "Property": ("KeywordProperty", "TextProperty", "IntegerNumberProperty", "KnnVectorProperty"),
}
"""Of an object its properties, of a choice the schemas it may be."""
DROPPED = ("description", "title", "deprecated", "example", "examples", "externalDocs", "format", "default")


class Extract:
    """The schemas that were reached, under names without their files."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.files: dict[str, Any] = {}
        self.hashes: dict[str, str] = {}
        self.schemas: dict[str, Any] = {}

    def paths(self) -> dict[str, Any]:
        """Of each path and method the names of its query parameters and the schema of its body."""
        found: dict[str, Any] = {}
        for file, path, method in PATHS:
            operation = self._file(f"namespaces/{file}")["paths"][path][method]
            said = [self._at(f"namespaces/{file}", one["$ref"])[1] for one in operation["parameters"]]
            told: dict[str, Any] = {"query": sorted(one["name"] for one in said if one["in"] == "query")}
            if "requestBody" in operation:
                where, body = self._at(f"namespaces/{file}", operation["requestBody"]["$ref"])
                (content,) = body["content"].values()
                told["body"] = self._clean(content["schema"], where)
            found.setdefault(path, {})[method] = told
        return found

    def _file(self, name: str) -> Any:  # noqa: ANN401 - YAML
        if name not in self.files:
            data = (self.folder / "spec" / name).read_bytes()
            self.files[name], self.hashes[name] = yaml.safe_load(data), sha256(data).hexdigest()
        return self.files[name]

    def _at(self, file: str, reference: str) -> tuple[str, Any]:
        """The file and the value that a reference in a file names."""
        other, _, pointer = reference.partition("#/")
        where = (self.folder / "spec" / file).parent.joinpath(other).resolve() if other else None
        name = str(where.relative_to((self.folder / "spec").resolve())) if where else file
        value = self._file(name)
        for part in pointer.split("/"):
            value = value[part]
        return name, value

    def _clean(self, schema: Any, file: str) -> Any:  # noqa: ANN401 - YAML
        if isinstance(schema, list):
            return [self._clean(one, file) for one in schema]
        if not isinstance(schema, dict):
            return schema
        schema = _kept(schema, str(schema.get("title", "")))
        if "$ref" in schema:
            return {"$ref": self._reach(file, schema["$ref"])}
        made: dict[str, Any] = {}
        for key, value in schema.items():
            if key == "properties":
                made[key] = {name: self._clean(one, file) for name, one in value.items()}
            elif key not in DROPPED and not key.startswith("x-"):
                made[key] = self._clean(value, file)
        return made

    def _reach(self, file: str, reference: str) -> str:
        where, value = self._at(file, reference)
        name = reference.rpartition("/")[2]
        key = f"{Path(where).stem}/{name}"
        if key not in self.schemas:
            self.schemas[key] = None  # a schema may refer to itself
            self.schemas[key] = self._clean(_kept(value, name), where)
        return key


def _kept(schema: dict[str, Any], name: str) -> dict[str, Any]:
    """The schema with those of its parts that `KEPT` names, and without leave to say anything else."""
    wanted = KEPT.get(name, ())
    if not wanted:
        return schema
    made = {key: value for key, value in schema.items() if key != "additionalProperties"}
    if "properties" in made:
        made["properties"] = {key: made["properties"][key] for key in wanted}
    if "oneOf" in made:
        named = {one["$ref"].rpartition("/")[2]: one for one in made["oneOf"] if "$ref" in one}
        made["oneOf"] = [named[key] for key in wanted]
    if "allOf" in made:
        made["allOf"] = [_kept(one, name) if {"properties", "oneOf"} & one.keys() else one for one in made["allOf"]]
    return made


def main(clone: str) -> None:
    """Print the file."""
    extract = Extract(Path(clone))
    paths = extract.paths()
    commit = subprocess.run(["git", "-C", clone, "rev-parse", "HEAD"], capture_output=True, text=True, check=True)
    head = {"source": SOURCE, "commit": commit.stdout.strip(), "licence": "Apache-2.0", "sha256": extract.hashes}
    print(json.dumps({**head, "paths": paths})[:-1] + ', "schemas": {')
    print(",\n".join(f"{json.dumps(name)}: {json.dumps(schema)}" for name, schema in sorted(extract.schemas.items())))
    print("}}")


if __name__ == "__main__":
    main(sys.argv[1])
