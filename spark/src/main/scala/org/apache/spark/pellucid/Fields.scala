package org.apache.spark.pellucid

import java.lang.reflect.Field

/** The few fields of Spark's and Hadoop's own objects that a hook needs, by name. Those that it replaces are set once, before the first task, so
  * that a version without the field is noticed at once.
  */
object Fields {

  /** @param names of the field in one version or another */
  def replace(owner: Class[_], instance: AnyRef, value: AnyRef, names: String*): Unit =
    field(owner, names).set(instance, value)

  def get(owner: Class[_], instance: AnyRef, name: String): AnyRef = of(owner, name).get(instance)

  /** For who asks again and again. */
  def of(owner: Class[_], name: String): Field = field(owner, Seq(name))

  /** A private field that another class uses too has its owner's name before its own. */
  private def field(owner: Class[_], names: Seq[String]) = {
    val found = owner.getDeclaredFields.find(f =>
      names.exists(name => f.getName == name || f.getName.endsWith(s"$$$$$name"))
    )
      .getOrElse(throw new NoSuchFieldException(s"${names.mkString(" or ")} of ${owner.getName}"))
    found.setAccessible(true)
    found
  }
}
