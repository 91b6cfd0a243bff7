package org.apache.spark.pellucid

/** The few fields of Spark's own objects that a hook replaces: set once, before the first task, and by name, so that a version
  * without the field is noticed at once.
  */
private[pellucid] object Fields {
  def replace(owner: Class[_], instance: AnyRef, name: String, value: AnyRef): Unit = {
    val field = owner.getDeclaredField(name)
    field.setAccessible(true)
    field.set(instance, value)
  }
}
