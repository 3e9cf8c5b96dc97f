package dev.millrace.kotlin

import dev.millrace.epcontext.cache.ContextCache
import dev.millrace.graph.EngineException
import dev.millrace.providers.spi.HardwareDevice
import dev.millrace.providers.spi.ProviderFactory
import dev.millrace.scheduler.Cancellation
import dev.millrace.session.Engine
import dev.millrace.session.EngineOptions
import dev.millrace.session.ReplaceableSession
import dev.millrace.session.RequestListener
import dev.millrace.session.Session
import dev.millrace.session.SessionOptions
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.asExecutor
import kotlinx.coroutines.suspendCancellableCoroutine
import java.lang.foreign.MemorySegment
import java.nio.file.Path
import kotlin.coroutines.resumeWithException

/** Keeps the builders of one block out of the blocks inside it. */
@DslMarker
public annotation class MillraceDsl

/** The configuration of an engine. */
@MillraceDsl
public class EngineBuilder internal constructor() {
    /** The number of threads that can work on one run, the caller's included; 0 for as many as the container allows. */
    public var threads: Int = 0

    /** The folder in which sessions of model files find earlier compilations and store new ones. */
    public var contextCache: Path? = null

    /** Stand-ins for hardware that is not present, for which models are to be compiled all the same. */
    public var virtualDevices: List<HardwareDevice> = emptyList()

    /** A listener to the requests of all sessions. */
    public var requestListener: RequestListener? = null

    /** The bytes of weights and of intermediate values that all sessions may hold together. */
    public var memoryBudget: Long = Long.MAX_VALUE

    /** The bytes that all sessions may hold together of one kind of memory of one device. */
    public var deviceMemory: Long = Long.MAX_VALUE

    /** Providers in addition to those that are found on the class path; the engine closes them. */
    public var providers: List<ProviderFactory> = emptyList()

    internal fun build(): Engine =
        Engine.create(
            EngineOptions
                .builder()
                .threads(threads)
                .contextCache(contextCache?.let(ContextCache::`in`))
                .virtualDevices(virtualDevices)
                .requestListener(requestListener)
                .memoryBudget(memoryBudget)
                .deviceMemory(deviceMemory)
                .providers(providers)
                .build(),
        )
}

/** Creates an engine: `engine { threads = 2 }`. The caller closes it. */
public fun engine(configure: EngineBuilder.() -> Unit = {}): Engine = EngineBuilder().apply(configure).build()

/** Creates a session of a model file: `engine.session("model.onnx") { providers { simd(); cpu() } }`. */
public fun Engine.session(
    model: String,
    configure: SessionConfiguration.() -> Unit = {},
): Session = session(Path.of(model), configure)

/** Creates a session of a model file. */
public fun Engine.session(
    model: Path,
    configure: SessionConfiguration.() -> Unit = {},
): Session = session(model, sessionOptions(configure))

/** Creates a session of a model in memory. */
public fun Engine.session(
    model: ByteArray,
    configure: SessionConfiguration.() -> Unit = {},
): Session = session(model, sessionOptions(configure))

/** Creates a session of a model in memory outside the heap, which must not change while the session is open. */
public fun Engine.session(
    model: MemorySegment,
    configure: SessionConfiguration.() -> Unit = {},
): Session = session(model, sessionOptions(configure))

/** Replaces the model that answers, under load: `engine.replace(service, Path.of("v2.onnx")) { threads = 2 }`. */
public fun Engine.replace(
    service: ReplaceableSession,
    model: Path,
    configure: SessionConfiguration.() -> Unit,
): Unit = replace(service, model, sessionOptions(configure))

/** Creates a session without blocking the caller's thread; cancelling the coroutine stops the creation. */
public suspend fun Engine.openSession(
    model: Path,
    configure: SessionConfiguration.() -> Unit = {},
): Session {
    val given = sessionOptions(configure)
    val stop = Cancellation(given.cancellation())
    return opened(stop) { session(model, given.toBuilder().cancellation(stop).build()) }
}

private suspend fun opened(
    stop: Cancellation,
    make: () -> Session,
): Session =
    suspendCancellableCoroutine { waiting ->
        waiting.invokeOnCancellation { stop.cancel() }
        Dispatchers.IO.asExecutor().execute {
            try {
                waiting.resume(make()) { _, session, _ -> session.close() }
            } catch (failure: EngineException) {
                waiting.resumeWithException(failure)
            }
        }
    }

/** Returns options without a session, to be used for several sessions. */
public fun sessionOptions(configure: SessionConfiguration.() -> Unit): SessionOptions =
    SessionConfiguration().apply(configure).build()
