"""A service like S3 on loopback, with a bucket that has any number of objects.

Prints its address as the first line, and ends when its standard input is closed, so that it does not outlive a test.

    s3.py [OBJECTS]
"""

import sys

from moto.core import DEFAULT_ACCOUNT_ID
from moto.s3.models import s3_backends
from moto.server import ThreadedMotoServer

BUCKET = "results"


def fill(objects):
    """Creates the bucket with objects that look like results: a folder of each caller, named by a digest."""
    backend = s3_backends[DEFAULT_ACCOUNT_ID]["aws"]
    backend.create_bucket(BUCKET, "us-east-1")
    for number in range(objects):
        backend.put_object(BUCKET, f"{number % 1000:064x}/{number:064x}", b"{}\n")


def main():
    fill(int(sys.argv[1]) if len(sys.argv) > 1 else 0)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    print(f"http://{host}:{port}", flush=True)
    sys.stdin.read()
    server.stop()


if __name__ == "__main__":
    main()
