package org.apache.spark.pellucid

/** The few fields of Spark's own objects that a hook needs, by name. Those that it replaces are set once, before the first task, so
  * that a version without the field is noticed at once.
  */
private[pellucid] object Fields {
  def replace(owner: Class[_], instance: AnyRef, name: String, value: AnyRef): Unit =
    field(owner, name).set(instance, value)

  def get(owner: Class[_], instance: AnyRef, name: String): AnyRef = field(owner, name).get(instance)

  def has(owner: Class[_], name: String): Boolean = find(owner, name).isDefined

  private def field(owner: Class[_], name: String) = {
    val found = find(owner, name).getOrElse(throw new NoSuchFieldException(s"$name of ${owner.getName}"))
    found.setAccessible(true)
    found
  }

  /** A private field that another class uses too has its owner's name before its own. */
  private def find(owner: Class[_], name: String) =
    owner.getDeclaredFields.find(f => f.getName == name || f.getName.endsWith(s"$$$$$name"))
}
