# `make demo` and `make test` are the two commands to know.
MVN  := mvn -B -q
VENV := target/venv
PY   := $(VENV)/bin/python
JAR  := cli/target/pellucid.jar
PLUGIN := spark/target/pellucid-spark.jar

.PHONY: build test test-jvm test-page test-spark test-python test-workloads test-lab test-peers peers matrix demo bench bench-overhead bench-monotasks experiments format clean

build: cli/target/pellucid.jsa $(PLUGIN)

$(JAR): pom.xml core/pom.xml cli/pom.xml docs/experiments/whatif-predictions.csv $(shell find core/src/main cli/src/main -type f)
	$(MVN) -pl cli -am package -DskipTests
	@touch $@

$(PLUGIN): pom.xml spark/pom.xml $(shell find spark/src/main -type f) $(JAR)
	$(MVN) -pl core,spark package -DskipTests
	@touch $@

# an archive of the loaded classes: the command starts in half the time
cli/target/pellucid.jsa: $(JAR)
	@rm -f $@
	PELLUCID_JAVA_OPTS="-XX:ArchiveClassesAtExit=$@" ./pellucid report core/src/test/logs/spark-4.3.0-zstd.zstd \
	  --html cli/target/archived.html > cli/target/archived.txt

test: build test-jvm test-page test-spark test-python test-workloads test-lab test-peers

test-jvm:
	$(MVN) verify

test-page: build $(VENV)/page
	$(PY) -m pytest -q cli/src/test/page

# the plugin with the lab's Spark, in one process, and what `make demo` shows
test-spark: $(PLUGIN) $(VENV)/page $(VENV)/bench
	PYTHONPATH=. $(PY) -m pytest -q -p no:cacheprovider spark/src/test/python demo

# the Python package, installed, with the lab's Spark
test-python: build $(VENV)/page
	rm -rf target/python && $(PY) -m pip install -q --disable-pip-version-check --root-user-action=ignore --no-deps --target target/python ./python
	spark=$$(PYTHONPATH=. $(PY) -m lab.software) && PYTHONPATH="$(abspath target/python):$$(echo $$spark/lib/python3*/site-packages)" SPARK_LOCAL_IP=127.0.0.1 \
	  $(PY) -m pytest -q -p no:cacheprovider python/tests

# the plugin with each supported Spark, in one process and in a cluster of two executors; one to two hours, 2.5 GB to fetch
matrix: build $(VENV)/page $(VENV)/bench
	VERSIONS="4.0.5 4.1.4 4.2.1 4.3.0" PYTHONPATH=. $(PY) -m pytest -q -p no:cacheprovider spark/src/test/python

# a lab of two machines; where it cannot be, it says why and is skipped
test-lab: $(PLUGIN) $(VENV)/page target/fuse
	PYTHONPATH=. $(PY) -m pytest -q -rs -p no:cacheprovider lab/tests

# Spark's own suites of its shuffle and Hadoop's of a file system, with tasks as monotasks, and ours that need an HDFS: some of them, and all (about 8 minutes)
PEERS := $(MVN) -Ppeers -pl core,spark,peers test -Dsurefire.failIfNoSpecifiedTests=false
test-peers:
	$(PEERS) -Dtest='EarlyInputSuite,HadoopContractSuite,HdfsReplicasSuite,MonotaskSortShuffleSuite'

peers:
	PYTHONPATH=. python3 -c "from lab import software; software.moto()"
	$(PEERS) -Dtest='EarlyInputSuite,HadoopContractSuite,HdfsContractSuite,HdfsReplicasSuite,S3ContractSuite,org.apache.spark.Monotask*Suite'

# each workload of bench/workloads at a tiny size, against plain Python
test-workloads: $(VENV)/page $(VENV)/bench
	spark=$$(PYTHONPATH=. $(PY) -m lab.software) && PYTHONPATH=. PYSPARK_PYTHON=$$spark/bin/python $(PY) -m pytest -q -p no:cacheprovider bench/workloads

# the thesis' workloads on stock Spark and as monotasks, on three kinds of disks and on this computer's own; about six hours, root on Linux
bench-monotasks: build $(VENV)/bench target/fuse
	./pellucid-lab experiment monotasks

# all experiments in the lab, about six hours; root on Linux
experiments: build $(VENV)/bench target/fuse
	for name in hdd-vs-ssd shared-data slow-nic locality-wait bdb applications blocked-time unexplained monotasks attribution auto-concurrency whatif; do ./pellucid-lab experiment $$name || exit 1; done

# a real PySpark job with shuffles, a join and a skewed key, and its report; then the same as monotasks, and both side by side
demo: build $(VENV)/demo
	@rm -rf target/demo && mkdir -p target/demo/stock target/demo/monotasks
	$(PY) demo/workload.py --log-dir target/demo/stock --work-dir target/demo/work
	./pellucid report target/demo/stock/* --html target/demo/report.html
	$(PY) demo/workload.py --log-dir target/demo/monotasks --work-dir target/demo/work --monotasks $(PLUGIN)
	./pellucid report target/demo/monotasks/* --html target/demo/monotasks.html > target/demo/monotasks.txt
	./pellucid compare target/demo/stock/* target/demo/monotasks/*

bench: build
	python3 bench/report.py

# what the plugin costs; about 20 minutes
bench-overhead: build $(VENV)/bench
	$(PY) bench/overhead.py

format:
	$(MVN) spotless:apply

# installs a package of Debian where root can
apt = [ "$$(id -u)" != 0 ] || (apt-get update -q && apt-get install -q -y --no-install-recommends $(1)) > target/$(1).log 2>&1

$(VENV)/bin/python:
	python3 -m venv $(VENV)

$(VENV)/demo: demo/requirements.txt | $(VENV)/bin/python
	$(PY) -m pip install -q --disable-pip-version-check -r $<
	@touch $@

$(VENV)/page: cli/src/test/page/requirements.txt | $(VENV)/bin/python
	$(PY) -m pip install -q --disable-pip-version-check -r $<
	@command -v chromium >/dev/null || $(call apt,chromium)
	@touch $@

# the lab's disks with one head want libfuse
target/fuse:
	@mkdir -p target
	@ldconfig -p | grep -q libfuse3 || $(call apt,fuse3)
	@touch $@

$(VENV)/bench: bench/requirements.txt | $(VENV)/bin/python
	$(PY) -m pip install -q --disable-pip-version-check -r $<
	@touch $@

clean:
	$(MVN) clean
	rm -rf target
