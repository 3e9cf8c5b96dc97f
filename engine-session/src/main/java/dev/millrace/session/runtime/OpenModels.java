package dev.millrace.session.runtime;

import dev.millrace.epcontext.binary.FileState;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.scheduler.Cancellation;
import dev.millrace.scheduler.event.FlightCreation;
import dev.millrace.scheduler.event.FlightRecording;
import dev.millrace.session.Admission;
import dev.millrace.session.RequestReport;
import dev.millrace.session.SessionOptions;
import dev.millrace.session.util.Locks;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The open models of an engine's sessions. A second session of the same file with the same options shares the model
 * that the first one prepared: it is created at once, and takes no memory of its own. Thread-safe.
 */
final class OpenModels {
    private static final Cancellation NOBODYS = new Cancellation();

    private final EngineResources engine;
    private final Map<Key, Place> places = new ConcurrentHashMap<>();

    OpenModels(EngineResources engine) {
        this.engine = engine;
    }

    /** @param options the session's options without those that concern one session alone */
    private record Key(FileState file, SessionOptions options) {
        /**
         * Returns the hash of the path alone. A generated hash of all components would make a process's first
         * session wait for the JVM to link it.
         */
        @Override
        public int hashCode() {
            return file.path().hashCode();
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Key key && file.equals(key.file) && options.equals(key.options);
        }
    }

    /**
     * The entry in which sessions of one key find the model that they share. The thread that makes the
     * first session holds the lock meanwhile.
     */
    private static final class Place {
        private final ReentrantLock making = new ReentrantLock();
        private @Nullable OpenModel model;
    }

    /**
     * Returns a session of a model file.
     *
     * @param maker makes a session that shares nothing
     */
    OpenSession session(Path file, SessionOptions options, Supplier<OpenSession> maker) {
        Key key = key(file, options);
        if (key == null) {
            return maker.get();
        }
        Place place = places.computeIfAbsent(key, _ -> new Place());
        lock(place, options.cancellation());
        try {
            engine.checkOpen();
            OpenModel there = place.model;
            if (there != null && there.isOfSameData() && there.enter()) {
                return another(file, there, options);
            }
            long now = now();
            OpenSession made = maker.get();
            OpenModel model = made.model();
            boolean settled = !model.isOfYoungDataAt(now) && model.isOfSameData() && key.equals(key(file, options));
            if (model.isShareable() && settled) {
                place.model = model;
                places.putIfAbsent(key, place);
                model.whenGone(() -> places.remove(key, place));
            }
            return made;
        } finally {
            if (place.model == null) {
                places.remove(key, place);
            }
            place.making.unlock();
        }
    }

    private OpenSession another(Path file, OpenModel there, SessionOptions options) {
        long start = System.nanoTime();
        FlightCreation flight = FlightRecording.creationIfOn();
        try {
            EarlyBinding.expect(options, there.face(), there.runner());
        } catch (RuntimeException | Error e) {
            there.leave();
            throw e;
        }
        var session = new OpenSession(
                engine, options, there, SessionReports.shared(there.report(), System.nanoTime() - start), file);
        if (flight != null) {
            flight.end(session.name(), RequestReport.outcome(null));
        }
        return session;
    }

    /** Returns the key under which sessions share a model; null if this one may not share. */
    private static @Nullable Key key(Path file, SessionOptions options) {
        if (options.alone() || options.epContext().enable()) {
            return null;
        }
        try {
            FileState state = FileState.of(file);
            if (state.isYoungAt(now())) {
                return null;
            }
            return new Key(state, withoutOwn(options));
        } catch (IOException _) {
            // the maker of the session says what is wrong with the file
            return null;
        }
    }

    private static long now() {
        return TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis());
    }

    private static SessionOptions withoutOwn(SessionOptions options) {
        return options.toBuilder()
                .name(null)
                .version(null)
                .listener(null)
                .concurrency(1)
                .admission(Admission.defaults())
                .expectNothing()
                .cancellation(NOBODYS)
                .build();
    }

    private static void lock(Place place, Cancellation cancellation) {
        Locks.lock(place.making, () -> {
            if (cancellation.isCancelled()) {
                throw new EngineException(
                        Status.MODEL_LOAD_CANCELED,
                        "the creation of a session was cancelled while another one of the same file was made");
            }
        });
    }
}
