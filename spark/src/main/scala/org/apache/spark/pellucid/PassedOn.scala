package org.apache.spark.pellucid

import java.lang.reflect.Modifier

/** A class that stands before one of Spark's own has to pass on all that this one has, also in a version of Spark that has more. */
private[pellucid] object PassedOn {
  def all(by: Class[_], of: Class[_]*): Boolean = of.flatMap(methods).toSet.subsetOf(methods(by))

  private def methods(of: Class[_]) = of.getDeclaredMethods
    .filter(m => Modifier.isPublic(m.getModifiers) && !Modifier.isStatic(m.getModifiers))
    .map(m => (m.getName, m.getParameterTypes.toSeq)).toSet
}
