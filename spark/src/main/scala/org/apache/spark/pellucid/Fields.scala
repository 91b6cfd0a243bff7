package org.apache.spark.pellucid

import java.lang.reflect.Field
import java.util.concurrent.ConcurrentHashMap

/** The few fields of Spark's and Hadoop's own objects that a hook needs, by name. Those that it replaces are set once, before the first task, so
  * that a version without the field is noticed at once.
  */
object Fields {

  /** Java copies all fields of a class whenever it is asked for one. */
  private val known = new ConcurrentHashMap[(Class[_], Seq[String]), Field]

  /** @param names of the field in one version or another */
  def replace(owner: Class[_], instance: AnyRef, value: AnyRef, names: String*): Unit =
    field(owner, names).set(instance, value)

  def get(owner: Class[_], instance: AnyRef, name: String): AnyRef = of(owner, name).get(instance)

  def of(owner: Class[_], name: String): Field = field(owner, Seq(name))

  private def field(owner: Class[_], names: Seq[String]) =
    known.computeIfAbsent((owner, names), _ => find(owner, names))

  /** In this version. */
  def has(owner: Class[_], name: String): Boolean = among(owner, Seq(name)).nonEmpty

  private def find(owner: Class[_], names: Seq[String]) = {
    val found = among(owner, names)
      .getOrElse(throw new NoSuchFieldException(s"${names.mkString(" or ")} of ${owner.getName}"))
    found.setAccessible(true)
    found
  }

  /** A private field that another class uses too has its owner's name before its own. */
  private def among(owner: Class[_], names: Seq[String]) =
    owner.getDeclaredFields.find(f => names.exists(name => f.getName == name || f.getName.endsWith(s"$$$$$name")))
}
