"""Whether the OpenAPI document of a server is valid, and whether this would be seen if it were not."""

import json
import sys
from urllib.request import urlopen

from openapi_spec_validator import OpenAPIV31SpecValidator


def faults(document):
    """What the validator says, as lines."""
    return [str(error.message) for error in OpenAPIV31SpecValidator(document).iter_errors()]


def unresolved(document, change):
    """What it says of the document after a change, which it must not take."""
    broken = json.loads(json.dumps(document))
    change(broken)
    return faults(broken)


def without_responses(document):
    first = next(iter(document["paths"]))
    document["paths"][first]["get"]["responses"] = []


def without_title(document):
    del document["info"]["title"]


def with_an_operation_twice(document):
    calls = [path for path in document["paths"] if path.endswith("/call")]
    first, second = (document["paths"][path]["post"] for path in calls[:2])
    second["operationId"] = first["operationId"]


def main(url):
    with urlopen(url) as response:
        document = json.load(response)
    found = faults(document)
    report("the document is valid", not found, "\n".join(found))
    for change in [without_responses, without_title, with_an_operation_twice]:
        name = change.__name__.replace("_", " ")
        report(f"a document {name} is not", bool(unresolved(document, change)), "it went unnoticed")


failed = False


def report(name, holds, why):
    global failed
    print(f"{name} ... {'ok' if holds else 'FAILED'}", flush=True)
    if not holds:
        failed = True
        print(why, flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
    sys.exit(failed)
