package pellucid.log

import java.nio.charset.StandardCharsets.UTF_8

class JsonCursorSuite extends munit.FunSuite {
  private val a = 1
  private val b = 2

  private def keys = new Keys(a -> "a", b -> "b")

  private def over[A](text: String)(read: JsonCursor => A): A = {
    // not at the buffer's edges: what stands around the text must not be read
    val bytes = ("\"{[" + text + "\"}]9").getBytes(UTF_8)
    val c = new JsonCursor
    c.reset(bytes, 3, bytes.length - 4)
    read(c)
  }

  private def stringOf(text: String) = over(text)(whole(_.string()))
  private def longOf(text: String) = over(text)(whole(_.long()))

  /** Reads, and insists that nothing is left. */
  private def whole[A](read: JsonCursor => A)(c: JsonCursor): A = {
    val out = read(c)
    assert(c.atEnd(), s"something is left from ${c.pos} on")
    out
  }

  /** The column, counted from 1, at which the text stops being what is read. */
  private def malformedAt(text: String)(read: JsonCursor => Any)(implicit loc: munit.Location): Int = {
    val e = intercept[Malformed](over(text)(read))
    "column (\\d+)".r.findFirstMatchIn(e.getMessage).getOrElse(fail(s"no column in: ${e.getMessage}")).group(1).toInt
  }

  private def skipAll(c: JsonCursor): Unit = { c.skip(); if (!c.atEnd()) c.fail("the end") }

  // ---- strings

  test("a plain string is its characters") {
    assertEquals(stringOf("\"\""), "")
    assertEquals(stringOf("\"it's a [string] {of} 1, 2: 3\""), "it's a [string] {of} 1, 2: 3")
  }

  test("every escape of JSON stands for its character") {
    assertEquals(stringOf("\"\\\" \\\\ \\/ \\b \\f \\n \\r \\t\""), "\" \\ / \b \f \n \r \t")
  }

  test("\\u takes four hexadecimal digits of either case, also of surrogate pairs") {
    assertEquals(stringOf("\"\\u0041\\u00e9\\u20AC\\u0000|\""), "Aé€\u0000|")
    assertEquals(stringOf("\"\\ud83d\\uDE00\""), "\ud83d\ude00")
    assertEquals(stringOf("\"\\u00411\""), "A1") // a fifth digit is text
  }

  test("a backslash escapes one character only") {
    assertEquals(stringOf("\"\\\\\""), "\\") // ends at the quote after two backslashes
    assertEquals(stringOf("\"\\\\\\\"\""), "\\\"")
    assertEquals(stringOf("\"\\\\u0041\""), "\\u0041")
  }

  test("characters beyond ASCII are UTF-8, with and without escapes beside them") {
    assertEquals(stringOf("\"Größe 東京 😀\""), "Größe 東京 😀")
    assertEquals(stringOf("\"é\\n東\""), "é\n東")
  }

  test("null is no string; numbers and literals give their text") {
    assertEquals(stringOf("null"), null)
    assertEquals(stringOf("-12.5"), "-12.5")
    assertEquals(stringOf("true"), "true")
  }

  // ---- numbers

  test("whole numbers over the range of a long") {
    assertEquals(longOf("0"), 0L)
    assertEquals(longOf("42"), 42L)
    assertEquals(longOf("-42"), -42L)
    assertEquals(longOf("-0"), 0L)
    assertEquals(longOf(Long.MaxValue.toString), Long.MaxValue)
    assertEquals(longOf(Long.MinValue.toString), Long.MinValue)
  }

  test("a number in quotes counts as the number") {
    assertEquals(longOf("\"17\""), 17L)
    assertEquals(longOf("\"-17\""), -17L)
  }

  test("a fraction and an exponent are cut off") {
    assertEquals(longOf("1.9"), 1L)
    assertEquals(longOf("-1.9"), -1L)
    assertEquals(longOf("3E5"), 3L)
    assertEquals(longOf("2.5e-3"), 2L)
    assertEquals(longOf("\"7.25\""), 7L)
    assertEquals(over("[1.5e+3,8]") { c => c.enterArray(); c.nextElement(); c.long(); c.nextElement(); c.long() }, 8L)
  }

  test("null is the number 0") { assertEquals(longOf("null"), 0L) }

  test("booleans, also in quotes and as null") {
    assertEquals(
      Seq("true", "false", "\"true\"", "\"false\"", "null").map(over(_)(whole(_.boolean()))),
      Seq(true, false, true, false, false)
    )
  }

  // ---- objects and arrays

  /** Keys as `nextKey` tells them, each value skipped. */
  private def keysOf(text: String, keys: Keys): Seq[Int] = over(text) { c =>
    c.enterObject()
    val out = Iterator.continually(c.nextKey(keys)).takeWhile(_ != Keys.End).map { k => c.skip(); k }.toVector
    assert(c.atEnd())
    out
  }

  test("the known keys of an object are told apart from the others") {
    assertEquals(keysOf("""{"a":1,"x":2,"b":3}""", keys), Seq(a, Keys.Unknown, b))
    assertEquals(keysOf("{}", keys), Nil)
    assertEquals(keysOf(""" { "a" : 1 ,"b": 2 } """, keys), Seq(a, b))
  }

  test("a key that only begins or ends like a known one is another") {
    assertEquals(keysOf("""{"aa":1,"":2,"A":3,"a ":4}""", keys), Seq.fill(4)(Keys.Unknown))
  }

  test("escapes in a key do not end it") {
    assertEquals(keysOf("""{"\"a":1,"a\"":2,"\\":3,"a\\\"b":4,"b":5}""", keys), Seq(0, 0, 0, 0, b))
  }

  test("one table reads objects whose keys come in any order, or not at all") {
    val shared = keys // learns the order of each object, and must not rely on it
    val orders = Seq("a", "x", "b", "y").permutations.flatMap(p => (0 to 4).map(p.take)).toVector
    val id = Map("a" -> a, "b" -> b).withDefaultValue(Keys.Unknown)
    for (order <- orders ++ orders.reverse)
      assertEquals(keysOf(order.map(k => s""""$k":"a"""").mkString("{", ",", "}"), shared), order.map(id))
  }

  test("a table of more keys than it keeps the order of still knows them all") {
    val many = (1 to 300).map(i => i -> s"key $i")
    val shared = new Keys(many: _*)
    for (order <- Seq(many, many.reverse, many)) {
      val text = order.map { case (_, name) => s""""$name":0,"not $name":0""" }.mkString("{", ",", "}")
      assertEquals(keysOf(text, shared).filter(_ != Keys.Unknown), order.map(_._1))
    }
  }

  test("null in the place of an object or array is passed") {
    assert(!over("null")(whole(_.enterObject())))
    assert(!over("null")(whole(_.enterArray())))
  }

  test("the elements of an array come one by one") {
    def numbers(text: String) = over(text)(whole { c =>
      c.enterArray()
      Iterator.continually(c.nextElement()).takeWhile(identity).map(_ => c.long()).toVector
    })
    assertEquals(numbers("[]"), Vector.empty)
    assertEquals(numbers("[ ]"), Vector.empty)
    assertEquals(numbers("[1,2 , 3]"), Vector(1L, 2L, 3L))
  }

  // ---- skipping

  test("skipping passes exactly one value of any kind") {
    val values = Seq(
      "1",
      "-2.5E+7",
      "\"s\"",
      "\"\\\"\"",
      "\"\\\\\"",
      "null",
      "true",
      "false",
      "{}",
      "[]",
      "[[[]]]",
      """{"a":{"b":[{"c":[]}]}}""",
      """["]","}","[","{"]""",
      """{"]}":"\"]}","\\":["\\\"]"]}""",
      """["é","東\"]"]""",
      """[ {} , [ ] ]"""
    )
    for (value <- values; spaced <- Seq(value, s" $value "))
      assertEquals(
        over(s"[$spaced,7]") { c => c.enterArray(); c.nextElement(); c.skip(); c.nextElement(); c.long() },
        7L,
        value
      )
  }

  test("skipping goes as deep as a value does") {
    val deep = 100000
    over("[" * deep + "]" * deep)(skipAll)
    assertEquals(malformedAt("[" * deep + "]" * (deep - 1))(skipAll), 2 * deep)
  }

  // ---- looking ahead

  test("a string that is not the one asked for stays unread") {
    over("\"Success\"") { c =>
      assert(!c.accept("Succ".getBytes(UTF_8)))
      assert(!c.accept("Successes".getBytes(UTF_8)))
      assert(c.accept("Success".getBytes(UTF_8)))
      assert(c.atEnd())
    }
    assert(!over("17")(_.accept("17".getBytes(UTF_8))))
  }

  test("the position of a byte is found at every distance and alignment, and not beyond the end") {
    for (from <- 0 to 9; distance <- 0 to 20; until <- from to 40) {
      val bytes = Array.fill[Byte](48)('x')
      bytes(from + distance) = ']'
      if (from > 0) bytes(from - 1) = ']'
      val words = java.nio.ByteBuffer.wrap(bytes).order(java.nio.ByteOrder.LITTLE_ENDIAN)
      assertEquals(JsonCursor.indexOf(bytes, words, ']', from, until), math.min(from + distance, until))
    }
  }

  test("bytes beyond ASCII are not taken for the byte looked for") {
    // ']' is 0x5d: 0xdd differs in the sign bit only, 0x5c and 0x5e by one
    val bytes = Seq(0xdd, 0x5c, 0x5e, 0x00, 0xff, 0x80, 0x7f, 0x5e, 0x5c, 0xdd, 0x5d).map(_.toByte).toArray
    val words = java.nio.ByteBuffer.wrap(bytes).order(java.nio.ByteOrder.LITTLE_ENDIAN)
    assertEquals(JsonCursor.indexOf(bytes, words, ']', 0, bytes.length), 10)
  }

  // ---- broken input

  test("what ends too early is malformed where it ends") {
    assertEquals(malformedAt("")(_.peek()), 1)
    assertEquals(malformedAt("  ")(_.skip()), 3)
    assertEquals(malformedAt("\"abc")(_.string()), 5)
    assertEquals(malformedAt("{\"a\":[1,2")(skipAll), 10)
    assertEquals(malformedAt("{\"a\":1")(c => { c.enterObject(); c.nextKey(keys); c.long(); c.nextKey(keys) }), 7)
    assertEquals(malformedAt("{\"a\"")(c => { c.enterObject(); c.nextKey(keys) }), 5)
    assertEquals(malformedAt("[1")(c => { c.enterArray(); c.nextElement(); c.long(); c.nextElement() }), 3)
    assertEquals(malformedAt("-")(_.long()), 2)
    assertEquals(malformedAt("\"12")(_.long()), 4)
  }

  test("a string is not ended by an escaped quote, nor by one after the range") {
    intercept[Malformed](stringOf("\"abc\\\""))
    intercept[Malformed](stringOf("\"abc\\"))
    intercept[Malformed](over("{\"a\\\"")(c => { c.enterObject(); c.nextKey(keys) }))
  }

  test("a value of another kind than the one asked for is malformed at its first character") {
    assertEquals(malformedAt(" [1]")(_.enterObject()), 2)
    assertEquals(malformedAt("{}")(_.enterArray()), 1)
    assertEquals(malformedAt("\"x\"")(_.enterObject()), 1)
    assertEquals(malformedAt("{}")(_.long()), 1)
    assertEquals(malformedAt("true")(_.long()), 1)
    assertEquals(malformedAt("]")(_.skip()), 1)
    assertEquals(malformedAt(",")(_.skip()), 1)
  }

  test("a quoted text that is no number is malformed as one") {
    intercept[Malformed](longOf("\"\""))
    intercept[Malformed](longOf("\"twelve\""))
    intercept[Malformed](longOf("\"12ms\""))
    intercept[Malformed](longOf("\"null\""))
    intercept[Malformed](longOf("--1"))
    intercept[Malformed](longOf("+1"))
  }

  test("an object needs quoted keys, colons, and no comma before its end") {
    def read(text: String) = malformedAt(text) { c =>
      c.enterObject()
      while (c.nextKey(keys) != Keys.End) c.skip()
    }
    assertEquals(read("{a:1}"), 2)
    assertEquals(read("{\"a\" 1}"), 6)
    assertEquals(read("{\"a\":}"), 6)
    assertEquals(read("{\"a\":1,}"), 8)
    assertEquals(read("{\"a\":1]"), 7)
    assertEquals(read("{1:2}"), 2)
  }

  test("\\u without four hexadecimal digits is malformed") {
    for (text <- Seq("\\u", "\\u12", "\\u12g4", "\\u 123")) intercept[Malformed](stringOf(s"""\"$text\""""))
  }

  test("a sign is no hexadecimal digit") {
    for (text <- Seq("\\u+123", "\\u-123")) intercept[Malformed](stringOf(s"""\"$text\""""))
  }

  test("commas stand between members and elements, and nowhere else") {
    def members(c: JsonCursor): Unit = { c.enterObject(); while (c.nextKey(keys) != Keys.End) c.long() }
    def elements(c: JsonCursor): Unit = { c.enterArray(); while (c.nextElement()) c.long() }
    for (text <- Seq("{\"a\":1 \"b\":2}", "{,\"a\":1}", "{\"a\":1,,\"b\":2}")) intercept[Malformed](over(text)(members))
    for (text <- Seq("[1 2]", "[,1]", "[1,]", "[1,,2]")) intercept[Malformed](over(text)(elements))
  }

  test("only null is null, only true is true") {
    for (text <- Seq("nul", "nulls", "no", "none")) {
      intercept[Malformed](over(text)(_.enterObject()))
      intercept[Malformed](over(text)(_.long()))
      intercept[Malformed](over(text)(_.string()))
    }
    for (text <- Seq("tru", "t", "yes")) intercept[Malformed](over(text)(_.boolean()))
  }

  test("a number beyond a long is not wrapped around") {
    // 2^64 + 5 must not become 5
    for (text <- Seq("18446744073709551621", "9223372036854775808"))
      assert(scala.util.Try(longOf(text)).fold(_.isInstanceOf[Malformed], _ == Long.MaxValue), text)
  }

  test("the column counts from the start of the line, wherever that stands in the buffer") {
    val bytes = "junk\n{\"a\":x}\n".getBytes(UTF_8)
    val c = new JsonCursor
    c.reset(bytes, 5, 12)
    c.enterObject()
    c.nextKey(keys)
    assert(clue(intercept[Malformed](c.long()).getMessage).endsWith("column 6"))
  }

  test("a cursor starts afresh on the next line of the same buffer, and on another buffer") {
    val c = new JsonCursor
    val two = "{\"a\":1}{\"b\":2}".getBytes(UTF_8)
    val table = keys
    def next(bytes: Array[Byte], from: Int, until: Int) = {
      c.reset(bytes, from, until); c.enterObject(); (c.nextKey(table), c.long())
    }
    assertEquals(next(two, 0, 7), (a, 1L))
    assertEquals(next(two, 7, 14), (b, 2L))
    assertEquals(next("{\"a\":3}".getBytes(UTF_8), 0, 7), (a, 3L))
  }
}
