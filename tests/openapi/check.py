"""Validates OpenAPI documents, given by URLs or paths, and checks that the validator rejects broken copies of them."""

import json
import sys
from urllib.request import urlopen

from openapi_spec_validator import OpenAPIV30SpecValidator, OpenAPIV31SpecValidator


def faults(document):
    """Returns the messages of the validator."""
    validator = OpenAPIV30SpecValidator if document["openapi"].startswith("3.0.") else OpenAPIV31SpecValidator
    return [str(error.message) for error in validator(document).iter_errors()]


def faults_after(document, change):
    """Returns the faults of a copy of the document that `change` breaks."""
    broken = json.loads(json.dumps(document))
    change(broken)
    return faults(broken)


def without_responses(document):
    first = next(iter(document["paths"]))
    document["paths"][first]["get"]["responses"] = []


def without_title(document):
    del document["info"]["title"]


def with_a_duplicate_operation(document):
    calls = [path for path in document["paths"] if path.endswith("/call")]
    first, second = (document["paths"][path]["post"] for path in calls[:2])
    second["operationId"] = first["operationId"]


def read(source):
    """Reads the document from a URL or a file."""
    if "://" in source:
        with urlopen(source) as response:
            return json.load(response)
    with open(source, encoding="utf-8") as file:
        return json.load(file)


def check(source):
    document = read(source)
    label = f"{document['info']['title']} in OpenAPI {document['openapi']}"
    found = faults(document)
    report(f"{label} is valid", not found, "\n".join(found))
    for change in [without_responses, without_title, with_a_duplicate_operation]:
        name = change.__name__.replace("_", " ")
        report(f"{label} {name} is invalid", bool(faults_after(document, change)), "the validator accepted it")


failed = False


def report(name, passed, why):
    global failed
    print(f"{name} ... {'ok' if passed else 'FAILED'}", flush=True)
    if not passed:
        failed = True
        print(why, flush=True)


if __name__ == "__main__":
    for source in sys.argv[1:]:
        check(source)
    sys.exit(failed)
