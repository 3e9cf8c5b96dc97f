package dev.millrace.kotlin

import dev.millrace.epcontext.EpContextOptions
import dev.millrace.graph.optimise.Optimiser
import dev.millrace.graph.optimise.pass.Level
import dev.millrace.scheduler.event.RunListener
import dev.millrace.session.SessionOptions
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

    /** Where a model from memory has its external data. */
    public var externalDataFolder: Path? = null

    /** Names the providers in the order in which they are asked; without this block all there are take part. */
    public fun providers(configure: ProvidersBuilder.() -> Unit) {
        ProvidersBuilder(options).configure()
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
        listener?.let(options::listener)
        externalDataFolder?.let(options::externalDataFolder)
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

    internal fun build(): EpContextOptions {
        val options = EpContextOptions.builder().enable(enable).embedMode(if (embed) 1 else 0)
        filePath?.let(options::filePath)
        return options.build()
    }
}
