package pellucid.fs

import java.lang.ref.WeakReference
import java.util.{Map => JMap}
import java.util.concurrent.ConcurrentHashMap

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileSystem
import org.apache.spark.pellucid.Fields

/** The classes that Hadoop's configurations have found by their names with one class loader, file systems measured: how a scheme is served whose class is set
  * (`fs.SCHEME.impl`), as those of object stores are, without another name in any configuration.
  */
private final class ClassesByName(loader: WeakReference[ClassLoader])
    extends ConcurrentHashMap[String, WeakReference[Class[_]]] {

  /** Of a name that is not known Hadoop looks for the class, and puts it here. */
  override def get(name: AnyRef): WeakReference[Class[_]] = {
    if (super.get(name) == null)
      findFileSystem(name.toString).foreach(found => put(name.toString, new WeakReference(found)))
    super.get(name)
  }

  /** Also by the name of its measured class, which a job may have asked one for. What is wrong Hadoop will say. */
  private def findFileSystem(name: String): Option[Class[_]] =
    try Option(loader.get).map(Class.forName(name.stripPrefix(Subclass.Prefix), false, _))
        .filter(classOf[FileSystem].isAssignableFrom(_))
    catch { case _: ClassNotFoundException | _: LinkageError => None }

  override def put(name: String, found: WeakReference[Class[_]]): WeakReference[Class[_]] = {
    val measured = Option(found.get).map(stock => Subclass.of(stock)).filterNot(_ eq found.get)
    super.put(name, measured.fold(found)(new WeakReference(_)))
  }
}

private[pellucid] object ClassesByName {
  private lazy val all = Fields.get(classOf[Configuration], null, "CACHE_CLASSES")
    .asInstanceOf[JMap[ClassLoader, JMap[String, WeakReference[Class[_]]]]]

  /** What this thread's configurations find, those that it makes from now on and those that came to it with its task. */
  def ofThisThread(): Unit = of(Thread.currentThread.getContextClassLoader)

  /** What configurations with this loader find. */
  def of(loader: ClassLoader): Unit =
    all.synchronized(all.get(loader) match {
      case _: ClassesByName => ()
      case had =>
        val measured = new ClassesByName(new WeakReference(loader))
        if (had != null) had.forEach((name, found) => { measured.put(name, found); () })
        all.put(loader, measured)
        ()
    })
}
