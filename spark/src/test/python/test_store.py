"""Input and output of an object store, of the client that Spark has of S3 and a server of it in this computer: stock Spark's answers, and monotasks of the store."""

import os
import re
import subprocess
import sys
from urllib.request import Request, urlopen

import pytest
from test_tab import free_port, soon
from test_versions import VERSIONS, WAYS, nothing_went_wrong, report, run, said_by_executors

from lab import software
from lab.config import Config


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """The address of one with a bucket, `data`."""
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    said = (tmp_path_factory.mktemp("moto") / "said").open("wb")
    server = subprocess.Popen(
        [sys.executable, "-m", "moto.server", "-p", str(port)],
        env=os.environ | {"PYTHONPATH": str(software.moto())}, stdout=said, stderr=said
    )  # fmt: skip
    try:
        soon(lambda: urlopen(Request(f"{address}/data", method="PUT")))
        yield address
    finally:
        server.kill()
        server.wait()


def files(store, folder):
    """What the store has of a job's output; names without the number that is another one of each job."""


    def get(what):
        return urlopen(Request(f"{store}/{what}", headers={"Authorization": "AWS key:signature"})).read()  # whatever that is

    contents = {}
    for name in re.findall(r"<Key>(.*?)</Key>", get(f"data?list-type=2&prefix={folder}/").decode()):
        content = get(f"data/{name}")
        contents[re.sub(r"-[0-9a-f]{8}-[0-9a-f-]{27}", "", name.removeprefix(folder))] = content
    return contents


def text_of(files):
    """In a file of Parquet the rows are in the order in which map output came."""
    return {name: content for name, content in files.items() if name.startswith("/text/part")}


@pytest.mark.parametrize("master", ["local-cluster[2,2,1024]", *(["local[2]"] if VERSIONS else [])])
def test_an_object_store_is_a_resource_of_its_own(master, store, tmp_path):
    client = {
        "spark.hadoop.fs.s3a.endpoint": store,
        "spark.hadoop.fs.s3a.endpoint.region": "us-east-1",
        "spark.hadoop.fs.s3a.path.style.access": "true",
        "spark.hadoop.fs.s3a.access.key": "key",
        "spark.hadoop.fs.s3a.secret.key": "secret",
        "spark.jars": ",".join(map(str, [software.JAR, *(software.s3() / "jars").glob("*.jar")])),
    }
    answers, outputs = {}, {}
    for way, conf in WAYS.items():
        (tmp_path / way).mkdir()
        folder = f"{way}-{len(master)}"
        answers[way], stderr, log = run(
            Config.spark_version, master, tmp_path / way, plugin=bool(conf), arguments=[f"s3a://data/{folder}"], conf=client | conf
        )
        outputs[way] = files(store, folder)
        nothing_went_wrong(stderr, *said_by_executors(Config.spark_version, log))
        if not conf:
            continue
        said = report(log)
        moved = {kind: sum(path["bytes"] for path in said["paths"] if path["kind"] == kind and path["path"] == "store:s3a")
                 for kind in ("input", "output", "metadata")}  # fmt: skip
        text = sum(map(len, text_of(outputs[way]).values()))
        written = sum(map(len, outputs[way].values()))
        assert text > 2_000_000
        assert moved["input"] >= 2 * text  # which is read by two jobs
        assert moved["output"] == written
        assert [path for path in said["paths"] if path["kind"] == "metadata" and path["path"] == "store:s3a" and path["seconds"] > 0]
        if way == "monotasks":
            (resource,) = [use for use in said["monotasks"]["resources"] if use["resource"] == "store:s3a"]
            assert 2 * text <= resource["bytes"] <= moved["input"] + moved["output"]
    assert answers["observed"] == answers["monotasks"] == answers["stock"]
    assert len(outputs["stock"]) == 4 + 3 + 2
    assert outputs["observed"].keys() == outputs["monotasks"].keys() == outputs["stock"].keys()
    assert text_of(outputs["observed"]) == text_of(outputs["monotasks"]) == text_of(outputs["stock"])
