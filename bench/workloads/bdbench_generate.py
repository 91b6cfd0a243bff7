"""The tables of the AMPLab Big Data Benchmark, generated: rankings, uservisits, and documents (for query 4).

Scale 1 is a thousandth of the original's scale factor 5, the one the thesis uses: 90,000 rankings (5 MB as text),
775,000 visits (130 MB), 30,000 documents (140 MB). The values are chosen so that each query keeps the original's
share of rows:

    query 1   pageRank > 1000, 100, 10: 0.04%, 4%, and nearly all of the rankings
    query 2   one group per 375, 25, and 3 visits for the first 8, 10, 12 characters of sourceIP
    query 3   visits before 1980-04, 1983, 2010: 0.6%, 7%, and 69% (the visits span 1970 to mid-2013)

Pages are visited and linked with a Zipf distribution of exponent 0.5. Every value depends only on its row's number.
"""

import random

import workload
from pyspark.sql import functions as F

RANKINGS, VISITS, DOCUMENTS = 90_000, 775_000, 30_000
TABLES = {
    "rankings": "pageURL string, pageRank int, avgDuration int",
    "uservisits": "sourceIP string, destURL string, visitDate date, adRevenue double, userAgent string,"
    " countryCode string, languageCode string, searchWord string, duration int",
}

FIRST_DAY, DAYS = "1970-01-01", 15_918
PARAGRAPHS = 24  # of a document; a third of them has a link
COUNTRIES = "USA CAN MEX BRA ARG GBR FRA DEU ESP ITA NLD SWE POL TUR EGY NGA ZAF IND CHN JPN KOR AUS".split()
LANGUAGES = "en es fr de it nl sv pl tr ar hi zh ja ko pt".split()
WORDS = (
    "storage network memory processor cluster query latency bandwidth scheduler pipeline kernel partition replica"
    " journal cache index snapshot cursor buffer register thread socket packet router gateway vector matrix tensor"
).split()
AGENTS = [
    f"{browser}/{version}.0 (compatible; {system}; rev {version * 37}) Engine/{version * 5}.1"
    for browser in ("Mozilla", "Opera", "Lynx", "Konqueror")
    for system in ("Windows NT 6.1", "X11; Linux x86_64", "Macintosh; Intel Mac OS X")
    for version in (4, 5, 7)
]


def generate(spark, options):
    files = options.files
    few = max(1, files // 8)  # the rankings are small
    pages = max(1, round(RANKINGS * options.scale / few)) * few
    write(rankings(spark, pages, few), f"{options.data}/rankings", options.format)
    write(visits(spark, VISITS * options.scale, pages, files), f"{options.data}/uservisits", options.format)
    lines = documents(spark, DOCUMENTS * options.scale, pages, files)
    lines.write.mode("overwrite").text(f"{options.data}/documents")


def write(table, uri, file_format):
    writer = table.write.mode("overwrite")
    (writer.csv if file_format == "text" else writer.parquet)(uri)


def rankings(spark, pages, files):
    """P(pageRank > x) = (19.2 / x)^2, but for one page in 3,000 whose rank is at most 10."""
    tail = F.floor(F.lit(19.2) / F.sqrt(1 - workload.uniform("id", F.lit("rank"))))
    rank = F.when(F.col("id") % 3000 == 1, 1 + F.col("id") / 3000 % 10).otherwise(tail)
    return workload.rows_in_files(spark, pages, files).select(
        page_url(F.col("id")).alias("pageURL"),
        rank.cast("int").alias("pageRank"),
        (1 + workload.uniform_integer(100, "id", F.lit("average"))).cast("int").alias("avgDuration"),
    )


def visits(spark, rows, pages, files):
    def pick(values, name):
        return F.element_at(F.lit(values), (1 + number(len(values), name)).cast("int")).alias(name)

    def number(bound, name):
        return workload.uniform_integer(bound, "id", F.lit(name))

    return workload.rows_in_files(spark, rows, files).select(
        source_ip(rows).alias("sourceIP"),
        page_url(page(pages, "id", F.lit("page"))).alias("destURL"),
        F.date_add(F.lit(FIRST_DAY).cast("date"), number(DAYS, "day").cast("int")).alias("visitDate"),
        F.round(workload.uniform("id", F.lit("revenue")), 8).alias("adRevenue"),
        pick(AGENTS, "userAgent"),
        pick(COUNTRIES, "countryCode"),
        pick(LANGUAGES, "languageCode"),
        pick(WORDS, "searchWord"),
        (1 + number(10, "duration")).cast("int").alias("duration"),
    )


def source_ip(rows):
    """The first three numbers have three digits, and the first two of them one of rows / 375 values."""
    network = workload.uniform_integer(min(max(1, rows // 375), 156 * 156), "id", F.lit("network"))
    third = 100 + workload.uniform_integer(156, "id", F.lit("third"))
    last = workload.uniform_integer(256, "id", F.lit("last"))
    return F.concat_ws(".", 100 + network % 156, 100 + F.floor(network / 156), third, last)


def documents(spark, rows, pages, files):
    """One document per line: its URL, a tab, and its HTML."""
    shuffled = random.Random(1)
    sentences = [" ".join(shuffled.choices(WORDS, k=20)).capitalize() for _ in range(64)]

    def paragraph(n):
        text = F.element_at(F.lit(sentences), (1 + workload.uniform_integer(64, F.col("id"), n)).cast("int"))
        url = page_url(page(pages, F.col("id"), n, F.lit("link")))
        link = F.when(n % 3 == 0, F.concat(F.lit(' <a href="'), url, F.lit('">more</a>'))).otherwise("")
        return F.concat(F.lit("<p>"), text, link, F.lit(".</p>"))

    body = F.array_join(F.transform(F.sequence(F.lit(1), F.lit(PARAGRAPHS)), paragraph), " ")
    url = F.concat(F.lit("http://crawl.example/"), F.col("id"))
    html = F.concat(F.lit("<html><body>"), body, F.lit("</body></html>"))
    return workload.rows_in_files(spark, rows, files).select(F.concat_ws("\t", url, html))


def page(pages, *columns):
    """A page's number; page i has a probability proportional to i^-0.5."""
    return F.floor(F.pow(workload.uniform(*columns), 2) * pages)


def page_url(number):
    name = F.sha1(number.cast("long").cast("string"))
    return F.concat(F.lit("http://"), F.substring(name, 1, 12), F.lit(".com/"), F.substring(name, 13, 28))
