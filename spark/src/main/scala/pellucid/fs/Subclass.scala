package pellucid.fs

import java.lang.reflect.Modifier
import java.util.concurrent.CompletableFuture

import org.apache.hadoop.fs._
import org.apache.hadoop.fs.impl.OpenFileParameters
import org.apache.hadoop.fs.permission.FsPermission
import org.apache.hadoop.util.Progressable
import org.apache.xbean.asm9.{ClassWriter, MethodVisitor, Type}
import org.apache.xbean.asm9.Opcodes._

import pellucid.plugin.Guard

/** Makes a subclass of a file system whose methods tell [[Hooks]] what they did. In source, for `open`:
  * {{{
  * public FSDataInputStream open(Path path, int bufferSize) throws IOException {
  *   long before = Hooks.before();
  *   FSDataInputStream result = super.open(path, bufferSize);
  *   Hooks.after(before, this);
  *   return Hooks.opened(this, path, result);
  * }
  * }}}
  */
private object Subclass {

  /** Begins the name of each, before that of the class that it is of. */
  final val Prefix = "pellucid.observed."

  /** `stock` itself where it is no file system whose own streams can be measured. */
  def of(stock: Class[_]): Class[_] = made.get(stock)

  /** Kept by the class that each is of, as long as that is there. */
  private val made = new ClassValue[Class[_]] {
    override def computeValue(stock: Class[_]): Class[_] =
      if (isMeasured(stock))
        try define(stock)
        catch { case e if Guard.harmless(e) => Guard.warn(s"${stock.getName} is not measured: $e", e); stock }
      else stock
  }

  /** The streams of an archive read those of the file system that has it, which are measured. */
  private def isMeasured(stock: Class[_]) =
    classOf[FileSystem].isAssignableFrom(stock) && !stock.getName.startsWith(Prefix) &&
      !classOf[HarFileSystem].isAssignableFrom(stock) && isOpen(stock.getModifiers) &&
      !Modifier.isFinal(stock.getModifiers) && !Modifier.isAbstract(stock.getModifiers) &&
      stock.getDeclaredConstructors.exists(made => made.getParameterCount == 0 && isOpen(made.getModifiers))

  private def isOpen(modifiers: Int) = Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers)

  /** Ready to be used, so that what is wrong with it shows here. */
  private def define(stock: Class[_]): Class[_] = {
    val name = Prefix + stock.getName
    val bytes = write(name.replace('.', '/'), Type.getInternalName(stock))
    val plugin = getClass.getClassLoader
    // of another copy of either nobody is to find its classes
    val loader = new ClassLoader(stock.getClassLoader) {
      override def loadClass(other: String, resolve: Boolean): Class[_] =
        if (other == stock.getName) stock
        else if (other == HooksName.replace('/', '.')) plugin.loadClass(other)
        else super.loadClass(other, resolve)
      override def findClass(other: String): Class[_] =
        if (other == name) defineClass(name, bytes, 0, bytes.length) else throw new ClassNotFoundException(other)
    }
    Class.forName(name, true, loader)
  }

  /** Name, result and arguments of what is overridden, and the hook that gets the result. */
  private val overridden: Seq[(String, Class[_], Seq[Class[_]], Option[String])] = {
    val (path, bool, int) = (classOf[Path], classOf[Boolean], classOf[Int])
    Seq(
      ("open", classOf[FSDataInputStream], Seq(path, int), Some("opened")),
      (
        "openFileWithOptions",
        classOf[CompletableFuture[_]],
        Seq(path, classOf[OpenFileParameters]),
        Some("opening")
      ),
      (
        "create",
        classOf[FSDataOutputStream],
        Seq(path, classOf[FsPermission], bool, int, classOf[Short], classOf[Long], classOf[Progressable]),
        Some("created")
      ),
      ("getFileStatus", classOf[FileStatus], Seq(path), None),
      ("listStatus", classOf[Array[FileStatus]], Seq(path), None),
      ("mkdirs", bool, Seq(path, classOf[FsPermission]), None),
      ("rename", bool, Seq(path, path), None),
      ("delete", bool, Seq(path, bool), None)
    )
  }

  private def write(name: String, stock: String): Array[Byte] = {
    val out = new ClassWriter(ClassWriter.COMPUTE_MAXS)
    out.visit(V1_8, ACC_PUBLIC | ACC_FINAL, name, null, stock, null)
    method(out.visitMethod(ACC_PUBLIC, "<init>", "()V", null, null)) { m =>
      m.visitVarInsn(ALOAD, 0)
      m.visitMethodInsn(INVOKESPECIAL, stock, "<init>", "()V", false)
      m.visitInsn(RETURN)
    }
    for ((called, result, arguments, hook) <- overridden) {
      val types = arguments.map(Type.getType(_))
      val resultType = Type.getType(result)
      val descriptor = Type.getMethodDescriptor(resultType, types: _*)
      val before = 1 + types.map(_.getSize).sum // the first free local variable
      val value = before + 2
      method(out.visitMethod(ACC_PUBLIC, called, descriptor, null, Array("java/io/IOException"))) { m =>
        m.visitMethodInsn(INVOKESTATIC, HooksName, "before", "()J", false)
        m.visitVarInsn(LSTORE, before)
        m.visitVarInsn(ALOAD, 0)
        types.foldLeft(1) { (at, t) => m.visitVarInsn(t.getOpcode(ILOAD), at); at + t.getSize }
        m.visitMethodInsn(INVOKESPECIAL, stock, called, descriptor, false)
        m.visitVarInsn(resultType.getOpcode(ISTORE), value)
        m.visitVarInsn(LLOAD, before)
        m.visitVarInsn(ALOAD, 0)
        m.visitMethodInsn(INVOKESTATIC, HooksName, "after", s"(J$FileSystemType)V", false)
        hook match {
          case None => m.visitVarInsn(resultType.getOpcode(ILOAD), value)
          case Some(hook) =>
            m.visitVarInsn(ALOAD, 0)
            m.visitVarInsn(ALOAD, 1)
            m.visitVarInsn(ALOAD, value)
            val of =
              s"($FileSystemType${types.head.getDescriptor}${resultType.getDescriptor})${resultType.getDescriptor}"
            m.visitMethodInsn(INVOKESTATIC, HooksName, hook, of, false)
        }
        m.visitInsn(resultType.getOpcode(IRETURN))
      }
    }
    out.visitEnd()
    out.toByteArray
  }

  private final val HooksName = "pellucid/fs/Hooks"
  private val FileSystemType = Type.getDescriptor(classOf[FileSystem])

  private def method(m: MethodVisitor)(code: MethodVisitor => Unit): Unit = {
    m.visitCode()
    code(m)
    m.visitMaxs(0, 0) // worked out by the writer
    m.visitEnd()
  }
}
