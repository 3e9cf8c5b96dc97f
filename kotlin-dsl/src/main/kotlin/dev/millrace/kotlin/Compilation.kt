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

/** The configuration of a compilation. Properties that are not set keep the default of [CompileOptions]. */
@MillraceDsl
public class CompileConfiguration internal constructor() {
    /** Whether the context binary is embedded in the model, rather than written to a file beside it. */
    public var embed: Boolean = false

    /** The prefix of the names of context nodes and their partitions. */
    public var nodeNamePrefix: String = ""

    /** Which weights the context binary names in the source model, rather than holding them. */
    public var weightless: WeightlessMode = WeightlessMode.NONE

    /** A cancellation that stops the compilation. Nothing is written then. */
    public var cancellation: Cancellation? = null

    /** Whether to fail if no provider compiled a node. */
    public var errorIfNothingCompiled: Boolean = false

    /** Whether to fail if the output exists; otherwise it is replaced. */
    public var errorIfOutputExists: Boolean = false

    /** The optimisation level; by default that of the session's options. */
    public var level: Level? = null

    /** The group of models that is compiled into one context binary, of which this model is a member. */
    public var group: ContextGroup? = null

    /** A callback that says where initializers are stored. */
    public var placement: InitializerPlacement? = null

    private var session: SessionConfiguration.() -> Unit = {}
    private var progress: ((CompileProgress) -> Unit)? = null
    private val more = mutableListOf<CompileOptions.Builder.() -> Unit>()

    /** Sets the options of the sessions that the model is compiled for. */
    public fun session(configure: SessionConfiguration.() -> Unit) {
        session = configure
    }

    /** Sets the place of the context binary, for output that is no file. */
    public fun binary(
        folder: Path,
        modelName: String,
    ) {
        more += { binary(folder, modelName) }
    }

    /** Sets a target that takes the context binary in place of a file. */
    public fun binaryTarget(
        modelName: String,
        target: BinaryTarget,
    ) {
        more += { binaryTarget(target, modelName) }
    }

    /** Writes initializers of [fromBytes] bytes and more to this file. */
    public fun externalInitializers(
        fileName: String,
        fromBytes: Long = 0,
    ) {
        more += { externalInitializers(fileName, fromBytes) }
    }

    /** Sets a listener that is called when a phase has ended. */
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

/** Returns a compiler of models: `engine.compiler { embed = true }`. */
public fun Engine.compiler(configure: CompileConfiguration.() -> Unit = {}): ModelCompiler =
    compiler(CompileConfiguration().apply(configure).build())

/** Compiles without blocking the caller's thread; cancelling the coroutine stops it. */
public suspend fun ModelCompiler.compiled(
    input: ModelInput,
    output: ModelOutput,
): CompileReport = mono(input, output).awaitSingle()
