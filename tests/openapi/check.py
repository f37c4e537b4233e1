"""Validates the OpenAPI document of a server, and checks that the validator rejects broken copies of it."""

import json
import sys
from urllib.request import urlopen

from openapi_spec_validator import OpenAPIV31SpecValidator


def faults(document):
    """Returns the messages of the validator."""
    return [str(error.message) for error in OpenAPIV31SpecValidator(document).iter_errors()]


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


def main(url):
    with urlopen(url) as response:
        document = json.load(response)
    found = faults(document)
    report("the document is valid", not found, "\n".join(found))
    for change in [without_responses, without_title, with_a_duplicate_operation]:
        name = change.__name__.replace("_", " ")
        report(f"a document {name} is invalid", bool(faults_after(document, change)), "the validator accepted it")


failed = False


def report(name, passed, why):
    global failed
    print(f"{name} ... {'ok' if passed else 'FAILED'}", flush=True)
    if not passed:
        failed = True
        print(why, flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
    sys.exit(failed)
