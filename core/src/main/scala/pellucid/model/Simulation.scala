package pellucid.model

import java.util.SplittableRandom

import scala.collection.mutable.{ArrayBuffer, HashMap}

import pellucid.blocked.{EventQueue, Progress, Schedule, Simulated}
import pellucid.sched.{Concurrency, Monotask, MonotaskPhase, Spread}

/** Runs the recorded steps again on machines that may be others: a simulation by discrete events in which each resource has the
  * executor's own scheduler. It keeps what the ideal model leaves out: skew, waves, ramps, queues.
  *
  * A machine takes tasks while it has room, the earliest stage's first, and its own of the recording before those of others; how many it has room
  * for, its executor's own rule and the driver's say. Failed attempts take their time too, but what followed them does not wait for them.
  *
  * @param blocks that a stage writes to other machines
  */
final class Simulation(schedule: Schedule, work: Work, blocks: Int) {
  import schedule.{pool, stages}

  /** The mean of as many runs as even out which machines get replicas, and which disks: the fewer blocks there are, the more it is chance. */
  def run(scaling: Scaling, setup: Setup, division: Division): Simulated = {
    val writes = setup.output.disk > 0 && setup.output.replicas < setup.cluster.machines
    val chances = Option.when(writes)(blocks) ++
      Option.when(
        setup.cluster.disks != work.disksOfMachine
      )(division.rows.iterator.map(_.length).maxOption.getOrElse(0))
    val runs = chances.filter(_ > 0).minOption.fold(1)(least => math.max(1, Simulation.DrawnBlocks / least))
    val micros = division.micros(scaling)
    Simulated.mean((1 to runs).map(new Run(scaling, micros, setup, division, _).result()))
  }

  /** @param micros of each step, or part of one */
  private final class Run(scaling: Scaling, micros: Array[Double], setup: Setup, division: Division, seed: Int) {
    import division.{rows, rowsOfHost}
    import setup.{cluster, slots}
    private val taskRows = division.size
    private def phase(part: Int) = work.phase(division.step(part))
    private def kind(part: Int) = work.kind(division.step(part))
    private def isAhead(part: Int) = work.isAhead(division.step(part))
    private def usesNetwork(part: Int) = work.usesNetwork(division.step(part))
    private def beside(part: Int) =
      if (cluster.without(Resource.Cpu)) 0 else micros(part) * work.beside(division.step(part))
    private def needs(part: Int) = scaling.needs(division.step(part)) * division.share(part)
    private val events = new EventQueue
    private var now = 0L

    // ids of events: tasks, jobs and stages, machines, devices
    private val firstWatch = taskRows + Progress.events(schedule)
    private val firstDevice = firstWatch + setup.cluster.machines
    private val progress = new Progress(schedule, events, taskRows, division.awaitedOfStage) {
      override protected def jobBegins(job: Int): Unit = ()
      override protected def stageBegins(stage: Int): Unit = if (rows(stage).nonEmpty) {
        ready += stage
        remain(rows(stage).length)
      }
    }
    private val devices = ArrayBuffer.empty[Device]
    private val shares = new Shares(setup.output)
    private val placement = Placement.of(setup.output.balanced, cluster.machines, setup.output.replicas, drawn)
    private val spread = new Spread[Machine](_.grant(_))
    private var left = 0L // tasks to launch
    private val machines = Array.tabulate(cluster.machines)(new Machine(_))
    machines.foreach(spread.begins(_, slots.cores))

    private val ready = ArrayBuffer.empty[Int] // stages with tasks to launch
    private val next = new Array[Int](stages) // in `rows`, past those launched
    private val nextOfHost = rowsOfHost.map(hosts => new Array[Int](hosts.length))
    private val runningOf = new Array[Int](stages) // in each pool, of which there are no more
    private val launched = new Array[Boolean](taskRows)
    private var begun = 0L
    private val multitask = new Array[Long](taskRows) // in the order in which they began
    private val machineOf = new Array[Machine](taskRows)
    private val numberOf = new Array[Int](taskRows) // among the tasks of its machine
    private val at = Array.tabulate(taskRows)(division.first(_) - 1) // step
    private val waitsAt = new Array[Device](taskRows) // in whose queue a task has a place
    private val fileOf = new Array[File](taskRows) // that a task writes to other machines
    private val aheads =
      Array.tabulate(2 * taskRows)(new Ahead(_)) // what a task reads, and what it fetches, before it asks for it
    private val inputDiskOf = Array.fill(taskRows)(-1)
    private val inputBlocks = HashMap.empty[(Int, Int), InputBlocks]

    private final class Machine(val index: Int) {
      var tasks = 0 // that were launched here
      private var empty = 0L // since when
      private var running = 0
      private val inTurn = ArrayBuffer.empty[Int] // those that have begun to compute, or to wait for it
      private val concurrency = new Concurrency(slots.cores, slots.tasks)
      private var granted = slots.cores // tasks at once
      private var looks = false // at a moment to come

      def room: Int = granted - running
      def grant(more: Int): Unit = granted += more
      private def wants(): Unit = spread.wants(this, concurrency.tasks)

      def launches(): Unit = {
        if (running == 0 && (now - empty) * 1000 > Concurrency.EmptyNanos) { concurrency.empty(); wants() }
        running += 1
        tasks += 1
      }
      def begins(task: Int): Unit = inTurn += task
      def ends(task: Int): Unit = { running -= 1; inTurn -= task; if (running == 0) empty = now }

      private def oneMoreHelps: Boolean = concurrency.oneMoreHelps(
        inTurn.size,
        cpu.running,
        cpu.waits,
        (output.isFree || inTurn.size <= slots.output) && {
          val device = waitsAt(inTurn.last)
          if (device == null) longestQueue <= 1
          else Seq(disks, cached).exists(alike => alike.contains(device) && alike.exists(_.isFree))
        }
      )

      /** How many tasks wait in it. */
      private def longestQueue: Int = {
        var longest = 0
        for (queue <- queues) longest = math.max(longest, queue.waitingTasks)
        longest
      }

      private def mayHaveLess: Boolean = concurrency.tasks > slots.cores && longestQueue > 1

      /** The executor looks soon again where there may be too few tasks. */
      def watch(): Unit =
        if (!looks && slots.tasks > slots.cores && (mayHaveLess || oneMoreHelps)) looksIn(Simulation.SeldomMicros)
      private def looksIn(micros: Long): Unit = { looks = true; events.add(now + micros, firstWatch + index) }

      def look(): Unit = {
        looks = false
        val helps = oneMoreHelps
        concurrency.look(helps, inTurn.size, longestQueue, now * 1000)
        wants()
        if (helps) looksIn(Simulation.SoonMicros) else watch()
      }

      val cpu: Device = device(slots.cores, cluster.cpus, _ => ())
      val disks: Array[Device] = Array.fill(cluster.disks)(device(slots.disk, units = 1, _ => ()))
      val network: Device = device(slots.network, units = 1, share)
      val output: Device = device(slots.output, units = 1, share)

      /** Tasks that write to the disks' page caches, and these. */
      val cached: Array[Device] = Array.fill(cluster.disks)(device(slots.disk, units = Double.MaxValue, _ => ()))
      private val queues = Array(cpu, network, output) ++ disks ++ cached
      private val caches = Array.fill(cluster.disks)(new PageCache(scaling.idle))

      /** To a page cache what its disk needs so long for; returns when the disk has written it. */
      def write(disk: Int, micros: Double): Double = caches(disk).write(now, micros)

      private var blocks = 0

      /** The disk of one more block: they take turns. */
      def nextDisk(): Int = { blocks += 1; blocks % cluster.disks }

      private def share(changed: Device): Unit = if (output.running > 0 || changed == output) {
        shares.of(network.running, output.running)
        network.goesAt(shares.fetched, now)
        output.goesAt(shares.written, now)
      }
    }

    /** What a task writes to other machines, block after block. */
    private final class File(task: Int) {
      private var replicas = Array.empty[(Machine, Int)]
      private var left = 0L // of the block
      private var clean = 0.0

      def write(bytes: Long, micros: Double): Unit = {
        var more = bytes
        while (more > 0) {
          if (left == 0) begin()
          val some = math.min(more, left)
          for ((machine, disk) <- replicas) clean = math.max(clean, machine.write(disk, micros * some / bytes))
          left -= some
          more -= some
        }
      }

      private def begin(): Unit = {
        left = Output.BlockBytes
        replicas = placement.begins(task.toLong, machineOf(task).index).map(machines(_)).map(m => (m, m.nextDisk()))
      }

      def ends(): Unit = placement.ends(task.toLong)

      /** When the disk that is the farthest behind has no more of it to write than it needs so long for. */
      def hasRoom(micros: Double): Double = clean - micros
    }

    private def aheadOf(task: Int, step: Int) = aheads(2 * task + (if (usesNetwork(step)) 1 else 0))

    /** The next read of a task, or its next fetch, which may be there before the task is. Recorded ones with nothing in between are one after the other. */
    private final class Ahead(number: Int) {
      private val of = number / 2
      private var begun, running, there = -1 // the last step that was submitted, that has begun, and that has ended
      private var awaited = -1 // without which the task cannot go on

      /** The task goes on to steps from `from` on. */
      def goesOn(from: Int): Unit = {
        var next = from
        while (next < division.last(of) && !isMine(next)) next += 1
        if (next < division.last(of) && isAhead(next)) begin(next)
      }

      def wants(read: Int): Unit = {
        begin(read)
        if (there >= read) takes(read)
        else {
          awaited = read
          if (running < read) waits(of, deviceOf(read))
        }
      }

      def ends(): Unit = {
        there = begun
        val next = there + 1
        if (!work.hidesReads && next < division.last(of) && isAhead(next) && isMine(next)) begin(next)
        if (awaited >= 0 && there >= awaited) takes(awaited)
      }

      private def isMine(step: Int) = isRead(step) && aheadOf(of, step) == this && micros(step) > 0

      private def deviceOf(read: Int) =
        if (usesNetwork(read)) machineOf(of).network else machineOf(of).disks(disk(of, read))

      private def begin(read: Int): Unit = if (begun < read) {
        begun = read
        machineOf(of).cpu.doesBeside(beside(read), now)
        deviceOf(read).submit(
          new Step(~number, multitask(of), phase(read), micros(read)) {
            override def queues: Boolean = !usesNetwork(read) // its task has left its place there
            override def begins(): Double = {
              running = read
              if (awaited == read) waits(of, null)
              super.begins()
            }
            override def goesOn(now: Long): Long = transferred(of, read, now)
          },
          now
        )
      }

      private def takes(read: Int): Unit = {
        awaited = -1
        goesOn(read + 1)
        Run.this.goesOn(of)
      }
    }

    /** Of a chunk, or of shuffle blocks. */
    private def isRead(step: Int) = phase(step) match {
      case MonotaskPhase.InputRead => !SmallReads.isOne(work.table, division.step(step))
      case MonotaskPhase.ShuffleRead => true
      case _ => false
    }

    /** Transfers are over when machines have done what comes with them beside tasks: it is little at a time, and goes first. */
    private def transferred(task: Int, step: Int, now: Long): Long =
      if (usesNetwork(step)) math.ceil(machineOf(task).cpu.besideUntil(now)).toLong else now

    private def device(slots: Int, units: Double, changes: Device => Unit): Device = {
      val made = new Device(events, firstDevice + devices.size, slots, units, changes, ended)
      devices += made
      made
    }

    def result(): Simulated = {
      progress.begin()
      while (!events.isEmpty) {
        now = math.max(now, events.time)
        while (!events.isEmpty && events.time <= now) {
          val id = events.id
          events.remove()
          if (id < taskRows) goesOn(id)
          else if (id < firstWatch) { progress.happens(id, now); reached() }
          else if (id < firstDevice) machines(id - firstWatch).look()
          else devices(id - firstDevice).happens(now)
        }
        launch()
      }
      progress.out.end = math.max(progress.out.end, progress.recordedEnd)
      progress.out
    }

    /** What disks are behind with does not keep the application. */
    private def reached(): Unit = progress.out.end = math.max(progress.out.end, now)

    /** In turns, so that the first tasks of a stage are spread over the machines. */
    private def launch(): Unit = {
      var more = ready.nonEmpty
      while (more) {
        more = false
        var i = 0
        while (i < machines.length) {
          if (machines(i).room > 0 && ready.nonEmpty) { launchOn(machines(i)); more = true }
          i += 1
        }
      }
    }

    private def launchOn(machine: Machine): Unit = {
      val stage = ready.reduce((a, b) => if (schedule.goesBefore(b, a, runningOf)) b else a)
      val task = own(stage, machine).getOrElse(first(rows(stage), next, stage))
      launched(task) = true
      remain(-1)
      if (first(rows(stage), next, stage) < 0) ready -= stage
      runningOf(pool(stage)) += 1
      machineOf(task) = machine
      numberOf(task) = machine.tasks
      machine.launches()
      multitask(task) = begun
      begun += 1
      events.add(now + division.beforeMicros(task), task)
    }

    private def remain(more: Int): Unit = { left += more; spread.remain(left) }

    private def own(stage: Int, machine: Machine): Option[Int] =
      if (cluster.machines != work.hosts.size) None
      else Some(first(rowsOfHost(stage)(machine.index), nextOfHost(stage), machine.index)).filter(_ >= 0)

    private def first(rows: Array[Int], from: Array[Int], at: Int): Int = {
      while (from(at) < rows.length && launched(rows(from(at)))) from(at) += 1
      if (from(at) < rows.length) rows(from(at)) else -1
    }

    /** A step of a task, or of the complement of a number what is read ahead. */
    private def ended(id: Int): Unit = if (id >= 0) goesOn(id) else aheads(~id).ends()

    /** Its launch, or a step, or its last moments are over. */
    private def goesOn(task: Int): Unit = {
      val done = at(task)
      if (done == division.first(task) - 1) machineOf(task).begins(task)
      // of stock Spark's tasks nothing is read before they begin to read
      if (!work.hidesReads)
        if (done < division.first(task)) aheads(2 * task).goesOn(done + 1)
        else if (done < division.last(task) && isRead(done) && !isAhead(done)) aheadOf(task, done).goesOn(done + 1)
      at(task) += 1
      while (at(task) < division.last(task) && takesNothing(at(task))) at(task) += 1
      if (at(task) < division.last(task)) step(task, at(task))
      else if (at(task) == division.last(task) && division.afterMicros(task) > 0)
        events.add(now + division.afterMicros(task), task)
      else ends(task)
      machineOf(task).watch()
    }

    private def takesNothing(step: Int): Boolean =
      micros(step) <= 0 && needs(step) <= 0 && kind(step) != Resource.Output

    private def step(task: Int, step: Int): Unit =
      if (isAhead(step)) aheadOf(task, step).wants(step) else run(task, step)

    /** In this device's queue from now on, or in none. */
    private def waits(task: Int, device: Device): Unit = {
      if (waitsAt(task) != null) waitsAt(task).waitingTasks -= 1
      if (device != null) device.waitingTasks += 1
      waitsAt(task) = device
    }

    private def run(task: Int, step: Int): Unit = {
      val machine = machineOf(task)
      def replay(device: Device, as: Step): Unit = { waits(task, device); device.submit(as, now) }
      if (kind(step) != Resource.Output) machine.cpu.doesBeside(beside(step), now)
      kind(step) match {
        case Resource.Cpu => replay(machine.cpu, new Recording(task, step))
        case Resource.Network => replay(machine.network, new Recording(task, step))
        case Resource.Output => replay(machine.output, new Written(task, step))
        case Resource.Disk if needs(step) > 0 =>
          replay(machine.cached(disk(task, step)), new Cached(task, step))
        case Resource.Disk => replay(machine.disks(disk(task, step)), new Recording(task, step))
      }
    }

    /** A step of the recording. */
    private class Recording(of: Int, step: Int) extends Step(of, multitask(of), phase(step), micros(step)) {
      override def begins(): Double = { waits(of, null); super.begins() }
      override def goesOn(now: Long): Long = transferred(of, step, now)
    }

    /** Goes to a page cache, and from there to the disk: as it begins it is known how long it waits for room. */
    private final class Cached(of: Int, step: Int) extends Recording(of, step) {
      override def begins(): Double = {
        super.begins()
        val clean = machineOf(of).write(disk(of, step), needs(step))
        work.apart(division.step(step)) * division.share(step) + math.max(0, clean - now - scaling.allowance)
      }
    }

    /** Goes through the network to page caches of other machines, piece after piece: its task waits until all have room for it. */
    private final class Written(of: Int, step: Int) extends Recording(of, step) {
      private val bytes = division.bytes(step)
      private val atOnce = math.max(Simulation.PieceBytes, bytes / Simulation.MostPieces)
      private var left = bytes

      override def queues: Boolean = bytes >= Monotask.FewBytes

      override def begins(): Double = {
        val piece = math.min(left, atOnce)
        val part = if (bytes > 0) piece.toDouble / bytes else 1
        left -= piece
        if (fileOf(of) == null) fileOf(of) = new File(of)
        fileOf(of).write(piece, needs(step) * part)
        machineOf(of).cpu.doesBeside(beside(step) * part, now)
        super.begins() * part
      }

      override def goesOn(now: Long): Long =
        math.max(super.goesOn(now), math.ceil(fileOf(of).hasRoom(scaling.allowanceOfOutput)).toLong)

      override def hasMore: Boolean = left > 0
    }

    /** On as many disks as there were, the same. Otherwise that of the replica that a task reads, and Spark's files take turns. */
    private def disk(task: Int, step: Int): Int =
      if (cluster.disks == work.disksOfMachine) work.disk(division.step(step))
      else if (phase(step) == MonotaskPhase.InputRead) inputDisk(task)
      else (numberOf(task) + work.table.resource(division.step(step))) % cluster.disks

    private def inputDisk(task: Int): Int = {
      if (inputDiskOf(task) < 0) inputDiskOf(task) = inputOf(division.stageOf(task), machineOf(task).index).next()
      inputDiskOf(task)
    }

    private def inputOf(stage: Int, machine: Int): InputBlocks = inputBlocks.getOrElseUpdate(
      (stage, machine), {
        val blocks = math.ceil(division.readers(stage).toDouble * cluster.replicas / cluster.machines).toInt
        new InputBlocks(blocks, cluster.disks, drawn(taskRows + stage.toLong * cluster.machines + machine))
      }
    )

    private def drawn(number: Long) = new SplittableRandom(seed.toLong << 32 | number)

    private def ends(task: Int): Unit = {
      val stage = division.stageOf(task)
      machineOf(task).ends(task)
      if (fileOf(task) != null) fileOf(task).ends()
      runningOf(pool(stage)) -= 1
      if (division.isAwaited(task)) progress.taskEnded(stage, now)
      reached()
    }
  }
}

private object Simulation {
  private final val DrawnBlocks = 256

  /** Of a file that is written to other machines: as it comes there, their disks have no more of it to write. */
  private final val PieceBytes = 1L << 20
  private final val MostPieces = 16

  /** Between two looks of an executor at its tasks: where a core may idle, and in the mean until it sees that. */
  private final val SoonMicros = 2000L
  private final val SeldomMicros = 16000L
}
