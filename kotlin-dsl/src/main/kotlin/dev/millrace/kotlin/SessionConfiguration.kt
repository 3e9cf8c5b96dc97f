package dev.millrace.kotlin

import dev.millrace.epcontext.BinarySource
import dev.millrace.epcontext.ContextGroup
import dev.millrace.epcontext.EpContextOptions
import dev.millrace.epcontext.Verification
import dev.millrace.epcontext.cache.ContextCache
import dev.millrace.graph.format.FileUse
import dev.millrace.graph.optimise.Optimiser
import dev.millrace.graph.optimise.pass.Level
import dev.millrace.providers.spi.ProviderDevice
import dev.millrace.providers.spi.WeightlessMode
import dev.millrace.scheduler.Cancellation
import dev.millrace.scheduler.event.RunListener
import dev.millrace.session.DevicePolicy
import dev.millrace.session.Inputs
import dev.millrace.session.SessionOption
import dev.millrace.session.SessionOptions
import java.lang.foreign.MemorySegment
import java.nio.file.Path
import kotlin.properties.ReadWriteProperty
import kotlin.reflect.KProperty

/** The configuration of a session. Properties that are not set keep the default of [SessionOptions]. */
@MillraceDsl
public class SessionConfiguration internal constructor() {
    private val options = SessionOptions.builder()

    /** The number of threads that one run may use, the caller's included; 0 for as many as the engine has. */
    public var threads: Int by option(SessionOption.THREADS)

    /** The number of runs that a flow has under way at once. */
    public var concurrency: Int by option(SessionOption.CONCURRENCY)

    /** The number of tuples of input shapes that are remembered. */
    public var maxBindings: Int by option(SessionOption.MAX_BINDINGS)

    /** A listener to every step of every run. */
    public var listener: RunListener? by option(SessionOption.LISTENER)

    /** The folder of a model's external data; null for the folder of its file. */
    public var externalDataFolder: Path? by option(SessionOption.EXTERNAL_DATA_FOLDER)

    /**
     * Gives the content of a file of external data, which is not looked for on disk then. The memory stays open and
     * unchanged as long as the session is open.
     */
    public fun externalData(
        location: String,
        content: MemorySegment,
    ) {
        options.externalData(location, content)
    }

    /** Whether the session's files are read or mapped. */
    public var fileUse: FileUse by option(SessionOption.FILE_USE)

    /**
     * The folder in which the session of a model file finds earlier compilations and stores new
     * ones; by default the engine's.
     */
    public var contextCache: Path? = null

    /** Whether to refuse a model for a departure from ONNX that otherwise is noted. */
    public var strict: Boolean by option(SessionOption.STRICT)

    /**
     * Whether to leave to the first run the work that a model's declared shapes allow to do
     * before: packing weights, making programs.
     */
    public var bindLazily: Boolean by option(SessionOption.BIND_LAZILY)

    /**
     * Whether to prepare and hold everything for this session; otherwise sessions of one file
     * share it while they are open.
     */
    public var alone: Boolean by option(SessionOption.ALONE)

    /** Whether to refuse to compile: only parts that were compiled before, and single kernels. */
    public var disableModelCompile: Boolean by option(SessionOption.DISABLE_MODEL_COMPILE)

    /** Chooses devices where no provider is named: a `DevicePreference` or a function of your own. */
    public var devicePolicy: DevicePolicy? by option(SessionOption.DEVICE_POLICY)

    /** Whether to refuse to leave nodes to the provider `cpu`. */
    public var disableCpuFallback: Boolean by option(SessionOption.DISABLE_CPU_FALLBACK)

    /** Whether to refuse a compiled model that would be faster compiled again. */
    public var failOnSuboptimalModel: Boolean by option(SessionOption.FAIL_ON_SUBOPTIMAL_MODEL)

    /** A cancellation that stops the session's creation. */
    public var cancellation: Cancellation by option(SessionOption.CANCELLATION)

    /** The session's name in messages; by default that of the model's file. */
    public var name: String? by option(SessionOption.NAME)

    /** The version of the model for meters and logs; by default that of the model's metadata. */
    public var version: String? by option(SessionOption.VERSION)

    /** The number of requests that may wait for the session; further ones are refused. */
    public var queue: Int by option(SessionOption.QUEUE)

    /** The session's share of the engine's threads, relative to a session of weight 1. */
    public var weight: Int by option(SessionOption.WEIGHT)

    /** The number of asynchronous runs that may be under way at once. */
    public var maxConcurrentRuns: Int by option(SessionOption.MAX_CONCURRENT_RUNS)

    private val strings = mutableListOf<Pair<String, String>>()

    /** Sets an option by ONNX Runtime's name for it: `config("ep.context_enable", "1")`. */
    public fun config(
        key: String,
        value: String,
    ) {
        strings += key to value
    }

    /** Names the providers in the order in which they are asked; without this block all providers take part. */
    public fun providers(configure: ProvidersBuilder.() -> Unit) {
        ProvidersBuilder(options).configure()
    }

    /** Adds typical inputs of a request: creation prepares for them, and the first such request need not wait. */
    public fun expect(typical: Inputs) {
        options.expect(typical)
    }

    /** Sets the options of the optimiser. */
    public fun optimiser(configure: OptimiserBuilder.() -> Unit) {
        options.optimiser(OptimiserBuilder().apply(configure).build())
    }

    /** Sets the options of context models. */
    public fun epContext(configure: EpContextBuilder.() -> Unit) {
        options.epContext(EpContextBuilder().apply(configure).build())
    }

    internal fun build(): SessionOptions {
        contextCache?.let { options.contextCache(ContextCache.`in`(it)) }
        strings.forEach { (key, value) -> options.config(key, value) }
        return options.build()
    }

    /** Returns a property that is an option of the session. */
    private fun <T> option(of: SessionOption<T>) =
        object : ReadWriteProperty<SessionConfiguration, T> {
            override fun getValue(
                thisRef: SessionConfiguration,
                property: KProperty<*>,
            ): T = options.get(of)

            override fun setValue(
                thisRef: SessionConfiguration,
                property: KProperty<*>,
                value: T,
            ) {
                options.set(of, value)
            }
        }
}

/** The providers of a session, of which the first that claims a node gets it. */
@MillraceDsl
public class ProvidersBuilder internal constructor(
    private val options: SessionOptions.Builder,
) {
    /** Adds the provider `simd`, which compiles partitions to vector code. */
    public fun simd(vararg settings: Pair<String, String>): Unit = provider("simd", *settings)

    /** Adds the provider `cpu`, which has every operator. */
    public fun cpu(vararg settings: Pair<String, String>): Unit = provider("cpu", *settings)

    /** Adds a provider on one of the engine's devices; further devices of the provider join it. */
    public fun device(
        device: ProviderDevice,
        vararg settings: Pair<String, String>,
    ) {
        options.device(device, settings.toMap())
    }

    /** Adds a provider on the class path or of a registered library by its name. */
    public fun provider(
        name: String,
        vararg settings: Pair<String, String>,
    ) {
        options.provider(name, settings.toMap())
    }
}

/** The options of the optimiser. */
@MillraceDsl
public class OptimiserBuilder internal constructor() {
    /** The optimisation level. */
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

/** The options of context models. */
@MillraceDsl
public class EpContextBuilder internal constructor() {
    /** Whether to write a context model while the session is created. */
    public var enable: Boolean = false

    /** The context model to write; by default beside the source, with `_ctx` appended to its name. */
    public var filePath: Path? = null

    /** Whether the context binary is embedded in the model, rather than written to a file beside it. */
    public var embed: Boolean = false

    /** The prefix of the names of context nodes and their partitions. */
    public var nodeNamePrefix: String = ""

    /** The file beside the context model that takes its initializers; by default they stay inside. */
    public var externalInitializersFile: String? = null

    /** Whether the session is a member of the group that is compiled into one context binary in this folder. */
    public var share: Boolean = false

    /** Whether the session is the last of that group, after which all of it is written. */
    public var stopShare: Boolean = false

    /** The group that the session is a member of. */
    public var group: ContextGroup? = null

    /** A source of the context binaries that are not embedded in models; by default they are in the model's folder. */
    public var source: BinarySource? = null

    /** When the content of context binaries is verified. */
    public var verification: Verification = Verification.AT_ONCE

    /** Which weights context binaries name in the source model, rather than holding them. */
    public var weightless: WeightlessMode = WeightlessMode.NONE

    /** The source model of a context model that left its weights there; by default the one beside it. */
    public var sourceModel: Path? = null

    /** The source model in memory, which must not change while sessions use it. */
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
