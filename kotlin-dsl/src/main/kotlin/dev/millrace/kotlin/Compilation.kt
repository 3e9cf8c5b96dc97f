package dev.millrace.kotlin

import dev.millrace.epcontext.BinaryTarget
import dev.millrace.epcontext.ContextGroup
import dev.millrace.graph.optimise.pass.Level
import dev.millrace.providers.spi.WeightlessMode
import dev.millrace.scheduler.Cancellation
import dev.millrace.session.CompileOptions
import dev.millrace.session.CompileProgress
import dev.millrace.session.CompileReport
import dev.millrace.session.Engine
import dev.millrace.session.InitializerPlacement
import dev.millrace.session.ModelCompiler
import dev.millrace.session.ModelInput
import dev.millrace.session.ModelOutput
import kotlinx.coroutines.reactor.awaitSingle
import java.nio.file.Path

/** How a model is compiled. What is not set keeps the default of [CompileOptions]. */
@MillraceDsl
public class CompileConfiguration internal constructor() {
    /** Puts what was compiled into the model, rather than into a file beside it. */
    public var embed: Boolean = false

    /** Stands before the names of context nodes and their partitions. */
    public var nodeNamePrefix: String = ""

    /** Which weights the context binary names in the source model, rather than to hold them. */
    public var weightless: WeightlessMode = WeightlessMode.NONE

    /** Stops the compilation: nothing is written then. */
    public var cancellation: Cancellation? = null

    /** Fails where no provider compiled a node. */
    public var errorIfNothingCompiled: Boolean = false

    /** Fails where the output stands there; otherwise it is replaced. */
    public var errorIfOutputExists: Boolean = false

    /** How far the optimiser goes; by default as the session's options say. */
    public var level: Level? = null

    /** Makes the model one of a group that is compiled into one context binary. */
    public var group: ContextGroup? = null

    /** Says where initializers lie. */
    public var placement: InitializerPlacement? = null

    private var session: SessionConfiguration.() -> Unit = {}
    private var progress: ((CompileProgress) -> Unit)? = null
    private val more = mutableListOf<CompileOptions.Builder.() -> Unit>()

    /** The options of sessions that the model is compiled for. */
    public fun session(configure: SessionConfiguration.() -> Unit) {
        session = configure
    }

    /** Where the context binary goes, for output that is no file. */
    public fun binary(
        folder: Path,
        modelName: String,
    ) {
        more += { binary(folder, modelName) }
    }

    /** What takes the context binary in place of a file. */
    public fun binaryTarget(
        modelName: String,
        target: BinaryTarget,
    ) {
        more += { binaryTarget(target, modelName) }
    }

    /** Initializers of so many bytes and more go to this file. */
    public fun externalInitializers(
        fileName: String,
        fromBytes: Long = 0,
    ) {
        more += { externalInitializers(fileName, fromBytes) }
    }

    /** Hears when a phase is done. */
    public fun progress(listener: (CompileProgress) -> Unit) {
        progress = listener
    }

    internal fun build(): CompileOptions {
        val options =
            CompileOptions
                .of(sessionOptions(session))
                .embed(embed)
                .weightless(weightless)
                .nodeNamePrefix(nodeNamePrefix)
                .errorIfNothingCompiled(errorIfNothingCompiled)
                .errorIfOutputExists(errorIfOutputExists)
                .group(group)
                .placement(placement)
        level?.let(options::level)
        cancellation?.let(options::cancellation)
        progress?.let { listener -> options.progress { listener(it) } }
        more.forEach { options.it() }
        return options.build()
    }
}

/** A compiler of models: `engine.compiler { embed = true }`. */
public fun Engine.compiler(configure: CompileConfiguration.() -> Unit = {}): ModelCompiler =
    compiler(CompileConfiguration().apply(configure).build())

/** Compiles without blocking the caller's thread; cancelling the coroutine stops it. */
public suspend fun ModelCompiler.compiled(
    input: ModelInput,
    output: ModelOutput,
): CompileReport = mono(input, output).awaitSingle()
