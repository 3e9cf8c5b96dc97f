package dev.millrace.kotlin

import dev.millrace.epcontext.BinarySource
import dev.millrace.epcontext.ContextCache
import dev.millrace.epcontext.ContextGroup
import dev.millrace.epcontext.EpContextOptions
import dev.millrace.epcontext.Verification
import dev.millrace.graph.format.FileUse
import dev.millrace.graph.optimise.Optimiser
import dev.millrace.graph.optimise.pass.Level
import dev.millrace.providers.spi.WeightlessMode
import dev.millrace.scheduler.Cancellation
import dev.millrace.scheduler.event.RunListener
import dev.millrace.session.Admission
import dev.millrace.session.Inputs
import dev.millrace.session.SessionOptions
import java.lang.foreign.MemorySegment
import java.nio.file.Path

/** How a session is made. What is not set keeps the default of [SessionOptions]. */
@MillraceDsl
public class SessionConfiguration internal constructor() {
    private val options = SessionOptions.builder()

    /** How many threads one run may use, the caller's included; 0 for as many as the engine has. */
    public var threads: Int = 0

    /** How many runs of a flow are under way at once. */
    public var concurrency: Int = 1

    /** How many tuples of input shapes are remembered. */
    public var maxBindings: Int = 16

    /** Hears of every step of every run. */
    public var listener: RunListener? = null

    /** Where a model has its external data; null for the folder of its file. */
    public var externalDataFolder: Path? = null

    /** Whether the session's files are read, or mapped. */
    public var fileUse: FileUse = FileUse.BY_SIZE

    /** Where the session of a model file finds what was compiled before; by default where the engine does. */
    public var contextCache: Path? = null

    /** Refuses a model that departs from ONNX in what is otherwise read with a note. */
    public var strict: Boolean = false

    /** Leaves to the first run what a model's declared shapes allow to be done before: packing weights, making programs. */
    public var bindLazily: Boolean = false

    /** Prepares and holds all for this session; otherwise sessions of one file share it while they are open at once. */
    public var alone: Boolean = false

    /** Refuses to compile: only what was compiled before, and single kernels. */
    public var disableModelCompile: Boolean = false

    /** Refuses to leave nodes to the plain provider. */
    public var disableCpuFallback: Boolean = false

    /** Refuses a compiled model that would be faster compiled again. */
    public var failOnSuboptimalModel: Boolean = false

    /** Stops the session's creation. */
    public var cancellation: Cancellation? = null

    /** What messages call the session; by default the name of the model's graph. */
    public var name: String? = null

    /** The version of the model for meters and logs; by default what the model says. */
    public var version: String? = null

    /** How many requests may wait for the session; more are refused. */
    public var queue: Int = Admission.defaults().queue()

    /** How much more of the engine's threads the session gets than one of weight 1. */
    public var weight: Int = Admission.defaults().weight()

    /** How many runs that somebody suspends for are under way at once. */
    public var maxConcurrentRuns: Int = Admission.defaults().maxConcurrentRuns()

    private val strings = mutableListOf<Pair<String, String>>()

    /** Sets an option by the name that ONNX Runtime has for it: `config("ep.context_enable", "1")`. */
    public fun config(
        key: String,
        value: String,
    ) {
        strings += key to value
    }

    /** Names the providers in the order in which they are asked; without this block all there are take part. */
    public fun providers(configure: ProvidersBuilder.() -> Unit) {
        ProvidersBuilder(options).configure()
    }

    /** Says what a request will typically bring: creation prepares for that, and the first such request need not wait. */
    public fun expect(typical: Inputs) {
        options.expect(typical)
    }

    /** Says which passes of the optimiser run. */
    public fun optimiser(configure: OptimiserBuilder.() -> Unit) {
        options.optimiser(OptimiserBuilder().apply(configure).build())
    }

    /** Keeps what providers compile, and says where. */
    public fun epContext(configure: EpContextBuilder.() -> Unit) {
        options.epContext(EpContextBuilder().apply(configure).build())
    }

    internal fun build(): SessionOptions {
        options.threads(threads).concurrency(concurrency).maxBindings(maxBindings)
        options.name(name).version(version).admission(Admission(queue, weight, maxConcurrentRuns))
        listener?.let(options::listener)
        externalDataFolder?.let(options::externalDataFolder)
        contextCache?.let { options.contextCache(ContextCache.`in`(it)) }
        options
            .fileUse(fileUse)
            .strict(strict)
            .bindLazily(bindLazily)
            .alone(alone)
        options
            .disableModelCompile(disableModelCompile)
            .disableCpuFallback(disableCpuFallback)
            .failOnSuboptimalModel(failOnSuboptimalModel)
        cancellation?.let(options::cancellation)
        strings.forEach { (key, value) -> options.config(key, value) }
        return options.build()
    }
}

/** The providers of a session, the first who claims a node gets it. */
@MillraceDsl
public class ProvidersBuilder internal constructor(
    private val options: SessionOptions.Builder,
) {
    /** The fast provider. */
    public fun simd(vararg settings: Pair<String, String>): Unit = provider("simd", *settings)

    /** The plain provider, which has every operator. */
    public fun cpu(vararg settings: Pair<String, String>): Unit = provider("cpu", *settings)

    /** Any provider on the class path, by its name. */
    public fun provider(
        name: String,
        vararg settings: Pair<String, String>,
    ) {
        options.provider(name, settings.toMap())
    }
}

/** What the optimiser does. */
@MillraceDsl
public class OptimiserBuilder internal constructor() {
    /** How far it goes. */
    public var level: Level = Level.ALL

    private val disabled = mutableSetOf<String>()

    /** Switches passes off by their names. */
    public fun disable(vararg passes: String) {
        disabled += passes
    }

    internal fun build(): Optimiser.Options =
        Optimiser.Options
            .builder()
            .level(level)
            .disable(disabled)
            .build()
}

/** Whether and how a context model is written. */
@MillraceDsl
public class EpContextBuilder internal constructor() {
    /** Writes a context model while the session is made. */
    public var enable: Boolean = false

    /** The context model to write; by default beside the source, with `_ctx` behind its name. */
    public var filePath: Path? = null

    /** Puts the context binary into the model instead of a file beside it. */
    public var embed: Boolean = false

    /** Stands before the names of context nodes and their partitions. */
    public var nodeNamePrefix: String = ""

    /** The file beside the context model that takes its initializers; by default they stay inside. */
    public var externalInitializersFile: String? = null

    /** Makes the session one of the group that compiles into one context binary in this folder. */
    public var share: Boolean = false

    /** Makes the session the last of that group, after which all of it is written. */
    public var stopShare: Boolean = false

    /** Makes the session one of this very group. */
    public var group: ContextGroup? = null

    /** Brings the context binaries that lie outside of models; by default they are in the model's folder. */
    public var source: BinarySource? = null

    /** When the content of context binaries is held against what was written. */
    public var verification: Verification = Verification.AT_ONCE

    /** Which weights context binaries name in the source model, rather than to hold them. */
    public var weightless: WeightlessMode = WeightlessMode.NONE

    /** The source model of a context model that left its weights there; by default the one beside it. */
    public var sourceModel: Path? = null

    /** The same in memory, which stays as it is while sessions use it. */
    public var sourceBytes: MemorySegment? = null

    internal fun build(): EpContextOptions =
        EpContextOptions
            .builder()
            .enable(enable)
            .filePath(filePath)
            .embedMode(if (embed) 1 else 0)
            .nodeNamePrefix(nodeNamePrefix)
            .externalInitializersFile(externalInitializersFile)
            .share(share)
            .stopShare(stopShare)
            .group(group)
            .source(source)
            .verification(verification)
            .weightless(weightless)
            .sourceModel(sourceModel)
            .sourceBytes(sourceBytes)
            .build()
}
