package dev.millrace.session.batch;

import dev.millrace.graph.EngineException;
import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import dev.millrace.session.RunOptions;
import dev.millrace.session.Session;
import dev.millrace.session.stream.Receiver;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;

/** A session as batches need it: it runs a batch or one of its members, and says how busy it is. */
public interface MemberRuns extends Session {
    /** Starts a run on a thread of the engine. The result stops it, and the receiver may hear of that. */
    Disposable start(Inputs inputs, RunOptions options, Receiver<Outputs> to);

    /** Checks a request that another thread will run, before it is accepted. */
    void checkForLater(Inputs inputs, RunOptions options);

    /** Runs a request that has been checked already on the calling thread; returns null if the session is closed. */
    @Nullable
    Outputs runCheckedIfOpen(Inputs inputs, RunOptions options);

    /** Whether the current thread is one of the engine's, for which other runs may be waiting. */
    boolean isOwnThread();

    /** Whether no asynchronous run waits or is under way. */
    boolean isAtRest();

    /** Returns the failure that a run ends with when it throws. */
    EngineException named(Throwable thrown);

    /** Tells listeners that a run begins which answers a request among others. */
    void began(RunOptions options);

    /** Tells listeners that a request is part of a batch of {@code size}. */
    void joined(RunOptions options, int size);

    /** Tells listeners of a run that answered {@code size} requests. */
    void batchEnded(int size, long copiedNanos, long ranNanos);
}
